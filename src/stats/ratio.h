/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_RATIO_H
#define KD_STATS_RATIO_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct kd_effect - how far y's mean is from x's
 * @est:        log(mean y / mean x), or mean y - mean x
 * @se, @df:    its standard error and Student's degrees of freedom
 * @difference: @est is the plain difference
 * @n:          pairs; 0 when unpaired
 * @var_x, @var_y: variance of one run a side on the scale of @est, for the
 *              number of runs needed; paired: @var_x of one pair, @var_y 0
 */
struct kd_effect {
	double est, se, df;
	bool difference;
	size_t n;
	double var_x, var_y;
};

/**
 * kd_effect_paired() - the effect where x[i] and y[i] are of one round
 *
 * Delta method on the log of the ratio of means: se = sd(y_i / mean(y) -
 * x_i / mean(x)) / sqrt(n), n - 1 degrees. Where a value is negative, a
 * mean is zero, or a mean's standard error is over half of it: the plain
 * difference and the ordinary paired t. Where @se is large (full effect from 0.1
 * on) and the t of the plain difference is the smaller one, @se is widened to
 * agree with it.
 * @z: room for @n values
 * Return: 0; -EDOM with fewer than 2 pairs; -ERANGE where nothing varies (@est
 * is then set).
 */
int kd_effect_paired(const double *x, const double *y, size_t n, double *z,
		     struct kd_effect *out);

/**
 * kd_effect_welch() - the effect between two independent samples
 *
 * se^2 = s_x^2 / (n_x mean(x)^2) + s_y^2 / (n_y mean(y)^2), with Welch's and
 * Satterthwaite's degrees; else as kd_effect_paired().
 */
int kd_effect_welch(const double *x, size_t nx, const double *y, size_t ny,
		    struct kd_effect *out);

/** kd_effect_p() - two-sided p of @est = 0 */
double kd_effect_p(const struct kd_effect *e);

/** kd_effect_interval() - two-sided interval of @est at level 1 - @alpha */
void kd_effect_interval(const struct kd_effect *e, double alpha, double *lo,
			double *hi);

/** kd_effect_change() - a point on @est's scale as the reader sees it:
 * fraction of x's mean, or the plain difference */
double kd_effect_change(const struct kd_effect *e, double at);

#endif
