// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta compare: log files of other tools, each a variant, or the groups found
 * inside one file; or stored experiments.
 */
#include "cli/cmd.h"

#include "base/str.h"
#include "cli/merge.h"
#include "cli/select.h"
#include "cli/store_open.h"
#include "imports/import.h"
#include "imports/load.h"
#include "reports/report.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	char *baseline;
	char *format;
	char *report;
	double alpha;
	double min_effect;
	bool paired;
	char *metric;
	int64_t seed;
	char *store;
	bool json;
	bool gate;
};

#define OPT(field) offsetof(struct options, field)

static const struct kd_opt opts[] = {
	{ .name = "baseline", .type = KD_OPT_STR, .offset = OPT(baseline),
	  .arg = "NAME", .letter = 'b',
	  .help = "variant that the others are compared with; default: the first" },
	{ .name = "format", .type = KD_OPT_STR, .offset = OPT(format),
	  .arg = "NAME", .letter = 'f',
	  .help = "format of the logs; default: found out for each" },
	{ .name = "report", .type = KD_OPT_STR, .offset = OPT(report),
	  .def = "text", .arg = "NAME", .letter = 'r',
	  .help = "how to print it: text, commit, csv, json, markdown" },
	{ .name = "metric", .type = KD_OPT_STR, .offset = OPT(metric),
	  .arg = "PATTERN", .letter = 'm', .flags = KD_OPT_REPEAT,
	  .help = "only metrics, or workloads, that match a shell pattern" },
	{ .name = "alpha", .type = KD_OPT_REAL, .offset = OPT(alpha),
	  .def = "0.05", .min = 1e-6, .max = 0.5,
	  .help = "rate of false alarms over all comparisons together" },
	{ .name = "min-effect", .type = KD_OPT_PCT, .offset = OPT(min_effect),
	  .min = 0, .max = 1000,
	  .help = "smallest change of interest; needed for \"same\"" },
	{ .name = "paired", .type = KD_OPT_BOOL, .offset = OPT(paired),
	  .help = "the n-th values of all variants were measured together" },
	{ .name = "seed", .type = KD_OPT_INT, .offset = OPT(seed),
	  .def = "1", .min = 0, .max = 9007199254740992.0,
	  .help = "of the permutation test's draws" },
	{ .name = "json", .type = KD_OPT_BOOL, .offset = OPT(json),
	  .help = "as --report json" },
	{ .name = "gate", .type = KD_OPT_BOOL, .offset = OPT(gate),
	  .help = "exit with 1 where anything got worse" },
	KD_OPT_STORE_ROW(OPT(store)),
	{ 0 }
};

/* files that were given as variants, but hold nothing of the same kind */
static int check_common(const struct kd_dataset *parts, size_t n, int files,
			struct kd_diag *d)
{
	const struct kd_measure *a, *b;

	if (files < 2 || n < 2)
		return 0;
	a = &parts[0].measures[0];
	b = &parts[1].measures[0];
	kd_fail(d, -EINVAL,
		"\"%s\" and \"%s\" have no figure in common: %s %s (%s) and %s %s (%s)",
		parts[0].variants[0], parts[1].variants[0], a->workload,
		a->metric, a->unit, b->workload, b->metric, b->unit);
	kd_diag_hint(d, "compare logs of the same workload and direction");
	return -EINVAL;
}

/* logs have no plan, and so no primary metrics: then all count */
static bool is_worse(const struct kd_dataset *ds, const struct kd_analysis *a)
{
	bool planned = false;

	for (size_t m = 0; m < ds->n_measures; m++)
		planned |= ds->measures[m].primary;
	for (size_t m = 0; m < a->n_measures; m++)
		for (size_t v = 0; v < a->n_variants; v++)
			if (ds->measures[m].primary == planned &&
			    a->measures[m].comparisons[v].verdict ==
				    KD_VERDICT_WORSE)
				return true;
	return false;
}

static const char *method(const struct options *o, bool stored, int words)
{
	if (!stored)
		return o->paired ? "log files, paired by order" :
				   "log files, unpaired";
	if (words == 1)
		return "a stored experiment";
	return o->paired ? "stored experiments, paired by order" :
			   "stored experiments, unpaired";
}

