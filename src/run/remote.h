/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_REMOTE_H
#define KD_RUN_REMOTE_H

#include "base/buf.h"
#include "base/diag.h"
#include "proto/conn.h"
#include "transports/transport.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * struct kd_remote - the controller's side of one agent
 * @name:    "device" or "peer", for messages
 * @routed:  the peer behind the device's agent, where it has no pipe of its
 *           own; @via is that agent
 * @lost:    the pipe broke or an answer never came: only closing is left
 * @early:   answers that came before they were asked for, by id
 * @console: what came that was no frame, the last 64 KiB
 */
struct kd_remote {
	const char *name;
	struct kd_pipe pipe;
	struct kd_conn conn;
	struct kd_remote *via;
	struct kd_buf console;
	json_int_t next_id;
	bool open;
	bool lost;
	json_t *hello;
	json_t *early;
};

/** kd_remote_start() - start @argv; nothing is said yet */
int kd_remote_start(struct kd_remote *r, const char *name, char *const *argv,
		    struct kd_diag *d);

/** kd_remote_open() - start @argv and say hello; within @timeout_ns */
int kd_remote_open(struct kd_remote *r, const char *name, char *const *argv,
		   const char *ifname, uint64_t timeout_ns, struct kd_diag *d);

/**
 * kd_remote_call() - one request, one answer
 * @op:    operation
 * @args:  its arguments, stolen; NULL: none
 * @answer: caller's reference; may be NULL
 * Return: 0; the agent's error in its own words; -ETIMEDOUT, -EPIPE or -EPROTO
 * when the agent is lost (@r->lost is set then); -EINTR.
 */
int kd_remote_call(struct kd_remote *r, const char *op, json_t *args,
		   uint64_t timeout_ns, json_t **answer, struct kd_diag *d);

/** kd_remote_send() - as kd_remote_call(), without waiting; returns the id, or
 * -errno. kd_remote_answer() collects it. */
json_int_t kd_remote_send(struct kd_remote *r, const char *op, json_t *args,
			  uint64_t timeout_ns, struct kd_diag *d);
int kd_remote_answer(struct kd_remote *r, json_int_t id, const char *op,
		     uint64_t timeout_ns, json_t **answer, struct kd_diag *d);

/** kd_remote_close() - end of input: the agent restores and leaves; waits for
 * that. Harmless on one that is not open. Returns the command's wait status. */
int kd_remote_close(struct kd_remote *r);

#endif
