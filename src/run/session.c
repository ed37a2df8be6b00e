// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An experiment under way: one run after the other. See session.h.
 */
#include "run/session.h"

#include "base/buf.h"
#include "base/clock.h"
#include "experiment/experiment.h"
#include "experiment/schedule.h"
#include "observers/observer.h"
#include "proto/json.h"
#include "run/boots.h"
#include "run/one.h"
#include "run/output.h"
#include "run/parts.h"
#include "run/record.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define CALL_NS (20 * KD_NS_PER_SEC)
#define MAX_LOSSES 5
#define PORT_TRIES 4

bool kd_session_is_stopped(const struct kd_session *s)
{
	return s->req->stop && *s->req->stop;
}

static json_t *knob_names(const struct kd_experiment *exp)
{
	json_t *names = json_array();

	for (size_t v = 0; v < exp->n_variants; v++)
		for (size_t i = 0; i < exp->variants[v].n_knobs; i++)
			json_array_append_new(
				names,
				kd_json_text(exp->variants[v].knobs[i].knob));
	return names;
}

static int lock(struct kd_session *s, struct kd_diag *d)
{
	struct kd_buf owner = { 0 };
	int r;

	kd_buf_printf(&owner, "experiment \"%s\", process %d", s->exp->name,
		      (int)getpid());
	r = kd_remote_call(&s->lab.device, "lock",
			   json_pack("{s:o,s:o}", "owner",
				     kd_json_text(kd_buf_str(&owner)), "knobs",
				     knob_names(s->exp)),
			   CALL_NS, NULL, d);
	kd_buf_fini(&owner);
	return r;
}

int kd_session_open(struct kd_session *s, struct kd_diag *d)
{
	int r = kd_lab_open(s->exp, s->req->agent, &s->lab, d);

	s->applied = -1;
	if (r)
		return r;
	if (s->lab.boots)
		return kd_boots_open(s, d);
	r = lock(s, d);
	if (!r)
		r = kd_knobset_open(s->exp, &s->lab.device, &s->knobs, d);
	if (r)
		kd_session_close(s);
	return r;
}

void kd_session_close(struct kd_session *s)
{
	kd_lab_close(&s->lab);
	kd_knobset_fini(&s->knobs);
	free(s->env_text);
	s->env_text = NULL;
	kd_boots_close(s);
	s->applied = -1;
}

