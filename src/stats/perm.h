/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_PERM_H
#define KD_STATS_PERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* up to this many arrangements all are counted: C(20, 10) is 184 756 */
#define KD_PERM_EXACT_MAX 200000
#define KD_PERM_DRAWS 10000

/**
 * struct kd_perm - outcome of a permutation test
 * @p:     two-sided; NAN where the sample is too small or over 20 000 values
 * @exact: all arrangements were counted
 * @count: arrangements or draws; draws become fewer, down to 999, where the
 *         sample has over 200 values and Student's t needs no check
 * @least: the smallest p that any data of this size could give
 */
struct kd_perm {
	double p;
	bool exact;
	uint64_t count;
	double least;
};

/**
 * kd_perm_paired() - sign flips inside rounds
 * @d: y - x of each round; a swap of x and y in some rounds keeps the sum of
 *     all values, so ratio and difference of means have the same order
 * @scratch: room for 2 @n
 */
void kd_perm_paired(const double *d, size_t n, uint64_t seed, double *scratch,
		    struct kd_perm *out);

/**
 * kd_perm_means() - all ways to deal the pooled values into two groups
 * @pool: x's values, then y's; their order is changed
 * @scratch: room for nx + ny
 */
void kd_perm_means(double *pool, size_t nx, size_t ny, uint64_t seed,
		   double *scratch, struct kd_perm *out);

#endif
