/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_AGENT_RUN_H
#define KD_AGENT_RUN_H

#include "base/diag.h"

#include <stdbool.h>

#include <jansson.h>

struct kd_guardian;
struct kd_root;

/**
 * struct kd_agent_run - one end of one run, on a thread of its own
 *
 * The thread prepares, waits for the start, then lets warm-up, window and
 * cool-down pass on its own clock. docs/protocol.md has the order.
 */
struct kd_agent_run;

/**
 * kd_agent_run_new() - prepare a run
 * @request: "run.prepare"
 * @ifname: the experiment's interface or NULL; borrowed for as long as the run
 * @notify_fd: an eventfd, written to when the run is over
 * @guardian: ends the workload's children should the agent die; may be NULL
 * @skipped: observers that cannot work here, for the answer; caller's
 *
 * Returns when the workload listens or has dialled, or could not.
 */
int kd_agent_run_new(const json_t *request, const struct kd_root *root,
		     const char *ifname, struct kd_guardian *guardian,
		     int notify_fd,
		     struct kd_agent_run **out, json_t **skipped,
		     struct kd_diag *d);

const char *kd_agent_run_name(const struct kd_agent_run *run);
int kd_agent_run_start(struct kd_agent_run *run, struct kd_diag *d);
bool kd_agent_run_is_started(struct kd_agent_run *run);
bool kd_agent_run_is_done(struct kd_agent_run *run);

/** kd_agent_run_is_counted() - its window is over, or the run has failed */
bool kd_agent_run_is_counted(struct kd_agent_run *run);
void kd_agent_run_await_counted(struct kd_agent_run *run);

/** kd_agent_run_await() - its result is asked for: traffic may end */
void kd_agent_run_await(struct kd_agent_run *run);

/** kd_agent_run_join() - wait for the end; the "result" (borrowed) or NULL with
 * the reason in @d */
const json_t *kd_agent_run_join(struct kd_agent_run *run, struct kd_diag *d);

/** kd_agent_run_free() - cancels what still runs, waits for it */
void kd_agent_run_free(struct kd_agent_run *run);

#endif
