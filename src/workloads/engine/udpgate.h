/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_UDPGATE_H
#define KD_WORKLOADS_ENGINE_UDPGATE_H

#include "base/diag.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct kd_work_env;

/**
 * struct kd_udp_opts - options that udp and rr share
 */
struct kd_udp_opts {
	uint64_t sndbuf;
	uint64_t rcvbuf;
	int64_t tos;
	char *bind;
	char *device;
};

/**
 * struct kd_udpgate - the peer's door for UDP
 * @fds: one connected socket for each flow, -1 until it was admitted; the
 *       caller's after kd_udpgate_close()
 *
 * The device sends the hello of each flow until it is echoed. The peer answers
 * the one with the right token from a socket that is connected to the sender;
 * all others get no answer. The gate echoes repeated hellos until it is closed.
 */
struct kd_udpgate {
	const struct kd_work_env *env;
	const struct kd_udp_opts *opts;
	unsigned int expected;
	unsigned int admitted;
	int listen_fd;
	int wake_fd;
	int *fds;
	unsigned int *kinds;
	bool *has_payload;
	bool running;
	int stop;
	pthread_t thread;
};

int kd_udpgate_open(struct kd_udpgate *g, const struct kd_work_env *env,
		    const struct kd_udp_opts *o, unsigned int expected,
		    struct kd_diag *d);
int kd_udpgate_wait(struct kd_udpgate *g, struct kd_diag *d);
void kd_udpgate_close(struct kd_udpgate *g);
void kd_udpgate_fini(struct kd_udpgate *g);

/** kd_udp_dial() - a connected socket that the peer has admitted */
int kd_udp_dial(const struct kd_work_env *env, const struct kd_udp_opts *o,
		unsigned int index, unsigned int kind, struct kd_diag *d);

#endif
