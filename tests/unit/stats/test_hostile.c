// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random datasets out of the worst values: whatever comes in, what comes out
 * are probabilities, ordered intervals, and no verdict without a test.
 */
#include "data.h"
#include "stats/analysis.h"
#include "stats/sweep.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double values[] = {
	0, -0.0, 1, -1, 1, 1.0000000000000002, 1e-300, -1e-300, 5e-324, 1e150,
	-1e150, 1e149, 1e151, 1e308, NAN, INFINITY, -INFINITY, 100, 101, 99,
	1e9, 1e-9, 3, 2,
};

/* @mild: without what is no number, so that tests do take place */
static double any_value(gsl_rng *r, bool mild)
{
	size_t n = sizeof(values) / sizeof(values[0]);
	double v;

	do
		v = values[gsl_rng_uniform_int(r, n)];
	while (mild && !(fabs(v) <= 1e150));
	return v;
}

static void build(struct kd_dataset *ds, gsl_rng *r)
{
	static const char *const names[] = { "a", "b", "c" };
	bool rounds = gsl_rng_uniform_int(r, 2);
	bool mild = gsl_rng_uniform_int(r, 4);

	for (int m = 0; m < 3; m++) {
		for (int v = 0; v < 3; v++) {
			size_t n = gsl_rng_uniform_int(r, 26);
			double x[26];

			for (size_t i = 0; i < n; i++)
				x[i] = any_value(r, mild);
			data_add(ds, names[m], names[v], x, n,
				 rounds ? (int)gsl_rng_uniform_int(r, 3) : -1);
		}
		ds->measures[m].better = gsl_rng_uniform_int(r, 3);
		ds->measures[m].primary = gsl_rng_uniform_int(r, 2);
	}
}

static bool is_share(double p)
{
	return isnan(p) || (p >= 0 && p <= 1);
}

static void check(const struct kd_comparison *c)
{
	bool none = c->verdict == KD_VERDICT_NONE;

	assert_in_range(c->verdict, 0, KD_VERDICT_COUNT - 1);
	assert_true(is_share(c->p) && is_share(c->p_adj));
	assert_true(is_share(c->p_perm));
	assert_true(isnan(c->p) == isnan(c->p_adj));
	assert_true(isnan(c->p) || c->p_adj >= c->p);
	assert_false(isinf(c->change) || isinf(c->lo) || isinf(c->hi));
	assert_true(isnan(c->lo) == isnan(c->hi));
	assert_true(isnan(c->lo) || c->lo <= c->hi);
	assert_true(isnan(c->median_lo) || c->median_lo <= c->median_hi);
	/* a verdict has a test behind it, none has words */
	assert_int_equal(none, isnan(c->p));
	assert_true(!none || c->why[0]);
	assert_true(!(c->flags & KD_FLAG_NOT_NUMBERS) || none);
}

static void says_nothing_wild(void **state)
{
	gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);
	int tested = 0;

	for (int k = 0; k < 300; k++) {
		struct kd_plan_stats plan = kd_plan_stats_default;
		struct kd_dataset ds = { 0 };
		struct kd_analysis a;
		struct kd_sweep s;

		build(&ds, r);
		plan.min_effect = k & 1 ? 0.02 : 2;
		if (k % 10 == 0) {
			plan.looks = plan.max_rounds = 12;
			plan.look = k / 10 % 13;
		}
		assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
		for (size_t m = 0; m < 3; m++) {
			for (size_t v = 1; v < 3; v++) {
				check(&a.measures[m].comparisons[v]);
				tested += !isnan(a.measures[m]
						 .comparisons[v].p);
			}
			assert_int_equal(a.measures[m].comparisons[0].verdict,
					 KD_VERDICT_NONE);
			if (!kd_sweep_best(&ds, m, 0.05, &s, NULL))
				kd_sweep_fini(&s);
		}
		kd_analysis_decided(&ds, &a);
		kd_analysis_fini(&a);
		kd_dataset_fini(&ds);
	}
	assert_true(tested > 300);
	gsl_rng_free(r);
}

static void takes_nothing_at_all(void **state)
{
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;

	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	assert_false(kd_analysis_decided(&ds, &a));
	kd_analysis_fini(&a);
	kd_dataset_variant(&ds, "only");
	data_measure(&ds, "m");
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	assert_false(kd_analysis_decided(&ds, &a));
	assert_true(isnan(a.measures[0].summaries[0].mean));
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_nothing_wild),
		cmocka_unit_test(takes_nothing_at_all),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
