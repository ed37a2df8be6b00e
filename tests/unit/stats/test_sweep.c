// SPDX-License-Identifier: GPL-2.0-or-later
#include "data.h"
#include "noise.h"
#include "stats/analysis.h"
#include "stats/sweep.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* rounds of figures about @level, the same little noise for every variant */
static void add_level(struct kd_dataset *ds, const char *metric, int v,
		      double level)
{
	char name[16];
	double x[8];

	for (int i = 0; i < 8; i++)
		x[i] = level * (1 + 0.01 * ((i * 5 + v * 3) % 7 - 3));
	snprintf(name, sizeof(name), "v%d", v);
	data_add(ds, metric, name, x, 8, 0);
}

static void set_levels(struct kd_dataset *ds, size_t n_factors,
		       const char *const *text)
{
	ds->n_factors = n_factors;
	ds->factors = calloc(n_factors, sizeof(char *));
	ds->levels = calloc(ds->n_variants * n_factors, sizeof(char *));
	for (size_t f = 0; f < n_factors; f++)
		ds->factors[f] = strdup("f");
	for (size_t i = 0; i < ds->n_variants * n_factors; i++)
		ds->levels[i] = strdup(text[i]);
}

static void finds_best_set_and_knee(void **state)
{
	static const double mean[] = { 100, 180, 231, 233, 232 };
	static const char *const levels[] = { "64KiB", "128KiB", "256KiB",
					      "512KiB", "1MiB" };
	static const bool set[] = { false, false, true, true, true };
	struct kd_dataset ds = { 0 };
	struct kd_sweep s;

	for (int v = 0; v < 5; v++)
		add_level(&ds, "rate", v, mean[v]);
	set_levels(&ds, 1, levels);
	assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
	assert_int_equal(s.best, 3);
	assert_memory_equal(s.in_best, set, sizeof(set));
	assert_int_equal(kd_sweep_knee(&ds, &s, 0, 0), 2);
	kd_sweep_fini(&s);
	/* where less is good, the other end wins and the line bends away */
	ds.measures[0].better = KD_BETTER_LOWER;
	assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
	assert_int_equal(s.best, 0);
	assert_int_equal(kd_sweep_knee(&ds, &s, 0, 0), KD_SWEEP_NONE);
	kd_sweep_fini(&s);
	ds.measures[0].better = KD_BETTER_NONE;
	assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), -EINVAL);
	kd_dataset_fini(&ds);
}

/* the last value before a cliff; the second factor stays as in the best */
static void finds_the_cliff(void **state)
{
	static const double mean[] = { 95, 96, 97, 40, 35, 50, 20, 10, 5, 4 };
	static const char *const levels[] = {
		"5", "a", "6", "a", "7", "a", "8", "a", "9", "a",
		"5", "b", "6", "b", "7", "b", "8", "b", "9", "b",
	};
	struct kd_dataset ds = { 0 };
	struct kd_sweep s;

	for (int v = 0; v < 10; v++)
		add_level(&ds, "rate", v, mean[v]);
	set_levels(&ds, 2, levels);
	assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
	assert_int_equal(kd_sweep_knee(&ds, &s, 0, 0), 2);
	/* no numbers */
	assert_int_equal(kd_sweep_knee(&ds, &s, 0, 1), KD_SWEEP_NONE);
	assert_int_equal(kd_sweep_knee(&ds, &s, 0, 2), KD_SWEEP_NONE);
	kd_sweep_fini(&s);
	kd_dataset_fini(&ds);
}

static void flat_has_no_knee(void **state)
{
	static const double mean[] = { 100, 100.3, 100.2, 100.1 };
	static const char *const levels[] = { "1", "2", "3", "4" };
	struct kd_dataset ds = { 0 };
	struct kd_sweep s;

	for (int v = 0; v < 4; v++)
		add_level(&ds, "rate", v, mean[v]);
	set_levels(&ds, 1, levels);
	assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
	for (int v = 0; v < 4; v++)
		assert_true(s.in_best[v]);
	assert_int_equal(kd_sweep_knee(&ds, &s, 0, 0), KD_SWEEP_NONE);
	kd_sweep_fini(&s);
	kd_dataset_fini(&ds);
}

static void one_run_shows_nothing(void **state)
{
	static const double a[] = { 1 }, b[] = { 9 }, bad[] = { NAN };
	struct kd_dataset ds = { 0 };
	struct kd_sweep s;

	data_add(&ds, "rate", "a", a, 1, 0);
	data_add(&ds, "rate", "b", b, 1, 0);
	data_add(&ds, "rate", "bad", bad, 1, 0);
	assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
	assert_int_equal(s.best, 1);
	assert_true(s.in_best[0] && s.in_best[1] && !s.in_best[2]);
	kd_sweep_fini(&s);
	kd_dataset_fini(&ds);
}

