/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_SESSION_H
#define KD_RUN_SESSION_H

#include "run/knobset.h"
#include "run/lab.h"
#include "run/run.h"
#include "store/store.h"

struct kd_boots;

/**
 * struct kd_session - an experiment under way
 * @applied:  variant that the device is set to; -1: none
 * @env_text: environment under it, JSON
 * @seq:      of the next run
 * @boots:    devices under way, where each run starts one
 * @worked:   a run has been measured
 */
struct kd_session {
	const struct kd_run_request *req;
	struct kd_experiment *exp;
	struct kd_lab lab;
	struct kd_knobset knobs;
	struct kd_store *store;
	int64_t id;
	int applied;
	char *env_text;
	int seq;
	unsigned int losses;
	struct kd_boots *boots;
	bool worked;
	struct kd_run_outcome *outcome;
};

/** kd_session_open() - agents, lock, knobs; also after a loss */
int kd_session_open(struct kd_session *s, struct kd_diag *d);

/** kd_session_close() - knobs go back, agents leave */
void kd_session_close(struct kd_session *s);

/** kd_session_is_stopped() - has the user had enough */
bool kd_session_is_stopped(const struct kd_session *s);

/**
 * kd_session_slot() - one run: set the variant, run, store
 * @ok: it was measured
 * Return: 0 also for a failed run; -EINTR; else the experiment cannot go on.
 */
struct kd_slot;
int kd_session_slot(struct kd_session *s, const struct kd_slot *slot,
		    int attempt, bool *ok, struct kd_diag *d);

#endif
