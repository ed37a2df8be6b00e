/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_AGENT_SESSION_H
#define KD_AGENT_SESSION_H

#include "base/diag.h"
#include "proto/conn.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define KD_AGENT_MAX_RUNS 8

struct kd_agent_run;
struct kd_guardian;
struct kd_journal;
struct kd_root;

/**
 * struct kd_agent_slot - a run
 * @window_id, @wait_id: "run.window" and "run.wait" that were asked and are not
 *                       answered yet, or 0
 */
struct kd_agent_slot {
	struct kd_agent_run *run;
	json_int_t window_id;
	json_int_t wait_id;
};

/**
 * struct kd_agent - one session
 * @child: the agent of the peer, where this one routes to it; its conn's
 *         descriptors are valid when @child_pid is not 0
 * @last_answer: to answer a repeated request again
 */
struct kd_agent {
	struct kd_conn conn;
	struct kd_root *root;
	const char *ifname;
	const char *state_dir;
	bool batch;
	int notify_fd;
	struct kd_agent_slot slots[KD_AGENT_MAX_RUNS];
	struct kd_journal *journal;
	struct kd_guardian *guardian;
	struct kd_conn child;
	pid_t child_pid;
	json_int_t last_id;
	json_t *last_answer;
};

/** kd_agent_handle() - do what one frame asks, answer it or note that the
 * answer comes later; an error means that the session cannot go on */
int kd_agent_handle(struct kd_agent *a, const json_t *frame,
		    struct kd_diag *d);

/** kd_agent_answer() - send @answer (stolen) for request @id */
int kd_agent_answer(struct kd_agent *a, json_int_t id, json_t *answer,
		    const struct kd_diag *error, struct kd_diag *d);

/** kd_agent_reap() - answer the waits of runs that are over */
int kd_agent_reap(struct kd_agent *a, struct kd_diag *d);

/** kd_agent_end_runs() - cancel and free all runs */
void kd_agent_end_runs(struct kd_agent *a);

#endif
