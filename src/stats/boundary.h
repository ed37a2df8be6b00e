/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_BOUNDARY_H
#define KD_STATS_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>

/** struct kd_sample_set - values of one state; borrowed */
struct kd_sample_set {
	const double *x;
	size_t n;
};

/**
 * struct kd_boundary - on which side of the line between good and bad a state
 * lies
 * @good, @bad, @here: means; @bad is assumed where no bad runs were given
 * @at:     half way between good and bad
 * @towards_good: distance of @here from @at, positive on the good side
 * @se, @df: its standard error and degrees of freedom (Welch, Satterthwaite)
 * @p:      two-sided, of "exactly on the line"
 */
struct kd_boundary {
	double good, bad, here, at;
	double towards_good, se, df, p;
};

/**
 * kd_boundary_judge() - measure the distance from the line
 * @bad:    known bad runs; n 0: bad is @good made worse by @loss
 * @loss:   as a fraction; used without bad runs only
 * @higher: is higher the good side; used without bad runs only
 *
 * at = (mean good + mean bad) / 2, and
 * se^2 = s_here^2 / n_here + s_good^2 / 4 n_good + s_bad^2 / 4 n_bad,
 * or, without bad runs, s_here^2 / n_here + (at / good)^2 s_good^2 / n_good.
 * Return: 0; -EDOM with fewer than 2 values in a state; -ERANGE where nothing
 * varies (all but se, df and p are set then).
 */
int kd_boundary_judge(struct kd_sample_set good, struct kd_sample_set bad,
		      struct kd_sample_set here, double loss, bool higher,
		      struct kd_boundary *out);

#endif
