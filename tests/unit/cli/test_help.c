// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buf.h"
#include "cli/cmd.h"
#include "cli/help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const modes[] = { "fast", "slow", NULL };

struct options {
	int64_t rounds;
	bool color;
	char *knobs;
	int mode;
};

static const struct kd_opt opts[] = {
	{ "rounds", KD_OPT_INT, offsetof(struct options, rounds), .letter = 'n',
	  .def = "10", .help = "how often each variant runs" },
	{ "color", KD_OPT_BOOL, offsetof(struct options, color), .def = "yes",
	  .help = "colours" },
	{ "knob", KD_OPT_STR, offsetof(struct options, knobs), .letter = 'k',
	  .arg = "KNOB=VALUES", .flags = KD_OPT_REPEAT,
	  .help = "what to change, with a text that is long enough to be wrapped in any width" },
	{ "mode", KD_OPT_ENUM, offsetof(struct options, mode),
	  .choices = modes, .help = "how" },
	{ 0 },
};

static const struct kd_command cmd = {
	.name = "test", .summary = "is a test", .usage = "FILE...",
	.details = "Has *bold --words* and a_name, 2 * 3.\nA second paragraph.",
	.opts = opts, .opts_size = sizeof(struct options),
};

static void prints_a_command(void **state)
{
	struct kd_buf b = { 0 };

	kd_help_command(&cmd, 80, &b);
	assert_string_equal(kd_buf_str(&b),
"usage: kdelta test [OPTION...] FILE...\n"
"\n"
"is a test\n"
"\n"
"  -n, --rounds=N          how often each variant runs (default 10)\n"
"  --[no-]color            colours\n"
"  -k, --knob=KNOB=VALUES  what to change, with a text that is long enough to be\n"
"                          wrapped in any width; may be repeated\n"
"  --mode=WORD             how: fast, slow\n"
"  -h, --help              this text\n"
"\n"
"Has bold --words and a_name, 2 * 3.\n"
"\n"
"A second paragraph.\n");
	kd_buf_fini(&b);
}

static size_t widest(const char *text)
{
	size_t most = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > most)
			most = len;
		assert_true(!len || text[len - 1] != ' ');
		text += len + (text[len] == '\n');
	}
	return most;
}

static void fits_its_width(void **state)
{
	for (int width = 60; width <= 100; width += 5) {
		struct kd_buf b = { 0 };

		kd_help_command(&cmd, width, &b);
		assert_in_range(widest(kd_buf_str(&b)), 1, width);
		kd_buf_reset(&b);
		kd_help_program(width, &b);
		assert_in_range(widest(kd_buf_str(&b)), 1, width);
		for (size_t i = 0; kd_command_table[i]; i++) {
			kd_buf_reset(&b);
			kd_help_command(kd_command_table[i], width, &b);
			assert_in_range(widest(kd_buf_str(&b)), 1, width);
		}
		kd_buf_fini(&b);
	}
}

/* each row of each command: named, explained, its default readable */
static void tables_are_sound(void **state)
{
	for (size_t i = 0; kd_command_table[i]; i++) {
		const struct kd_command *c = kd_command_table[i];
		void *base = calloc(1, c->opts_size ? c->opts_size : 1);

		assert_non_null(c->summary);
		assert_non_null(c->run);
		assert_int_equal(kd_opt_init(c->opts, base), 0);
		kd_opt_fini(c->opts, base);
		free(base);
		for (const struct kd_opt *o = c->opts; o && o->name; o++) {
			assert_non_null(o->help);
			for (const struct kd_opt *p = c->opts; p != o; p++) {
				assert_string_not_equal(p->name, o->name);
				if (o->letter)
					assert_int_not_equal(p->letter,
							     o->letter);
			}
			assert_true(o->offset < c->opts_size);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_a_command),
		cmocka_unit_test(fits_its_width),
		cmocka_unit_test(tables_are_sound),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
