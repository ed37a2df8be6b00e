/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_PAIRS_H
#define KD_STATS_PAIRS_H

#include "stats/dataset.h"

/**
 * struct kd_pairs - two variants' values of one measure, ready to compare
 * @paired:  x[i] and y[i] are of one round; several runs of a variant in one
 *           round are averaged first
 * @missing: some round has a run of one side only
 * @runs_x, @runs_y: runs found, before pairing
 * @cx, @cy, @cap: private
 */
struct kd_pairs {
	bool paired;
	bool missing;
	double *x, *y;
	size_t nx, ny;
	size_t runs_x, runs_y;
	struct kd_sample *cx, *cy;
	size_t cap;
};

/** kd_pairs_init() - room for measures of up to @cap samples; 0 or -ENOMEM */
int kd_pairs_init(struct kd_pairs *p, size_t cap);
void kd_pairs_fini(struct kd_pairs *p);

/** kd_is_usable() - a value that figures can be made of */
bool kd_is_usable(double value);

/**
 * kd_pairs_take() - fill @p from variants @vx and @vy of @m
 *
 * Paired where every run has a round and at least two rounds have both; one
 * common round is a pair too where a side has no second run. Values that are
 * not usable are left out; the caller has refused such measures before.
 */
void kd_pairs_take(struct kd_pairs *p, const struct kd_measure *m, size_t vx,
		   size_t vy);

#endif
