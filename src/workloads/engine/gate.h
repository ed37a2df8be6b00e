/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_GATE_H
#define KD_WORKLOADS_ENGINE_GATE_H

#include "base/diag.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct kd_work_env;

/* what the device sends first on a connection: token, index, kind */
#define KD_HELLO_SIZE 20
#define KD_GATE_PENDING 64

struct kd_gate_pending {
	int fd;
	uint64_t expires_ns;
	uint8_t data[KD_HELLO_SIZE];
	size_t len;
};

/**
 * struct kd_gate - the peer's door
 * @admit: a connection with the right token: 0 takes @fd, else it is dropped;
 *         called from the gate's thread
 *
 * Accepts until @expected flows were admitted, then closes the listener.
 * Connections that say the wrong token, nothing, or too little in time are
 * dropped; at most KD_GATE_PENDING of them are held, the oldest goes first.
 */
struct kd_gate {
	const struct kd_work_env *env;
	int (*admit)(void *arg, unsigned int index, unsigned int kind, int fd);
	void *arg;
	unsigned int expected;
	unsigned int admitted;
	unsigned int dropped;
	int listen_fd;
	int wake_fd;
	int done_fd;
	bool running;
	pthread_t thread;
	struct kd_gate_pending pending[KD_GATE_PENDING];
	unsigned int pending_count;
};

/** kd_gate_open() - start; @listen_fd is the gate's from here on, also on
 * failure */
int kd_gate_open(struct kd_gate *g, const struct kd_work_env *env,
		 int listen_fd, unsigned int expected,
		 int (*admit)(void *arg, unsigned int index, unsigned int kind,
			      int fd),
		 void *arg, struct kd_diag *d);

/** kd_gate_wait() - until all are in; bounded */
int kd_gate_wait(struct kd_gate *g, struct kd_diag *d);

/** kd_gate_close() - stop; right for a zeroed gate and a second time */
void kd_gate_close(struct kd_gate *g);

/** kd_hello_write() - fill @out with what the device says first */
void kd_hello_write(uint8_t out[KD_HELLO_SIZE], const uint8_t token[16],
		    unsigned int index, unsigned int kind);

/** kd_hello_read() - 0, or -EACCES for another token */
int kd_hello_read(const uint8_t in[KD_HELLO_SIZE], const uint8_t token[16],
		  unsigned int *index, unsigned int *kind);

#endif
