// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta stat: any command under the observers.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/root.h"
#include "cli/cmd.h"
#include "cli/watch.h"
#include "reports/table.h"
#include "reports/words.h"
#include "stats/analysis.h"
#include "stats/dataset.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#define OBSERVERS "cpu,tasks,irq,idle,power,kmsg"
#define OWN_FAILURE 125

struct options {
	int64_t repeat;
	char *observe;
	uint64_t period;
	char *output;
	bool json;
	bool verbose;
	int64_t top;
};

#define OFFSET(member) offsetof(struct options, member)

static const struct kd_opt opts[] = {
	{ "repeat", KD_OPT_INT, OFFSET(repeat), .letter = 'r', .min = 1,
	  .max = 100000, .def = "1", .help = "how often to run it" },
	{ "observe", KD_OPT_STR, OFFSET(observe), .letter = 'o', .arg = "LIST",
	  .flags = KD_OPT_REPEAT,
	  .help = "observers, as cpu,irq or tasks:top=20 (default " OBSERVERS ")" },
	{ "period", KD_OPT_TIME, OFFSET(period), .min = 1e6, .max = 60e9,
	  .def = "100ms", .help = "between samples" },
	{ "top", KD_OPT_INT, OFFSET(top), .max = 10000, .def = "5",
	  .help = "cores, lines and tasks shown of each metric, the largest first" },
	{ "verbose", KD_OPT_BOOL, OFFSET(verbose), .letter = 'v',
	  .help = "all of them, zeros too" },
	{ "output", KD_OPT_STR, OFFSET(output), .arg = "FILE",
	  .help = "where the figures go, - for standard output; default: standard error" },
	{ "json", KD_OPT_BOOL, OFFSET(json), .help = "print JSON" },
	{ 0 },
};

struct stat {
	const struct options *o;
	char **argv;
	struct kd_dataset ds;
	struct kd_analysis a;
	json_t *events;
	struct kd_buf skipped;
	json_t *codes;
	int code;
};

static int keep(struct stat *s, const struct kd_store_run *run, int i)
{
	for (size_t k = 0; k < run->n_metrics; k++) {
		const struct kd_run_metric *m = &run->metrics[k];
		struct kd_measure *to;
		struct kd_buf name = { 0 };
		int r;

		kd_buf_puts(&name, m->name);
		if (m->instance)
			kd_buf_printf(&name, "[%s]", m->instance);
		to = kd_dataset_measure(&s->ds, "", kd_buf_str(&name), m->unit,
					m->better);
		r = to ? kd_measure_add(to, 0, i, i, m->value) : -ENOMEM;
		kd_buf_fini(&name);
		if (r)
			return r;
	}
	for (size_t k = 0; k < run->n_events; k++) {
		const struct kd_run_event *e = &run->events[k];

		json_array_append_new(s->events, json_pack(
			"{s:i,s:s,s:b,s:f,s:s}", "run", i, "kind", e->kind,
			"fails", (int)(e->flags & KD_EVENT_FAIL), "time",
			(double)e->t_ns / 1e9, "text", e->text));
	}
	return 0;
}

static int repeat(struct stat *s, const struct kd_root *root, struct kd_diag *d)
{
	struct kd_watch w = {
		.argv = s->argv, .root = root,
		.observers = s->o->observe ? s->o->observe : OBSERVERS,
		.period_ns = s->o->period, .skipped = &s->skipped,
	};
	int r = 0;

	if (kd_dataset_variant(&s->ds, s->argv[0]) < 0)
		return kd_fail(d, -ENOMEM, "out of memory");
	for (int i = 0; !r && i < s->o->repeat; i++) {
		struct kd_store_run run = { 0 };
		int code = 0;

		kd_buf_reset(&s->skipped);
		r = kd_watch_run(&w, &run, &code, d);
		if (!r && keep(s, &run, i))
			r = kd_fail(d, -ENOMEM, "out of memory");
		kd_store_run_fini(&run);
		json_array_append_new(s->codes, json_integer(code));
		s->code = s->code ? s->code : code;
		/* the user's Ctrl-C ends the repetition too */
		if (code == 128 + 2 || code == 128 + 15)
			break;
	}
	return r ? r : kd_analyse(&s->ds, &kd_plan_stats_default, &s->a, d);
}

