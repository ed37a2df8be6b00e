/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_SUMMARY_H
#define KD_STATS_SUMMARY_H

#include "stats/analysis.h"

/*
 * Figures of one sample. None of these allocates; all take finite values of at
 * most KD_STATS_LIMIT in size, so that squares and sums cannot overflow.
 */
#define KD_STATS_LIMIT 1e150

/** kd_mean() - arithmetic mean, corrected for rounding; NAN for n = 0 */
double kd_mean(const double *x, size_t n);

/** kd_sd() - standard deviation with n - 1 below; NAN for n < 2 */
double kd_sd(const double *x, size_t n);

/** kd_sort() - ascending, in place */
void kd_sort(double *x, size_t n);

/**
 * kd_quantile() - quantile of a sorted sample
 * @q: 0 to 1; linear between order statistics at (n - 1) q, as R's type 7
 */
double kd_quantile(const double *sorted, size_t n, double q);

/**
 * kd_ranks() - ranks from 1, ties share their average
 * @order: room for @n indices
 */
void kd_ranks(const double *x, size_t n, double *rank, size_t *order);

/**
 * kd_spearman() - rank correlation of two rank vectors
 * @p: two-sided, from t with n - 2 degrees; may be NULL
 * Return: rho; NAN where one side does not vary or n < 3
 */
double kd_spearman(const double *rank_x, const double *rank_y, size_t n,
		   double *p);

/** kd_two_modes() - does a sorted sample fall into two separate heaps */
bool kd_two_modes(const double *sorted, size_t n);

/** struct kd_scratch - room for @cap values, shared by all measures */
struct kd_scratch {
	double *a, *b, *c;
	size_t *order;
	size_t cap;
};

/**
 * kd_summarise() - one variant's summary
 * @x:   values in the order of time, all finite
 * @seq: their places in time, from kd_sample.seq
 * @s:   with room for @n
 * Formulas: interval of the mean by Student's t; outliers beyond 3.5 scaled
 * median absolute deviations, mean absolute deviation where over half of the
 * values are equal (Iglewicz and Hoaglin 1993); drift by Spearman, p < 0.01.
 */
void kd_summarise(const double *x, const double *seq, size_t n, double alpha,
		  struct kd_scratch *s, struct kd_summary *out);

#endif
