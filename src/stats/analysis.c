// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a dataset to verdicts: one pass for what each measure says by itself,
 * then the correction over the families, then the verdicts.
 */
#include "stats/analysis.h"

#include "stats/bootstrap.h"
#include "stats/dataset.h"
#include "stats/holm.h"
#include "stats/pairs.h"
#include "stats/perm.h"
#include "stats/random.h"
#include "stats/sequential.h"
#include "stats/summary.h"
#include "stats/verdict.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct kd_plan_stats kd_plan_stats_default = {
	.alpha = 0.05,
	.power = 0.8,
};

/* all memory of one analysis, so that no measure allocates */
struct work {
	const struct kd_dataset *ds;
	const struct kd_plan_stats *plan;
	struct kd_analysis *out;
	struct kd_seq seq;
	struct kd_scratch scratch;
	struct kd_pairs pairs;
	double *values, *places;	/* one variant's, in the order of time */
	struct kd_case *cases;		/* measure-major, one per variant */
	double *p;
	size_t *order;
};

static int check_plan(const struct kd_plan_stats *p, struct kd_diag *d)
{
	if (!(p->alpha > 0 && p->alpha < 1))
		return kd_fail(d, -EINVAL, "alpha %g is not between 0 and 1",
			       p->alpha);
	if (!(p->power > 0 && p->power < 1))
		return kd_fail(d, -EINVAL, "power %g is not between 0 and 1",
			       p->power);
	if (!(p->min_effect >= 0 && isfinite(p->min_effect)))
		return kd_fail(d, -EINVAL, "min-effect %g is not a fraction of "
			       "0 or more", p->min_effect);
	return 0;
}

static int check_dataset(const struct kd_dataset *ds, struct kd_diag *d)
{
	if (ds->n_variants && ds->baseline >= ds->n_variants)
		return kd_fail(d, -EINVAL, "baseline %zu of %zu variants",
			       ds->baseline, ds->n_variants);
	for (size_t i = 0; i < ds->n_measures; i++) {
		const struct kd_measure *m = &ds->measures[i];

		for (size_t j = 0; j < m->n_samples; j++) {
			int v = m->samples[j].variant;

			if (v < 0 || (size_t)v >= ds->n_variants)
				return kd_fail(d, -EINVAL, "sample %zu of %s "
					       "is of variant %d, there are "
					       "%zu", j, m->metric, v,
					       ds->n_variants);
		}
	}
	return 0;
}

static void work_fini(struct work *w)
{
	kd_pairs_fini(&w->pairs);
	free(w->scratch.a);
	free(w->scratch.b);
	free(w->scratch.c);
	free(w->scratch.order);
	free(w->values);
	free(w->places);
	free(w->cases);
	free(w->p);
	free(w->order);
}

static int work_init(struct work *w)
{
	size_t n = 1, rows = w->ds->n_measures * w->ds->n_variants + 1;

	for (size_t i = 0; i < w->ds->n_measures; i++)
		if (w->ds->measures[i].n_samples > n)
			n = w->ds->measures[i].n_samples;
	w->scratch.cap = n;
	w->scratch.a = calloc(2 * n + 2, sizeof(double));
	w->scratch.b = calloc(2 * n + 2, sizeof(double));
	w->scratch.c = calloc(2 * n + 2, sizeof(double));
	w->scratch.order = calloc(n, sizeof(size_t));
	w->values = calloc(n, sizeof(double));
	w->places = calloc(n, sizeof(double));
	w->cases = calloc(rows, sizeof(*w->cases));
	w->p = calloc(rows, sizeof(double));
	w->order = calloc(rows, sizeof(size_t));
	if (!w->scratch.a || !w->scratch.b || !w->scratch.c ||
	    !w->scratch.order || !w->values || !w->places || !w->cases ||
	    !w->p || !w->order)
		return -ENOMEM;
	return kd_pairs_init(&w->pairs, n);
}