static double mean(const struct stat *s, size_t i)
{
	return s->a.measures[i].summaries[0].mean;
}

static size_t base_length(const char *metric)
{
	return strcspn(metric, "[");
}

static bool is_instance(const char *metric)
{
	return metric[base_length(metric)] != '\0';
}

static bool same_base(const char *a, const char *b)
{
	return base_length(a) == base_length(b) &&
	       !strncmp(a, b, base_length(a));
}

/* is it among the --top largest of its kind */
static bool is_shown(const struct stat *s, size_t im)
{
	const struct kd_measure *m = &s->ds.measures[im];
	int64_t above = 0;

	if (s->o->verbose)
		return true;
	if (!is_instance(m->metric))
		return true;
	if (mean(s, im) == 0)
		return false;
	for (size_t i = 0; i < s->ds.n_measures; i++) {
		if (!is_instance(s->ds.measures[i].metric) ||
		    !same_base(s->ds.measures[i].metric, m->metric))
			continue;
		above += mean(s, i) > mean(s, im) ||
			 (mean(s, i) == mean(s, im) && i < im);
	}
	return above < s->o->top;
}

static void cell(struct kd_table *t, struct kd_buf *b)
{
	kd_table_cell(t, kd_buf_str(b));
	kd_buf_reset(b);
}

static void add_row(const struct stat *s, struct kd_table *t, size_t i,
		    int width)
{
	const struct kd_measure *m = &s->ds.measures[i];
	const struct kd_summary *x = &s->a.measures[i].summaries[0];
	int decimals = kd_rep_decimals(&s->ds, &s->a, i);
	struct kd_buf b = { 0 };

	kd_rep_fit(&b, m->metric, width < 80 ? 28 : 40);
	cell(t, &b);
	kd_rep_value(&b, x->mean, decimals);
	cell(t, &b);
	kd_rep_fit(&b, m->unit, 10);
	cell(t, &b);
	if (s->o->repeat > 1) {
		if (isfinite(x->mean_hi))
			kd_buf_puts(&b, "±");
		kd_rep_value(&b, x->mean_hi - x->mean, decimals);
		cell(t, &b);
	}
	kd_buf_fini(&b);
}

