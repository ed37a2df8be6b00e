// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts of whole datasets, published ones first. */
#include "data.h"
#include "stats/analysis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.10g is not %.10g ± %g", got, want, tolerance);
}

/* tests/data/published: wilc1000 chip sleep, KB/s */
static void judges_wilc1000(void **state)
{
	static const double tx1[] = { 397.50, 402.81, 398.83, 396.25 };
	static const double tx0[] = { 1472.78, 1523.10, 1385.21, 1497.66,
				      1617.21 };
	static const double rx1[] = { 1941.97, 1290.94, 1280.93, 1322.33 };
	static const double rx0[] = { 2811.94, 2848.09, 2744.44, 2681.96,
				      2724.09 };
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;
	const struct kd_comparison *c;

	data_add(&ds, "tx", "1", tx1, N(tx1), -1);
	data_add(&ds, "tx", "0", tx0, N(tx0), -1);
	data_add(&ds, "rx", "1", rx1, N(rx1), -1);
	data_add(&ds, "rx", "0", rx0, N(rx0), -1);
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	near(a.measures[0].summaries[0].mean, 398.8475, 1e-9);
	near(a.measures[0].summaries[1].mean, 1499.192, 1e-9);
	c = &a.measures[0].comparisons[1];
	near(c->change, 2.759, 0.0005);
	assert_int_equal(c->verdict, KD_VERDICT_BETTER);
	assert_true(c->flags & KD_FLAG_UNEQUAL_N);
	assert_false(c->paired);
	/* 1 of C(9, 4) = 126 */
	near(c->p_perm, 1 / 126.0, 1e-12);
	c = &a.measures[1].comparisons[1];
	near(c->change, 0.893, 0.0005);
	near(c->median_change, 1.100, 0.0005);
	assert_true(a.measures[1].summaries[0].flags & KD_FLAG_OUTLIERS);
	assert_int_equal(a.measures[1].summaries[0].n_outliers, 1);
	near(a.measures[1].summaries[0].outliers[0], 1941.97, 0);
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
}

/* the mwifiex summary file, Mbit/s */
static const double mwifiex[2][4][10] = {
	{
		{ 193, 163, 198, 147, 194, 195, 129, 167, 198, 174 },
		{ 15.2, 21.4, 15.8, 26.2, 13.8, 12.6, 22.9, 14.3, 14.7, 35.1 },
		{ 60.6, 52.4, 70, 66, 60.9, 64.9, 58.3, 59.8, 53.3, 58.3 },
		{ 151, 186, 209, 201, 180, 208, 210, 189, 176, 196 },
	}, {
		{ 171, 194, 187, 165, 167, 197, 163, 199, 192, 120 },
		{ 30.4, 19, 19.8, 20.2, 20.7, 20.1, 27.3, 18.8, 19.3, 6.74 },
		{ 73.9, 78.1, 73.3, 73.2, 74.5, 82.1, 73.8, 69.6, 68.7, 66.9 },
		{ 160, 163, 179, 195, 203, 187, 192, 202, 207, 153 },
	},
};
static const char *const mwifiex_rows[] = { "bidir rx", "bidir tx", "tx", "rx" };

static void build_mwifiex(struct kd_dataset *ds)
{
	for (int i = 0; i < 4; i++) {
		data_add(ds, mwifiex_rows[i], "before", mwifiex[0][i], 10, -1);
		data_add(ds, mwifiex_rows[i], "after", mwifiex[1][i], 10, -1);
	}
}

static void judges_mwifiex(void **state)
{
	static const double change[] = { -0.0017, 0.0539, 0.2144, -0.0341 };
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;

	build_mwifiex(&ds);
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	assert_int_equal(a.n_primary, 4);
	assert_int_equal(a.n_exploratory, 0);
	for (int i = 0; i < 4; i++) {
		const struct kd_comparison *c = &a.measures[i].comparisons[1];

		near(c->change, change[i], 0.00005);
		assert_true(c->perm_exact);
		assert_int_equal(c->perm_count, 184756);
		assert_int_equal(c->verdict, i == 2 ? KD_VERDICT_BETTER :
						      KD_VERDICT_UNCLEAR);
		assert_true(c->lo < c->change && c->change < c->hi);
		assert_true(i == 2 || c->needed_seen > 10);
	}
	/* 10 of 184 756 */
	near(a.measures[2].comparisons[1].p_perm, 10 / 184756.0, 1e-12);
	assert_true(a.measures[2].comparisons[1].p < 0.0001);
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
}

