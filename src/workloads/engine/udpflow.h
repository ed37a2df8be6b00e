/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_UDPFLOW_H
#define KD_WORKLOADS_ENGINE_UDPFLOW_H

#include "workloads/engine/histo.h"
#include "workloads/engine/pool.h"
#include "workloads/engine/seqtrack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mmsghdr;

/* token, number, time */
#define KD_UDP_HEADER 24
#define KD_UDP_BATCH 64
/* a datagram with this number is no payload: the receiver is ready */
#define KD_UDP_GO UINT64_MAX

/**
 * struct kd_udpflow_conf - shared by the flows of an end, read only
 * @interval_ns: between the datagrams of one flow; 0 is as fast as it goes
 * @recording:   the window is open
 */
struct kd_udpflow_conf {
	size_t size;
	double interval_ns;
	bool gso, gro;
	bool device;
	uint8_t token[16];
	const int *recording;
};

/**
 * struct kd_udpio - buffers of one worker
 * @lateness: of each paced datagram, against its schedule
 * @delay:    one-way delay above the least, of each received datagram
 */
struct kd_udpio {
	char *buf;
	size_t slot;		/* distance of two receive buffers */
	unsigned int slots;
	struct mmsghdr *msgs;
	char *control;
	struct kd_histo lateness;
	struct kd_histo delay;
};

/**
 * struct kd_udpflow - one connected UDP socket, one direction
 * @bytes, @packets: sent, or received; written by its worker only
 */
struct kd_udpflow {
	uint64_t bytes;
	uint64_t packets;
	uint64_t foreign;	/* datagrams that were not the run's */
	int fd;
	bool sends;
	bool ready;		/* sender: may send; receiver: has some */
	bool gso;
	unsigned int index;
	double due_ns;
	uint64_t seq;
	unsigned int refused;
	uint64_t refused_since_ns;
	const struct kd_udpflow_conf *conf;
	struct kd_worker *worker;
	struct kd_seqtrack track;
} __attribute__((aligned(2 * KD_LINE)));

int kd_udpio_init(struct kd_udpio *io, const struct kd_udpflow_conf *conf,
		  bool sends, bool receives);
void kd_udpio_fini(struct kd_udpio *io);

/** kd_udpflow_arm() - in the worker, before the first event */
void kd_udpflow_arm(struct kd_udpflow *f, struct kd_worker *w);

/** kd_udpflow_go() - device's receiver: say again that it is ready */
void kd_udpflow_go(struct kd_udpflow *f);

/** kd_udpflow_receive() - the socket is readable */
void kd_udpflow_receive(struct kd_udpflow *f, struct kd_udpio *io);

/** kd_udpflow_send() - send what is due at @now_ns */
void kd_udpflow_send(struct kd_udpflow *f, struct kd_udpio *io,
		     uint64_t now_ns);

#endif
