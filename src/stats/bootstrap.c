// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals of figures that have no formula. A resample is kept as how often
 * each row is in it, so that a quantile is one walk over rows sorted once and
 * a ratio two sums: nothing is copied, sorted or allocated per draw.
 */
#include "stats/bootstrap.h"

#include "stats/random.h"
#include "stats/summary.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct boot {
	kd_boot_stat_fn stat;
	void *data;
	size_t n[2];
	uint32_t *times;
	double *draws;
	double *influence;
};

static void resample(struct boot *b, struct kd_random *r)
{
	size_t base = 0;

	memset(b->times, 0, (b->n[0] + b->n[1]) * sizeof(*b->times));
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < b->n[k]; i++)
			b->times[base + kd_random_below(r, b->n[k])]++;
		base += b->n[k];
	}
}

/*
 * Acceleration from the jackknife, sample by sample: a = sum(l^3 / n^3) /
 * (6 sum(l^2 / n^2)^1.5) with l = (n - 1)(mean - value without the row).
 */
static double acceleration(struct boot *b)
{
	double square = 0, cube = 0;
	size_t base = 0, rows = b->n[0] + b->n[1];

	for (size_t i = 0; i < rows; i++)
		b->times[i] = 1;
	for (int k = 0; k < 2; base += b->n[k++]) {
		double n = (double)b->n[k], mean;

		for (size_t i = 0; i < b->n[k]; i++) {
			b->times[base + i] = 0;
			b->influence[i] = b->stat(b->times, b->data);
			b->times[base + i] = 1;
		}
		mean = kd_mean(b->influence, b->n[k]);
		for (size_t i = 0; i < b->n[k]; i++) {
			double l = (n - 1) * (mean - b->influence[i]) / n;

			square += l * l;
			cube += l * l * l;
		}
	}
	return square > 0 ? cube / (6 * pow(square, 1.5)) : 0;
}

static double bca_share(double z0, double a, double z)
{
	return gsl_cdf_ugaussian_P(z0 + (z0 + z) / (1 - a * (z0 + z)));
}

static int interval(struct boot *b, double alpha, struct kd_boot *out)
{
	double z = gsl_cdf_ugaussian_Qinv(alpha / 2), below = 0, z0;

	for (size_t i = 0; i < KD_BOOT_DRAWS; i++) {
		if (!isfinite(b->draws[i]))
			return -ERANGE;
		below += b->draws[i] < out->est ? 1 :
			 b->draws[i] == out->est ? 0.5 : 0;
	}
	if (below <= 0 || below >= KD_BOOT_DRAWS)
		return -ERANGE;
	kd_sort(b->draws, KD_BOOT_DRAWS);
	if (b->draws[0] == b->draws[KD_BOOT_DRAWS - 1])
		return -ERANGE;
	z0 = gsl_cdf_ugaussian_Pinv(below / KD_BOOT_DRAWS);
	out->lo = kd_quantile(b->draws, KD_BOOT_DRAWS,
			      bca_share(z0, out->acceleration, -z));
	out->hi = kd_quantile(b->draws, KD_BOOT_DRAWS,
			      bca_share(z0, out->acceleration, z));
	return 0;
}

static int bootstrap(struct boot *b, double alpha, uint64_t seed,
		     struct kd_boot *out)
{
	struct kd_random r;
	int err;

	out->acceleration = acceleration(b);
	out->est = b->stat(b->times, b->data);
	if (!isfinite(out->est) || !isfinite(out->acceleration))
		return -ERANGE;
	err = kd_random_init(&r, seed);
	if (err)
		return err;
	for (size_t i = 0; i < KD_BOOT_DRAWS; i++) {
		resample(b, &r);
		b->draws[i] = b->stat(b->times, b->data);
	}
	kd_random_fini(&r);
	return interval(b, alpha, out);
}

