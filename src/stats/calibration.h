/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_CALIBRATION_H
#define KD_STATS_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>

struct kd_analysis;
struct kd_dataset;

/**
 * struct kd_calibration_measure - what experiments without a difference showed
 * @primary:   the plan's verdict is about it
 * @difference: @var and the effects are in the unit, not fractions
 * @tested:    experiments in which a test was possible
 * @false_verdicts: of these, with a verdict other than same or unclear
 * @same:      of these, shown to be the same
 * @mean:      of the baselines' means
 * @lowest, @highest: change seen: fractions, or in the unit
 * @var:       of one pair on the effect's scale, pooled over the experiments
 * @pairs:     rounds of the largest experiment
 */
struct kd_calibration_measure {
	char *workload;
	char *metric;
	char *unit;
	bool primary;
	bool difference;
	unsigned int tested;
	unsigned int false_verdicts;
	unsigned int same;
	double mean;
	double lowest, highest;
	double var;
	size_t pairs;
	double var_sum, df_sum, mean_sum;	/* private */
};

/**
 * struct kd_calibration - A/A experiments, added up. Zeroed memory is empty.
 * @experiments: how many could be tested in a primary measure
 * @false_family: of these, with a false verdict in any primary measure
 * @false_exploratory: with one in any other measure
 * @family:   tests in an experiment's primary family; the largest seen
 */
struct kd_calibration {
	struct kd_calibration_measure *measures;
	size_t n_measures;
	unsigned int experiments;
	unsigned int false_family;
	unsigned int false_exploratory;
	size_t family;
};

/**
 * kd_calibration_add() - add one experiment whose variants do not differ
 * @a: of @ds
 * Return: 0 or -ENOMEM.
 */
int kd_calibration_add(struct kd_calibration *c, const struct kd_dataset *ds,
		       const struct kd_analysis *a);

void kd_calibration_fini(struct kd_calibration *c);

/**
 * kd_calibration_effect() - smallest effect that @n rounds show with @power
 * @alpha: of the test, after division by the family's size
 *
 * By the noncentral t distribution, with @m->var taken as true.
 * Return: as a fraction, or in the unit with @m->difference; NAN where it
 * cannot be said.
 */
double kd_calibration_effect(const struct kd_calibration_measure *m,
			     unsigned int n, double alpha, double power);

/**
 * kd_calibration_same() - smallest min-effect for which @n rounds show two
 * identical variants to be the same with @power
 *
 * m = (t(1 - alpha/2) + t((1 + power)/2)) se, the sample size of two one-sided
 * tests at no difference (Julious 2004) solved for the margin; as
 * kd_calibration_effect() otherwise.
 */
double kd_calibration_same(const struct kd_calibration_measure *m,
			   unsigned int n, double alpha, double power);

#endif