static void same_seed_same_digits(void **state)
{
	struct kd_dataset ds = { 0 };
	struct kd_plan_stats plan = kd_plan_stats_default;
	double x[30], y[30], p[3], median[3];
	struct kd_analysis a;

	for (int i = 0; i < 30; i++) {
		x[i] = 100 + (i * 7919) % 31;
		y[i] = 101 + (i * 104729) % 37;
	}
	data_add(&ds, "m", "a", x, 30, 0);
	data_add(&ds, "m", "b", y, 30, 0);
	for (int i = 0; i < 3; i++) {
		plan.seed = i == 2 ? 8 : 7;
		assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
		assert_false(a.measures[0].comparisons[1].perm_exact);
		p[i] = a.measures[0].comparisons[1].p_perm;
		near(p[i], a.measures[0].comparisons[1].p, 0.03);
		median[i] = a.measures[0].comparisons[1].median_lo;
		assert_true(median[i] < a.measures[0].comparisons[1]
			    .median_change);
		kd_analysis_fini(&a);
	}
	assert_memory_equal(&p[0], &p[1], sizeof(p[0]));
	assert_true(p[0] != p[2]);
	assert_memory_equal(&median[0], &median[1], sizeof(median[0]));
	kd_dataset_fini(&ds);
}

static struct kd_comparison compare_two(const double *x, size_t nx,
					const double *y, size_t ny, int round,
					double min_effect, int *boots)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_dataset ds = { 0 };
	struct kd_comparison c;
	struct kd_analysis a;

	plan.min_effect = min_effect;
	data_add(&ds, "m", "a", x, nx, round);
	data_add(&ds, "m", "b", y, ny, round);
	ds.n_boots = boots;
	assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
	c = a.measures[0].comparisons[1];
	kd_analysis_fini(&a);
	ds.n_boots = NULL;
	kd_dataset_fini(&ds);
	return c;
}

static void refuses_one_run_and_no_spread(void **state)
{
	static const double x[] = { 5, 5, 5, 5, 5, 5 };
	static const double y[] = { 7, 7, 7, 7, 7, 7 };
	static const double z[] = { 1, 2, 3, 4, 5, 6 };
	static const double zz[] = { 3, 6, 9, 12, 15, 18 };
	struct kd_comparison c = compare_two(x, 1, y, 1, 0, 0, NULL);

	assert_int_equal(c.verdict, KD_VERDICT_NONE);
	assert_int_equal(c.needed_seen, 6);
	assert_non_null(strstr(c.why, "one run a side"));
	near(c.change, 0.4, 1e-12);
	c = compare_two(x, 1, y, 1, -1, 0, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_NONE);
	assert_int_equal(c.needed_seen, 4);
	c = compare_two(x, 6, y, 6, 0, 0, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_NONE);
	assert_non_null(strstr(c.why, "no spread"));
	/* three times as much in each round, to the last digit */
	c = compare_two(z, 6, zz, 6, 0, 0, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_NONE);
	c = compare_two(x, 0, y, 6, -1, 0, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_NONE);
}

static void one_boot_is_unclear(void **state)
{
	static const double x[] = { 100, 101, 99, 100, 102, 98 };
	static const double y[] = { 150, 151, 149, 150, 152, 147 };
	int one[] = { 1, 1 }, few[] = { 6, 3 }, each[] = { 6, 6 };
	struct kd_comparison c = compare_two(x, 6, y, 6, 0, 0, one);

	assert_int_equal(c.verdict, KD_VERDICT_UNCLEAR);
	assert_true(c.flags & KD_FLAG_ONE_BOOT);
	c = compare_two(x, 6, y, 6, 0, 0, few);
	assert_int_equal(c.verdict, KD_VERDICT_UNCLEAR);
	c = compare_two(x, 6, y, 6, 0, 0, each);
	assert_int_equal(c.verdict, KD_VERDICT_BETTER);
}