static void keeps_what_nobody_beats(void **state)
{
	static const double rate[] = { 100, 200, 200, 50, 300 };
	static const double cpu[] = { 10, 30, 40, 10, 90 };
	static const bool want[] = { true, true, false, false, true };
	static const size_t both[] = { 0, 1 };
	struct kd_dataset ds = { 0 };
	bool in[5];

	for (int v = 0; v < 5; v++) {
		char name[16];

		snprintf(name, sizeof(name), "v%d", v);
		data_add(&ds, "rate", name, &rate[v], 1, 0);
		data_add(&ds, "cpu", name, &cpu[v], 1, 0);
	}
	ds.measures[1].better = KD_BETTER_LOWER;
	assert_int_equal(kd_sweep_pareto(&ds, both, 2, in, NULL), 0);
	assert_memory_equal(in, want, sizeof(want));
	ds.measures[1].samples[1].value = INFINITY;
	assert_int_equal(kd_sweep_pareto(&ds, both, 2, in, NULL), 0);
	assert_true(!in[1] && in[2]);
	ds.measures[1].better = KD_BETTER_NONE;
	assert_int_equal(kd_sweep_pareto(&ds, both, 2, in, NULL), -EINVAL);
	kd_dataset_fini(&ds);
}

/*
 * The set's limit, against the two-sided p of the plain comparison: a half of
 * it, at alpha over the number of others.
 */
static void set_ends_at_its_level(void **state)
{
	int at_one_sided = 0, at_corrected = 0;

	for (int k = 0; k < 200; k++) {
		double x[8], y[8], level = 100 - 0.02 * k;
		struct kd_dataset ds = { 0 };
		struct kd_analysis a;
		struct kd_sweep s;
		double p;

		for (int i = 0; i < 8; i++) {
			x[i] = 100 + (i * 5) % 7 - 3;
			y[i] = level + (i * 3) % 7 - 3.5;
		}
		data_add(&ds, "rate", "best", x, 8, 0);
		data_add(&ds, "rate", "other", y, 8, 0);
		assert_int_equal(kd_analyse(&ds, &kd_plan_stats_default, &a,
					    NULL), 0);
		p = a.measures[0].comparisons[1].p;
		kd_analysis_fini(&a);
		assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
		assert_int_equal(s.best, 0);
		assert_int_equal(s.in_best[1], p / 2 >= 0.05);
		at_one_sided += p > 0.05 && p / 2 < 0.05;
		kd_sweep_fini(&s);
		for (int i = 0; i < 8; i++)
			x[i] -= 0.001;
		data_add(&ds, "rate", "third", x, 8, 0);
		data_add(&ds, "rate", "fourth", x, 8, 0);
		assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
		assert_int_equal(s.in_best[1], p / 2 >= 0.05 / 3);
		at_corrected += p / 2 >= 0.05 / 3 && p / 2 < 0.05;
		kd_sweep_fini(&s);
		kd_dataset_fini(&ds);
	}
	assert_true(at_one_sided > 0 && at_corrected > 0);
}

/* five variants, one truly best by 1 %: kept in the set 95 times in 100 */
static void keeps_the_true_best(void **state)
{
	gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);
	int kept = 0, n = 3000;

	for (int k = 0; k < n; k++) {
		struct kd_dataset ds = { 0 };
		struct kd_sweep s;

		for (int v = 0; v < 5; v++) {
			char name[16];
			double x[6];

			for (int i = 0; i < 6; i++)
				x[i] = (v == 2 ? 101 : 100) *
				       noises[0].draw(r);
			snprintf(name, sizeof(name), "v%d", v);
			data_add(&ds, "rate", name, x, 6, 0);
		}
		assert_int_equal(kd_sweep_best(&ds, 0, 0.05, &s, NULL), 0);
		kept += s.in_best[2];
		kd_sweep_fini(&s);
		kd_dataset_fini(&ds);
	}
	print_message("# true best kept in %.2f %%\n", 100.0 * kept / n);
	assert_true(kept > n * 0.95 && kept < n);
	gsl_rng_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_best_set_and_knee),
		cmocka_unit_test(finds_the_cliff),
		cmocka_unit_test(flat_has_no_knee),
		cmocka_unit_test(one_run_shows_nothing),
		cmocka_unit_test(keeps_what_nobody_beats),
		cmocka_unit_test(set_ends_at_its_level),
		cmocka_unit_test(keeps_the_true_best),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
