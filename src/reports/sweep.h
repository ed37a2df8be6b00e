/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_REPORTS_SWEEP_H
#define KD_REPORTS_SWEEP_H

#include "base/diag.h"
#include "stats/sweep.h"

struct kd_analysis;
struct kd_dataset;

/* one measure: the best variant, and per factor the knee or KD_SWEEP_NONE */
struct kd_rep_best {
	size_t measure;
	struct kd_sweep sweep;
	size_t *knees;
};

/* two measures: the variants that no other beats in both */
struct kd_rep_front {
	size_t measures[2];
	bool *in;
};

/**
 * struct kd_rep_sweep - what a sweep says as a whole
 *
 * Of the measures that have a block of their own in the text report and a good
 * side, the first KD_REP_SWEEP_MAX; each against the CPU time and the power of
 * the same workload where those were observed. Empty for what is no sweep.
 */
struct kd_rep_sweep {
	struct kd_rep_best *best;
	size_t n_best;
	struct kd_rep_front *fronts;
	size_t n_fronts;
};

#define KD_REP_SWEEP_MAX 8

/** kd_rep_sweep_init() - 0, or -ENOMEM; kd_rep_sweep_fini() in both cases */
int kd_rep_sweep_init(struct kd_rep_sweep *s, const struct kd_dataset *ds,
		      const struct kd_analysis *a, struct kd_diag *d);

void kd_rep_sweep_fini(struct kd_rep_sweep *s);

/** kd_rep_say - one sentence for the reader */
typedef void kd_rep_say(void *arg, const char *sentence);

/** kd_rep_sweep_best() - say the best variants, and the knees */
void kd_rep_sweep_best(const struct kd_rep_sweep *s,
		       const struct kd_dataset *ds, const struct kd_analysis *a,
		       kd_rep_say *say, void *arg);

/** kd_rep_sweep_fronts() - say the trade-offs */
void kd_rep_sweep_fronts(const struct kd_rep_sweep *s,
			 const struct kd_dataset *ds, kd_rep_say *say,
			 void *arg);

#endif