static void same_needs_a_smallest_effect(void **state)
{
	static const double x[] = { 100, 100.2, 99.9, 100.1, 99.8, 100.0,
				    100.3, 99.7 };
	static const double y[] = { 100.1, 100.0, 100.0, 99.9, 100.1, 99.9,
				    100.2, 99.9 };
	double up[8];
	struct kd_comparison c = compare_two(x, 8, y, 8, 0, 0, NULL);

	assert_int_equal(c.verdict, KD_VERDICT_UNCLEAR);
	c = compare_two(x, 8, y, 8, 0, 0.02, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_SAME);
	c = compare_two(x, 8, y, 8, 0, 0.0005, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_UNCLEAR);
	assert_true(c.needed_min > 8);
	for (int i = 0; i < 8; i++)
		up[i] = y[i] * 1.01;
	/* shown to be there first, then shown to be small */
	c = compare_two(x, 8, up, 8, 0, 0.02, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_BETTER);
	assert_true(c.flags & KD_FLAG_SMALL);
	c = compare_two(x, 8, up, 8, 0, 0.005, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_BETTER);
	assert_false(c.flags & KD_FLAG_SMALL);
}

/* "same" gets harder as the family grows, as better and worse do */
static void same_is_corrected_over_the_family(void **state)
{
	static const double x[] = { 100, 101, 99.5, 100.5, 99, 100, 101.5, 98 };
	static const double y[] = { 100.5, 100, 100, 100, 99.5, 100.5, 101, 99 };
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;

	data_add(&ds, "m0", "a", x, 8, 0);
	data_add(&ds, "m0", "b", y, 8, 0);
	assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
	/* just outside of the interval of a family of one */
	plan.min_effect = fmax(-a.measures[0].comparisons[1].lo,
			       a.measures[0].comparisons[1].hi) * 1.02;
	kd_analysis_fini(&a);
	assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
	assert_int_equal(a.measures[0].comparisons[1].verdict, KD_VERDICT_SAME);
	kd_analysis_fini(&a);
	for (int m = 1; m < 4; m++) {
		char name[8] = { 'm', (char)('0' + m) };

		data_add(&ds, name, "a", x, 8, 0);
		data_add(&ds, name, "b", y, 8, 0);
	}
	assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
	assert_int_equal(a.measures[0].comparisons[1].verdict,
			 KD_VERDICT_UNCLEAR);
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
}

static void good_sides_make_words(void **state)
{
	static const double x[] = { 100, 101, 99, 100, 102, 98 };
	static const double y[] = { 150, 151, 149, 150, 152, 147 };
	static const enum kd_verdict want[] = {
		[KD_BETTER_NONE] = KD_VERDICT_CHANGED,
		[KD_BETTER_HIGHER] = KD_VERDICT_BETTER,
		[KD_BETTER_LOWER] = KD_VERDICT_WORSE,
	};
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;

	data_add(&ds, "m", "a", x, 6, 0);
	data_add(&ds, "m", "b", y, 6, 0);
	for (int b = 0; b < 3; b++) {
		ds.measures[0].better = b;
		assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a,
					    NULL), 0);
		assert_int_equal(a.measures[0].comparisons[1].verdict, want[b]);
		kd_analysis_fini(&a);
	}
	kd_dataset_fini(&ds);
}

static unsigned int flags_of(const double *x, size_t n)
{
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;
	unsigned int flags;

	data_add(&ds, "m", "a", x, n, 0);
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	flags = a.measures[0].summaries[0].flags;
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
	return flags;
}

