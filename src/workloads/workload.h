/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_WORKLOAD_H
#define KD_WORKLOADS_WORKLOAD_H

#include "base/diag.h"
#include "base/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kd_opt;

enum kd_role {
	KD_ROLE_DEVICE,		/* dials, and is the end that "tx" means */
	KD_ROLE_PEER,		/* listens */
};

/**
 * struct kd_work_env - one end of one run
 * @role:      which end this is
 * @addr:      peer's numeric address (device: to dial; peer: to bind)
 * @port:      chosen by the controller
 * @token:     16 bytes chosen by the controller; the device sends it first on
 *             every connection, the peer drops connections without it
 * @warmup_ns: traffic before the window
 * @length_ns: length of the window; 0 where the workload's size ends it
 * @cpus:      CPU list to pin the threads to ("0", "0-1"), NULL for anywhere
 * @deadline_ns: on kd_now()'s clock; by then every call must have returned
 * @cancelled: set from outside (any thread) to end the run at once
 * @children: told of a process group that the workload started, and when it is
 *             gone, so that it can be ended should this process die; may be NULL
 */
struct kd_work_env {
	enum kd_role role;
	const char *addr;
	uint16_t port;
	uint8_t token[16];
	uint64_t warmup_ns;
	uint64_t length_ns;
	const char *cpus;
	uint64_t deadline_ns;
	volatile const int *cancelled;
	void (*children)(void *arg, pid_t pgid, bool alive);
	void *children_arg;
};

/* the workload needs a peer at the other end */
#define KD_WORK_NEEDS_PEER 1u
/* the workload ends by itself (size, command); ->wait() says when */
#define KD_WORK_ENDS 2u
/* its first moments are not typical, though no agent is at the other end */
#define KD_WORK_WARMS_UP 4u

/**
 * struct kd_work_ops - one kind of workload
 * @name, @summary, @opts, @opts_size, @priv_size, @metrics: as kd_obs_ops
 * @flags:   KD_WORK_*
 * @check:   options that do not go together; before anything is touched, in
 *           the controller too; may be NULL
 * @ends:    does it end by itself with these options (a size), so that it has
 *           no time and no warm-up; NULL: as KD_WORK_ENDS says. Ask
 *           kd_work_has_end()
 * @needs_peer: does it with these options; NULL: as KD_WORK_NEEDS_PEER says.
 *           Ask kd_work_has_peer()
 * @prepare: allocate, listen (peer: must be listening when it returns) or
 *           connect (device); start threads that wait
 * @start:   let traffic flow
 * @begin:   the window opens: snapshot counters; t0 on kd_now()'s clock
 * @wait:    until the workload is over by itself or @until_ns has come,
 *           or env->cancelled; 0, or -errno when traffic broke (peer gone)
 * @end:     the window closes: snapshot counters
 * @stop:    end the traffic, join the threads
 * @result:  hand the window's figures to @sink
 * @sockets: as kd_obs_env; may be NULL
 * @fini:    free; called after any successful @prepare, after @stop or not
 *
 * Calls come in that order from one thread, which is in the right network
 * namespace; threads made in it inherit the namespace. Every metric says tx or
 * rx as seen by the device, and received figures come from the receiving end:
 * an end reports what it received; what it sent, it reports under names with
 * "sent".
 */
struct kd_work_ops {
	const char *name;
	const char *summary;
	const struct kd_opt *opts;
	size_t opts_size;
	size_t priv_size;
	unsigned int flags;
	const struct kd_metric_desc *metrics;
	int (*check)(const void *opts, struct kd_diag *d);
	bool (*ends)(const void *opts);
	bool (*needs_peer)(const void *opts);
	int (*prepare)(void *priv, const struct kd_work_env *env,
		       const void *opts, struct kd_diag *d);
	int (*start)(void *priv, struct kd_diag *d);
	int (*begin)(void *priv, uint64_t *t0_ns, struct kd_diag *d);
	int (*wait)(void *priv, uint64_t until_ns, struct kd_diag *d);
	int (*end)(void *priv, uint64_t *t1_ns, struct kd_diag *d);
	void (*stop)(void *priv);
	void (*result)(void *priv, struct kd_sink *sink);
	size_t (*sockets)(void *priv, int *fds, size_t max);
	void (*fini)(void *priv);
};

extern const struct kd_work_ops *const kd_work_table[];

/** kd_work_find() - by name, or NULL */
const struct kd_work_ops *kd_work_find(const char *name);

/** kd_work_has_end() - does it end by itself with these options */
bool kd_work_has_end(const struct kd_work_ops *ops, const void *opts);

/** kd_work_has_peer() - does it need a peer with these options */
bool kd_work_has_peer(const struct kd_work_ops *ops, const void *opts);

#endif