static void summarise(struct work *w, const struct kd_measure *m, size_t v,
		      struct kd_summary *out)
{
	unsigned int flags = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->n_samples; i++) {
		if ((size_t)m->samples[i].variant != v)
			continue;
		if (!kd_is_usable(m->samples[i].value)) {
			flags |= KD_FLAG_NOT_NUMBERS;
			continue;
		}
		w->values[n] = m->samples[i].value;
		w->places[n++] = m->samples[i].seq;
	}
	kd_summarise(w->values, w->places, n, w->plan->alpha, &w->scratch, out);
	out->flags |= flags;
}

static uint64_t comparison_seed(const struct work *w,
				const struct kd_measure *m, size_t v)
{
	uint64_t seed = w->plan->seed;

	seed = kd_random_seed(seed, m->workload);
	seed = kd_random_seed(seed, m->metric);
	seed = kd_random_seed(seed, m->unit);
	seed = kd_random_seed(seed, w->ds->variants[w->ds->baseline]);
	return kd_random_seed(seed, w->ds->variants[v]);
}

static void check_by_permutation(struct work *w, const struct kd_measure *m,
				 struct kd_comparison *c)
{
	uint64_t seed = comparison_seed(w, m, c->variant);
	const struct kd_pairs *p = &w->pairs;
	double *pool = w->scratch.a;
	struct kd_perm perm;

	if (c->paired) {
		for (size_t i = 0; i < p->nx; i++)
			pool[i] = p->y[i] - p->x[i];
		kd_perm_paired(pool, p->nx, seed, w->scratch.b, &perm);
	} else {
		memcpy(pool, p->x, p->nx * sizeof(*pool));
		memcpy(pool + p->nx, p->y, p->ny * sizeof(*pool));
		kd_perm_means(pool, p->nx, p->ny, seed, w->scratch.b, &perm);
	}
	c->p_perm = perm.p;
	c->perm_exact = perm.exact;
	c->perm_count = perm.count;
	if (perm.least >= w->plan->alpha)
		c->flags |= KD_FLAG_FEW_FOR_CHECK;
	else if (!isnan(perm.p) && (perm.p < w->plan->alpha) !=
				   (c->p < w->plan->alpha))
		c->flags |= KD_FLAG_DISAGREE;
}

#define MEDIAN_MAX_N 200	/* a report must not wait for resamples */

static bool any_primary(const struct kd_dataset *ds)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		if (ds->measures[i].primary)
			return true;
	return false;
}

static bool is_primary(const struct kd_dataset *ds, size_t im)
{
	return ds->measures[im].primary || !any_primary(ds);
}

static void bootstrap_median(struct work *w, const struct kd_measure *m,
			     struct kd_comparison *c)
{
	const struct kd_pairs *p = &w->pairs;
	struct kd_boot boot;

	if (w->seq.on || c->flags & KD_FLAG_DIFFERENCE ||
	    p->nx > MEDIAN_MAX_N || p->ny > MEDIAN_MAX_N ||
	    kd_boot_quantile_change(p->x, p->nx, p->y, p->ny, c->paired, 0.5,
				    w->plan->alpha,
				    comparison_seed(w, m, c->variant), &boot))
		return;
	c->median_lo = boot.lo;
	c->median_hi = boot.hi;
}

static double relative(double from, double to, bool difference)
{
	if (difference)
		return to - from;
	return from > 0 ? to / from - 1 : NAN;
}

static void say_untested(const struct work *w, int r, bool not_numbers,
			 struct kd_comparison *c)
{
	const struct kd_pairs *p = &w->pairs;
	unsigned int least = kd_verdict_least_rounds(c->paired, w->plan->alpha);

	if (not_numbers)
		kd_verdict_none(c, 0, "not every value is a finite number "
				"under 1e150: nothing can be said");
	else if (!p->nx || !p->ny)
		kd_verdict_none(c, least, c->paired ?
				"no round has runs of both" :
				"one side has no runs");
	else if (r == -EDOM)
		kd_verdict_none(c, least, "one run a side shows no spread to "
				"judge by: %u %s are the fewest that can tell",
				least, c->paired ? "rounds" : "runs a side");
	else if (r == -ERANGE)
		kd_verdict_none(c, 0, "no spread to judge by: all values of a "
				"side are equal; use longer runs or a finer "
				"figure");
	else
		kd_verdict_none(c, 0, "the two sides are too far apart for a "
				"ratio");
}

