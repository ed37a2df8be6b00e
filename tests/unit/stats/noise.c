// SPDX-License-Identifier: GPL-2.0-or-later
/* The noise that simulated experiments are made of; see noise.h. */
#include "noise.h"

#include <gsl/gsl_randist.h>
#include <math.h>

static double narrow(gsl_rng *r)
{
	return 1 + gsl_ran_gaussian_ziggurat(r, 0.02);
}

static double wide(gsl_rng *r)
{
	return fabs(1 + gsl_ran_gaussian_ziggurat(r, 0.25));
}

/* log-normal, coefficient of variation 0.53, mean exp(0.125) */
static double skewed(gsl_rng *r)
{
	return exp(gsl_ran_gaussian_ziggurat(r, 0.5));
}

/* one run in ten comes out at half, as with a lost link rate */
static double outliers(gsl_rng *r)
{
	double v = 1 + gsl_ran_gaussian_ziggurat(r, 0.02);

	return gsl_rng_uniform(r) < 0.1 ? v / 2 : v;
}

/* two tight levels a fifth apart, as with two CPUs that may take the IRQ */
static double two_modes(gsl_rng *r)
{
	double v = 1 + gsl_ran_gaussian_ziggurat(r, 0.003);

	return gsl_rng_uniform(r) < 0.5 ? 1.2 * v : v;
}

/* one run in ten moves nothing */
static double zeros(gsl_rng *r)
{
	double v = fabs(1 + gsl_ran_gaussian_ziggurat(r, 0.05));

	return gsl_rng_uniform(r) < 0.1 ? 0 : v;
}

const struct noise noises[] = {
	{ "narrow", narrow, 1 },
	{ "wide", wide, 1 },
	{ "skewed", skewed, 1.1331484530668263 },
	{ "outliers", outliers, 0.95 },
	{ "two modes", two_modes, 1.1 },
	{ "zeros", zeros, 0.9 },
};
const size_t n_noises = sizeof(noises) / sizeof(noises[0]);

void noise_rounds(const struct noise *m, gsl_rng *r, size_t n, double ratio,
		  double drift, double *x, double *y)
{
	for (size_t i = 0; i < n; i++) {
		double level = 100;

		if (drift > 0)
			level *= (1 + drift * (double)i / (double)n) *
				 (1 + gsl_ran_gaussian_ziggurat(r, 0.03));
		x[i] = level * m->draw(r);
		y[i] = level * m->draw(r) * ratio;
	}
}
