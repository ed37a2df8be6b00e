// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything, for programs. The schema is docs/report-json.md: add keys, never
 * change the meaning of one without counting up SCHEMA.
 */
#include "reports/energy.h"
#include "reports/report.h"
#include "reports/sweep.h"
#include "reports/words.h"

#include "stats/analysis.h"
#include "stats/dataset.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define SCHEMA 1

/* JSON knows no NAN and no infinity */
static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* text that is not UTF-8 gets '?' for what is broken */
static json_t *text(const char *s)
{
	struct kd_buf b = { 0 };
	json_t *j;

	if (!s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	kd_rep_name(&b, s);
	j = json_string(kd_buf_str(&b));
	kd_buf_fini(&b);
	return j;
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *flags_of(unsigned int flags)
{
	json_t *list = json_array();

	for (int i = 0; i < KD_FLAG_COUNT; i++)
		if (flags & 1u << i)
			json_array_append_new(list,
				text(kd_flag_text((enum kd_flag)(1u << i))));
	return list;
}

static json_t *lines(char *const *all, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, text(all[i]));
	return list;
}

static json_t *samples_of(const struct kd_measure *m, size_t variant)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_samples; i++) {
		const struct kd_sample *s = &m->samples[i];
		json_t *j;

		if ((size_t)s->variant != variant)
			continue;
		j = json_object();
		json_object_set_new(j, "round", s->round < 0 ? json_null() :
						json_integer(s->round));
		json_object_set_new(j, "seq", json_integer(s->seq));
		json_object_set_new(j, "value", real(s->value));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *summary_of(const struct kd_dataset *ds,
			  const struct kd_analysis *a, size_t measure,
			  size_t v)
{
	const struct kd_summary *s = &a->measures[measure].summaries[v];
	json_t *j = json_object(), *outliers = json_array();

	json_object_set_new(j, "variant", text(ds->variants[v]));
	json_object_set_new(j, "n", count(s->n));
	json_object_set_new(j, "mean", s->n ? real(s->mean) : json_null());
	json_object_set_new(j, "mean_interval_95", s->n < 2 ? json_null() :
		json_pack("[oo]", real(s->mean_lo), real(s->mean_hi)));
	json_object_set_new(j, "median", s->n ? real(s->median) : json_null());
	json_object_set_new(j, "sd", s->n < 2 ? json_null() : real(s->sd));
	json_object_set_new(j, "min", s->n ? real(s->min) : json_null());
	json_object_set_new(j, "max", s->n ? real(s->max) : json_null());
	json_object_set_new(j, "n_outliers", count(s->n_outliers));
	for (size_t i = 0; i < s->n_outliers && i < 4; i++)
		json_array_append_new(outliers, real(s->outliers[i]));
	json_object_set_new(j, "outliers", outliers);
	json_object_set_new(j, "drift_rho", s->n < 2 ? json_null() :
						       real(s->drift_rho));
	json_object_set_new(j, "flags", flags_of(s->flags));
	json_object_set_new(j, "samples", samples_of(&ds->measures[measure], v));
	return j;
}

static json_t *permutation_of(const struct kd_comparison *c)
{
	if (isnan(c->p_perm) || !c->perm_count)
		return json_null();
	return json_pack("{s:o, s:b, s:I}", "p", real(c->p_perm), "exact",
			 c->perm_exact, "count", (json_int_t)c->perm_count);
}

static json_t *comparison_of(const struct kd_dataset *ds,
			     const struct kd_analysis *a, size_t measure,
			     size_t v)
{
	const struct kd_comparison *c = &a->measures[measure].comparisons[v];
	bool diff = c->flags & KD_FLAG_DIFFERENCE;
	json_t *j = json_object(), *needed;

	json_object_set_new(j, "variant", text(ds->variants[v]));
	json_object_set_new(j, "baseline", text(ds->variants[ds->baseline]));
	json_object_set_new(j, "verdict", text(kd_verdict_name(c->verdict)));
	json_object_set_new(j, "why", text(c->why));
	json_object_set_new(j, "paired", json_boolean(c->paired));
	json_object_set_new(j, "n_pairs", c->paired ? count(c->n) :
						      json_null());
	json_object_set_new(j, "n", count(kd_rep_n(a, measure, v)));
	json_object_set_new(j, "n_baseline",
			    count(kd_rep_n(a, measure, ds->baseline)));
	json_object_set_new(j, "change", real(c->change));
	json_object_set_new(j, "change_unit", text(diff ?
			    ds->measures[measure].unit : "fraction"));
	json_object_set_new(j, "interval", isnan(c->lo) || isnan(c->hi) ?
		json_null() : json_pack("[oo]", real(c->lo), real(c->hi)));
	json_object_set_new(j, "interval_level", real(1 - a->plan.alpha));
	json_object_set_new(j, "median_change", real(c->median_change));
	json_object_set_new(j, "median_interval",
			    isnan(c->median_lo) || isnan(c->median_hi) ?
			    json_null() :
			    json_pack("[oo]", real(c->median_lo),
				      real(c->median_hi)));
	json_object_set_new(j, "t", real(c->t));
	json_object_set_new(j, "df", real(c->df));
	json_object_set_new(j, "p", real(c->p));
	json_object_set_new(j, "p_adjusted", real(c->p_adj));
	json_object_set_new(j, "permutation", permutation_of(c));
	needed = json_object();
	json_object_set_new(needed, "for_change_seen", c->needed_seen ?
			    count(c->needed_seen) : json_null());
	json_object_set_new(needed, "for_min_effect", c->needed_min ?
			    count(c->needed_min) : json_null());
	json_object_set_new(j, "runs_needed", needed);
	json_object_set_new(j, "flags", flags_of(c->flags));
	return j;
}

static json_t *measure_of(const struct kd_dataset *ds,
			  const struct kd_analysis *a, size_t i)
{
	const struct kd_measure *m = &ds->measures[i];
	json_t *j = json_object(), *sums = json_array(), *cmps = json_array();

	json_object_set_new(j, "workload", text(m->workload));
	json_object_set_new(j, "metric", text(m->metric));
	json_object_set_new(j, "unit", text(m->unit));
	json_object_set_new(j, "better", text(kd_better_name(m->better)));
	json_object_set_new(j, "primary", json_boolean(m->primary));
	for (size_t v = 0; v < ds->n_variants; v++) {
		json_array_append_new(sums, summary_of(ds, a, i, v));
		if (kd_rep_is_tested(ds, a, i, v))
			json_array_append_new(cmps, comparison_of(ds, a, i, v));
	}
	json_object_set_new(j, "variants", sums);
	json_object_set_new(j, "comparisons", cmps);
	return j;
}

static json_t *plan_of(const struct kd_analysis *a)
{
	const struct kd_plan_stats *p = &a->plan;
	json_t *j = json_object();
	char seed[24];

	json_object_set_new(j, "alpha", real(p->alpha));
	json_object_set_new(j, "min_effect", p->min_effect > 0 ?
			    real(p->min_effect) : json_null());
	json_object_set_new(j, "power", real(p->power));
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)p->seed);
	json_object_set_new(j, "seed", text(seed));
	json_object_set_new(j, "look", json_integer(p->look));
	json_object_set_new(j, "looks", json_integer(p->looks));
	json_object_set_new(j, "max_rounds", json_integer(p->max_rounds));
	json_object_set_new(j, "n_primary_tests", count(a->n_primary));
	json_object_set_new(j, "n_exploratory_tests", count(a->n_exploratory));
	return j;
}