static void odd_samples_are_named(void **state)
{
	static const double plain[] = { 100, 97, 102, 99, 101, 96, 103, 98 };
	static const double drifts[] = { 96, 97, 98, 100, 99, 101, 102, 103 };
	static const double ties[] = { 100, 101, 100, 101, 100, 100, 101, 102 };
	static const double wide[] = { 100, 30, 170, 60, 140, 20, 180, 90 };
	static const double equal[] = { 5, 5, 5 };
	static const double modes[] = { 100, 121, 100.5, 120, 101, 120.5, 99.8,
					120.2 };
	static const double far[] = { 100, 97, 102, 99, 101, 96, 300, 98 };

	assert_int_equal(flags_of(plain, 8), 0);
	assert_int_equal(flags_of(drifts, 8), KD_FLAG_DRIFT);
	assert_int_equal(flags_of(ties, 8), KD_FLAG_TIES);
	assert_int_equal(flags_of(wide, 8), KD_FLAG_WIDE);
	assert_int_equal(flags_of(equal, 3), KD_FLAG_NO_SPREAD);
	assert_int_equal(flags_of(modes, 8), KD_FLAG_TWO_MODES);
	assert_int_equal(flags_of(far, 8), KD_FLAG_OUTLIERS | KD_FLAG_WIDE);
	for (int i = 0; i < KD_FLAG_COUNT; i++)
		assert_true(kd_flag_text(1 << i)[0]);
	assert_string_equal(kd_flag_text(1 << KD_FLAG_COUNT), "");
}

static void five_pairs_cannot_be_checked(void **state)
{
	static const double x[] = { 100, 101, 99, 100, 102, 98 };
	static const double y[] = { 150, 151, 149, 150, 152, 147 };
	struct kd_comparison c = compare_two(x, 5, y, 5, 0, 0, NULL);

	assert_true(c.flags & KD_FLAG_FEW_FOR_CHECK);
	assert_false(c.flags & KD_FLAG_DISAGREE);
	near(c.p_perm, 0.0625, 1e-12);
	c = compare_two(x, 6, y, 6, 0, 0, NULL);
	assert_false(c.flags & KD_FLAG_FEW_FOR_CHECK);
	near(c.p_perm, 0.03125, 1e-12);
}

static void pairs_complete_rounds_only(void **state)
{
	static const double x[] = { 10, 20, 30, 40 };
	static const double y[] = { 11, 23, 34, 43 };
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;
	struct kd_comparison *c;

	/* rounds 0 to 3 and 1 to 4: three in common */
	data_add(&ds, "m", "a", x, 4, 0);
	data_add(&ds, "m", "b", y, 4, 1);
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	c = &a.measures[0].comparisons[1];
	assert_true(c->paired);
	assert_int_equal(c->n, 3);
	assert_true(c->flags & KD_FLAG_MISSING);
	near(c->change, (11 + 23 + 34) / 90.0 - 1, 1e-12);
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
}

static void survives_hostile_values(void **state)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300 };
	static const double x[] = { 1, 2, 3, 2, 1, 2 };
	double y[] = { 2, 3, 2, 3, 4, 3 };
	struct kd_comparison c;

	for (size_t i = 0; i < N(bad); i++) {
		y[2] = bad[i];
		c = compare_two(x, 6, y, 6, 0, 0.02, NULL);
		assert_int_equal(c.verdict, KD_VERDICT_NONE);
		assert_true(c.flags & KD_FLAG_NOT_NUMBERS);
		assert_true(isnan(c.change));
	}
	y[2] = 1e150;
	c = compare_two(x, 6, y, 6, 0, 0.02, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_UNCLEAR);
	y[2] = 0;
	c = compare_two(x, 0, y, 0, 0, 0.02, NULL);
	assert_int_equal(c.verdict, KD_VERDICT_NONE);
}

static void plain_difference_without_ratio_scale(void **state)
{
	static const double x[] = { -1, 0.5, 0.2, -0.4, 0.1, 0.6 };
	static const double y[] = { 9, 10.5, 10, 9.8, 10.2, 10.5 };
	struct kd_comparison c = compare_two(x, 6, y, 6, 0, 0, NULL);

	assert_true(c.flags & KD_FLAG_DIFFERENCE);
	near(c.change, 10, 1e-12);
	assert_int_equal(c.verdict, KD_VERDICT_BETTER);
	assert_true(c.lo > 9 && c.hi < 11);
}

