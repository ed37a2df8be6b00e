/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_BULK_H
#define KD_WORKLOADS_ENGINE_BULK_H

#include "workloads/engine/flow.h"
#include "workloads/engine/ticks.h"
#include "workloads/workload.h"

/** struct kd_bulk_mark - a flow's counters at one end of the window */
struct kd_bulk_mark {
	uint64_t bytes;
	uint32_t retransmits;
};

/**
 * struct kd_bulk - an end's bulk flows and their window
 * @t0_ns, @t1_ns: of the window; with a size, of the payload received
 */
struct kd_bulk {
	const struct kd_flow_conf *conf;
	struct kd_flow *flows;
	unsigned int count;
	struct kd_bulk_mark *at0, *at1;
	uint64_t t0_ns, t1_ns;
	struct kd_ticks ticks;
};

extern const struct kd_metric_desc kd_bulk_metrics[];

/**
 * kd_bulk_init() - @count flows without a socket; -ENOMEM
 * @conf: is to outlive @b, which is zeroed before
 */
int kd_bulk_init(struct kd_bulk *b, const struct kd_flow_conf *conf,
		 unsigned int count);

/** kd_bulk_fini() - close and free; right for a zeroed one too */
void kd_bulk_fini(struct kd_bulk *b);

/** kd_bulk_begin() - the window begins; returns when */
uint64_t kd_bulk_begin(struct kd_bulk *b);

/** kd_bulk_tick() - one more point of the series */
void kd_bulk_tick(struct kd_bulk *b);

/** kd_bulk_end() - the window ends; returns when */
uint64_t kd_bulk_end(struct kd_bulk *b);

/**
 * kd_bulk_report_received(), kd_bulk_report_sent() - after kd_bulk_end()
 * @tx: the direction's name as the device sees it
 */
void kd_bulk_report_received(struct kd_bulk *b, struct kd_sink *s, bool tx);
void kd_bulk_report_sent(const struct kd_bulk *b, struct kd_sink *s, bool tx);

#endif
