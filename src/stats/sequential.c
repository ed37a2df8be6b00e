// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looking after each round without more false alarms. The level is spent by
 * the square of the share of rounds, which stops soon for large effects and
 * leaves most for the end. Student's t is turned into its p, and bounds for p
 * come from a Brownian motion looked at from time to time; how well that holds
 * for few rounds and odd noise is simulated in tests/unit/stats/test_sim.c.
 */
#include "stats/sequential.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define LOOKS_MAX 60
#define GRID_MAX 800
#define REACH 7.0	/* of the normal curve, in standard deviations */
#define LEVEL_MIN 1e-7

/*
 * The share of a level that the bounds are computed for. With its few degrees
 * of freedom t at one look tells less of t at the next than the normal sums of
 * the recursion do, so there are more chances to cross: simulated false alarms
 * of plain normal noise were 1.1 (10 rounds) to 1.27 (20) times those computed,
 * 1.3 with two tight modes.
 */
#define SHARE 0.75

/*
 * Density of the sum that has not crossed yet, on @n + 1 points of [0, @bound]
 * (it is even), with Simpson's weights in it.
 */
struct density {
	double g[GRID_MAX + 1];
	double bound;
	int n;
};

static double normal_pdf(double x)
{
	return exp(-x * x / 2) / sqrt(2 * M_PI);
}

static double simpson(int i, int n, double h)
{
	return h / 3 * (i == 0 || i == n ? 1 : i & 1 ? 4 : 2);
}

/* chance to be beyond ±@c after a step of standard deviation @sd */
static double crossing(const struct density *d, double c, double sd)
{
	double sum = 0, h;

	if (!d->n)
		return 2 * gsl_cdf_ugaussian_Q(c / sd);
	h = d->bound / d->n;
	for (int i = 0; i <= d->n; i++)
		sum += d->g[i] * (gsl_cdf_ugaussian_Q((c - h * i) / sd) +
				  gsl_cdf_ugaussian_Q((c + h * i) / sd));
	return 2 * sum;
}

static double solve_bound(const struct density *d, double sd, double spend)
{
	double lo = 0, hi = 12;

	for (int i = 0; i < 60; i++) {
		double mid = (lo + hi) / 2;

		if (crossing(d, mid, sd) > spend)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

static double density_at(const struct density *d, double s, double sd)
{
	double h = d->n ? d->bound / d->n : 0, sum = 0;
	int from, to;

	if (!d->n)
		return normal_pdf(s / sd) / sd;
	from = (int)fmax(0, floor((s - REACH * sd) / h));
	to = (int)fmin(d->n, ceil((s + REACH * sd) / h));
	for (int i = from; i <= to; i++) {
		double u = h * i, minus = (s + u) / sd;

		sum += d->g[i] * normal_pdf((s - u) / sd);
		if (minus < REACH)
			sum += d->g[i] * normal_pdf(minus);
	}
	return sum / sd;
}

static void step(const struct density *from, double bound, double sd,
		 double next_sd, struct density *to)
{
	/* four points a standard deviation of the narrower kernel */
	double fine = 4 * bound / fmin(sd, next_sd);

	to->bound = bound;
	to->n = 2 * (int)ceil(fmin(fmax(fine, 32), GRID_MAX) / 2);
	for (int i = 0; i <= to->n; i++)
		to->g[i] = density_at(from, bound * i / to->n, sd) *
			   simpson(i, to->n, bound / to->n);
}

/* the looks of a plan up to the present one, as shares of all rounds */
struct schedule {
	double share[LOOKS_MAX + 1];
	int n;
	bool silent;
};

static void make_schedule(const struct kd_plan_stats *plan, struct schedule *s)
{
	int stride = (plan->looks + LOOKS_MAX - 1) / LOOKS_MAX;
	int look = plan->look < plan->looks ? plan->look : plan->looks;
	int max = plan->max_rounds ? plan->max_rounds : plan->looks;

	s->n = 0;
	s->silent = true;
	for (int k = 1; k <= look; k++) {
		double rounds = floor((double)k * max / plan->looks);
		bool is_last = k == plan->looks;

		s->silent = !is_last && (rounds < KD_SEQ_FIRST_ROUNDS ||
					 k % stride);
		if (!s->silent)
			s->share[s->n++] = (double)k / plan->looks;
	}
}

static double nominal_at(const struct schedule *s, double level,
			 struct density *now, struct density *next)
{
	double bound = 0, before = 0, spent = 0;

	now->n = 0;
	for (int k = 0; k < s->n; k++) {
		double sd = sqrt(s->share[k] - before);
		double spend = level * s->share[k] * s->share[k];
		double left = k + 1 < s->n ? s->share[k + 1] - s->share[k] : 1;
		struct density *old = now;

		bound = solve_bound(now, sd, spend - spent);
		spent = spend;
		before = s->share[k];
		if (k + 1 == s->n)
			break;
		step(now, bound, sd, sqrt(left), next);
		now = next;
		next = old;
	}
	return 2 * gsl_cdf_ugaussian_Q(bound / sqrt(before));
}

int kd_seq_init(struct kd_seq *s, const struct kd_plan_stats *plan)
{
	struct density *room;
	struct schedule sched;

	*s = (struct kd_seq){ .on = plan->looks > 1 && plan->look > 0 };
	if (!s->on)
		return 0;
	make_schedule(plan, &sched);
	s->silent = sched.silent;
	if (s->silent)
		return 0;
	room = calloc(2, sizeof(*room));
	if (!room)
		return -ENOMEM;
	for (int i = 0; i < KD_SEQ_POINTS; i++) {
		double share = (double)i / (KD_SEQ_POINTS - 1);

		s->level[i] = log(LEVEL_MIN) * (1 - share);
		s->nominal[i] = log(nominal_at(&sched,
					       SHARE * exp(s->level[i]),
					       &room[0], &room[1]));
	}
	free(room);
	return 0;
}

/* linear between points, with the first segment's slope below them */
static double interpolate(const double *x, const double *y, double at)
{
	int i = 0;

	while (i + 2 < KD_SEQ_POINTS && at > x[i + 1])
		i++;
	if (x[i + 1] <= x[i])
		return y[i];
	return y[i] + (at - x[i]) * (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

double kd_seq_p(const struct kd_seq *s, double p)
{
	if (!s->on || isnan(p))
		return p;
	if (s->silent || p >= 1)
		return 1;
	if (p <= 0)
		return 0;
	return fmin(1, exp(interpolate(s->nominal, s->level, log(p))));
}

double kd_seq_level(const struct kd_seq *s, double alpha)
{
	if (!s->on)
		return alpha;
	if (s->silent)
		return 0;
	return exp(interpolate(s->level, s->nominal, log(alpha)));
}