static json_t *factors_of(const struct kd_dataset *ds)
{
	json_t *list = json_array();

	for (size_t f = 0; f < ds->n_factors; f++) {
		json_t *levels = json_object();

		for (size_t v = 0; v < ds->n_variants; v++)
			json_object_set_new(levels, ds->variants[v],
				text(ds->levels[v * ds->n_factors + f]));
		json_array_append_new(list, json_pack("{s:o, s:o}", "name",
			text(ds->factors[f]), "levels", levels));
	}
	return list;
}

static json_t *names_in(const struct kd_dataset *ds, const bool *in)
{
	json_t *list = json_array();

	for (size_t v = 0; v < ds->n_variants; v++)
		if (in[v])
			json_array_append_new(list, text(ds->variants[v]));
	return list;
}

static json_t *best_of(const struct kd_dataset *ds,
		       const struct kd_rep_best *b)
{
	const struct kd_measure *m = &ds->measures[b->measure];
	json_t *knees = json_object();
	bool any = b->sweep.best != KD_SWEEP_NONE;

	for (size_t f = 0; f < ds->n_factors; f++)
		json_object_set_new(knees, ds->factors[f],
				    b->knees[f] == KD_SWEEP_NONE ?
				    json_null() :
				    text(ds->levels[b->knees[f] *
						    ds->n_factors + f]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
			 "workload", text(m->workload),
			 "metric", text(m->metric),
			 "variant", any ? text(ds->variants[b->sweep.best]) :
					  json_null(),
			 "mean", any ? real(b->sweep.mean[b->sweep.best]) :
				       json_null(),
			 "not_shown_worse", names_in(ds, b->sweep.in_best),
			 "knees", knees);
}

static json_t *front_of(const struct kd_dataset *ds,
			const struct kd_rep_front *f)
{
	const struct kd_measure *a = &ds->measures[f->measures[0]];
	const struct kd_measure *b = &ds->measures[f->measures[1]];

	return json_pack("{s:o, s:[oo], s:o}", "workload", text(a->workload),
			 "metrics", text(a->metric), text(b->metric),
			 "variants", names_in(ds, f->in));
}

static int add_sweep(json_t *j, const struct kd_dataset *ds,
		     const struct kd_analysis *a, struct kd_diag *d)
{
	json_t *best = json_array(), *fronts = json_array();
	struct kd_rep_sweep s;
	int r = kd_rep_sweep_init(&s, ds, a, d);

	for (size_t i = 0; !r && i < s.n_best; i++)
		json_array_append_new(best, best_of(ds, &s.best[i]));
	for (size_t i = 0; !r && i < s.n_fronts; i++)
		json_array_append_new(fronts, front_of(ds, &s.fronts[i]));
	kd_rep_sweep_fini(&s);
	json_object_set_new(j, "best", best);
	json_object_set_new(j, "trade_offs", fronts);
	return r;
}

static int add_energy(json_t *list, const struct kd_dataset *ds,
		      const struct kd_analysis *a, const char *workload)
{
	for (size_t v = 0; v < ds->n_variants; v++) {
		struct kd_rep_energy e;
		int r = kd_rep_energy(ds, a, workload, v, &e);

		if (r == -ENODATA)
			continue;
		if (r)
			return r;
		json_array_append_new(list, json_pack(
			"{s:o, s:o, s:o, s:o, s:o}",
			"workload", text(workload),
			"variant", text(ds->variants[v]), "n", count(e.n),
			"j_per_gb", real(e.gb.est), "interval",
			isnan(e.gb.lo) || isnan(e.gb.hi) ? json_null() :
			json_pack("[oo]", real(e.gb.lo), real(e.gb.hi))));
	}
	return 0;
}

static int add_energies(json_t *j, const struct kd_dataset *ds,
			const struct kd_analysis *a, struct kd_diag *d)
{
	json_t *list = json_array();
	int r = 0;

	for (size_t i = 0; !r && i < ds->n_measures; i++)
		if (!strcmp(ds->measures[i].metric, "power.energy") &&
		    kd_rep_has_energy(ds, ds->measures[i].workload))
			r = add_energy(list, ds, a, ds->measures[i].workload);
	json_object_set_new(j, "energy", list);
	return r ? kd_fail(d, r, "out of memory") : 0;
}

static json_t *meta_of(const struct kd_report_info *info)
{
	json_t *j = json_object();

	json_object_set_new(j, "id", text(info->id));
	json_object_set_new(j, "date", text(info->date));
	json_object_set_new(j, "kdelta", text(info->version));
	json_object_set_new(j, "stored", text(info->where));
	json_object_set_new(j, "kernel", text(info->kernel));
	json_object_set_new(j, "machine", text(info->machine));
	return j;
}

static int write_json(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a,
		      const struct kd_report_info *info,
		      const struct kd_report_style *style, struct kd_diag *d)
{
	json_t *j = json_object(), *measures = json_array();
	int r;

	for (size_t i = 0; i < ds->n_measures; i++)
		json_array_append_new(measures, measure_of(ds, a, i));
	json_object_set_new(j, "format", text("kdelta-report"));
	json_object_set_new(j, "schema", json_integer(SCHEMA));
	json_object_set_new(j, "title", text(ds->title));
	json_object_set_new(j, "baseline", ds->n_variants ?
			    text(ds->variants[ds->baseline]) : json_null());
	json_object_set_new(j, "variants", lines(ds->variants, ds->n_variants));
	json_object_set_new(j, "factors", factors_of(ds));
	json_object_set_new(j, "plan", plan_of(a));
	json_object_set_new(j, "method", text(info->method));
	json_object_set_new(j, "runs", json_integer(info->runs));
	json_object_set_new(j, "failed_runs", json_integer(info->failed));
	json_object_set_new(j, "measures", measures);
	r = add_sweep(j, ds, a, d);
	if (!r)
		r = add_energies(j, ds, a, d);
	if (r) {
		json_decref(j);
		return r;
	}
	json_object_set_new(j, "knobs", lines(info->knobs, info->n_knobs));
	json_object_set_new(j, "environment_differences",
			    lines(info->environment, info->n_environment));
	json_object_set_new(j, "notes", lines(ds->notes, ds->n_notes));
	json_object_set_new(j, "meta", meta_of(info));
	r = json_dumpf(j, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(j);
	if (r && !ferror(out))
		return kd_fail(d, -ENOMEM, "out of memory");
	fputc('\n', out);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_json_ops = {
	.name = "json",
	.summary = "everything, for programs",
	.write = write_json,
};
