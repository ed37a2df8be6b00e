/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_GUARDIAN_H
#define KD_KNOBS_GUARDIAN_H

#include "base/diag.h"

#include <sys/types.h>

struct kd_journal;
struct kd_knob_env;

/**
 * struct kd_guardian - a process that outlives the agent by a second
 *
 * It holds the journal and one end of a socket pair. When the agent is gone,
 * however it died, the guardian restores every knob, in the namespace that it
 * was started in. The workload's children die with the agent (PDEATHSIG).
 */
struct kd_guardian;

int kd_guardian_start(struct kd_journal *j, const struct kd_knob_env *env,
		      struct kd_guardian **out, struct kd_diag *d);

/** kd_guardian_release() - the agent has restored: nothing is left to do */
void kd_guardian_release(struct kd_guardian *g);

#endif