static int read_environment(struct kd_session *s, struct kd_diag *d)
{
	json_t *answer = NULL;
	int r = kd_one_call(&s->lab.device, "env", NULL, CALL_NS, s->req->stop,
			    &answer, d);

	free(s->env_text);
	s->env_text = r ? NULL :
			  json_dumps(json_object_get(answer, "env"),
				     JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(answer);
	return r;
}

static int apply(struct kd_session *s, size_t variant, struct kd_diag *d)
{
	int r;

	if (s->applied == (int)variant)
		return 0;
	s->applied = -1;
	r = kd_knobset_apply(s->exp, variant, &s->lab.device, &s->knobs,
			     s->req->stop, d);
	if (!r)
		r = read_environment(s, d);
	if (!r)
		s->applied = (int)variant;
	return r;
}

static uint16_t draw_port(void)
{
	uint32_t v = 0;

	if (getrandom(&v, sizeof(v), 0) != sizeof(v))
		v = (uint32_t)kd_now();
	return (uint16_t)(KD_PORT_FIRST + v % KD_PORT_COUNT);
}

static void draw_token(char *hex)
{
	unsigned char raw[16] = { 0 };

	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		snprintf((char *)raw, sizeof(raw), "%llx",
			 (unsigned long long)kd_now());
	for (int i = 0; i < 16; i++)
		sprintf(hex + 2 * i, "%02x", raw[i]);
}

static int measure(struct kd_session *s, const struct kd_slot *slot,
		   struct kd_store_run *run, struct kd_diag *d)
{
	struct kd_parts p;
	int r = kd_parts_fill(&p, s, slot, d);

	draw_token(p.token);
	for (int i = 0; !r && i < PORT_TRIES; i++) {
		p.one.port = draw_port();
		snprintf(p.name, sizeof(p.name), "r%d.%d.%d", slot->round,
			 slot->seq, i);
		r = kd_one_run(&p.one, &s->lab.device,
			       p.how.has_peer ? &s->lab.peer : NULL, run, d);
		if (r != -EADDRINUSE || i + 1 == PORT_TRIES)
			break;
		kd_diag_clear(d);
		r = 0;
	}
	kd_parts_fini(&p);
	return r;
}

static int measure_here(struct kd_session *s, const struct kd_slot *slot,
			struct kd_store_run *run, struct kd_diag *d)
{
	const char *boot = kd_json_get_str(s->lab.device.hello, "boot", "");
	int r = apply(s, slot->variant, d);

	if (!r)
		r = measure(s, slot, run, d);
	run->boot_id = strdup(boot);
	run->environment = s->env_text ? strdup(s->env_text) : NULL;
	return r;
}

/* the agent is gone: start over with new ones, a few times */
static int recover(struct kd_session *s, struct kd_diag *d)
{
	kd_session_close(s);
	if (++s->losses > MAX_LOSSES)
		return kd_fail(d, -ECONNRESET,
			       "the agents were lost %u times", s->losses);
	return kd_session_open(s, d);
}

static int keep(struct kd_session *s, const struct kd_slot *slot,
		struct kd_store_run *run, const struct kd_diag *why,
		struct kd_diag *d)
{
	const struct kd_run_event *failure = kd_record_failure(run);
	char reason[1200] = "";
	int r;

	if (why->err == -EINTR)
		run->status = KD_RUN_INTERRUPTED;
	else if (why->err || failure)
		run->status = KD_RUN_FAILED;
	else if (slot->round == KD_ROUND_WARMUP)
		run->status = KD_RUN_SUPERSEDED;
	if (why->err == -EINTR)
		strcpy(reason, "interrupted");
	else if (why->err)
		kd_diag_format(why, reason, sizeof(reason));
	else if (failure)
		snprintf(reason, sizeof(reason), "%s%.1000s",
			 strcmp(failure->kind, "exec") ? "the kernel said: " : "",
			 failure->text);
	else if (slot->round == KD_ROUND_WARMUP)
		strcpy(reason, "warm-up round");
	run->reason = reason[0] ? strdup(reason) : NULL;
	r = kd_store_add_run(s->store, s->id, run, d);
	if (!r && s->req->watch && s->req->watch->done)
		s->req->watch->done(s->req->watch->arg, slot, run);
	return r;
}

int kd_session_slot(struct kd_session *s, const struct kd_slot *slot,
		    int attempt, bool *ok, struct kd_diag *d)
{
	struct kd_diag why = { 0 };
	struct kd_store_run run = {
		.variant = (int)slot->variant,
		.workload = (int)slot->workload,
		.round = slot->round,
		.slot = slot->seq,
		.seq = s->seq++,
		.attempt = attempt,
		.started_wall_ns = kd_wall(),
	};
	bool refused = false;
	const struct kd_exp_pair *parse = kd_experiment_option(
		s->exp, slot->variant, slot->workload, "parse");
	int r = s->lab.boots ? kd_boots_run(s, slot, &run, &refused, &why) :
			       measure_here(s, slot, &run, &why);
	if (!r && parse)
		r = kd_output_read(&run, parse->value, &why);
	if (r == -EINTR && !why.err)
		kd_fail(&why, -EINTR, "interrupted");
	r = keep(s, slot, &run, &why, d);
	*ok = run.status != KD_RUN_FAILED && run.status != KD_RUN_INTERRUPTED;
	kd_store_run_fini(&run);
	s->worked |= *ok;
	if (r)
		return r;
	if (why.err == -EINTR)
		return -EINTR;
	/* what never worked will not in the next round either */
	if (why.err && refused && !s->worked) {
		*d = why;
		return why.err;
	}
	if (why.err && (s->lab.device.lost || s->lab.peer.lost))
		return recover(s, d);
	return 0;
}
