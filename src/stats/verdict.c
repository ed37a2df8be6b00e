// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From figures to one word. Better or worse on the adjusted p; same where the
 * interval at the level corrected over the family lies inside ± min-effect.
 */
#include "stats/verdict.h"

#include "stats/power.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void kd_verdict_none(struct kd_comparison *c, unsigned int needed,
		     const char *fmt, ...)
{
	va_list ap;

	c->verdict = KD_VERDICT_NONE;
	c->needed_seen = needed;
	c->needed_min = needed;
	va_start(ap, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
}

unsigned int kd_verdict_least_rounds(bool paired, double alpha)
{
	double least = 1;
	unsigned int n = 1;

	/* 2 of 2^n sign flips; 2 of C(2n, n) ways to deal */
	while (least > alpha && n < 64) {
		n++;
		if (paired)
			least = ldexp(2, -(int)n);
		else
			least = 2 / exp(lgamma(2.0 * n + 1) -
					2 * lgamma(n + 1.0));
	}
	return n;
}

/* min-effect on the effect's scale, both sides; false: there is none */
static bool band(const struct kd_case *k, double min_effect, double *lo,
		 double *hi)
{
	if (min_effect <= 0)
		return false;
	if (k->effect.difference) {
		*hi = min_effect * fabs(k->mean_x);
		*lo = -*hi;
		return *hi > 0;
	}
	*hi = log1p(min_effect);
	*lo = min_effect < 1 ? log1p(-min_effect) : -INFINITY;
	return true;
}

static enum kd_verdict direction(const struct kd_case *k)
{
	if (k->better == KD_BETTER_NONE)
		return KD_VERDICT_CHANGED;
	if ((k->effect.est > 0) == (k->better == KD_BETTER_HIGHER))
		return KD_VERDICT_BETTER;
	return KD_VERDICT_WORSE;
}

static void count_needed(const struct kd_case *k,
			 const struct kd_plan_stats *plan, double min_delta,
			 struct kd_comparison *c)
{
	double alpha = plan->alpha / (double)(k->family ? k->family : 1);

	c->needed_seen = kd_power_needed(&k->effect, k->effect.est, alpha,
					 plan->power);
	c->needed_min = kd_power_needed(&k->effect, min_delta, alpha,
					plan->power);
}

static void set_interval(const struct kd_case *k, struct kd_comparison *c)
{
	double lo, hi;

	if (k->alpha_ci <= 0)
		return;
	kd_effect_interval(&k->effect, k->alpha_ci, &lo, &hi);
	lo = kd_effect_change(&k->effect, lo);
	hi = kd_effect_change(&k->effect, hi);
	if (!isfinite(lo) || !isfinite(hi))
		return;
	c->lo = lo;
	c->hi = hi;
}

void kd_verdict_decide(const struct kd_case *k,
		       const struct kd_plan_stats *plan,
		       struct kd_comparison *c)
{
	double lo, hi, band_lo = 0, band_hi = 0;
	bool has_band = band(k, plan->min_effect, &band_lo, &band_hi);

	set_interval(k, c);
	count_needed(k, plan, band_hi, c);
	if (k->one_boot) {
		c->verdict = KD_VERDICT_UNCLEAR;
		c->flags |= KD_FLAG_ONE_BOOT;
		snprintf(c->why, sizeof(c->why), "one boot a side, or more "
			 "runs than boots: runs of one boot are one sample; "
			 "boot again for each run");
		return;
	}
	if (c->p_adj < plan->alpha) {
		c->verdict = direction(k);
		if (has_band && k->effect.est > band_lo &&
		    k->effect.est < band_hi)
			c->flags |= KD_FLAG_SMALL;
		return;
	}
	c->verdict = KD_VERDICT_UNCLEAR;
	if (k->alpha_same <= 0)
		snprintf(c->why, sizeof(c->why), "no decision at this look: "
			 "the stopping rule has nothing to spend yet");
	if (!has_band || k->alpha_same <= 0)
		return;
	kd_effect_interval(&k->effect, k->alpha_same, &lo, &hi);
	if (lo > band_lo && hi < band_hi)
		c->verdict = KD_VERDICT_SAME;
}