/* more runs than boots on a side: runs are not the unit of sampling */
static bool is_one_boot(const struct kd_dataset *ds, size_t v, size_t runs)
{
	if (!ds->n_boots)
		return false;
	return ds->n_boots[v] <= 1 || (size_t)ds->n_boots[v] < runs;
}

static void compare(struct work *w, size_t im, size_t v)
{
	const struct kd_measure *m = &w->ds->measures[im];
	struct kd_measure_result *res = &w->out->measures[im];
	struct kd_comparison *c = &res->comparisons[v];
	struct kd_case *k = &w->cases[im * w->ds->n_variants + v];
	const struct kd_summary *sx = &res->summaries[w->ds->baseline];
	const struct kd_summary *sy = &res->summaries[v];
	struct kd_pairs *p = &w->pairs;
	bool not_numbers = (sx->flags | sy->flags) & KD_FLAG_NOT_NUMBERS;
	int r;

	kd_pairs_take(p, m, w->ds->baseline, v);
	c->paired = p->paired;
	c->n = p->paired ? p->nx : 0;
	if (p->missing)
		c->flags |= KD_FLAG_MISSING;
	if (p->runs_x != p->runs_y)
		c->flags |= KD_FLAG_UNEQUAL_N;
	if (not_numbers)
		c->flags |= KD_FLAG_NOT_NUMBERS;
	if (p->paired)
		r = kd_effect_paired(p->x, p->y, p->nx, w->scratch.a,
				     &k->effect);
	else
		r = kd_effect_welch(p->x, p->nx, p->y, p->ny, &k->effect);
	k->better = m->better;
	k->mean_x = sx->mean;
	k->one_boot = is_one_boot(w->ds, w->ds->baseline, p->runs_x) ||
		      is_one_boot(w->ds, v, p->runs_y);
	if (k->effect.difference)
		c->flags |= KD_FLAG_DIFFERENCE;
	c->change = kd_effect_change(&k->effect, k->effect.est);
	c->median_change = relative(sx->median, sy->median,
				    k->effect.difference);
	if (!r && !isfinite(c->change))
		r = -EOVERFLOW;
	if (r || not_numbers) {
		if (not_numbers)
			c->change = c->median_change = NAN;
		say_untested(w, r, not_numbers, c);
		return;
	}
	k->tested = true;
	c->t = k->effect.est / k->effect.se;
	c->df = k->effect.df;
	c->p = kd_effect_p(&k->effect);
	check_by_permutation(w, m, c);
	if (is_primary(w->ds, im) && !k->one_boot)
		bootstrap_median(w, m, c);
}

static void comparison_init(struct kd_comparison *c, size_t v)
{
	*c = (struct kd_comparison){
		.variant = v, .change = NAN, .lo = NAN, .hi = NAN,
		.median_change = NAN, .median_lo = NAN, .median_hi = NAN,
		.t = NAN, .df = NAN, .p = NAN,
		.p_adj = NAN, .p_perm = NAN, .verdict = KD_VERDICT_NONE,
	};
}

static void first_pass(struct work *w)
{
	for (size_t i = 0; i < w->ds->n_measures; i++) {
		struct kd_measure_result *res = &w->out->measures[i];

		for (size_t v = 0; v < w->ds->n_variants; v++)
			summarise(w, &w->ds->measures[i], v,
				  &res->summaries[v]);
		for (size_t v = 0; v < w->ds->n_variants; v++) {
			comparison_init(&res->comparisons[v], v);
			if (v != w->ds->baseline)
				compare(w, i, v);
		}
	}
}

