/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_RUN_H
#define KD_RUN_RUN_H

#include "base/diag.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct kd_experiment;
struct kd_lab;
struct kd_slot;
struct kd_store_run;

/**
 * struct kd_run_watch - who follows an experiment; each may be NULL
 * @begin: it is about to run: @rounds at most (0: until decided), @round_ns each
 * @slot:  a run starts; @index of @total in its round
 * @done:  a run was stored
 * @round: a round is over; @decided: and it was the last one needed
 */
struct kd_run_watch {
	void (*begin)(void *arg, int64_t id, const struct kd_lab *lab,
		      int rounds, uint64_t round_ns);
	void (*slot)(void *arg, const struct kd_slot *slot, size_t index,
		     size_t total);
	void (*done)(void *arg, const struct kd_slot *slot,
		     const struct kd_store_run *run);
	void (*round)(void *arg, int round, bool decided);
	void *arg;
};

/**
 * struct kd_run_request - what to run
 * @exp:     its plan's seed is drawn where it is 0
 * @store:   path, or NULL for the usual one
 * @agent:   command that starts an agent on this machine
 * @resume:  id to go on with; 0: a new experiment
 * @force:   resume although the file or the kernel changed
 * @variant: run this one alone; -1: all
 * @stop:    set by a signal: end in order
 */
struct kd_run_request {
	struct kd_experiment *exp;
	const char *store;
	const char *agent;
	const char *version;
	int64_t resume;
	bool force;
	int variant;
	const volatile sig_atomic_t *stop;
	const struct kd_run_watch *watch;
};

struct kd_run_outcome {
	int64_t id;
	unsigned int ok;
	unsigned int failed;	/* and not made good by a retry */
	bool interrupted;
};

/**
 * kd_run() - run an experiment
 *
 * Each run is in the store when its @done is called. Whatever happens, the
 * agents have put every knob back when this returns, or the next `kdelta
 * restore` does.
 * Return: 0, also when interrupted; else why the experiment could not go on;
 * @outcome stands in both cases.
 */
int kd_run(const struct kd_run_request *req, struct kd_run_outcome *outcome,
	   struct kd_diag *d);

#endif
