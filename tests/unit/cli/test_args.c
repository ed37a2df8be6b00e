// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const modes[] = { "fast", "slow", NULL };

struct options {
	int64_t rounds;
	bool json;
	bool color;
	char *knobs;
	int mode;
	uint64_t time_ns;
};

static const struct kd_opt opts[] = {
	{ "rounds", KD_OPT_INT, offsetof(struct options, rounds), .letter = 'n',
	  .min = 1, .max = 100, .def = "10" },
	{ "json", KD_OPT_BOOL, offsetof(struct options, json), .letter = 'j' },
	{ "color", KD_OPT_BOOL, offsetof(struct options, color), .def = "yes",
	  .letter = 'c' },
	{ "knob", KD_OPT_STR, offsetof(struct options, knobs), .letter = 'k',
	  .flags = KD_OPT_REPEAT },
	{ "mode", KD_OPT_ENUM, offsetof(struct options, mode),
	  .choices = modes, .def = "slow" },
	{ "time", KD_OPT_TIME, offsetof(struct options, time_ns) },
	{ 0 },
};

/* parse a line of words parted by blanks; the words left, joined by '|' */
static int parse(const char *line, bool stops, struct options *o, char *left,
		 struct kd_args *args, struct kd_diag *d)
{
	char text[256], *argv[32], *save = NULL;
	int argc = 0, r;

	snprintf(text, sizeof(text), "%s", line);
	for (char *w = strtok_r(text, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	*o = (struct options){ 0 };
	assert_int_equal(kd_opt_init(opts, o), 0);
	r = kd_args_parse(opts, o, argc, argv, stops, args, d);
	left[0] = '\0';
	for (int i = 0; !r && i < args->argc; i++)
		sprintf(left + strlen(left), "%s%s", i ? "|" : "",
			args->argv[i]);
	if (!r && !args->help)
		assert_null(args->argv[args->argc]);
	return r;
}

static void reads_all_ways_to_write_an_option(void **state)
{
	static const struct {
		const char *line;
		const char *left;
		int64_t rounds;
		bool json, color;
		const char *knobs;
	} cases[] = {
		{ "", "", 10, false, true, NULL },
		{ "--rounds 5 a --json b", "a|b", 5, true, true, NULL },
		{ "--rounds=5", "", 5, false, true, NULL },
		{ "-n5 -jc", "", 5, true, true, NULL },
		{ "-jn 7 -k a=1,2 -k b=3", "", 7, true, true, "a=1,2\nb=3" },
		{ "--no-color --no-json", "", 10, false, false, NULL },
		{ "--color=no --json=yes", "", 10, true, false, NULL },
		{ "-n 5 -n 6", "", 6, false, true, NULL },
		{ "- -- -n 5 --help", "-|-n|5|--help", 10, false, true, NULL },
		{ "--knob=x=y=z", "", 10, false, true, "x=y=z" },
		{ "--knob -n", "", 10, false, true, "-n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kd_diag d = { 0 };
		struct kd_args args;
		struct options o;
		char left[256];

		assert_int_equal(parse(cases[i].line, false, &o, left, &args,
				       &d), 0);
		assert_false(args.help);
		assert_string_equal(left, cases[i].left);
		assert_int_equal(o.rounds, cases[i].rounds);
		assert_int_equal(o.json, cases[i].json);
		assert_int_equal(o.color, cases[i].color);
		if (cases[i].knobs)
			assert_string_equal(o.knobs, cases[i].knobs);
		else
			assert_null(o.knobs);
		kd_opt_fini(opts, &o);
	}
}

static void stops_at_a_command(void **state)
{
	struct kd_args args;
	struct options o;
	char left[256];

	assert_int_equal(parse("-n 3 perf -n 5 --help", true, &o, left, &args,
			       NULL), 0);
	assert_string_equal(left, "perf|-n|5|--help");
	assert_int_equal(o.rounds, 3);
	kd_opt_fini(opts, &o);
}

static void sees_help_anywhere(void **state)
{
	struct kd_args args;
	struct options o;
	char left[256];

	assert_int_equal(parse("a --help --nonsense", false, &o, left, &args,
			       NULL), 0);
	assert_true(args.help);
	kd_opt_fini(opts, &o);
	assert_int_equal(parse("-h", false, &o, left, &args, NULL), 0);
	assert_true(args.help);
	kd_opt_fini(opts, &o);
}

static void names_what_is_wrong(void **state)
{
	static const char *const cases[][2] = {
		{ "--round 5", "there is no option --round; did you mean --rounds?" },
		{ "--no-colour", "there is no option --no-colour; did you mean --no-color?" },
		{ "--no-rounds", "there is no option --no-rounds; did you mean --rounds?" },
		{ "-x", "there is no option -x" },
		{ "-jx", "there is no option -x" },
		{ "--rounds", "--rounds needs a value: a whole number, from 1 to 100" },
		{ "-n", "--rounds needs a value: a whole number, from 1 to 100" },
		{ "--rounds five", "--rounds: \"five\" is not a whole number, from 1 to 100" },
		{ "-n0", "--rounds: \"0\" is not a whole number, from 1 to 100" },
		{ "--mode=fats", "--mode: \"fats\" is not one of fast, slow; did you mean \"fast\"?" },
		{ "--no-json=yes", "--no-json takes no value" },
		{ "--json=maybe", "--json: \"maybe\" is not yes or no" },
		{ "--=5", "there is no option --" },
	};
	int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kd_diag d = { 0 };
		struct kd_args args;
		struct options o;
		char left[256], words[1280];

		assert_true(parse(cases[i][0], false, &o, left, &args,
				  &d) < 0);
		kd_diag_format(&d, words, sizeof(words));
		if (strcmp(words, cases[i][1])) {
			print_error("%s\n%s\n", words, cases[i][1]);
			wrong++;
		}
		kd_opt_fini(opts, &o);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_ways_to_write_an_option),
		cmocka_unit_test(stops_at_a_command),
		cmocka_unit_test(sees_help_anywhere),
		cmocka_unit_test(names_what_is_wrong),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
