// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a rig can show, from experiments whose variants do not differ. See
 * calibration.h.
 */
#include "stats/calibration.h"

#include "stats/analysis.h"
#include "stats/dataset.h"
#include "stats/pairs.h"
#include "stats/power.h"
#include "stats/ratio.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BISECTIONS 100

static struct kd_calibration_measure *
find(struct kd_calibration *c, const struct kd_measure *m)
{
	struct kd_calibration_measure *x;

	for (size_t i = 0; i < c->n_measures; i++) {
		x = &c->measures[i];
		if (!strcmp(x->workload, m->workload) &&
		    !strcmp(x->metric, m->metric) && !strcmp(x->unit, m->unit))
			return x;
	}
	x = reallocarray(c->measures, c->n_measures + 1, sizeof(*x));
	if (!x)
		return NULL;
	c->measures = x;
	x += c->n_measures++;
	*x = (struct kd_calibration_measure){
		.workload = strdup(m->workload),
		.metric = strdup(m->metric),
		.unit = strdup(m->unit),
		.mean = NAN, .lowest = NAN, .highest = NAN, .var = NAN,
	};
	return x->workload && x->metric && x->unit ? x : NULL;
}

static void add_spread(struct kd_calibration_measure *x,
		       const struct kd_effect *e, size_t pairs)
{
	double df = (double)pairs - 1;

	/* what is in the unit and what is a fraction do not add up */
	if (e->difference && !x->difference) {
		x->difference = true;
		x->var_sum = x->df_sum = 0;
		x->lowest = x->highest = NAN;
	} else if (!e->difference && x->difference) {
		return;
	}
	x->lowest = fmin(x->lowest, kd_effect_change(e, e->est));
	x->highest = fmax(x->highest, kd_effect_change(e, e->est));
	x->var_sum += df * (e->var_x + e->var_y);
	x->df_sum += df;
	x->var = x->var_sum / x->df_sum;
	if (pairs > x->pairs)
		x->pairs = pairs;
}

/* the variants' runs, round by round; without rounds there is no A/A here */
static int spread(struct kd_calibration_measure *x, const struct kd_measure *m,
		  size_t baseline, size_t v)
{
	struct kd_pairs p;
	struct kd_effect e;
	double *z = calloc(m->n_samples + 1, sizeof(*z));
	int r = z ? kd_pairs_init(&p, m->n_samples + 1) : -ENOMEM;

	if (!r) {
		kd_pairs_take(&p, m, baseline, v);
		if (p.paired && !kd_effect_paired(p.x, p.y, p.nx, z, &e))
			add_spread(x, &e, p.nx);
		kd_pairs_fini(&p);
	}
	free(z);
	return r;
}

static bool is_false(enum kd_verdict v)
{
	return v == KD_VERDICT_BETTER || v == KD_VERDICT_WORSE ||
	       v == KD_VERDICT_CHANGED;
}

static bool any_primary(const struct kd_dataset *ds)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		if (ds->measures[i].primary)
			return true;
	return false;
}

/* one measure of one experiment; @wrong: a false verdict in it */
static int add_measure(struct kd_calibration *c, const struct kd_dataset *ds,
		       const struct kd_analysis *a, size_t im, bool primary,
		       bool *tested, bool *wrong)
{
	const struct kd_measure *m = &ds->measures[im];
	const struct kd_measure_result *res = &a->measures[im];
	struct kd_calibration_measure *x = find(c, m);
	bool some = false, same = true, bad = false;
	int r = x ? 0 : -ENOMEM;

	for (size_t v = 0; !r && v < ds->n_variants; v++) {
		enum kd_verdict got = res->comparisons[v].verdict;

		if (v == ds->baseline || got == KD_VERDICT_NONE)
			continue;
		some = true;
		bad |= is_false(got);
		same &= got == KD_VERDICT_SAME;
		r = spread(x, m, ds->baseline, v);
	}
	if (r || !some)
		return r;
	x->primary |= primary;
	x->tested++;
	x->false_verdicts += bad;
	x->same += same;
	x->mean_sum += res->summaries[ds->baseline].mean;
	x->mean = x->mean_sum / x->tested;
	*tested = true;
	*wrong |= bad;
	return 0;
}

int kd_calibration_add(struct kd_calibration *c, const struct kd_dataset *ds,
		       const struct kd_analysis *a)
{
	bool all = !any_primary(ds), tested = false, other = false;
	bool wrong = false, wrong_other = false;
	int r = 0;

	for (size_t i = 0; !r && i < ds->n_measures; i++) {
		bool primary = all || ds->measures[i].primary;

		r = add_measure(c, ds, a, i, primary,
				primary ? &tested : &other,
				primary ? &wrong : &wrong_other);
	}
	if (r)
		return r;
	c->experiments += tested;
	c->false_family += wrong;
	c->false_exploratory += wrong_other;
	if (a->n_primary > c->family)
		c->family = a->n_primary;
	return 0;
}

void kd_calibration_fini(struct kd_calibration *c)
{
	for (size_t i = 0; i < c->n_measures; i++) {
		free(c->measures[i].workload);
		free(c->measures[i].metric);
		free(c->measures[i].unit);
	}
	free(c->measures);
	memset(c, 0, sizeof(*c));
}

static bool can_say(const struct kd_calibration_measure *m, unsigned int n)
{
	return n > 1 && isfinite(m->var) && m->var > 0;
}

/* from the scale of the estimate, a log, to what the reader sees */
static double shown(const struct kd_calibration_measure *m, double delta)
{
	return m->difference ? delta : expm1(delta);
}

double kd_calibration_effect(const struct kd_calibration_measure *m,
			     unsigned int n, double alpha, double power)
{
	double lo = 0, hi = 1, se;

	if (!can_say(m, n))
		return NAN;
	se = sqrt(m->var / n);
	while (kd_power_t(n - 1, hi, alpha) < power && hi < 1e6)
		hi *= 2;
	for (int i = 0; i < BISECTIONS && hi - lo > 1e-9 * hi; i++) {
		double mid = (lo + hi) / 2;

		if (kd_power_t(n - 1, mid, alpha) < power)
			lo = mid;
		else
			hi = mid;
	}
	return shown(m, hi * se);
}

double kd_calibration_same(const struct kd_calibration_measure *m,
			   unsigned int n, double alpha, double power)
{
	if (!can_say(m, n))
		return NAN;
	return shown(m, sqrt(m->var / n) *
			(gsl_cdf_tdist_Qinv(alpha / 2, n - 1) +
			 gsl_cdf_tdist_Qinv((1 - power) / 2, n - 1)));
}
