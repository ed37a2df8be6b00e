/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_PARTS_H
#define KD_RUN_PARTS_H

#include "base/buf.h"
#include "experiment/experiment.h"
#include "run/one.h"

struct kd_session;
struct kd_slot;

/**
 * struct kd_parts - a run of the schedule, and what it borrows from
 * @one: points into the rest: not to be copied
 */
struct kd_parts {
	struct kd_one one;
	struct kd_exp_run how;
	struct kd_buf opts;
	json_t *observe;
	char name[48];
	char token[33];
};

/** kd_parts_fill() - all but port, token and name, which are left to the caller;
 * kd_parts_fini() also after a failure */
int kd_parts_fill(struct kd_parts *p, const struct kd_session *s,
		  const struct kd_slot *slot, struct kd_diag *d);

void kd_parts_fini(struct kd_parts *p);

#define KD_PORT_FIRST 20000
#define KD_PORT_COUNT 12000

#endif
