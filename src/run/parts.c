// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a slot of the schedule to what its ends are told. See parts.h.
 */
#include "run/parts.h"

#include "experiment/schedule.h"
#include "run/session.h"
#include "workloads/workload.h"

#include <string.h>

static json_t *observers(const struct kd_experiment *exp)
{
	json_t *list = json_array();

	for (size_t i = 0; i < exp->n_observers; i++) {
		const struct kd_exp_observer *o = &exp->observers[i];

		json_array_append_new(list, json_pack("{s:s,s:s}", "name",
						      o->name, "opts",
						      o->options ?: ""));
	}
	return list;
}

int kd_parts_fill(struct kd_parts *p, const struct kd_session *s,
		  const struct kd_slot *slot, struct kd_diag *d)
{
	int r;

	memset(p, 0, sizeof(*p));
	r = kd_experiment_run(s->exp, slot->variant, slot->workload, &p->how,
			      &p->opts, d);
	p->observe = observers(s->exp);
	p->one = (struct kd_one){
		.name = p->name,
		.kind = s->exp->workloads[slot->workload].ops->name,
		.opts = kd_buf_str(&p->opts),
		.addr = p->how.has_peer ? s->lab.peer_addr : NULL,
		.token = p->token,
		.device_cpus = p->how.cpus,
		.peer_cpus = p->how.peer_cpus,
		.observe = p->observe,
		.warmup_ns = p->how.warmup_ns,
		.length_ns = p->how.time_ns,
		.cooldown_ns = p->how.cooldown_ns,
		.period_ns = (uint64_t)(1e9 / s->exp->plan.hz),
		.deadline_ns = p->how.deadline_ns,
		.stop = s->req->stop,
	};
	return r;
}

void kd_parts_fini(struct kd_parts *p)
{
	json_decref(p->observe);
	kd_buf_fini(&p->opts);
	kd_exp_run_fini(&p->how);
}