static int report_part(const struct options *o, const char *how,
		       const struct kd_report_ops *report,
		       const struct kd_dataset *ds, bool *worse,
		       struct kd_diag *d)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_report_info info = {
		.version = KD_VERSION,
		.method = how,
	};
	struct kd_report_style style = {
		.width = kd_cli_width(STDOUT_FILENO),
		.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
	};
	struct kd_analysis a = { 0 };
	int r;

	plan.alpha = o->alpha;
	plan.min_effect = o->min_effect / 100;
	plan.seed = (uint64_t)o->seed;
	r = kd_analyse(ds, &plan, &a, d);
	if (r)
		return r;
	*worse |= is_worse(ds, &a);
	r = report->write(stdout, ds, &a, &info, &style, d);
	kd_analysis_fini(&a);
	return r;
}

static int prepare(const struct options *o, bool stored, int argc, char **argv,
		   struct kd_dataset *ds, struct kd_diag *d)
{
	int r = stored ?
		kd_merge_stored(argv, argc, o->store, ds, d) :
		kd_import_files(argv, (size_t)argc, o->format, ds, d);

	if (!r)
		r = kd_select_metrics(ds, o->metric, d);
	if (!r)
		r = kd_select_baseline(ds, o->baseline, d);
	if (!r && o->paired)
		r = kd_select_pairs(ds, d);
	return r;
}

static int compare(const struct options *o, const struct kd_report_ops *report,
		   int argc, char **argv, bool *worse, struct kd_diag *d)
{
	bool stored = !o->format && kd_merge_is_stored(argv, argc, o->store);
	struct kd_dataset ds = { 0 }, *parts = NULL;
	size_t n = 0;
	int r = prepare(o, stored, argc, argv, &ds, d);

	if (!r && kd_import_parts(&ds, &parts, &n))
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (r) {
		kd_dataset_fini(&ds);
		return r;
	}
	r = check_common(parts, n, argc, d);
	for (size_t i = 0; i < n && !r; i++)
		if (kd_import_tell_single(&parts[i]))
			r = kd_fail(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n && !r; i++) {
		/* a variant whose every metric was deselected */
		if (!parts[i].n_measures)
			continue;
		if (i)
			putchar('\n');
		r = report_part(o, method(o, stored, argc), report, &parts[i],
				worse, d);
	}
	for (size_t i = 0; i < n; i++)
		kd_dataset_fini(&parts[i]);
	free(parts);
	return r;
}

static int run(const void *options, int argc, char **argv)
{
	const struct options *o = options;
	const struct kd_report_ops *report =
		kd_report_find(o->json ? "json" : o->report);
	struct kd_diag d = { 0 };
	bool worse = false;

	if (!report) {
		const char *near = NULL;
		size_t n = 0;

		while (kd_report_table[n])
			n++;
		for (size_t i = 0; i < n && !near; i++)
			if (kd_str_distance(o->report,
					    kd_report_table[i]->name) < 3)
				near = kd_report_table[i]->name;
		kd_fail(&d, -EINVAL, "there is no report \"%.60s\"",
			o->report);
		kd_diag_hint(&d, near ? "did you mean \"%s\"?" :
			     "such as \"%s\"", near ? near : "text");
		return kd_cli_fail("compare", &d);
	}
	if (compare(o, report, argc, argv, &worse, &d))
		return kd_cli_fail("compare", &d);
	if (fflush(stdout) || ferror(stdout)) {
		kd_fail(&d, -EIO, "the report could not be written");
		return kd_cli_fail("compare", &d);
	}
	return worse && o->gate ? KD_EXIT_WORSE : KD_EXIT_DONE;
}

const struct kd_command kd_command_compare = {
	.name = "compare",
	.summary = "compare logs of other tools, or stored experiments",
	.usage = "[LABEL=]FILE|EXPERIMENT...",
	.details = "Each file is a variant, named by its label or by the file's name. Of one file alone the groups inside are compared: labels before the lines, blocks under headings, columns or rows of a table.\n"
		   "Read are: output of *iperf3 -J*, lines of *ttcp*, progress meters of *curl*, tables of names and numbers, CSV rows of a label and its values, *uniq -c* histograms, CPU shares per task, and lists of one number per line. What was derived from the values (means, differences, percentages) is checked and not counted. Anything else is refused with file, line and column.\n"
		   "Where no word is a file, each is a stored experiment: an ID, a name, *latest*, or one variant of it as NAME:VARIANT. Of several the variants are compared unpaired, for they were not measured together; the report says so, and where the workloads were set up otherwise.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
