// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seeded simulations: false alarms over a family, coverage of intervals, the
 * stopping rule. Without argument few experiments, judged against what they can
 * show; "full": 40 000 a cell, judged against the claims.
 */
#include "data.h"
#include "noise.h"
#include "stats/analysis.h"
#include "stats/holm.h"
#include "stats/ratio.h"
#include "stats/sequential.h"
#include "stats/summary.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ALPHA 0.05
#define LEVEL_LIMIT 0.055
#define COVERAGE_LIMIT 0.93
#define FAMILY 4
#define ROUNDS_MAX 40

static int experiments = 2000;
static bool is_full;

/* 99 % bound of a rate, one-sided; up: the upper one */
static double bound(double rate, double n, bool up)
{
	double half = 2.326 * sqrt(fmax(rate * (1 - rate), 1e-9) / n);

	return up ? rate + half : rate - half;
}

static void check_level(const char *what, size_t rounds, int alarms, int n,
			double limit)
{
	double rate = (double)alarms / n;

	print_message("# %s, %zu rounds: %.2f %% false alarms, 99 %% bound "
		      "%.2f %%\n", what, rounds, 100 * rate,
		      100 * bound(rate, n, true));
	if (bound(rate, n, is_full) > limit)
		fail_msg("%s, %zu rounds: level not kept", what, rounds);
}

static void check_coverage(const char *what, size_t rounds, int covered, int n)
{
	double rate = (double)covered / n;

	print_message("# %s, %zu rounds: %.2f %% covered\n", what, rounds,
		      100 * rate);
	if (bound(rate, n, !is_full) < COVERAGE_LIMIT)
		fail_msg("%s, %zu rounds: covers too little", what, rounds);
}

static gsl_rng *make_rng(unsigned long seed)
{
	gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(r, seed);
	return r;
}

static double one_p(const struct noise *m, gsl_rng *r, size_t n, bool paired)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX], z[ROUNDS_MAX];
	struct kd_effect e;
	int failed;

	noise_rounds(m, r, n, 1, paired ? 0.2 : 0, x, y);
	failed = paired ? kd_effect_paired(x, y, n, z, &e) :
			  kd_effect_welch(x, n, y, n, &e);
	return failed ? NAN : kd_effect_p(&e);
}

static int count_alarms(const struct noise *m, gsl_rng *r, size_t n,
			bool paired)
{
	size_t order[FAMILY];
	double p[FAMILY];
	int alarms = 0;

	for (int e = 0; e < experiments; e++) {
		bool any = false;

		for (int f = 0; f < FAMILY; f++)
			p[f] = one_p(m, r, n, paired);
		kd_holm(p, FAMILY, order);
		for (int f = 0; f < FAMILY; f++)
			any |= p[f] < ALPHA;
		alarms += any;
	}
	return alarms;
}

/* interleaved rounds with drift: the claim holds for every noise */
static void keeps_the_level_in_rounds(void **state)
{
	static const size_t rounds[] = { 5, 8, 10, 20, 30 };
	gsl_rng *r = make_rng(1);

	for (size_t m = 0; m < n_noises; m++)
		for (size_t i = 0; i < 5; i++)
			check_level(noises[m].name, rounds[i],
				    count_alarms(&noises[m], r, rounds[i],
						 true),
				    experiments, LEVEL_LIMIT);
	gsl_rng_free(r);
}

/*
 * Two log files. Two tight levels and nothing else take few distinct values,
 * and no t test keeps its level there for all n; Welch's reaches 7 % at 8 runs
 * over this family. It is bounded here; that it is flagged is tested below.
 */
static void keeps_the_level_unpaired(void **state)
{
	static const size_t runs[] = { 5, 8, 20 };
	gsl_rng *r = make_rng(2);

	for (size_t m = 0; m < n_noises; m++) {
		bool modes = !strcmp(noises[m].name, "two modes");

		for (size_t i = 0; i < 3; i++)
			check_level(noises[m].name, runs[i],
				    count_alarms(&noises[m], r, runs[i], false),
				    experiments, modes ? 0.08 : LEVEL_LIMIT);
	}
	gsl_rng_free(r);
}

static void covers(void **state)
{
	static const size_t rounds[] = { 5, 8, 15, 30 };
	double x[ROUNDS_MAX], y[ROUNDS_MAX], z[ROUNDS_MAX], lo, hi;
	gsl_rng *r = make_rng(3);
	struct kd_effect e;

	for (size_t m = 0; m < n_noises; m++) {
		for (size_t i = 0; i < 4; i++) {
			int covered = 0, n = 0;

			for (int k = 0; k < experiments; k++) {
				noise_rounds(&noises[m], r, rounds[i], 1.2, 0.2,
					     x, y);
				if (kd_effect_paired(x, y, rounds[i], z, &e) ||
				    e.difference)
					continue;
				kd_effect_interval(&e, ALPHA, &lo, &hi);
				n++;
				covered += lo <= log(1.2) && log(1.2) <= hi;
			}
			/* the plain difference is the exception */
			assert_true(n > experiments * 0.95);
			check_coverage(noises[m].name, rounds[i], covered, n);
		}
	}
	gsl_rng_free(r);
}

