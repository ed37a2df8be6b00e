/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_GUARDIAN_H
#define KD_KNOBS_GUARDIAN_H

#include "base/diag.h"

#include <sys/types.h>

struct kd_journal;
struct kd_knob_env;

/**
 * struct kd_guardian - a process that outlives the agent by a moment
 *
 * It has the journal, the namespace that it was started in, and one end of a
 * socket pair whose other end is the agent's alone (close-on-exec). When that
 * end closes without kd_guardian_release(), however the agent died, the
 * guardian kills the process groups that it was told of, puts every knob back
 * and leaves. It is in a session of its own, ignores the signals that end a
 * session, and keeps none of the agent's other files open.
 *
 * A child that the agent forks and that does not exec keeps the guardian
 * waiting for as long as it lives: let it close what it does not need.
 */
struct kd_guardian;

/**
 * kd_guardian_start() - right after kd_journal_open(), before anything is set
 * @j, @env: as for kd_journal_restore(); copied into the new process
 */
int kd_guardian_start(struct kd_journal *j, const struct kd_knob_env *env,
		      struct kd_guardian **out, struct kd_diag *d);

/** kd_guardian_children() - kill process group @pgid too when the agent dies;
 * told as soon as the group is there. @g may be NULL: then nothing is done. */
void kd_guardian_children(struct kd_guardian *g, pid_t pgid);

/** kd_guardian_children_ended() - that group is gone; its number may come
 * again */
void kd_guardian_children_ended(struct kd_guardian *g, pid_t pgid);

/** kd_guardian_pid() - of the guardian; 0 for NULL */
pid_t kd_guardian_pid(const struct kd_guardian *g);

/** kd_guardian_release() - the agent has restored: nothing is left to do. Waits
 * for the guardian's end; frees @g; NULL is fine */
void kd_guardian_release(struct kd_guardian *g);

#endif