static void print_text(const struct stat *s, FILE *out)
{
	int width = kd_cli_width(fileno(out));
	struct kd_table t = { .columns = s->o->repeat > 1 ? 4 : 3, .left = 4 };
	size_t hidden = 0, i;
	const char *why = kd_buf_str(&s->skipped);
	json_t *e;

	kd_table_cell(&t, "");
	kd_table_cell(&t, s->o->repeat > 1 ? "mean" : "value");
	kd_table_cell(&t, "");
	if (s->o->repeat > 1)
		kd_table_cell(&t, "95 %");
	for (i = 0; i < s->ds.n_measures; i++) {
		if (is_shown(s, i))
			add_row(s, &t, i, width);
		else
			hidden++;
	}
	kd_table_print(out, &t, 2, false);
	kd_table_fini(&t);
	if (hidden)
		fprintf(out, "  and %zu more: --verbose\n", hidden);
	json_array_foreach(s->events, i, e) {
		struct kd_buf b = { 0 };

		kd_buf_printf(&b, "%s at %.3f s: ",
			      json_string_value(json_object_get(e, "kind")),
			      json_real_value(json_object_get(e, "time")));
		kd_rep_name(&b, json_string_value(json_object_get(e, "text")));
		kd_rep_wrap(out, kd_buf_str(&b), width, "", "  ");
		kd_buf_fini(&b);
	}
	for (; *why; why += strcspn(why, "\n") + 1) {
		char line[640];

		snprintf(line, sizeof(line), "not observed: %.*s",
			 (int)strcspn(why, "\n"), why);
		kd_rep_wrap(out, line, width, "", "  ");
	}
}

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static void print_json(const struct stat *s, FILE *out)
{
	json_t *list = json_array(), *command = json_array(), *j;
	const char *why = kd_buf_str(&s->skipped);
	json_t *skipped = json_array();

	for (size_t i = 0; i < s->ds.n_measures; i++) {
		const struct kd_measure *m = &s->ds.measures[i];
		const struct kd_summary *x = &s->a.measures[i].summaries[0];
		json_t *values = json_array();

		for (size_t k = 0; k < m->n_samples; k++)
			json_array_append_new(values,
					      real(m->samples[k].value));
		json_array_append_new(list, json_pack(
			"{s:s,s:s,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
			"metric", m->metric, "unit", m->unit, "n", (int)x->n,
			"mean", real(x->mean), "mean_lo", real(x->mean_lo),
			"mean_hi", real(x->mean_hi), "sd", real(x->sd),
			"min", real(x->min), "max", real(x->max), "values",
			values));
	}
	for (char **a = s->argv; *a; a++)
		json_array_append_new(command, json_string(*a) ?: json_null());
	for (; *why; why += strcspn(why, "\n") + 1)
		json_array_append_new(skipped,
				      json_stringn(why, strcspn(why, "\n")));
	j = json_pack("{s:s,s:o,s:O,s:o,s:O,s:o}", "kdelta", KD_VERSION,
		      "command", command, "exit_codes", s->codes, "metrics",
		      list, "events", s->events, "skipped", skipped);
	json_dumpf(j, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(j);
}

static int print(const struct stat *s, struct kd_diag *d)
{
	const char *path = s->o->output;
	FILE *out = !path ? stderr : !strcmp(path, "-") ? stdout :
			   fopen(path, "we");

	if (!out) {
		kd_diag_subject(d, "%s", path);
		return kd_fail_errno(d, "cannot be written");
	}
	if (s->o->json)
		print_json(s, out);
	else
		print_text(s, out);
	if (fflush(out) || ferror(out))
		kd_fail_errno(d, "the figures could not be written");
	if (out != stderr && out != stdout)
		fclose(out);
	return d->err;
}

static int run(const void *options, int argc, char **argv)
{
	struct stat s = { .o = options, .argv = argv, .events = json_array(),
			  .codes = json_array() };
	struct kd_root *root = NULL;
	struct kd_diag d = { 0 };
	int r = kd_root_open("/", &root, &d);

	(void)argc;
	if (!r)
		r = repeat(&s, root, &d);
	if (!r)
		r = print(&s, &d);
	if (r) {
		kd_cli_fail("stat", &d);
		s.code = s.code ? s.code : OWN_FAILURE;
	}
	kd_root_close(root);
	kd_analysis_fini(&s.a);
	kd_dataset_fini(&s.ds);
	kd_buf_fini(&s.skipped);
	json_decref(s.events);
	json_decref(s.codes);
	return s.code;
}

const struct kd_command kd_command_stat = {
	.name = "stat",
	.summary = "run any command under the observers",
	.usage = "[--] COMMAND [ARGUMENT...]",
	.details =
		"As *perf stat*, for the whole machine: what cores, tasks, "
		"interrupts, idle states and power did between the command's start "
		"and its end, and what the kernel said. The command has this "
		"terminal, its input and its output; the figures go to standard "
		"error. With *--repeat* they are means with their 95 % interval.\n"
		"The exit status is the command's: the first that was not 0; 128 "
		"and its number where a signal ended it; 126 or 127 where it could "
		"not be run; 125 where kdelta failed itself.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.min_args = 1,
	.max_args = -1,
	.flags = KD_COMMAND_STOPS,
	.run = run,
};
