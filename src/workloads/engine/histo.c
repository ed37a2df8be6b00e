// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A log-linear histogram: exact below 2^8 ns, then 128 equal buckets for each
 * power of two, so that a value is known to 0.4 % at any size and adding one
 * is a shift and an increment.
 */
#include "workloads/engine/histo.h"

#include <math.h>
#include <stdlib.h>

#define SUB (1u << KD_HISTO_SUB_BITS)

static size_t index_of(uint64_t ns)
{
	int shift;

	if (ns < 2 * SUB)
		return (size_t)ns;
	if (ns >> KD_HISTO_MAX_BITS)
		return KD_HISTO_BUCKETS - 1;
	shift = 63 - __builtin_clzll(ns) - KD_HISTO_SUB_BITS;
	return (size_t)shift * SUB + (size_t)(ns >> shift);
}

static uint64_t lower_edge(size_t i)
{
	size_t shift;

	if (i < 2 * SUB)
		return i;
	shift = i / SUB - 1;
	return (uint64_t)(i - shift * SUB) << shift;
}

void kd_histo_add(struct kd_histo *h, uint64_t ns)
{
	h->buckets[index_of(ns)]++;
	if (!h->count || ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
	h->count++;
	h->sum += ns;
}

void kd_histo_merge(struct kd_histo *to, const struct kd_histo *from)
{
	if (!from->count)
		return;
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->count += from->count;
	to->sum += from->sum;
	for (size_t i = 0; i < KD_HISTO_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

double kd_histo_rank(const struct kd_histo *h, uint64_t rank)
{
	uint64_t seen = 0;
	double mid;

	if (!h->count)
		return 0;
	if (rank <= 1)
		return (double)h->min;
	if (rank >= h->count)
		return (double)h->max;
	for (size_t i = 0; i < KD_HISTO_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen < rank)
			continue;
		mid = ((double)lower_edge(i) +
		       (double)(lower_edge(i + 1) - 1)) / 2;
		if (mid < (double)h->min)
			return (double)h->min;
		return mid > (double)h->max ? (double)h->max : mid;
	}
	return (double)h->max;
}

double kd_histo_percentile(const struct kd_histo *h, double pct)
{
	/* a hair less, so that 99 % of 100 is 99 in binary too */
	return kd_histo_rank(h, (uint64_t)ceil(pct / 100 * (double)h->count -
					       1e-9));
}

void kd_histo_interval(const struct kd_histo *h, double pct, double *low,
		       double *high)
{
	double n = (double)h->count, p = pct / 100;
	double half = 1.96 * sqrt(n * p * (1 - p));
	double from = floor(n * p - half), to = ceil(n * p + half) + 1;

	*low = kd_histo_rank(h, from < 1 ? 1 : (uint64_t)from);
	*high = kd_histo_rank(h, to > n ? h->count : (uint64_t)to);
}

static void report_buckets(const struct kd_histo *h, struct kd_sink *s,
			   const struct kd_metric_desc *m)
{
	size_t n = 0, used = 0;
	uint64_t *counts;
	double *upper;

	for (size_t i = 0; i < KD_HISTO_BUCKETS; i++)
		used += h->buckets[i] != 0;
	upper = malloc(used * sizeof(*upper));
	counts = malloc(used * sizeof(*counts));
	for (size_t i = 0; upper && counts && i < KD_HISTO_BUCKETS; i++) {
		if (!h->buckets[i])
			continue;
		upper[n] = (double)lower_edge(i + 1) / 1e3;
		counts[n++] = h->buckets[i];
	}
	if (n)
		s->hist(s, m, NULL, upper, counts, n);
	free(upper);
	free(counts);
}

void kd_histo_report(const struct kd_histo *h, struct kd_sink *s,
		     const struct kd_metric_desc *rows)
{
	static const double pcts[] = { 50, 90, 99, 99.9, 99.99 };

	if (!h->count)
		return;
	s->metric(s, &rows[KD_LATENCY_MEAN], NULL,
		  (double)h->sum / (double)h->count / 1e3);
	for (size_t i = 0; i < sizeof(pcts) / sizeof(*pcts); i++) {
		const struct kd_metric_desc *m = &rows[KD_LATENCY_P50 + i];
		double low, high;

		if ((double)h->count * (1 - pcts[i] / 100) < 1 - 1e-9)
			break;
		s->metric(s, m, NULL, kd_histo_percentile(h, pcts[i]) / 1e3);
		kd_histo_interval(h, pcts[i], &low, &high);
		s->metric(s, m, "low", low / 1e3);
		s->metric(s, m, "high", high / 1e3);
	}
	s->metric(s, &rows[KD_LATENCY_MAX], NULL, (double)h->max / 1e3);
	report_buckets(h, s, &rows[KD_LATENCY_P50]);
}
