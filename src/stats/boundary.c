// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/boundary.h"

#include "stats/summary.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#define ROUNDING 1e-12

/* one mean's share in a sum, times @weight */
struct part {
	double var;
	double df;
};

static struct part part(struct kd_sample_set s, double weight)
{
	double se = weight * kd_sd(s.x, s.n);

	return (struct part){ se * se / (double)s.n, (double)s.n - 1 };
}

static void set_line(struct kd_sample_set bad, double loss, bool higher,
		     struct kd_boundary *b)
{
	double worse = fabs(b->good) * loss;

	b->bad = bad.n ? kd_mean(bad.x, bad.n) :
		 higher ? b->good - worse : b->good + worse;
	b->at = (b->good + b->bad) / 2;
	b->towards_good = b->good > b->bad ? b->here - b->at :
					     b->at - b->here;
}

int kd_boundary_judge(struct kd_sample_set good, struct kd_sample_set bad,
		      struct kd_sample_set here, double loss, bool higher,
		      struct kd_boundary *out)
{
	struct part parts[3];
	double var = 0, below = 0;
	int n = 2;

	*out = (struct kd_boundary){ .se = NAN, .df = NAN, .p = NAN };
	if (good.n < 2 || here.n < 2 || bad.n == 1)
		return -EDOM;
	out->good = kd_mean(good.x, good.n);
	out->here = kd_mean(here.x, here.n);
	set_line(bad, loss, higher, out);
	parts[0] = part(here, 1);
	parts[1] = part(good, bad.n || out->good == 0 ? 0.5 :
			      out->at / out->good);
	if (bad.n)
		parts[n++] = part(bad, 0.5);
	for (int i = 0; i < n; i++)
		var += parts[i].var;
	if (!(sqrt(var) > ROUNDING * (fabs(out->good) + fabs(out->here))))
		return -ERANGE;
	/* by shares, so that squares of tiny variances do not underflow */
	for (int i = 0; i < n; i++)
		below += pow(parts[i].var / var, 2) / parts[i].df;
	out->se = sqrt(var);
	out->df = 1 / below;
	out->p = 2 * gsl_cdf_tdist_Q(fabs(out->towards_good) / out->se,
				     out->df);
	return 0;
}
