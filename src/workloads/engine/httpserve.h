/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_HTTPSERVE_H
#define KD_WORKLOADS_ENGINE_HTTPSERVE_H

#include "workloads/engine/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_http_conn;

/**
 * struct kd_http_serve - the peer's HTTP server: GET and HEAD of /fixed/SIZE
 * @sent: body bytes, one counter a worker, KD_LINE apart
 *
 * Requests must carry the run's token in the field Kdelta-Token. One listener
 * is in the epoll set of every worker.
 */
struct kd_http_serve {
	const uint8_t *token;
	int listen_fd;
	int file_fd;
	const char *block;
	size_t block_len;
	bool from_memory;
	struct kd_http_conn *conns;
	unsigned int conns_per_worker;
	uint64_t *sent;
	unsigned int workers;
};

int kd_http_serve_init(struct kd_http_serve *s, const uint8_t token[16],
		       int listen_fd, unsigned int workers, bool from_memory,
		       struct kd_diag *d);
/** kd_http_serve_body() - a worker's life */
void kd_http_serve_body(struct kd_http_serve *s, struct kd_worker *w);
uint64_t kd_http_serve_sent(const struct kd_http_serve *s);
void kd_http_serve_fini(struct kd_http_serve *s);

/** kd_http_token() - as the field's value: 32 hexadecimal digits and NUL */
void kd_http_token(const uint8_t token[16], char out[33]);

#endif
