/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_SEQUENTIAL_H
#define KD_STATS_SEQUENTIAL_H

#include "stats/analysis.h"

/* no decision before this many rounds: with two modes, four differences fall
 * into one of them too easily, and their spread then says nothing */
#define KD_SEQ_FIRST_ROUNDS 5
#define KD_SEQ_POINTS 22

/**
 * struct kd_seq - what p must be at this look, for every overall level
 * @on:      the plan looks more than once
 * @silent:  no decision at this look
 * @level:   log of overall levels, ascending
 * @nominal: log of the p that crosses the bound at this look at that level
 */
struct kd_seq {
	bool on;
	bool silent;
	double level[KD_SEQ_POINTS];
	double nominal[KD_SEQ_POINTS];
};

/**
 * kd_seq_init() - bounds of look plan->look of plan->looks
 *
 * Look k comes after round k * max_rounds / looks (max_rounds 0: after round
 * k). Of a level a, a * (share of rounds)^2 is spent by then (Kim and DeMets
 * 1987, rho = 2); bounds by Armitage, McPherson and Rowe's recursion on the
 * p of Student's t taken as a normal one. Of over 60 looks every second (third,
 * ...) is silent. 0 or 1 looks: everything passes unchanged.
 * Return: 0 or -ENOMEM.
 */
int kd_seq_init(struct kd_seq *s, const struct kd_plan_stats *plan);

/** kd_seq_p() - the overall level that would just reject at this look, for a
 * nominal @p; to be adjusted over the family by Holm (Maurer and Bretz 2013);
 * NAN stays */
double kd_seq_p(const struct kd_seq *s, double p);

/** kd_seq_level() - nominal level of this look at overall level @alpha, for
 * repeated-look intervals; 0 at a silent look */
double kd_seq_level(const struct kd_seq *s, double alpha);

#endif
