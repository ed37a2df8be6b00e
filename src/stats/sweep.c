// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many variants at once: which is best, which may as well be, where the bend
 * is, and which trade one measure for another.
 */
#include "stats/sweep.h"

#include "base/parse.h"
#include "stats/dataset.h"
#include "stats/pairs.h"
#include "stats/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* higher is better after this */
static double oriented(const struct kd_measure *m, double mean)
{
	return m->better == KD_BETTER_LOWER ? -mean : mean;
}

/* NAN where any value is no number: what is left would flatter */
static double mean_of(const struct kd_measure *m, size_t variant)
{
	double mean = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->n_samples; i++) {
		if ((size_t)m->samples[i].variant != variant)
			continue;
		if (!kd_is_usable(m->samples[i].value))
			return NAN;
		mean += (m->samples[i].value - mean) / (double)++n;
	}
	return n ? mean : NAN;
}

static int check_measure(const struct kd_dataset *ds, size_t measure,
			 struct kd_diag *d)
{
	if (measure >= ds->n_measures)
		return kd_fail(d, -EINVAL, "measure %zu of %zu", measure,
			       ds->n_measures);
	if (ds->measures[measure].better == KD_BETTER_NONE)
		return kd_fail(d, -EINVAL, "%s has no good side",
			       ds->measures[measure].metric);
	return 0;
}

static bool many_in_one_boot(const struct kd_dataset *ds, size_t v, size_t runs)
{
	return ds->n_boots && (ds->n_boots[v] <= 1 ||
			       (size_t)ds->n_boots[v] < runs);
}

/* one-sided p of variant @v being as good as the best; 1: cannot be shown */
static double p_as_good(const struct kd_dataset *ds, const struct kd_measure *m,
			size_t best, size_t v, struct kd_pairs *p, double *z)
{
	struct kd_effect e;
	int r;

	kd_pairs_take(p, m, best, v);
	if (many_in_one_boot(ds, best, p->runs_x) ||
	    many_in_one_boot(ds, v, p->runs_y))
		return 1;
	if (p->paired)
		r = kd_effect_paired(p->x, p->y, p->nx, z, &e);
	else
		r = kd_effect_welch(p->x, p->nx, p->y, p->ny, &e);
	if (r || oriented(m, e.est) >= 0)
		return 1;
	return kd_effect_p(&e) / 2;
}

static void find_set(const struct kd_dataset *ds, const struct kd_measure *m,
		     double alpha, struct kd_pairs *p, double *z,
		     struct kd_sweep *s)
{
	size_t others = 0;

	for (size_t v = 0; v < s->n_variants; v++)
		others += v != s->best && !isnan(s->mean[v]);
	for (size_t v = 0; v < s->n_variants; v++)
		s->in_best[v] = !isnan(s->mean[v]) &&
				(v == s->best ||
				 p_as_good(ds, m, s->best, v, p, z) >=
				 alpha / (double)others);
}

int kd_sweep_best(const struct kd_dataset *ds, size_t measure, double alpha,
		  struct kd_sweep *out, struct kd_diag *d)
{
	struct kd_sweep s = { .best = KD_SWEEP_NONE };
	const struct kd_measure *m;
	struct kd_pairs p;
	double *z;
	int r = check_measure(ds, measure, d);

	if (r)
		return r;
	m = &ds->measures[measure];
	s.n_variants = ds->n_variants;
	s.mean = calloc(ds->n_variants + 1, sizeof(*s.mean));
	s.in_best = calloc(ds->n_variants + 1, sizeof(*s.in_best));
	z = calloc(m->n_samples + 1, sizeof(*z));
	r = kd_pairs_init(&p, m->n_samples + 1);
	if (r || !s.mean || !s.in_best || !z) {
		r = kd_fail(d, -ENOMEM, "no memory for %zu variants",
			    ds->n_variants);
		kd_sweep_fini(&s);
		goto out;
	}
	for (size_t v = 0; v < s.n_variants; v++) {
		s.mean[v] = mean_of(m, v);
		if (!isnan(s.mean[v]) &&
		    (s.best == KD_SWEEP_NONE ||
		     oriented(m, s.mean[v]) > oriented(m, s.mean[s.best])))
			s.best = v;
	}
	if (s.best != KD_SWEEP_NONE)
		find_set(ds, m, alpha, &p, z, &s);
	*out = s;
out:
	kd_pairs_fini(&p);
	free(z);
	return r;
}

void kd_sweep_fini(struct kd_sweep *s)
{
	free(s->mean);
	free(s->in_best);
	memset(s, 0, sizeof(*s));
}

