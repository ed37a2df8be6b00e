/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_FLOW_H
#define KD_WORKLOADS_ENGINE_FLOW_H

#include "workloads/engine/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kd_flow_source {
	KD_SOURCE_WRITE,
	KD_SOURCE_SENDFILE,
	KD_SOURCE_ZEROCOPY,
};

enum kd_flow_sink {
	KD_SINK_COPY,
	KD_SINK_DISCARD,
};

/**
 * struct kd_flow_conf - what all bulk flows of an end share, read only
 * @size_mode: a flow ends after its @left bytes
 * @file_fd:   what KD_SOURCE_SENDFILE sends from
 * @quantum:   blocks that one flow may move before the next has its turn
 */
struct kd_flow_conf {
	enum kd_flow_source source;
	enum kd_flow_sink sink;
	bool size_mode;
	bool device;
	size_t block;
	int file_fd;
	unsigned int quantum;
};

enum kd_flow_state {
	KD_FLOW_AWAIT_GO,	/* sender at the peer: until the device is ready */
	KD_FLOW_MOVING,
	KD_FLOW_CLOSING,	/* sender: all is out, until the other has it */
	KD_FLOW_DONE,
};

/**
 * struct kd_flow - one bulk TCP connection in one direction
 * @bytes:   payload moved; written by its worker only, read by anybody
 * @first_ns, @last_ns: when the first and the latest payload byte came
 *           (latest: in size mode only)
 * @completed, @copied: zero-copy sends that the kernel has completed, and
 *           those of them that it had copied after all
 * @fell_back: sends that were plain copies because the kernel had no room
 */
struct kd_flow {
	uint64_t bytes;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t completed;
	uint64_t copied;
	uint64_t fell_back;
	int fd;
	enum kd_flow_state state;
	bool sends;
	unsigned int index;
	uint64_t left;
	uint32_t unreaped;
	const struct kd_flow_conf *conf;
	struct kd_worker *worker;
} __attribute__((aligned(2 * KD_LINE)));

/** kd_flow_arm() - in the worker: begin to move payload */
void kd_flow_arm(struct kd_flow *f, struct kd_worker *w);

/**
 * kd_flow_ready() - in the worker: the socket is ready for @events
 * @buf: the worker's block of conf->block bytes
 *
 * Failures go to the pool.
 * Return: the flow receives and had its turn before its socket was empty.
 */
bool kd_flow_ready(struct kd_flow *f, uint32_t events, char *buf);

static inline uint64_t kd_flow_bytes(const struct kd_flow *f)
{
	return __atomic_load_n(&f->bytes, __ATOMIC_RELAXED);
}

#endif
