/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_TICKS_H
#define KD_WORKLOADS_ENGINE_TICKS_H

#include "base/sink.h"

#include <stddef.h>
#include <stdint.h>

#define KD_TICKS_MAX 4096
#define KD_TICK_NS (100 * 1000000ULL)

/**
 * struct kd_ticks - a counter's rate over the window, in intervals
 * @t_ns: end of each interval, from the window's start
 * @rate: counted per second of the interval's real length
 *
 * The period doubles, and neighbours are joined, when the window outlasts the
 * table, so that nothing is lost and nothing grows.
 */
struct kd_ticks {
	uint64_t start_ns;
	uint64_t period_ns;
	uint64_t last_ns;
	uint64_t last_count;
	size_t n;
	uint64_t t_ns[KD_TICKS_MAX];
	double rate[KD_TICKS_MAX];
};

void kd_ticks_begin(struct kd_ticks *t, uint64_t now_ns, uint64_t count);
/** kd_ticks_due() - when the interval that runs is over; 0 before begin */
uint64_t kd_ticks_due(const struct kd_ticks *t);
/** kd_ticks_add() - an interval is over */
void kd_ticks_add(struct kd_ticks *t, uint64_t now_ns, uint64_t count);
/** kd_ticks_result() - @scale times the rates as a series */
void kd_ticks_result(struct kd_ticks *t, struct kd_sink *sink,
		     const struct kd_metric_desc *m, double scale);

#endif
