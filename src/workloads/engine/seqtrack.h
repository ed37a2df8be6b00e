/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_SEQTRACK_H
#define KD_WORKLOADS_ENGINE_SEQTRACK_H

#include <stdbool.h>
#include <stdint.h>

/* a datagram that is late by more is taken for a first copy */
#define KD_SEQ_WINDOW 4096

/**
 * struct kd_seqtrack - what came of a numbered flow; all zero is empty
 * @next:       one past the highest number seen
 * @received:   datagrams, copies included
 * @unique:     without copies; lost are @next - @unique
 * @duplicates: copies
 * @reordered:  first copies that came after a higher number
 * @jitter_ns:  interarrival jitter of RFC 3550, 6.4.1, in arrival order
 *
 * Written by one thread; the counters may be read by others.
 */
struct kd_seqtrack {
	uint64_t next;
	uint64_t received;
	uint64_t unique;
	uint64_t duplicates;
	uint64_t reordered;
	double jitter_ns;
	int64_t transit_ns;
	int64_t least_transit_ns;
	bool has_transit;
	uint64_t seen[KD_SEQ_WINDOW / 64];
};

/**
 * kd_seqtrack_add() - datagram @seq came
 * @sent_ns, @came_ns: each on its own end's clock
 * Return: its one-way delay above the least one seen so far, in ns: differences
 * of clocks that run alike drop out.
 */
uint64_t kd_seqtrack_add(struct kd_seqtrack *t, uint64_t seq, uint64_t sent_ns,
			 uint64_t came_ns);

#endif
