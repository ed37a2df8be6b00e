// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KCIDB 5.3: one test per variant and primary measure, with its mean as number.
 * Worse is FAIL, better and same are PASS, all else is DONE: a measurement
 * without a verdict. The kernel is a build without files.
 */
#include "reports/blocks.h"
#include "reports/report.h"
#include "reports/words.h"

#include "base/buf.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#define ORIGIN "kdelta"

static const char *status_of(const struct kd_dataset *ds,
			     const struct kd_analysis *a, size_t i, size_t v)
{
	if (!kd_rep_is_tested(ds, a, i, v))
		return "DONE";
	switch (a->measures[i].comparisons[v].verdict) {
	case KD_VERDICT_WORSE:
		return "FAIL";
	case KD_VERDICT_BETTER:
	case KD_VERDICT_SAME:
		return "PASS";
	default:
		return "DONE";
	}
}

static void set_text(json_t *j, const char *key, struct kd_buf *b)
{
	struct kd_buf clean = { 0 };

	kd_rep_name(&clean, kd_buf_str(b));
	json_object_set_new(j, key, json_string(kd_buf_str(&clean)));
	kd_buf_fini(&clean);
	kd_buf_reset(b);
}

/* "kdelta:7-tx.throughput": the experiment, or its title where not stored */
static void add_id(struct kd_buf *b, const struct kd_dataset *ds,
		   const struct kd_report_info *info)
{
	kd_buf_puts(b, ORIGIN ":");
	kd_rep_id(b, info->id ? info->id : ds->title ? ds->title : "", "_-");
}

static void add_path(struct kd_buf *b, const struct kd_dataset *ds, size_t i,
		     size_t v)
{
	const struct kd_measure *m = &ds->measures[i];

	kd_buf_puts(b, ORIGIN ".");
	kd_rep_id(b, m->workload, "_-");
	kd_buf_puts(b, ".");
	kd_rep_id(b, m->metric, "_-");
	kd_buf_puts(b, ".");
	kd_rep_id(b, ds->variants[v], "_-");
}

static json_t *misc_of(const struct kd_dataset *ds,
		       const struct kd_analysis *a, size_t i, size_t v)
{
	const struct kd_comparison *c = &a->measures[i].comparisons[v];
	json_t *j = json_object();

	json_object_set_new(j, "n", json_integer((json_int_t)kd_rep_n(a, i, v)));
	if (!kd_rep_is_tested(ds, a, i, v))
		return j;
	json_object_set_new(j, "verdict",
			    json_string(kd_verdict_name(c->verdict)));
	if (isfinite(c->change))
		json_object_set_new(j, "change", json_real(c->change));
	if (isfinite(c->lo) && isfinite(c->hi))
		json_object_set_new(j, "interval",
				    json_pack("[ff]", c->lo, c->hi));
	if (isfinite(c->p))
		json_object_set_new(j, "p", json_real(c->p));
	if (isfinite(c->p_adj))
		json_object_set_new(j, "p_adjusted", json_real(c->p_adj));
	return j;
}

static json_t *test_of(const struct kd_dataset *ds,
		       const struct kd_analysis *a,
		       const struct kd_report_info *info, size_t i, size_t v)
{
	const struct kd_summary *s = &a->measures[i].summaries[v];
	const struct kd_comparison *c = &a->measures[i].comparisons[v];
	json_t *j = json_object(), *number = json_object();
	struct kd_buf b = { 0 };

	add_id(&b, ds, info);
	set_text(j, "build_id", &b);
	add_id(&b, ds, info);
	kd_buf_printf(&b, "-%zu-%zu", i + 1, v + 1);
	set_text(j, "id", &b);
	json_object_set_new(j, "origin", json_string(ORIGIN));
	add_path(&b, ds, i, v);
	set_text(j, "path", &b);
	json_object_set_new(j, "status", json_string(status_of(ds, a, i, v)));
	if (isfinite(s->mean)) {
		json_object_set_new(number, "value", json_real(s->mean));
		kd_buf_puts(&b, ds->measures[i].unit);
		set_text(number, "unit", &b);
		json_object_set(j, "number", number);
	}
	json_decref(number);
	if (info->date)
		json_object_set_new(j, "start_time", json_string(info->date));
	if (info->machine) {
		json_t *env = json_object();

		kd_buf_puts(&b, info->machine);
		set_text(env, "comment", &b);
		json_object_set_new(j, "environment", env);
	}
	if (kd_rep_is_tested(ds, a, i, v)) {
		kd_buf_printf(&b, "%s: ", kd_verdict_name(c->verdict));
		kd_rep_change(&b, c, c->change, ds->measures[i].unit);
		kd_buf_printf(&b, " against %s, interval ",
			      ds->variants[ds->baseline]);
		kd_rep_interval(&b, c, ds->measures[i].unit);
		set_text(j, "comment", &b);
	}
	json_object_set_new(j, "misc", misc_of(ds, a, i, v));
	kd_buf_fini(&b);
	return j;
}

static json_t *build_of(const struct kd_dataset *ds,
			const struct kd_report_info *info, bool checkout)
{
	json_t *j = json_object();
	struct kd_buf b = { 0 };

	add_id(&b, ds, info);
	set_text(j, "id", &b);
	json_object_set_new(j, "origin", json_string(ORIGIN));
	if (!checkout) {
		add_id(&b, ds, info);
		set_text(j, "checkout_id", &b);
	}
	if (info->kernel) {
		kd_buf_puts(&b, info->kernel);
		set_text(j, "comment", &b);
	}
	kd_buf_fini(&b);
	return j;
}

static int write_kcidb(FILE *out, const struct kd_dataset *ds,
		       const struct kd_analysis *a,
		       const struct kd_report_info *info,
		       const struct kd_report_style *style, struct kd_diag *d)
{
	json_t *tests = json_array(), *j;
	int r;

	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t v = 0; v < ds->n_variants; v++)
			if (kd_rep_is_shown(ds, i) && kd_rep_n(a, i, v))
				json_array_append_new(tests,
					test_of(ds, a, info, i, v));
	j = json_pack("{s:{s:i, s:i}, s:[o], s:[o], s:o}", "version", "major", 5,
		      "minor", 3, "checkouts", build_of(ds, info, true),
		      "builds", build_of(ds, info, false), "tests", tests);
	r = json_dumpf(j, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(j);
	if (r && !ferror(out))
		return kd_fail(d, -ENOMEM, "out of memory");
	fputc('\n', out);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_kcidb_ops = {
	.name = "kcidb",
	.summary = "KCIDB 5.3: a test with a number per variant and measure",
	.write = write_kcidb,
};
