// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many runs would settle it: power of the t test by the noncentral t
 * distribution, which GSL does not have.
 */
#include "stats/power.h"

#include "stats/ratio.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define N_MAX 1000000u
#define N_NORMAL 1000

/* of Simpson's rule, even: a step must be small against the normal curve */
static int steps_for(double range)
{
	if (!(range > 16))
		return 200;
	return range > 1000 ? 10000 : 2 * (int)(range * 5 + 20);
}

/*
 * T = (Z + ncp) / S with S = sqrt(chi^2_df / df), so P(T <= t) is the mean of
 * Phi(t S - ncp) over S. Integrated over the probability-carrying range of S.
 */
double kd_nct_cdf(double t, double df, double ncp)
{
	double lo = sqrt(gsl_cdf_chisq_Pinv(1e-12, df) / df);
	double hi = sqrt(gsl_cdf_chisq_Qinv(1e-12, df) / df);
	double scale = (1 - df / 2) * M_LN2 + df / 2 * log(df) - lgamma(df / 2);
	int steps = steps_for(fabs(t) * (hi - lo));
	double h = (hi - lo) / steps, sum = 0;

	/* S is as good as fixed */
	if (df > 1e7)
		return gsl_cdf_ugaussian_P(t - ncp);
	for (int i = 0; i <= steps; i++) {
		double s = lo + h * i;
		double w = i == 0 || i == steps ? 1 : i & 1 ? 4 : 2;
		double log_f = scale + (df - 1) * log(s > 0 ? s : 1e-300) -
			       df * s * s / 2;

		sum += w * exp(log_f) * gsl_cdf_ugaussian_P(t * s - ncp);
	}
	return sum * h / 3;
}

double kd_power_t(double df, double ncp, double alpha)
{
	double q = gsl_cdf_tdist_Qinv(alpha / 2, df);

	ncp = fabs(ncp);
	return 1 - kd_nct_cdf(q, df, ncp) + kd_nct_cdf(-q, df, ncp);
}

static double power_at(const struct kd_effect *e, double delta, double alpha,
		       unsigned int n)
{
	double a = e->var_x, b = e->var_y;
	double df = n - 1, se = sqrt((a + b) / n);

	if (!e->n)
		df *= (a + b) * (a + b) / (a * a + b * b);
	return kd_power_t(df, delta / se, alpha);
}

unsigned int kd_power_needed(const struct kd_effect *e, double delta,
			     double alpha, double power)
{
	double var = e->var_x + e->var_y, zq, z, guess;
	unsigned int n;

	delta = fabs(delta);
	if (!isfinite(delta) || delta <= 0 || !isfinite(var) || var <= 0)
		return 0;
	zq = gsl_cdf_ugaussian_Qinv(alpha / 2);
	z = zq + gsl_cdf_ugaussian_Pinv(power);
	guess = z / delta * z / delta * var;
	if (!(guess < N_MAX))
		return 0;
	/* the normal curve is short by this, from t's variance (Guenther 1981) */
	if (guess > N_NORMAL)
		return (unsigned int)ceil(guess + zq * zq / (e->n ? 2 : 4));
	n = guess < 2 ? 2 : (unsigned int)guess;
	while (n > 2 && power_at(e, delta, alpha, n - 1) >= power)
		n--;
	while (power_at(e, delta, alpha, n) < power)
		n++;
	return n;
}