static bool parse_level(const char *text, double *out)
{
	uint64_t whole;

	if (!text)
		return false;
	if (!kd_parse_double(text, out) || !kd_parse_pct(text, out))
		return isfinite(*out);
	if (!kd_parse_time(text, &whole) || !kd_parse_size(text, &whole) ||
	    !kd_parse_rate(text, &whole)) {
		*out = (double)whole;
		return true;
	}
	return false;
}

/* is variant @v on the line through the best along @factor */
static bool on_line(const struct kd_dataset *ds, size_t best, size_t factor,
		    size_t v)
{
	for (size_t f = 0; f < ds->n_factors; f++) {
		const char *a = ds->levels[best * ds->n_factors + f];
		const char *b = ds->levels[v * ds->n_factors + f];

		if (f != factor && (!a || !b || strcmp(a, b)))
			return false;
	}
	return true;
}

struct point {
	double x, y;
	size_t variant;
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* returns the number of points; 0: no line to speak of */
static size_t take_line(const struct kd_dataset *ds, const struct kd_sweep *s,
			const struct kd_measure *m, size_t factor,
			struct point *at)
{
	bool any_worse = false;
	size_t n = 0;

	for (size_t v = 0; v < s->n_variants; v++) {
		if (isnan(s->mean[v]) || !on_line(ds, s->best, factor, v))
			continue;
		if (!parse_level(ds->levels[v * ds->n_factors + factor],
				 &at[n].x))
			return 0;
		at[n].y = oriented(m, s->mean[v]);
		at[n++].variant = v;
		any_worse |= !s->in_best[v];
	}
	qsort(at, n, sizeof(*at), by_x);
	if (n < 3 || !any_worse || at[0].x >= at[n - 1].x)
		return 0;
	if (at[0].x > 0 && at[n - 1].x >= 10 * at[0].x)
		for (size_t i = 0; i < n; i++)
			at[i].x = log(at[i].x);
	return n;
}

/* distance from the chord, as a share of the range, that makes a knee */
#define KNEE_MIN 0.15

static size_t bend(const struct point *at, size_t n)
{
	double low = INFINITY, high = -INFINITY, most = KNEE_MIN;
	double width = at[n - 1].x - at[0].x;
	size_t knee = KD_SWEEP_NONE;

	for (size_t i = 0; i < n; i++) {
		low = fmin(low, at[i].y);
		high = fmax(high, at[i].y);
	}
	for (size_t i = 1; i + 1 < n; i++) {
		double chord = at[0].y + (at[n - 1].y - at[0].y) *
			       (at[i].x - at[0].x) / width;
		double above = (at[i].y - chord) / (high - low);

		if (above > most) {
			most = above;
			knee = at[i].variant;
		}
	}
	return knee;
}

size_t kd_sweep_knee(const struct kd_dataset *ds, const struct kd_sweep *s,
		     size_t measure, size_t factor)
{
	size_t n, knee = KD_SWEEP_NONE;
	struct point *at;

	if (s->best == KD_SWEEP_NONE || factor >= ds->n_factors ||
	    !ds->levels || measure >= ds->n_measures)
		return KD_SWEEP_NONE;
	at = calloc(s->n_variants + 1, sizeof(*at));
	if (!at)
		return KD_SWEEP_NONE;
	n = take_line(ds, s, &ds->measures[measure], factor, at);
	if (n)
		knee = bend(at, n);
	free(at);
	return knee;
}

/* at least as good in all, better in one */
static bool beats(const double *a, const double *b, size_t n)
{
	bool better = false;

	for (size_t i = 0; i < n; i++) {
		if (!(a[i] >= b[i]))
			return false;
		better |= a[i] > b[i];
	}
	return better;
}

int kd_sweep_pareto(const struct kd_dataset *ds, const size_t *measures,
		    size_t n, bool *in, struct kd_diag *d)
{
	double *good;
	int r;

	for (size_t i = 0; i < n; i++) {
		r = check_measure(ds, measures[i], d);
		if (r)
			return r;
	}
	good = calloc(ds->n_variants * n + 1, sizeof(*good));
	if (!good)
		return kd_fail(d, -ENOMEM, "no memory for %zu variants",
			       ds->n_variants);
	for (size_t v = 0; v < ds->n_variants; v++) {
		in[v] = n > 0;
		for (size_t i = 0; i < n; i++) {
			const struct kd_measure *m = &ds->measures[measures[i]];

			good[v * n + i] = oriented(m, mean_of(m, v));
			in[v] &= !isnan(good[v * n + i]);
		}
	}
	for (size_t v = 0; v < ds->n_variants; v++)
		for (size_t u = 0; in[v] && u < ds->n_variants; u++)
			in[v] = !beats(&good[u * n], &good[v * n], n);
	free(good);
	return 0;
}
