/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TEST_STATS_NOISE_H
#define KD_TEST_STATS_NOISE_H

#include <gsl/gsl_rng.h>
#include <stddef.h>

/**
 * struct noise - how one run's figure scatters
 * @estimand: what the interval must cover
 * @draw:     one run, as a factor on the true level
 * @mean:     expectation of @draw
 *
 * In every model the estimand is the ratio of expected values, E[y] / E[x]:
 * the round's own level multiplies both sides and drops out, and both sides
 * scatter alike about levels whose ratio is known.
 */
struct noise {
	const char *name;
	double (*draw)(gsl_rng *r);
	double mean;
};

extern const struct noise noises[];
extern const size_t n_noises;

/**
 * noise_rounds() - rounds of an A/B experiment
 * @ratio: true E[y] / E[x]
 * @drift: the level rises by this share over the rounds, and every round has
 *         a level of its own with 3 % of scatter; 0: neither
 */
void noise_rounds(const struct noise *m, gsl_rng *r, size_t n, double ratio,
		  double drift, double *x, double *y);

#endif
