/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_AGENT_KNOBS_H
#define KD_AGENT_KNOBS_H

#include <jansson.h>

struct kd_agent;
struct kd_diag;

/* "lock", "knob.get", "knob.set", "knob.restore" of docs/protocol.md */
int kd_agent_op_lock(struct kd_agent *a, const json_t *request, json_t *answer,
		     struct kd_diag *d);
int kd_agent_op_get(struct kd_agent *a, const json_t *request, json_t *answer,
		    struct kd_diag *d);
int kd_agent_op_set(struct kd_agent *a, const json_t *request, json_t *answer,
		    struct kd_diag *d);
int kd_agent_op_restore(struct kd_agent *a, const json_t *request,
			json_t *answer, struct kd_diag *d);

/** kd_agent_knobs_end() - put every knob back, give the device free */
void kd_agent_knobs_end(struct kd_agent *a);

#endif
