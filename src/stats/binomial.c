// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/binomial.h"

#include <gsl/gsl_cdf.h>

void kd_binomial_interval(unsigned int k, unsigned int n, double alpha,
			  double *lo, double *hi)
{
	*lo = k && n ? gsl_cdf_beta_Pinv(alpha / 2, k, n - k + 1.0) : 0;
	*hi = k < n ? gsl_cdf_beta_Qinv(alpha / 2, k + 1.0, n - k) : 1;
}
