/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PROTO_CONN_H
#define KD_PROTO_CONN_H

#include "base/buf.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define KD_FRAME_START "{\"kd\":1,"
#define KD_FRAME_MAX ((size_t)8 << 20)

/**
 * struct kd_conn - frames over two descriptors
 * @in, @out:   set non-blocking by kd_conn_init(); closed by their owner
 * @console:    called with each line (or piece of one) that is no frame; may be
 *              NULL
 *
 * See docs/protocol.md for what a frame is.
 */
struct kd_conn {
	int in;
	int out;
	void (*console)(void *arg, const char *text, size_t len);
	void *console_arg;
	struct kd_buf rx;
	size_t scanned;
	bool eof;
};

void kd_conn_init(struct kd_conn *c, int in, int out);
void kd_conn_fini(struct kd_conn *c);

/** kd_conn_send() - write @frame (borrowed) whole, before @deadline_ns */
int kd_conn_send(struct kd_conn *c, const json_t *frame, uint64_t deadline_ns,
		 struct kd_diag *d);

/**
 * kd_conn_pop() - a frame out of what was read already
 * Return: 1 with the frame in *@out (caller's reference), 0 where there is
 * none yet, -EPROTO for a line that begins as a frame and is none.
 */
int kd_conn_pop(struct kd_conn *c, json_t **out, struct kd_diag *d);

/** kd_conn_fill() - read what is there; 0, -EPIPE at its end, or -errno */
int kd_conn_fill(struct kd_conn *c);

/**
 * kd_conn_recv() - wait for the next frame
 * Return: 0, -ETIMEDOUT, -EPIPE (the other end has closed), -EPROTO.
 */
int kd_conn_recv(struct kd_conn *c, uint64_t deadline_ns, json_t **out,
		 struct kd_diag *d);

#endif
