/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_VERDICT_H
#define KD_STATS_VERDICT_H

#include "base/sink.h"
#include "stats/analysis.h"
#include "stats/ratio.h"

/**
 * struct kd_case - all that one verdict is made of, beside the comparison
 * @effect:    estimate; its se is valid where @tested
 * @tested:    a t test was possible
 * @better:    the measure's good side
 * @mean_x:    the baseline's, for min-effect where differences are plain
 * @family:    tests in this one's family
 * @alpha_ci:  nominal level of the interval at plan->alpha for this look
 * @alpha_same: the same with plan->alpha / family, for "same"
 * @one_boot:  boots were the unit, and one side has more runs than boots
 */
struct kd_case {
	struct kd_effect effect;
	bool tested;
	enum kd_better better;
	double mean_x;
	size_t family;
	double alpha_ci;
	double alpha_same;
	bool one_boot;
};

/**
 * kd_verdict_decide() - interval, verdict, runs needed, and words
 *
 * Wants c->p, p_adj and p_perm set where tested. Order: better or worse (with
 * KD_FLAG_SMALL where under min-effect), same, unclear.
 */
void kd_verdict_decide(const struct kd_case *k,
		       const struct kd_plan_stats *plan,
		       struct kd_comparison *c);

/** kd_verdict_none() - no test was possible: say why, and what is needed */
void kd_verdict_none(struct kd_comparison *c, unsigned int needed,
		     const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** kd_verdict_least_rounds() - the fewest rounds (or runs a side) at which a
 * permutation test can reach @alpha */
unsigned int kd_verdict_least_rounds(bool paired, double alpha);

#endif
