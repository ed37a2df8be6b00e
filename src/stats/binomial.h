/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_BINOMIAL_H
#define KD_STATS_BINOMIAL_H

/**
 * kd_binomial_interval() - exact interval of a share (Clopper and Pearson 1934)
 * @k, @n: @k of @n
 * @alpha: two-sided; 0.05 for 95 %
 * @lo, @hi: fractions; 0 and 1 where @n is 0
 */
void kd_binomial_interval(unsigned int k, unsigned int n, double alpha,
			  double *lo, double *hi);

#endif