static size_t adjust_family(struct work *w, bool primary)
{
	size_t nv = w->ds->n_variants, n = 0, m, row = 0;

	for (size_t i = 0; i < w->ds->n_measures; i++) {
		if (is_primary(w->ds, i) != primary)
			continue;
		for (size_t v = 0; v < nv; v++) {
			const struct kd_comparison *c =
				&w->out->measures[i].comparisons[v];

			w->p[n++] = kd_seq_p(&w->seq, c->p);
		}
	}
	m = kd_holm(w->p, n, w->order);
	for (size_t i = 0; i < w->ds->n_measures; i++) {
		if (is_primary(w->ds, i) != primary)
			continue;
		for (size_t v = 0; v < nv; v++) {
			w->out->measures[i].comparisons[v].p_adj = w->p[row++];
			w->cases[i * nv + v].family = m;
		}
	}
	return m;
}

static void decide(struct work *w)
{
	size_t nv = w->ds->n_variants;

	for (size_t row = 0; row < w->ds->n_measures * nv; row++) {
		struct kd_case *k = &w->cases[row];

		if (!k->tested)
			continue;
		k->alpha_ci = kd_seq_level(&w->seq, w->plan->alpha);
		k->alpha_same = kd_seq_level(&w->seq, w->plan->alpha /
					     (double)k->family);
		kd_verdict_decide(k, w->plan,
				  &w->out->measures[row / nv]
				  .comparisons[row % nv]);
	}
}

static int results_init(const struct kd_dataset *ds, struct kd_analysis *out)
{
	out->measures = calloc(ds->n_measures + 1, sizeof(*out->measures));
	if (!out->measures)
		return -ENOMEM;
	out->n_measures = ds->n_measures;
	out->n_variants = ds->n_variants;
	for (size_t i = 0; i < ds->n_measures; i++) {
		struct kd_measure_result *r = &out->measures[i];

		r->summaries = calloc(ds->n_variants + 1,
				      sizeof(*r->summaries));
		r->comparisons = calloc(ds->n_variants + 1,
					sizeof(*r->comparisons));
		if (!r->summaries || !r->comparisons)
			return -ENOMEM;
	}
	return 0;
}

static int analyse(struct work *w, struct kd_diag *d)
{
	int r = work_init(w);

	if (!r)
		r = results_init(w->ds, w->out);
	if (!r)
		r = kd_seq_init(&w->seq, w->plan);
	if (r)
		return kd_fail(d, r, "no memory for %zu measures",
			       w->ds->n_measures);
	first_pass(w);
	w->out->n_primary = adjust_family(w, true);
	w->out->n_exploratory = adjust_family(w, false);
	decide(w);
	return 0;
}

int kd_analyse(const struct kd_dataset *ds, const struct kd_plan_stats *plan,
	       struct kd_analysis *out, struct kd_diag *d)
{
	struct kd_analysis made = { .plan = *plan };
	struct work w = { .ds = ds, .plan = plan, .out = &made };
	gsl_error_handler_t *handler;
	int r = check_plan(plan, d);

	if (!r)
		r = check_dataset(ds, d);
	if (r)
		return r;
	/* GSL's own handler aborts; results are checked here instead */
	handler = gsl_set_error_handler_off();
	r = analyse(&w, d);
	gsl_set_error_handler(handler);
	work_fini(&w);
	if (r) {
		kd_analysis_fini(&made);
		return r;
	}
	*out = made;
	return 0;
}

void kd_analysis_fini(struct kd_analysis *a)
{
	for (size_t i = 0; a->measures && i < a->n_measures; i++) {
		free(a->measures[i].summaries);
		free(a->measures[i].comparisons);
	}
	free(a->measures);
	memset(a, 0, sizeof(*a));
}

bool kd_analysis_decided(const struct kd_dataset *ds,
			 const struct kd_analysis *a)
{
	bool any = false;

	for (size_t i = 0; i < a->n_measures; i++) {
		if (!is_primary(ds, i))
			continue;
		for (size_t v = 0; v < a->n_variants; v++) {
			enum kd_verdict got =
				a->measures[i].comparisons[v].verdict;

			if (v == ds->baseline)
				continue;
			if (got == KD_VERDICT_UNCLEAR || got == KD_VERDICT_NONE)
				return false;
			any = true;
		}
	}
	return any;
}