static void families_are_apart(void **state)
{
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;
	double raw, *adj;
	unsigned int needed;

	build_mwifiex(&ds);
	ds.measures[2].primary = true;
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	assert_int_equal(a.n_primary, 1);
	assert_int_equal(a.n_exploratory, 3);
	raw = a.measures[2].comparisons[1].p;
	near(a.measures[2].comparisons[1].p_adj / raw, 1, 1e-12);
	adj = &a.measures[0].comparisons[1].p_adj;
	assert_true(*adj > a.measures[0].comparisons[1].p);
	needed = a.measures[0].comparisons[1].needed_seen;
	/* only primary ones decide when to stop */
	assert_true(kd_analysis_decided(&ds, &a));
	kd_analysis_fini(&a);
	ds.measures[0].primary = true;
	assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a, NULL), 0);
	near(a.measures[2].comparisons[1].p_adj / raw, 2, 1e-12);
	/* a family of two instead of three needs fewer runs */
	assert_true(a.measures[0].comparisons[1].needed_seen < needed);
	assert_false(kd_analysis_decided(&ds, &a));
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
}

/* the same figures, looked at on the way, need more to be decided */
static void looks_cost_level(void **state)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_dataset ds = { 0 };
	struct kd_comparison c[4];
	double x[10], y[10];
	struct kd_analysis a;
	static const int looks[] = { 0, 4, 10, 40 };

	for (int i = 0; i < 10; i++) {
		x[i] = 100 + (i * 7) % 5;
		y[i] = 101 + (i * 3) % 7;
	}
	data_add(&ds, "m", "a", x, 10, 0);
	data_add(&ds, "m", "b", y, 10, 0);
	for (int i = 0; i < 4; i++) {
		plan.looks = plan.max_rounds = looks[i];
		/* with 4: before anything may be decided */
		plan.look = looks[i] > 10 ? 10 : looks[i] == 4 ? 3 : looks[i];
		assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
		c[i] = a.measures[0].comparisons[1];
		kd_analysis_fini(&a);
	}
	assert_true(c[0].p_adj == c[0].p);
	assert_true(c[2].p == c[0].p);
	assert_true(c[1].p_adj == 1 && isnan(c[1].lo));
	assert_int_equal(c[1].verdict, KD_VERDICT_UNCLEAR);
	assert_non_null(strstr(c[1].why, "look"));
	assert_true(c[2].p_adj > 1.3 * c[0].p_adj);
	assert_true(c[3].p_adj > 3 * c[2].p_adj);
	assert_true(c[3].lo < c[2].lo && c[2].lo < c[0].lo);
	/* p and interval agree at every look */
	for (int i = 0; i < 4; i++)
		if (i != 1)
			assert_true((c[i].p_adj < 0.05) == (c[i].lo > 0 ||
							    c[i].hi < 0));
	kd_dataset_fini(&ds);
}

static void refuses_a_bad_plan(void **state)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;
	struct kd_diag d = { 0 };

	build_mwifiex(&ds);
	plan.alpha = 0;
	assert_int_equal(kd_analyse(&ds, &plan, &a, &d), -EINVAL);
	plan = kd_plan_stats_default;
	plan.min_effect = NAN;
	assert_int_equal(kd_analyse(&ds, &plan, &a, &d), -EINVAL);
	plan = kd_plan_stats_default;
	ds.measures[0].samples[0].variant = 9;
	assert_int_equal(kd_analyse(&ds, &plan, &a, &d), -EINVAL);
	kd_dataset_fini(&ds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_wilc1000),
		cmocka_unit_test(judges_mwifiex),
		cmocka_unit_test(same_seed_same_digits),
		cmocka_unit_test(refuses_one_run_and_no_spread),
		cmocka_unit_test(one_boot_is_unclear),
		cmocka_unit_test(same_needs_a_smallest_effect),
		cmocka_unit_test(same_is_corrected_over_the_family),
		cmocka_unit_test(good_sides_make_words),
		cmocka_unit_test(odd_samples_are_named),
		cmocka_unit_test(five_pairs_cannot_be_checked),
		cmocka_unit_test(pairs_complete_rounds_only),
		cmocka_unit_test(survives_hostile_values),
		cmocka_unit_test(plain_difference_without_ratio_scale),
		cmocka_unit_test(families_are_apart),
		cmocka_unit_test(looks_cost_level),
		cmocka_unit_test(refuses_a_bad_plan),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
