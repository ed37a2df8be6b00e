/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_POWER_H
#define KD_STATS_POWER_H

struct kd_effect;

/** kd_nct_cdf() - P(T <= t), T noncentral t with @df degrees and @ncp;
 * absolute error under 1e-7 for df >= 1 */
double kd_nct_cdf(double t, double df, double ncp);

/** kd_power_t() - power of a two-sided t test at @alpha */
double kd_power_t(double df, double ncp, double alpha);

/**
 * kd_power_needed() - rounds (unpaired: runs a side) for @power
 * @e:     its variances are taken as true
 * @delta: effect to be seen, on the scale of @e->est
 * Return: 2 or more; 0 where it would be over a million or cannot be said
 */
unsigned int kd_power_needed(const struct kd_effect *e, double delta,
			     double alpha, double power);

#endif
