/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_BOOTSTRAP_H
#define KD_STATS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fewer runs a side cover too little: 78 to 92 % at 5 to 15 */
#define KD_BOOT_MIN_N 20
#define KD_BOOT_DRAWS 10000

/**
 * kd_boot_stat_fn - a figure of a weighted sample
 * @times: how often each row is in the sample
 * Return: the figure; NAN where there is none
 */
typedef double (*kd_boot_stat_fn)(const uint32_t *times, void *data);

/** struct kd_boot - a figure with its bootstrap interval */
struct kd_boot {
	double est;
	double lo, hi;
	double acceleration;	/* for tests */
};

/**
 * kd_bootstrap() - bias-corrected and accelerated interval (Efron 1987)
 * @nx, @ny: rows 0 to nx - 1 are one sample, the @ny after them an independent
 *           second one; 0: there is none
 * @alpha:   two-sided, the interval's level is 1 - @alpha
 * @seed:    of the KD_BOOT_DRAWS draws
 * Return: 0; -EDOM with fewer than KD_BOOT_MIN_N rows a sample; -ERANGE where
 * the figure does not vary or is no number; -ENOMEM.
 */
int kd_bootstrap(kd_boot_stat_fn stat, void *data, size_t nx, size_t ny,
		 double alpha, uint64_t seed, struct kd_boot *out);

/* The figures that reports need. Interval as kd_bootstrap(). */

/** kd_boot_quantile() - quantile @q (type 7) of one sample */
int kd_boot_quantile(const double *x, size_t n, double q, double alpha,
		     uint64_t seed, struct kd_boot *out);

/** kd_boot_ratio() - sum(y) / sum(x) over rows, such as J/GB */
int kd_boot_ratio(const double *x, const double *y, size_t n, double alpha,
		  uint64_t seed, struct kd_boot *out);

/**
 * kd_boot_quantile_change() - quantile @q of y over that of x, less one
 * @paired: x[i] and y[i] are of one round (then nx = ny)
 */
int kd_boot_quantile_change(const double *x, size_t nx, const double *y,
			    size_t ny, bool paired, double q, double alpha,
			    uint64_t seed, struct kd_boot *out);

#endif
