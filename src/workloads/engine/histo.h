/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_HISTO_H
#define KD_WORKLOADS_ENGINE_HISTO_H

#include "base/sink.h"

#include <stddef.h>
#include <stdint.h>

/* 128 buckets for each power of two: under 0.8 % wide; up to 2^40 ns */
#define KD_HISTO_SUB_BITS 7
#define KD_HISTO_MAX_BITS 40
#define KD_HISTO_BUCKETS \
	((KD_HISTO_MAX_BITS - KD_HISTO_SUB_BITS + 1) << KD_HISTO_SUB_BITS)

/**
 * struct kd_histo - times in ns; all zero is empty
 *
 * Written by one thread, read after it ended.
 */
struct kd_histo {
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint64_t buckets[KD_HISTO_BUCKETS];
};

void kd_histo_add(struct kd_histo *h, uint64_t ns);
void kd_histo_merge(struct kd_histo *to, const struct kd_histo *from);

/** kd_histo_rank() - the value of the @rank-th smallest, from 1; within half a
 * bucket, and never outside of what was added */
double kd_histo_rank(const struct kd_histo *h, uint64_t rank);

/** kd_histo_percentile() - nearest rank; 0 where empty */
double kd_histo_percentile(const struct kd_histo *h, double pct);

/**
 * kd_histo_interval() - distribution-free 95 % interval of a percentile
 *
 * Ranks n p -/+ 1.96 sqrt(n p (1 - p)): the normal approximation to the
 * binomial count of values under the percentile (Conover, Practical
 * Nonparametric Statistics, 3rd ed., 3.2).
 */
void kd_histo_interval(const struct kd_histo *h, double pct, double *low,
		       double *high);

/* the rows of a metric table that kd_histo_report() fills, in this order */
enum {
	KD_LATENCY_MEAN,
	KD_LATENCY_P50,
	KD_LATENCY_P90,
	KD_LATENCY_P99,
	KD_LATENCY_P999,
	KD_LATENCY_P9999,
	KD_LATENCY_MAX,
	KD_LATENCY_COUNT,
};

#define KD_LATENCY_ROWS(prefix, what) \
	{ prefix ".mean", "us", KD_BETTER_LOWER, "mean " what }, \
	{ prefix ".p50", "us", KD_BETTER_LOWER, "median " what }, \
	{ prefix ".p90", "us", KD_BETTER_LOWER, "90th percentile of " what }, \
	{ prefix ".p99", "us", KD_BETTER_LOWER, "99th percentile of " what }, \
	{ prefix ".p999", "us", KD_BETTER_LOWER, "99.9th percentile of " what }, \
	{ prefix ".p9999", "us", KD_BETTER_LOWER, \
	  "99.99th percentile of " what }, \
	{ prefix ".max", "us", KD_BETTER_LOWER, "largest " what }

/**
 * kd_histo_report() - mean, percentiles, largest and buckets to @s, in us
 * @rows: KD_LATENCY_COUNT rows made by KD_LATENCY_ROWS()
 *
 * A percentile is left out where fewer values were seen than it takes for one
 * to lie above it. The 95 % interval of each is told as instances "low" and
 * "high".
 */
void kd_histo_report(const struct kd_histo *h, struct kd_sink *s,
		     const struct kd_metric_desc *rows);

#endif
