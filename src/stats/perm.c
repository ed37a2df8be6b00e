// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Permutation tests of a difference of means. Exact where all arrangements can
 * be counted; else drawn, with p = (1 + hits) / (1 + draws) so that it is never
 * zero and keeps its level (Davison and Hinkley 1997, 4.2.5).
 */
#include "stats/perm.h"

#include "stats/random.h"

#include <math.h>

#define FULL_N 200	/* values that get all the draws */
#define WORK 1000000	/* values touched by the draws of larger tests */
#define DRAWS_MIN 999
#define N_MAX 20000

/* sums of the same values in another order differ by rounding */
#define TIE 1e-10

static uint64_t draws_for(size_t n)
{
	uint64_t draws = WORK / n;

	if (n <= FULL_N)
		return KD_PERM_DRAWS;
	return draws < DRAWS_MIN ? DRAWS_MIN : draws;
}

static double sum_abs(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(x[i]);
	return sum;
}

/*
 * Counts sums of ±d with d[0] kept, which is half of them and mirrors the
 * rest. part[i] is the sum of the first i terms; counting up in binary changes
 * the last signs most often, so few parts are summed anew.
 */
static uint64_t count_flips(const double *d, size_t n, double limit,
			    double *part)
{
	uint64_t half = 1ULL << (n - 1), hits = 0;
	size_t from = 1;

	part[0] = 0;
	part[1] = d[0];
	for (uint64_t mask = 0; mask < half; mask++) {
		for (size_t i = from; i < n; i++) {
			bool minus = mask >> (n - 1 - i) & 1;

			part[i + 1] = part[i] + (minus ? -d[i] : d[i]);
		}
		hits += fabs(part[n]) >= limit;
		from = n - 1 - (size_t)__builtin_ctzll(mask + 1);
	}
	return 2 * hits;
}

/* the sign is flipped by its bit: a branch would be guessed wrong half the
 * time; four sums do not wait for each other */
static double flipped(double v, uint32_t bit)
{
	union {
		double v;
		uint64_t bits;
	} u = { .v = v };

	u.bits ^= (uint64_t)(bit & 1) << 63;
	return u.v;
}

static uint64_t draw_flips(const double *d, size_t n, double limit,
			   uint64_t draws, struct kd_random *r)
{
	uint64_t hits = 0;

	for (uint64_t k = 0; k < draws; k++) {
		double sum[4] = { 0 };

		for (size_t i = 0; i < n; i += 32) {
			uint32_t bits = kd_random_bits(r);
			size_t end = n - i < 32 ? n - i : 32;

			for (size_t j = 0; j < end; j++)
				sum[j & 3] += flipped(d[i + j], bits >> j);
		}
		hits += fabs(sum[0] + sum[1] + sum[2] + sum[3]) >= limit;
	}
	return hits;
}

void kd_perm_paired(const double *d, size_t n, uint64_t seed, double *scratch,
		    struct kd_perm *out)
{
	double size = sum_abs(d, n), sum = 0, limit;
	struct kd_random r;

	*out = (struct kd_perm){ .p = NAN, .least = 1 };
	if (n < 2 || n > N_MAX)
		return;
	for (size_t i = 0; i < n; i++)
		sum += d[i];
	limit = fabs(sum) - TIE * size;
	out->exact = n < 63 && (1ULL << n) <= KD_PERM_EXACT_MAX;
	if (out->exact) {
		out->count = 1ULL << n;
		out->least = 2 / (double)out->count;
		out->p = (double)count_flips(d, n, limit, scratch) /
			 (double)out->count;
		return;
	}
	out->count = draws_for(n);
	out->least = 1 / (double)(out->count + 1);
	if (kd_random_init(&r, seed))
		return;
	out->p = (double)(1 + draw_flips(d, n, limit, out->count, &r)) /
		 (double)(1 + out->count);
	kd_random_fini(&r);
}

/* C(n, k), or 0 where it is over KD_PERM_EXACT_MAX */
static uint64_t arrangements(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 1; i <= k; i++) {
		c = c * (double)(n - k + i) / (double)i;
		if (c > KD_PERM_EXACT_MAX)
			return 0;
	}
	return (uint64_t)llround(c);
}

#define CHOSEN_MAX 64

/*
 * Sums of all k-subsets in lexicographic order; part[] holds the sums of the
 * first members, so that no rounding error adds up from one to the next.
 */
static uint64_t count_subsets(const double *x, size_t n, size_t k, double mid,
			      double limit, double *part)
{
	size_t at[CHOSEN_MAX], from = 0;
	uint64_t hits = 0;

	for (size_t i = 0; i < k; i++)
		at[i] = i;
	for (;;) {
		double sum = from ? part[from - 1] : 0;

		for (size_t i = from; i < k; i++)
			part[i] = sum += x[at[i]];
		hits += fabs(part[k - 1] - mid) >= limit;
		for (from = k; from && at[from - 1] == n - k + from - 1; from--)
			;
		if (!from)
			return hits;
		from--;
		at[from]++;
		for (size_t i = from + 1; i < k; i++)
			at[i] = at[i - 1] + 1;
	}
}

static uint64_t draw_subsets(double *x, size_t n, size_t k, double mid,
			     double limit, uint64_t draws, struct kd_random *r)
{
	uint64_t hits = 0;

	for (uint64_t draw = 0; draw < draws; draw++) {
		double sum = 0;

		for (size_t i = 0; i < k; i++) {
			size_t j = i + kd_random_below(r, n - i);
			double v = x[j];

			x[j] = x[i];
			x[i] = v;
			sum += v;
		}
		hits += fabs(sum - mid) >= limit;
	}
	return hits;
}

void kd_perm_means(double *pool, size_t nx, size_t ny, uint64_t seed,
		   double *scratch, struct kd_perm *out)
{
	size_t n = nx + ny, k = nx < ny ? nx : ny;
	const double *small = nx <= ny ? pool : pool + nx;
	double total = 0, sum = 0, mid, limit;
	struct kd_random r;

	*out = (struct kd_perm){ .p = NAN, .least = 1 };
	if (!k || n < 3 || n > N_MAX)
		return;
	for (size_t i = 0; i < n; i++)
		total += pool[i];
	for (size_t i = 0; i < k; i++)
		sum += small[i];
	/* the difference of means is linear in the smaller group's sum */
	mid = total * (double)k / (double)n;
	limit = fabs(sum - mid) - TIE * sum_abs(pool, n);
	out->count = arrangements(n, k);
	out->exact = out->count && k <= CHOSEN_MAX;
	if (out->exact) {
		/* groups of one size mirror each other */
		out->least = (nx == ny ? 2 : 1) / (double)out->count;
		out->p = (double)count_subsets(pool, n, k, mid, limit,
					       scratch) / (double)out->count;
		return;
	}
	out->count = draws_for(n);
	out->least = 1 / (double)(out->count + 1);
	if (kd_random_init(&r, seed))
		return;
	out->p = (double)(1 + draw_subsets(pool, n, k, mid, limit, out->count,
					   &r)) / (double)(1 + out->count);
	kd_random_fini(&r);
}
