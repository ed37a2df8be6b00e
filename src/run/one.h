/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_ONE_H
#define KD_RUN_ONE_H

#include "base/diag.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

struct kd_remote;
struct kd_store_run;

/**
 * struct kd_one - what one run is made of
 * @name:   unique in the session
 * @kind, @opts: of the workload; options as "key=value,..."
 * @addr, @port: of the peer; NULL: no peer is needed
 * @token:  32 hexadecimal digits
 * @device_cpus, @peer_cpus: to pin the threads to; NULL: anywhere
 * @observe: array for the device's run.prepare; borrowed
 * @warmup_ns, @length_ns, @cooldown_ns, @period_ns: length 0: the workload's
 *          end is the window's
 * @deadline_ns: how long the whole run may take
 * @stop:   becomes non-zero when the user has had enough
 */
struct kd_one {
	const char *name;
	const char *kind;
	const char *opts;
	const char *addr;
	uint16_t port;
	const char *token;
	const char *device_cpus;
	const char *peer_cpus;
	const json_t *observe;
	uint64_t warmup_ns;
	uint64_t length_ns;
	uint64_t cooldown_ns;
	uint64_t period_ns;
	uint64_t deadline_ns;
	const volatile sig_atomic_t *stop;
};

/**
 * kd_one_run() - prepare, start and collect one run on both ends
 * @peer: NULL where the workload needs none
 * @run:  metrics, series, histograms, events and window lengths are filled in
 * Return: 0; -EINTR when *@stop was set; else the failure of whichever end saw
 * it first, with both ends brought back to rest (or marked lost).
 */
int kd_one_run(const struct kd_one *one, struct kd_remote *device,
	       struct kd_remote *peer, struct kd_store_run *run,
	       struct kd_diag *d);

/** kd_one_args() - the arguments of run.prepare for the device or the peer; a
 * new reference */
json_t *kd_one_args(const struct kd_one *one, bool device);

/**
 * kd_one_keep() - both ends' answers to run.wait as one run
 * @ready:  the device's answer to run.prepare: which observers it does without
 *          is kept as events "skipped"
 * @device, @peer: the answers; @peer NULL where the workload needs none
 * @cpus:  of the device
 */
int kd_one_keep(const struct kd_one *one, const json_t *ready,
		const json_t *device, const json_t *peer, int cpus,
		struct kd_store_run *run, struct kd_diag *d);

/** kd_one_call() - kd_remote_call() that goes on after signals other than a
 * stop */
int kd_one_call(struct kd_remote *r, const char *op, json_t *args,
		uint64_t timeout_ns, const volatile sig_atomic_t *stop,
		json_t **answer, struct kd_diag *d);

#endif