int kd_bootstrap(kd_boot_stat_fn stat, void *data, size_t nx, size_t ny,
		 double alpha, uint64_t seed, struct kd_boot *out)
{
	struct boot b = { .stat = stat, .data = data, .n = { nx, ny } };
	int r = -ENOMEM;

	*out = (struct kd_boot){ .est = NAN, .lo = NAN, .hi = NAN };
	if (nx < KD_BOOT_MIN_N || (ny && ny < KD_BOOT_MIN_N))
		return -EDOM;
	b.times = calloc(nx + ny, sizeof(*b.times));
	b.draws = calloc(KD_BOOT_DRAWS, sizeof(*b.draws));
	b.influence = calloc(nx > ny ? nx : ny, sizeof(*b.influence));
	if (b.times && b.draws && b.influence)
		r = bootstrap(&b, alpha, seed, out);
	free(b.times);
	free(b.draws);
	free(b.influence);
	return r;
}

/* values in ascending order, and the row of each */
struct sorted {
	double *value;
	size_t *row;
	size_t n;
};

static int sorted_init(struct sorted *s, const double *x, size_t n)
{
	double *rank = calloc(n + 1, sizeof(*rank));

	s->value = calloc(n + 1, sizeof(*s->value));
	s->row = calloc(n + 1, sizeof(*s->row));
	s->n = n;
	if (rank && s->value && s->row) {
		kd_ranks(x, n, rank, s->row);
		for (size_t i = 0; i < n; i++)
			s->value[i] = x[s->row[i]];
	}
	free(rank);
	return rank && s->value && s->row ? 0 : -ENOMEM;
}

static void sorted_fini(struct sorted *s)
{
	free(s->value);
	free(s->row);
}

/* type 7 over a sample in which row i stands times[i] times */
static double weighted_quantile(const struct sorted *s, const uint32_t *times,
				double q)
{
	size_t total = 0, want, seen = 0, i;
	double at, low;

	for (i = 0; i < s->n; i++)
		total += times[i];
	if (!total)
		return NAN;
	at = q * (double)(total - 1);
	want = (size_t)at;
	for (i = 0; seen + times[s->row[i]] <= want; i++)
		seen += times[s->row[i]];
	low = s->value[i];
	if (want + 1 >= total || seen + times[s->row[i]] > want + 1)
		return low;
	for (i++; !times[s->row[i]]; i++)
		;
	return low + (at - (double)want) * (s->value[i] - low);
}

struct quantiles {
	struct sorted x, y;
	double q;
	size_t y_base;		/* first row of y; 0: of the same rows as x */
};

static double one_quantile(const uint32_t *times, void *data)
{
	struct quantiles *d = data;

	return weighted_quantile(&d->x, times, d->q);
}

static double quantile_change(const uint32_t *times, void *data)
{
	struct quantiles *d = data;
	double x = weighted_quantile(&d->x, times, d->q);
	double y = weighted_quantile(&d->y, times + d->y_base, d->q);

	return x > 0 ? y / x - 1 : NAN;
}

int kd_boot_quantile(const double *x, size_t n, double q, double alpha,
		     uint64_t seed, struct kd_boot *out)
{
	struct quantiles d = { .q = q };
	int r = sorted_init(&d.x, x, n);

	if (!r)
		r = kd_bootstrap(one_quantile, &d, n, 0, alpha, seed, out);
	sorted_fini(&d.x);
	return r;
}

int kd_boot_quantile_change(const double *x, size_t nx, const double *y,
			    size_t ny, bool paired, double q, double alpha,
			    uint64_t seed, struct kd_boot *out)
{
	struct quantiles d = { .q = q, .y_base = paired ? 0 : nx };
	int r = sorted_init(&d.x, x, nx);

	if (!r)
		r = sorted_init(&d.y, y, ny);
	if (!r)
		r = kd_bootstrap(quantile_change, &d, nx, paired ? 0 : ny,
				 alpha, seed, out);
	sorted_fini(&d.x);
	sorted_fini(&d.y);
	return r;
}

struct sums {
	const double *x, *y;
	size_t n;
};

static double ratio_of_sums(const uint32_t *times, void *data)
{
	const struct sums *d = data;
	double x = 0, y = 0;

	for (size_t i = 0; i < d->n; i++) {
		x += times[i] * d->x[i];
		y += times[i] * d->y[i];
	}
	return x > 0 ? y / x : NAN;
}

int kd_boot_ratio(const double *x, const double *y, size_t n, double alpha,
		  uint64_t seed, struct kd_boot *out)
{
	struct sums d = { x, y, n };

	return kd_bootstrap(ratio_of_sums, &d, n, 0, alpha, seed, out);
}
