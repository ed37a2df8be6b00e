// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * On the line between good and bad the answer is wrong, or given at all, no more
 * often than alpha says.
 */
#include "noise.h"
#include "stats/boundary.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TRIALS 10000
#define RUNS 8

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.10g is not %.10g ± %g", got, want, tolerance);
}

static void draw(gsl_rng *rng, double level, double *x)
{
	for (int i = 0; i < RUNS; i++)
		x[i] = level * noises[0].draw(rng) / noises[0].mean;
}

/* experiments of a state at @level that come out good, and bad */
static void count(gsl_rng *rng, double level, bool with_bad, double loss,
		  int *good, int *bad)
{
	double g[RUNS], b[RUNS], h[RUNS];

	*good = *bad = 0;
	for (int i = 0; i < TRIALS; i++) {
		struct kd_sample_set none = { 0 };
		struct kd_boundary out;

		draw(rng, 100, g);
		draw(rng, 90, b);
		draw(rng, level, h);
		assert_int_equal(kd_boundary_judge(
			(struct kd_sample_set){ g, RUNS },
			with_bad ? (struct kd_sample_set){ b, RUNS } : none,
			(struct kd_sample_set){ h, RUNS }, loss, true, &out),
			0);
		if (out.p < 0.05) {
			*good += out.towards_good > 0;
			*bad += out.towards_good < 0;
		}
	}
}

/* 4 standard errors of 2.5 % of 10 000 are 62 */
static void keeps_its_level_on_the_line(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	int good, bad;

	gsl_rng_set(rng, 11);
	count(rng, 95, true, 0, &good, &bad);
	near(good, 250, 62);
	near(bad, 250, 62);
	count(rng, 95, false, 0.1, &good, &bad);
	near(good, 250, 62);
	near(bad, 250, 62);
	gsl_rng_free(rng);
}

static void is_right_off_the_line(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	int good, bad;

	gsl_rng_set(rng, 12);
	count(rng, 100, true, 0, &good, &bad);
	assert_true(good > TRIALS * 99 / 100);
	assert_int_equal(bad, 0);
	count(rng, 90, true, 0, &good, &bad);
	assert_true(bad > TRIALS * 99 / 100);
	assert_int_equal(good, 0);
	gsl_rng_free(rng);
}

static void knows_the_sides(void **state)
{
	static const double low[] = { 9, 10, 11 }, high[] = { 19, 20, 21 };
	struct kd_sample_set l = { low, 3 }, h = { high, 3 }, none = { 0 };
	struct kd_sample_set one = { low, 1 };
	struct kd_boundary out;

	/* lower is good because the good reference is lower */
	assert_int_equal(kd_boundary_judge(l, h, l, 0, true, &out), 0);
	near(out.at, 15, 1e-12);
	near(out.towards_good, 5, 1e-12);
	/* 1/3 + 1/12 + 1/12 */
	near(out.se, sqrt(0.5), 1e-12);
	near(out.df, 0.25 / ((1 / 9.0 + 2 / 144.0) / 2), 1e-12);
	assert_int_equal(kd_boundary_judge(l, none, h, 0.2, false, &out), 0);
	near(out.bad, 12, 1e-12);
	near(out.at, 11, 1e-12);
	near(out.towards_good, -9, 1e-12);
	near(out.se, sqrt(1 / 3.0 + 1.21 / 3), 1e-12);
	assert_int_equal(kd_boundary_judge(l, none, h, 0.2, true, &out), 0);
	near(out.bad, 8, 1e-12);
	near(out.towards_good, 11, 1e-12);
	assert_int_equal(kd_boundary_judge(l, h, one, 0, true, &out), -EDOM);
	assert_int_equal(kd_boundary_judge(l, one, h, 0, true, &out), -EDOM);
}

static void needs_spread(void **state)
{
	static const double flat[] = { 7, 7, 7 }, other[] = { 8, 8, 8 };
	struct kd_sample_set a = { flat, 3 }, b = { other, 3 };
	struct kd_boundary out;

	assert_int_equal(kd_boundary_judge(a, b, a, 0, true, &out), -ERANGE);
	assert_true(isnan(out.p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_its_level_on_the_line),
		cmocka_unit_test(is_right_off_the_line),
		cmocka_unit_test(knows_the_sides),
		cmocka_unit_test(needs_spread),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
