// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The effect that a calibration names is the one that experiments then show as
 * often as it says.
 */
#include "data.h"
#include "noise.h"
#include "stats/analysis.h"
#include "stats/binomial.h"
#include "stats/calibration.h"
#include "stats/power.h"
#include "stats/ratio.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ROUNDS 12
#define TRIALS 1000
#define AA 200

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.10g is not %.10g ± %g", got, want, tolerance);
}

/* P(X <= k) of n trials, term by term */
static double at_most(int k, int n, double p)
{
	double sum = 0;

	for (int i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) +
			   i * log(p) + (n - i) * log1p(-p));
	return sum;
}

/* the definition: at each end so few, or so many, have a chance of alpha / 2 */
static void intervals_are_exact(void **state)
{
	double lo, hi;

	for (int n = 1; n <= 40; n += 3) {
		for (int k = 0; k <= n; k++) {
			kd_binomial_interval((unsigned int)k, (unsigned int)n,
					     0.05, &lo, &hi);
			if (k)
				near(1 - at_most(k - 1, n, lo), 0.025, 1e-9);
			else
				near(lo, 0, 0);
			if (k < n)
				near(at_most(k, n, hi), 0.025, 1e-9);
			else
				near(hi, 1, 0);
		}
	}
	kd_binomial_interval(0, 20, 0.05, &lo, &hi);
	near(hi, 1 - pow(0.025, 1 / 20.0), 1e-12);
	kd_binomial_interval(0, 0, 0.05, &lo, &hi);
	near(lo, 0, 0);
	near(hi, 1, 0);
}

static void simulate(gsl_rng *rng, double ratio, double min_effect,
		     struct kd_dataset *ds, struct kd_analysis *a)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	double x[ROUNDS], y[ROUNDS];

	plan.min_effect = min_effect;
	noise_rounds(&noises[0], rng, ROUNDS, ratio, 0.1, x, y);
	data_add(ds, "tx", "A1", x, ROUNDS, 0);
	data_add(ds, "tx", "A2", y, ROUNDS, 0);
	assert_int_equal(kd_analyse(ds, &plan, a, NULL), 0);
}

static void calibrate(gsl_rng *rng, struct kd_calibration *c)
{
	for (int i = 0; i < AA; i++) {
		struct kd_dataset ds = { 0 };
		struct kd_analysis a;

		simulate(rng, 1, 0, &ds, &a);
		assert_int_equal(kd_calibration_add(c, &ds, &a), 0);
		kd_analysis_fini(&a);
		kd_dataset_fini(&ds);
	}
}

/* how many of TRIALS experiments come out as @want */
static int count(gsl_rng *rng, double ratio, double min_effect,
		 enum kd_verdict want)
{
	int n = 0;

	for (int i = 0; i < TRIALS; i++) {
		struct kd_dataset ds = { 0 };
		struct kd_analysis a;

		simulate(rng, ratio, min_effect, &ds, &a);
		n += a.measures[0].comparisons[1].verdict == want;
		kd_analysis_fini(&a);
		kd_dataset_fini(&ds);
	}
	return n;
}

/* 4 standard errors of a share of 0.8 are 0.05; the spread is known to 2 % */
static void effects_are_seen_as_often_as_said(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct kd_calibration c = { 0 };
	const struct kd_calibration_measure *m;
	double effect, same;

	gsl_rng_set(rng, 20260101);
	calibrate(rng, &c);
	assert_int_equal(c.n_measures, 1);
	assert_int_equal(c.experiments, AA);
	assert_int_equal(c.family, 1);
	m = &c.measures[0];
	assert_int_equal(m->tested, AA);
	assert_int_equal(m->pairs, ROUNDS);
	assert_int_equal(m->false_verdicts, c.false_family);
	/* 5 % of 200 is 10; 0.99995 of such samples have 1 to 24 */
	assert_in_range(c.false_family, 1, 24);
	assert_true(m->lowest < 0 && m->highest > 0);
	/* two runs of sd 0.02 */
	near(sqrt(m->var), sqrt(2) * 0.02, 0.002);
	effect = kd_calibration_effect(m, ROUNDS, 0.05, 0.8);
	near(count(rng, 1 + effect, 0, KD_VERDICT_BETTER),
	     0.8 * TRIALS, 0.05 * TRIALS);
	near(count(rng, 1 + effect / 2, 0, KD_VERDICT_BETTER),
	     0.28 * TRIALS, 0.06 * TRIALS);
	same = kd_calibration_same(m, ROUNDS, 0.05, 0.8);
	near(count(rng, 1, same, KD_VERDICT_SAME), 0.8 * TRIALS,
	     0.06 * TRIALS);
	kd_calibration_fini(&c);
	gsl_rng_free(rng);
}

static void counts_false_verdicts(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct kd_calibration c = { 0 };

	gsl_rng_set(rng, 5);
	for (int i = 0; i < 3; i++) {
		struct kd_dataset ds = { 0 };
		struct kd_analysis a;

		simulate(rng, i ? 1.5 : 1, 0.2, &ds, &a);
		assert_int_equal(kd_calibration_add(&c, &ds, &a), 0);
		kd_analysis_fini(&a);
		kd_dataset_fini(&ds);
	}
	assert_int_equal(c.experiments, 3);
	assert_int_equal(c.false_family, 2);
	assert_int_equal(c.measures[0].false_verdicts, 2);
	assert_int_equal(c.measures[0].same, 1);
	assert_int_equal(c.false_exploratory, 0);
	kd_calibration_fini(&c);
	gsl_rng_free(rng);
}

/* the rounds that the smallest effect needs are the rounds it was asked for */
static void agrees_with_rounds_needed(void **state)
{
	struct kd_calibration_measure m = { .var = 0.0009 };
	struct kd_effect e = { .n = 10, .var_x = 0.0009 };

	for (unsigned int n = 3; n < 200; n += 7) {
		double effect = kd_calibration_effect(&m, n, 0.05, 0.8);

		assert_int_equal(kd_power_needed(&e, log1p(effect) * 1.0001,
						 0.05, 0.8), n);
	}
	assert_true(isnan(kd_calibration_effect(&m, 1, 0.05, 0.8)));
	m.var = NAN;
	assert_true(isnan(kd_calibration_effect(&m, 10, 0.05, 0.8)));
	assert_true(isnan(kd_calibration_same(&m, 10, 0.05, 0.8)));
}

static void says_nothing_without_spread(void **state)
{
	static const double flat[] = { 5, 5, 5, 5, 5, 5 };
	struct kd_calibration c = { 0 };
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;

	data_add(&ds, "tx", "A1", flat, 6, 0);
	data_add(&ds, "tx", "A2", flat, 6, 0);
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	assert_int_equal(kd_calibration_add(&c, &ds, &a), 0);
	assert_int_equal(c.experiments, 0);
	assert_true(isnan(kd_calibration_effect(&c.measures[0], 6, 0.05, 0.8)));
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
	kd_calibration_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_exact),
		cmocka_unit_test(effects_are_seen_as_often_as_said),
		cmocka_unit_test(counts_false_verdicts),
		cmocka_unit_test(agrees_with_rounds_needed),
		cmocka_unit_test(says_nothing_without_spread),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