#define LOOKS 20
#define SEQ_FAMILY 2

struct looks {
	struct kd_seq at[LOOKS + 1];
};

static void init_looks(struct looks *l)
{
	struct kd_plan_stats plan = kd_plan_stats_default;

	plan.looks = plan.max_rounds = LOOKS;
	for (plan.look = 1; plan.look <= LOOKS; plan.look++)
		assert_int_equal(kd_seq_init(&l->at[plan.look], &plan), 0);
}

/*
 * One experiment that stops when any member of the family is decided.
 * Return: rounds; *alarm: decided; *covered: the first member's interval at
 * the end holds the truth
 */
static int run_until(const struct looks *l, const struct noise *m, gsl_rng *r,
		     double ratio, bool *alarm, bool *covered)
{
	double x[SEQ_FAMILY][LOOKS], y[SEQ_FAMILY][LOOKS], z[LOOKS], lo, hi;
	double p[SEQ_FAMILY];
	size_t order[SEQ_FAMILY];
	struct kd_effect e[SEQ_FAMILY];

	*alarm = false;
	*covered = true;
	for (int f = 0; f < SEQ_FAMILY; f++)
		noise_rounds(m, r, LOOKS, ratio, 0.2, x[f], y[f]);
	for (int n = KD_SEQ_FIRST_ROUNDS; n <= LOOKS; n++) {
		const struct kd_seq *s = &l->at[n];

		for (int f = 0; f < SEQ_FAMILY; f++)
			p[f] = kd_effect_paired(x[f], y[f], n, z, &e[f]) ? NAN :
			       kd_seq_p(s, kd_effect_p(&e[f]));
		kd_holm(p, SEQ_FAMILY, order);
		if (!isnan(p[0]) && !e[0].difference) {
			kd_effect_interval(&e[0], kd_seq_level(s, ALPHA), &lo,
					   &hi);
			*covered &= lo <= log(ratio) && log(ratio) <= hi;
		}
		for (int f = 0; f < SEQ_FAMILY; f++)
			*alarm |= p[f] < ALPHA;
		if (*alarm)
			return n;
	}
	return LOOKS;
}

static void stopping_keeps_the_level(void **state)
{
	gsl_rng *r = make_rng(4);
	struct looks l;

	init_looks(&l);
	for (size_t m = 0; m < n_noises; m++) {
		int alarms = 0, all_covered = 0;

		for (int k = 0; k < experiments; k++) {
			bool alarm, covered;

			run_until(&l, &noises[m], r, 1, &alarm, &covered);
			alarms += alarm;
			all_covered += covered;
		}
		check_level(noises[m].name, LOOKS, alarms, experiments,
			    LEVEL_LIMIT);
		check_coverage(noises[m].name, LOOKS, all_covered, experiments);
	}
	gsl_rng_free(r);
}

/* what looking early is for: 10 % over 2 % of noise takes few rounds */
static void stopping_stops(void **state)
{
	gsl_rng *r = make_rng(5);
	int rounds = 0, decided = 0;
	struct looks l;

	init_looks(&l);
	for (int k = 0; k < 500; k++) {
		bool alarm, covered;

		rounds += run_until(&l, &noises[0], r, 1.1, &alarm, &covered);
		decided += alarm;
	}
	print_message("# mean of %.2f rounds\n", rounds / 500.0);
	assert_int_equal(decided, 500);
	assert_true(rounds / 500.0 < 7.5);
	gsl_rng_free(r);
}

/*
 * What the rule spends, by hand: at the first look of ten, after five rounds,
 * a quarter of three quarters of the level; over all looks, by steps of a
 * Brownian motion, no more than that share of it.
 */
static void spends_what_it_says(void **state)
{
	double sum, spent = 0, limit[11];
	struct kd_plan_stats plan = kd_plan_stats_default;
	gsl_rng *r = make_rng(9);
	struct kd_seq s;
	int n = 20000;

	plan.looks = plan.max_rounds = 10;
	for (plan.look = 1; plan.look <= 10; plan.look++) {
		assert_int_equal(kd_seq_init(&s, &plan), 0);
		assert_int_equal(s.silent, plan.look < KD_SEQ_FIRST_ROUNDS);
		limit[plan.look] = kd_seq_level(&s, ALPHA);
	}
	assert_true(fabs(limit[5] - 0.75 * ALPHA / 4) < 1e-6);
	for (int k = 0; k < n; k++) {
		sum = 0;
		for (int look = 1; look <= 10; look++) {
			sum += gsl_ran_gaussian_ziggurat(r, 1);
			if (look < KD_SEQ_FIRST_ROUNDS ||
			    erfc(fabs(sum) / sqrt(2.0 * look)) >= limit[look])
				continue;
			spent++;
			break;
		}
	}
	print_message("# %.3f %% spent\n", 100 * spent / n);
	assert_true(fabs(spent / n - 0.75 * ALPHA) < 0.004);
	gsl_rng_free(r);
}

