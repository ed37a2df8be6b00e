/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_CRRSERVE_H
#define KD_WORKLOADS_ENGINE_CRRSERVE_H

#include "workloads/engine/gate.h"
#include "workloads/engine/pool.h"

#include <stddef.h>
#include <stdint.h>

#define KD_CRR_CONNS 1024

struct kd_crr_conn {
	int fd;
	size_t got, sent;
	uint64_t since_ns;
	uint8_t hello[KD_HELLO_SIZE];
};

/**
 * struct kd_crr_serve - one worker's answers to connect, request, response
 * @done: transactions answered
 *
 * Who does not say the token, or stops in the middle, is dropped after three
 * seconds; the places are limited.
 */
struct kd_crr_serve {
	uint64_t done;
	const uint8_t *token;
	int listen_fd;
	size_t request, response;
	char *buf;
	struct kd_crr_conn conns[KD_CRR_CONNS];
};

/** kd_crr_serve_body() - a worker's life; @s is its own */
void kd_crr_serve_body(struct kd_crr_serve *s, struct kd_worker *w);
/** kd_crr_serve_fini() - close what is open, not the listener */
void kd_crr_serve_fini(struct kd_crr_serve *s);

#endif
