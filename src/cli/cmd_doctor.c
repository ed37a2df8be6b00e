// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta doctor: is this machine fit to measure.
 */
#include "base/buf.h"
#include "base/root.h"
#include "cli/cmd.h"
#include "doctor/doctor.h"
#include "reports/words.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

struct options {
	char *root;
	bool json;
	bool strict;
	bool verbose;
};

#define OFFSET(member) offsetof(struct options, member)

static const struct kd_opt opts[] = {
	{ "json", KD_OPT_BOOL, OFFSET(json), .help = "for programs" },
	{ "strict", KD_OPT_BOOL, OFFSET(strict),
	  .help = "exit with 1 for warnings too" },
	{ "verbose", KD_OPT_BOOL, OFFSET(verbose), .letter = 'v',
	  .help = "what was looked at, and what this machine does not have" },
	{ "root", KD_OPT_STR, OFFSET(root), .def = "/", .arg = "DIR",
	  .help = "where /proc, /sys and /boot are" },
	{ 0 },
};

struct visit {
	const struct options *o;
	const struct kd_root *root;
	json_t *json;
	int width;
	size_t counts[KD_FIT_COUNT];
	size_t matched;
};

static const char *fix_of(const struct kd_doctor_check *c,
			  const struct kd_finding *f)
{
	return f->fix[0] ? f->fix : c->fix;
}

static void print_row(const struct visit *v, const struct kd_doctor_check *c,
		      const struct kd_finding *f)
{
	char first[48];
	struct kd_buf b = { 0 };

	if (f->fitness == KD_FIT_ABSENT && !v->o->verbose)
		return;
	snprintf(first, sizeof(first), "%-7s%-13s",
		 kd_fitness_name(f->fitness), c->name);
	if (v->o->verbose)
		kd_buf_printf(&b, "%s: ", c->summary);
	kd_rep_name(&b, f->found[0] ? f->found : "not here");
	kd_rep_wrap(stdout, kd_buf_str(&b), v->width, first,
		    "                    ");
	if (f->fitness >= KD_FIT_NOTE) {
		kd_rep_wrap(stdout, c->cost, v->width, "       costs: ",
			    "              ");
		kd_rep_wrap(stdout, fix_of(c, f), v->width, "       fix:   ",
			    "              ");
	}
	kd_buf_fini(&b);
}

static void add_row(const struct visit *v, const struct kd_doctor_check *c,
		    const struct kd_finding *f)
{
	bool matters = f->fitness >= KD_FIT_NOTE;

	json_array_append_new(v->json, json_pack("{s:s,s:s,s:s,s:s,s:s?,s:s?}",
		"check", c->name, "summary", c->summary,
		"fitness", kd_fitness_name(f->fitness), "found", f->found,
		"cost", matters ? c->cost : NULL,
		"fix", matters ? fix_of(c, f) : NULL));
}

static void visit(struct visit *v, const char *pattern)
{
	for (size_t g = 0; kd_doctor_groups[g]; g++) {
		const struct kd_doctor_check *c = kd_doctor_groups[g];

		for (; c->name; c++) {
			struct kd_finding f = { 0 };

			if (pattern && fnmatch(pattern, c->name, 0))
				continue;
			v->matched++;
			c->look(v->root, &f);
			v->counts[f.fitness]++;
			if (v->json)
				add_row(v, c, &f);
			else
				print_row(v, c, &f);
		}
	}
}

static bool is_fit(const struct visit *v)
{
	return !v->counts[KD_FIT_BAD] &&
	       !(v->o->strict && v->counts[KD_FIT_WARN]);
}

static void print_sum(const struct visit *v)
{
	const char *said = v->counts[KD_FIT_BAD] ?
				"not fit to measure" :
			   v->counts[KD_FIT_WARN] ?
				"fit, but with noise that can be had away" :
				"fit to measure";
	char line[200];

	snprintf(line, sizeof(line), "This machine is %s: bad %zu, warn %zu, note %zu, ok %zu.",
		 said, v->counts[KD_FIT_BAD], v->counts[KD_FIT_WARN],
		 v->counts[KD_FIT_NOTE], v->counts[KD_FIT_OK]);
	putchar('\n');
	kd_rep_wrap(stdout, line, v->width, "", "");
}

static void print_json(const struct visit *v)
{
	json_t *j = json_pack("{s:s,s:b,s:i,s:i,s:i,s:O}", "kdelta", KD_VERSION,
			      "fit", is_fit(v),
			      "bad", (int)v->counts[KD_FIT_BAD],
			      "warnings", (int)v->counts[KD_FIT_WARN],
			      "notes", (int)v->counts[KD_FIT_NOTE],
			      "checks", v->json);

	json_dumpf(j, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(j);
}

static int run(const void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct visit v = { .o = o, .width = kd_cli_width(STDOUT_FILENO) };
	struct kd_root *root;
	struct kd_diag d = { 0 };

	if (kd_root_open(o->root, &root, &d))
		return kd_cli_fail("doctor", &d);
	v.root = root;
	v.json = o->json ? json_array() : NULL;
	visit(&v, argc ? argv[0] : NULL);
	kd_root_close(root);
	if (!v.matched) {
		json_decref(v.json);
		kd_fail(&d, -EINVAL, "no check matches \"%.60s\"", argv[0]);
		kd_diag_hint(&d, "kdelta doctor --verbose has them all");
		return kd_cli_fail("doctor", &d);
	}
	if (o->json)
		print_json(&v);
	else
		print_sum(&v);
	json_decref(v.json);
	return is_fit(&v) ? KD_EXIT_DONE : KD_EXIT_WORSE;
}

const struct kd_command kd_command_doctor = {
	.name = "doctor",
	.summary = "look whether this machine is fit to measure",
	.usage = "[PATTERN]",
	.details =
		"Reads what makes figures wrong or noisy: frequency, heat, other "
		"load, clock, memory, virtualisation, power save of links. Each "
		"finding comes with what it costs and how to put it right; nothing "
		"is changed. _PATTERN_ chooses checks by name.\n"
		"Where it is *bad*, something else is measured than what was meant, and "
		"the exit status is 1; a *warn* is noise that can be had away; a "
		"*note* matters to some measurements. What an experiment is about "
		"may well be one of them: then leave it, or make it a knob.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.run = run,
};
