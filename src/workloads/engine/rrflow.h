/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_RRFLOW_H
#define KD_WORKLOADS_ENGINE_RRFLOW_H

#include "workloads/engine/histo.h"
#include "workloads/engine/pool.h"
#include "workloads/engine/sock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kd_rr_kind {
	KD_RR_TCP,
	KD_RR_UDP,
	KD_RR_CRR,	/* connect, request, response, close */
};

/**
 * struct kd_rr_conf - shared by the flows of an end, read only
 * @step_ns:    between the intended times of one flow; 0 is one after the other
 * @timeout_ns: after which a UDP transaction counts as lost
 * @hello:      what a new connection of KD_RR_CRR says first
 */
struct kd_rr_conf {
	enum kd_rr_kind kind;
	bool device;
	bool blocking;
	bool spin;
	size_t request, response;
	double step_ns;
	uint64_t timeout_ns;
	const int *recording;
	struct kd_addr to;
	const struct kd_sock_opts *sock;
	const uint8_t *hello;
};

enum kd_rr_state {
	KD_RR_PAUSE,		/* until its intended time */
	KD_RR_CONNECTING,
	KD_RR_SENDING,
	KD_RR_RECEIVING,
};

/**
 * struct kd_rr_flow - one transaction at a time, over and over
 * @done, @lost: transactions; written by its worker only
 * @due_ns:      intended time of the transaction that runs or comes next
 */
struct kd_rr_flow {
	uint64_t done;
	uint64_t lost;
	int fd;
	unsigned int index;
	enum kd_rr_state state;
	uint32_t watched;
	double due_ns;
	uint64_t from_ns;
	uint64_t seq;
	size_t at;
	const struct kd_rr_conf *conf;
	struct kd_worker *worker;
} __attribute__((aligned(KD_LINE)));

/** struct kd_rr_io - one worker's buffers; @out is sent, @in received into */
struct kd_rr_io {
	char *out;
	char *in;
	struct kd_histo latency;
};

int kd_rr_io_init(struct kd_rr_io *io, const struct kd_rr_conf *conf);
void kd_rr_io_fini(struct kd_rr_io *io);

/** kd_rr_device_start() - in the worker: the first transaction, or wait */
void kd_rr_device_start(struct kd_rr_flow *f, struct kd_rr_io *io,
			struct kd_worker *w, double first_due_ns);

/** kd_rr_device_ready() - the socket has @events */
void kd_rr_device_ready(struct kd_rr_flow *f, struct kd_rr_io *io);

/**
 * kd_rr_device_tick() - what time alone brings: a due transaction, a loss
 * Return: when to call again, UINT64_MAX for never.
 */
uint64_t kd_rr_device_tick(struct kd_rr_flow *f, struct kd_rr_io *io,
			   uint64_t now_ns);

/** kd_rr_device_block() - transactions without epoll, until the pool stops */
void kd_rr_device_block(struct kd_rr_flow *f, struct kd_rr_io *io);

/** kd_rr_peer_start(), kd_rr_peer_ready(), kd_rr_peer_block() - the answers */
void kd_rr_peer_start(struct kd_rr_flow *f, struct kd_worker *w);
void kd_rr_peer_ready(struct kd_rr_flow *f, struct kd_rr_io *io);
void kd_rr_peer_block(struct kd_rr_flow *f, struct kd_rr_io *io);

#endif
