/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_SWEEP_H
#define KD_STATS_SWEEP_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_dataset;

#define KD_SWEEP_NONE ((size_t)-1)

/**
 * struct kd_sweep - one measure over all variants of a sweep
 * @best:       variant with the best mean; KD_SWEEP_NONE where there is none
 * @mean:       per variant, NAN without usable runs
 * @in_best:    per variant: not shown to be worse than the best
 * @n_variants: of the dataset
 */
struct kd_sweep {
	size_t best;
	double *mean;
	bool *in_best;
	size_t n_variants;
};

/**
 * kd_sweep_best() - the best variant, and those not shown to be worse
 *
 * Each variant against the best, paired by round where possible, one-sided at
 * @alpha / (variants - 1): the variant that is truly best is in the set with a
 * chance of at least 1 - @alpha, though the best was picked from the same
 * figures. One run a side, no spread or one boot show nothing.
 * Return: 0, -EINVAL for a measure without a good side, -ENOMEM. Caller frees
 * with kd_sweep_fini().
 */
int kd_sweep_best(const struct kd_dataset *ds, size_t measure, double alpha,
		  struct kd_sweep *out, struct kd_diag *d);

void kd_sweep_fini(struct kd_sweep *s);

/**
 * kd_sweep_knee() - where more of a factor stops to pay, or starts to cost
 * @factor: the one that varies; the others stay as in the best variant
 *
 * The point farthest on the good side of the line from the first to the last
 * point (Satopaa and others 2011), both axes scaled to 1, levels by their
 * logarithm where they span ten-fold.
 * Return: the variant; KD_SWEEP_NONE with under 3 levels, levels that are no
 * numbers, no level shown to be worse than the best, or a line nearly straight.
 */
size_t kd_sweep_knee(const struct kd_dataset *ds, const struct kd_sweep *s,
		     size_t measure, size_t factor);

/**
 * kd_sweep_pareto() - variants that no other beats in every measure
 * @measures: @n indices, such as throughput and CPU; all have a good side
 * @in:       per variant; judged by means, false where one is missing
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int kd_sweep_pareto(const struct kd_dataset *ds, const size_t *measures,
		    size_t n, bool *in, struct kd_diag *d);

#endif
