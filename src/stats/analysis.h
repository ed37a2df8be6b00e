/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_ANALYSIS_H
#define KD_STATS_ANALYSIS_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_dataset;

enum kd_verdict {
	KD_VERDICT_BETTER,
	KD_VERDICT_WORSE,
	KD_VERDICT_SAME,	/* shown to differ by less than min-effect */
	KD_VERDICT_UNCLEAR,
	KD_VERDICT_CHANGED,	/* differs; the metric has no good side */
	KD_VERDICT_NONE,	/* no test possible: why says so in words */
	KD_VERDICT_COUNT,
};

const char *kd_verdict_name(enum kd_verdict v);

/* Things to say beside a figure; each has words in kd_flag_text(). */
enum kd_flag {
	KD_FLAG_OUTLIERS = 1 << 0,	/* beyond 3.5 scaled MADs of the median */
	KD_FLAG_DRIFT = 1 << 1,		/* rank correlation with time */
	KD_FLAG_TWO_MODES = 1 << 2,
	KD_FLAG_NO_SPREAD = 1 << 3,	/* all values equal */
	KD_FLAG_TIES = 1 << 4,		/* few distinct values: resolution */
	KD_FLAG_MISSING = 1 << 5,	/* rounds without this variant's run */
	KD_FLAG_UNEQUAL_N = 1 << 6,
	KD_FLAG_DISAGREE = 1 << 7,	/* permutation test says otherwise */
	KD_FLAG_FEW_FOR_CHECK = 1 << 8,	/* too few for the permutation test */
	KD_FLAG_SMALL = 1 << 9,		/* significant, but under min-effect */
	KD_FLAG_DIFFERENCE = 1 << 10,	/* no ratio: plain difference, not % */
	KD_FLAG_ONE_BOOT = 1 << 11,	/* many runs of one boot are one sample */
	KD_FLAG_WIDE = 1 << 12,		/* coefficient of variation over 30 % */
	KD_FLAG_NOT_NUMBERS = 1 << 13,	/* NaN, infinite, or over 1e150 */
};
#define KD_FLAG_COUNT 14

#define KD_SUMMARY_OUTLIERS 4

/** kd_flag_text() - what to say for one flag; "" for anything else */
const char *kd_flag_text(enum kd_flag flag);

/**
 * struct kd_plan_stats - how to decide; fixed before the first run
 * @alpha:      family-wise false-alarm rate, 0.05
 * @min_effect: smallest effect of interest as a fraction; 0: none, no "same"
 * @power:      for the number of rounds needed, 0.8
 * @seed:       of the permutation draws
 * @look:       which look of @looks this is, from 1, for stopping rules; look
 *              k comes after round k * @max_rounds / @looks; 0, 0: one look
 * @max_rounds: of a sequential plan; 0: @looks
 */
struct kd_plan_stats {
	double alpha;
	double min_effect;
	double power;
	uint64_t seed;
	int look;
	int looks;
	int max_rounds;
};

/** KD_PLAN_STATS_DEFAULT - alpha 0.05, power 0.8, nothing else */
extern const struct kd_plan_stats kd_plan_stats_default;

/**
 * struct kd_summary - one variant's samples of one measure
 *
 * @n counts the finite values; others are told by KD_FLAG_NOT_NUMBERS.
 */
struct kd_summary {
	size_t n;
	double mean, median, sd, min, max;
	double mean_lo, mean_hi;	/* 95 % interval of the mean; NAN n < 2 */
	unsigned int flags;
	size_t n_outliers;
	double outliers[KD_SUMMARY_OUTLIERS];	/* the first few */
	double drift_rho;
};

/**
 * struct kd_comparison - one variant against the baseline in one measure
 * @variant:   index
 * @paired:    by round
 * @n:         pairs, or 0 when unpaired
 * @change:    relative change of the mean, as a fraction (0.21 is +21 %);
 *             with KD_FLAG_DIFFERENCE the plain difference in the unit
 * @lo, @hi:   its interval at 1 - alpha, not adjusted for the family
 *             (under a sequential plan: the repeated-look interval); NAN
 *             where there is none, or it has no finite end
 * @median_change: relative change of the median
 * @median_lo, @median_hi: its bootstrap (BCa) interval at 1 - alpha; NAN under
 *             20 or over 200 runs a side, for exploratory measures, under a
 *             sequential plan, and with KD_FLAG_DIFFERENCE
 * @t, @df, @p: Student's t of that estimate, two-sided p
 * @p_adj:     after Holm over its family
 * @p_perm:    permutation check; NAN where not done
 * @perm_exact: @p_perm is exact; @perm_count of arrangements or draws
 * @verdict:   decided on @p_adj and the interval
 * @needed_seen, @needed_min: rounds (runs a side) for 80 % power for the
 *             effect seen, and for min-effect; 0: cannot say
 * @flags:     KD_FLAG_*
 * @why:       words for the verdict where it needs any
 */
struct kd_comparison {
	size_t variant;
	bool paired;
	size_t n;
	double change, lo, hi, median_change;
	double median_lo, median_hi;
	double t, df, p, p_adj, p_perm;
	bool perm_exact;
	uint64_t perm_count;
	enum kd_verdict verdict;
	unsigned int needed_seen, needed_min;
	unsigned int flags;
	char why[160];
};

/** struct kd_measure_result - same index as the dataset's measures */
struct kd_measure_result {
	struct kd_summary *summaries;		/* one per variant */
	struct kd_comparison *comparisons;	/* one per variant; the baseline's
						 * own row has n = 0, VERDICT_NONE */
};

struct kd_analysis {
	struct kd_plan_stats plan;
	struct kd_measure_result *measures;
	size_t n_measures;
	size_t n_variants;
	size_t n_primary;	/* tests in the primary family */
	size_t n_exploratory;	/* tests outside of it */
};

/**
 * kd_analyse() - decide every comparison of a dataset
 *
 * Pure: same dataset, plan and seed give the same digits. Caller frees with
 * kd_analysis_fini(); the dataset is not kept.
 */
int kd_analyse(const struct kd_dataset *ds, const struct kd_plan_stats *plan,
	       struct kd_analysis *out, struct kd_diag *d);

void kd_analysis_fini(struct kd_analysis *a);

/**
 * kd_analysis_decided() - may a sequential plan stop
 * Return: true when every primary comparison is better, worse or same.
 */
bool kd_analysis_decided(const struct kd_dataset *ds,
			 const struct kd_analysis *a);

#endif