/* a rule that ignores the looks must be seen to fail here */
static void looking_without_a_rule_would_show(void **state)
{
	static const struct kd_seq none = { 0 };
	gsl_rng *r = make_rng(6);
	struct looks l;
	int alarms = 0;

	for (int i = 0; i <= LOOKS; i++)
		l.at[i] = none;
	for (int k = 0; k < 1000; k++) {
		bool alarm, covered;

		run_until(&l, &noises[0], r, 1, &alarm, &covered);
		alarms += alarm;
	}
	assert_true(alarms > 100);
	gsl_rng_free(r);
}

/* false words on plain samples are rare, and two heaps are seen */
static void two_modes_are_seen(void **state)
{
	static const size_t runs[] = { 8, 10, 20, 30 };
	gsl_rng *r = make_rng(7);

	for (size_t m = 0; m < 3; m++) {
		for (size_t i = 0; i < 4; i++) {
			int said = 0;

			for (int k = 0; k < experiments; k++) {
				double x[ROUNDS_MAX];

				for (size_t j = 0; j < runs[i]; j++)
					x[j] = noises[m].draw(r);
				kd_sort(x, runs[i]);
				said += kd_two_modes(x, runs[i]);
			}
			assert_true(said < experiments * 0.015);
		}
	}
	for (size_t i = 0; i < 4; i++) {
		int said = 0;

		for (int k = 0; k < experiments; k++) {
			double x[ROUNDS_MAX];

			for (size_t j = 0; j < runs[i]; j++)
				x[j] = noises[4].draw(r);
			kd_sort(x, runs[i]);
			said += kd_two_modes(x, runs[i]);
		}
		/* 8 runs fall 7 to 1 or 8 to 0 in 7 % of cases, 6 to 2 in 22 */
		assert_true(said > experiments * (runs[i] < 10 ? 0.65 : 0.85));
	}
	gsl_rng_free(r);
}

/*
 * The same through kd_analyse(): what is simulated above is what users get,
 * and a false alarm from two unpaired heaps is never without a warning.
 */
static void analysis_does_the_same(void **state)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	int alarms = 0, warned = 0, n = 300;
	gsl_rng *r = make_rng(8);

	for (int k = 0; k < n; k++) {
		struct kd_dataset ds = { 0 };
		double x[8], y[8], z[8], p[2];
		size_t order[2];
		struct kd_effect e;
		struct kd_analysis a;

		for (int f = 0; f < 2; f++) {
			noise_rounds(&noises[4], r, 8, 1, 0, x, y);
			data_add(&ds, f ? "b" : "a", "x", x, 8, f ? -1 : 0);
			data_add(&ds, f ? "b" : "a", "y", y, 8, f ? -1 : 0);
			p[f] = (f ? kd_effect_welch(x, 8, y, 8, &e) :
				    kd_effect_paired(x, y, 8, z, &e)) ?
			       NAN : kd_effect_p(&e);
		}
		kd_holm(p, 2, order);
		assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
		for (int f = 0; f < 2; f++) {
			const struct kd_measure_result *m = &a.measures[f];
			const struct kd_comparison *c = &m->comparisons[1];

			assert_true(c->p_adj == p[f]);
			assert_int_equal(c->verdict, p[f] < ALPHA ?
					 (c->change > 0 ? KD_VERDICT_BETTER :
							  KD_VERDICT_WORSE) :
					 KD_VERDICT_UNCLEAR);
			if (!f || c->verdict == KD_VERDICT_UNCLEAR)
				continue;
			alarms++;
			warned += ((m->summaries[0].flags |
				    m->summaries[1].flags) &
				   (KD_FLAG_TWO_MODES | KD_FLAG_OUTLIERS)) ||
				  c->flags & KD_FLAG_DISAGREE;
		}
		kd_analysis_fini(&a);
		kd_dataset_fini(&ds);
	}
	print_message("# %d of %d false alarms warned\n", warned, alarms);
	assert_true(alarms > 0 && warned == alarms);
	gsl_rng_free(r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_level_in_rounds),
		cmocka_unit_test(keeps_the_level_unpaired),
		cmocka_unit_test(covers),
		cmocka_unit_test(stopping_keeps_the_level),
		cmocka_unit_test(stopping_stops),
		cmocka_unit_test(spends_what_it_says),
		cmocka_unit_test(looking_without_a_rule_would_show),
		cmocka_unit_test(two_modes_are_seen),
		cmocka_unit_test(analysis_does_the_same),
	};

	is_full = argc > 1 && !strcmp(argv[1], "full");
	if (is_full)
		experiments = 40000;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
