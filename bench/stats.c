// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What resampling costs: 100 metrics of 30 pairs, 10 000 permutations or
 * bootstrap resamples each, at most 2 s a kind; and the analysis of 100 000
 * runs. Exit 1 where a limit is passed.
 */
#include "base/clock.h"
#include "stats/analysis.h"
#include "stats/bootstrap.h"
#include "stats/dataset.h"
#include "stats/perm.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <string.h>

#define METRICS 100
#define PAIRS 30

static double x[METRICS][PAIRS], y[METRICS][PAIRS];

static void fill(void)
{
	gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);

	for (int m = 0; m < METRICS; m++) {
		for (int i = 0; i < PAIRS; i++) {
			x[m][i] = 100 + gsl_ran_gaussian(r, 5);
			y[m][i] = 101 + gsl_ran_gaussian(r, 5);
		}
	}
	gsl_rng_free(r);
}

static double kept;	/* so that nothing is optimised away */

static void flips(void)
{
	double d[PAIRS], scratch[2 * PAIRS];
	struct kd_perm p;

	for (int m = 0; m < METRICS; m++) {
		for (int i = 0; i < PAIRS; i++)
			d[i] = y[m][i] - x[m][i];
		kd_perm_paired(d, PAIRS, 1, scratch, &p);
		kept += p.p;
	}
}

static void deals(void)
{
	double pool[2 * PAIRS], scratch[2 * PAIRS];
	struct kd_perm p;

	for (int m = 0; m < METRICS; m++) {
		memcpy(pool, x[m], sizeof(x[m]));
		memcpy(pool + PAIRS, y[m], sizeof(y[m]));
		kd_perm_means(pool, PAIRS, PAIRS, 1, scratch, &p);
		kept += p.p;
	}
}

static void medians(void)
{
	struct kd_boot b;

	for (int m = 0; m < METRICS; m++) {
		kd_boot_quantile_change(x[m], PAIRS, y[m], PAIRS, true, 0.5,
					0.05, 1, &b);
		kept += b.lo;
	}
}

static void ratios(void)
{
	struct kd_boot b;

	for (int m = 0; m < METRICS; m++) {
		kd_boot_ratio(x[m], y[m], PAIRS, 0.05, 1, &b);
		kept += b.lo;
	}
}

static void analyse(int runs_a_side, int round_step)
{
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;
	char name[16];

	kd_dataset_variant(&ds, "a");
	kd_dataset_variant(&ds, "b");
	for (int m = 0; m < METRICS; m++) {
		struct kd_measure *me;

		snprintf(name, sizeof(name), "m%d", m);
		me = kd_dataset_measure(&ds, "", name, "u", KD_BETTER_HIGHER);
		for (int i = 0; i < runs_a_side; i++) {
			int round = round_step ? i : -1;

			kd_measure_add(me, 0, round, 2 * i,
				       x[m][i % PAIRS] + i % 7);
			kd_measure_add(me, 1, round, 2 * i + 1,
				       y[m][i % PAIRS] + i % 11);
		}
	}
	if (!kd_analyse(&ds, &kd_plan_stats_default, &a, NULL)) {
		kept += a.measures[0].comparisons[1].p;
		kd_analysis_fini(&a);
	}
	kd_dataset_fini(&ds);
}

static void analyse_pairs(void)
{
	analyse(PAIRS, 1);
}

static void analyse_many(void)
{
	analyse(500, 1);
}

static void analyse_many_unpaired(void)
{
	analyse(500, 0);
}

int main(void)
{
	static const struct {
		const char *what;
		void (*run)(void);
		double limit_s;
	} rows[] = {
		{ "sign flips, 10000 x 30 pairs x 100", flips, 2 },
		{ "deals, 10000 x 30+30 x 100", deals, 2 },
		{ "BCa of medians, 10000 x 30 pairs x 100", medians, 2 },
		{ "BCa of ratios, 10000 x 30 pairs x 100", ratios, 2 },
		{ "whole analysis, 30 pairs x 100", analyse_pairs, 2 },
		{ "whole analysis, 500 pairs x 100", analyse_many, 1 },
		{ "whole analysis, 500+500 x 100", analyse_many_unpaired, 1 },
	};
	int failed = 0;

	fill();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t start = kd_now();
		double s;

		rows[i].run();
		s = (double)(kd_now() - start) / KD_NS_PER_SEC;
		printf("%-42s %6.3f s (limit %.0f)%s\n", rows[i].what, s,
		       rows[i].limit_s, s > rows[i].limit_s ? "  OVER" : "");
		failed |= s > rows[i].limit_s;
	}
	return failed || kept != kept;
}
