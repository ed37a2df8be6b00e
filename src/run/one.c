// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One run over two agents. The order is that of docs/protocol.md: the peer
 * listens, the device dials, both start, both are collected.
 */
#include "run/one.h"

#include "base/clock.h"
#include "proto/json.h"
#include "proto/result.h"
#include "run/record.h"
#include "run/remote.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_NS (15 * KD_NS_PER_SEC)
#define SLACK_NS (10 * KD_NS_PER_SEC)
#define ABORT_NS (10 * KD_NS_PER_SEC)

static int answer(struct kd_remote *r, json_int_t id, const char *op,
		  uint64_t timeout_ns, const volatile sig_atomic_t *stop,
		  json_t **out, struct kd_diag *d)
{
	uint64_t deadline = kd_now() + timeout_ns;
	int err;

	do {
		uint64_t now = kd_now();

		err = kd_remote_answer(r, id, op,
				       deadline > now ? deadline - now : 0, out,
				       d);
	} while (err == -EINTR && !(stop && *stop));
	return err;
}

int kd_one_call(struct kd_remote *r, const char *op, json_t *args,
		uint64_t timeout_ns, const volatile sig_atomic_t *stop,
		json_t **out, struct kd_diag *d)
{
	json_int_t id = kd_remote_send(r, op, args, CALL_NS, d);

	if (id < 0)
		return (int)id;
	return answer(r, id, op, timeout_ns, stop, out, d);
}

static json_t *work(const struct kd_one *one, bool device)
{
	const char *cpus = device ? one->device_cpus : one->peer_cpus;
	json_t *w = json_pack("{s:s,s:s,s:s,s:s,s:i}", "kind", one->kind, "role",
			      device ? "device" : "peer", "opts", one->opts,
			      "token", one->token, "port", (int)one->port);

	json_object_set_new(w, "addr",
			    json_string(one->addr ? one->addr : ""));
	if (cpus)
		json_object_set_new(w, "cpus", json_string(cpus));
	return w;
}

json_t *kd_one_args(const struct kd_one *one, bool device)
{
	json_t *args = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "run",
				 one->name, "work", work(one, device), "warmup",
				 kd_json_u64(one->warmup_ns), "length",
				 kd_json_u64(one->length_ns), "cooldown",
				 kd_json_u64(one->cooldown_ns), "period",
				 kd_json_u64(one->period_ns), "deadline",
				 kd_json_u64(one->deadline_ns));

	if (device && one->observe)
		json_object_set(args, "observe", (json_t *)one->observe);
	return args;
}

static int prepare(const struct kd_one *one, struct kd_remote *r, bool device,
		   json_t **out, struct kd_diag *d)
{
	return kd_one_call(r, "run.prepare", kd_one_args(one, device),
			   CALL_NS + SLACK_NS, one->stop, out, d);
}

static int simple(const struct kd_one *one, struct kd_remote *r, const char *op,
		  uint64_t timeout_ns, const volatile sig_atomic_t *stop,
		  struct kd_diag *d)
{
	return kd_one_call(r, op, json_pack("{s:s}", "run", one->name),
			   timeout_ns, stop, NULL, d);
}

static void abort_run(const struct kd_one *one, struct kd_remote *r)
{
	if (r && !r->lost)
		simple(one, r, "run.abort", ABORT_NS, NULL, NULL);
}

static int keep(struct kd_record *rec, const json_t *answer_frame,
		enum kd_run_from from, uint64_t *window_ns, struct kd_diag *d)
{
	const json_t *result = json_object_get(answer_frame, "result");

	rec->from = from;
	*window_ns = kd_json_get_u64(result, "t1", 0) -
		     kd_json_get_u64(result, "t0", 0);
	return kd_result_replay(result, &rec->sink, d);
}

static int collect(const struct kd_one *one, struct kd_remote *r,
		   json_t **frame, struct kd_diag *d)
{
	return kd_one_call(r, "run.wait", json_pack("{s:s}", "run", one->name),
			   one->deadline_ns + SLACK_NS, one->stop, frame, d);
}

static int await_window(const struct kd_one *one, struct kd_remote *r,
			struct kd_diag *d)
{
	return simple(one, r, "run.window", one->deadline_ns + SLACK_NS,
		      one->stop, d);
}

static bool same_figure(const struct kd_run_metric *a,
			const struct kd_run_metric *b)
{
	return !strcmp(a->name, b->name) &&
	       !strcmp(a->instance ? a->instance : "",
		       b->instance ? b->instance : "");
}

/*
 * What the peer received is the run's own figure. Only what both ends report
 * under one name, and the peer's sampler, stay the peer's.
 */
static void adopt(struct kd_store_run *run)
{
	for (size_t i = 0; i < run->n_metrics; i++) {
		struct kd_run_metric *m = &run->metrics[i];
		size_t k;

		if (m->from != KD_FROM_PEER || !strncmp(m->name, "sampler.", 8))
			continue;
		for (k = 0; k < i; k++)
			if (same_figure(&run->metrics[k], m))
				break;
		if (k == i)
			m->from = KD_FROM_DEVICE;
	}
}

/* more than 1 % between the two windows is said with the run; a transfer of a
 * size has the receiver's window, from its first byte to its last */
static void compare_windows(const struct kd_one *one, struct kd_record *rec)
{
	const struct kd_store_run *run = rec->run;
	double a = (double)run->device_window_ns;
	double b = (double)run->peer_window_ns;

	if (one->length_ns && a > 0 && b > 0 && fabs(a - b) > 0.01 * fmax(a, b))
		rec->sink.event(&rec->sink, "window", 0, 0,
				"the windows of device and peer differ by more "
				"than 1 %");
}

static void keep_skipped(struct kd_record *rec, const json_t *ready)
{
	char text[600];
	size_t i;
	json_t *o;

	json_array_foreach(json_object_get(ready, "skipped"), i, o) {
		snprintf(text, sizeof(text), "%s: %s",
			 kd_json_get_str(o, "observer", ""),
			 kd_json_get_str(o, "why", ""));
		rec->sink.event(&rec->sink, "skipped", 0, 0, text);
	}
}

int kd_one_keep(const struct kd_one *one, const json_t *ready,
		const json_t *device, const json_t *peer, int cpus,
		struct kd_store_run *run, struct kd_diag *d)
{
	struct kd_record rec;
	int err;

	kd_record_init(&rec, run);
	keep_skipped(&rec, ready);
	err = keep(&rec, device, KD_FROM_DEVICE, &run->device_window_ns, d);
	if (!err && peer)
		err = keep(&rec, peer, KD_FROM_PEER, &run->peer_window_ns, d);
	if (err)
		return err;
	if (!rec.err) {
		adopt(run);
		compare_windows(one, &rec);
		kd_record_derive(&rec, cpus);
	}
	return rec.err ? kd_fail(d, rec.err, "out of memory") : 0;
}

int kd_one_run(const struct kd_one *one, struct kd_remote *device,
	       struct kd_remote *peer, struct kd_store_run *run,
	       struct kd_diag *d)
{
	json_t *ready = NULL, *ours = NULL, *theirs = NULL;
	int err = 0;

	if (peer)
		err = prepare(one, peer, false, NULL, d);
	if (!err)
		err = prepare(one, device, true, &ready, d);
	if (!err && peer)
		err = simple(one, peer, "run.start", CALL_NS, one->stop, d);
	if (!err)
		err = simple(one, device, "run.start", CALL_NS, one->stop, d);
	/* neither end's traffic stops in the other's window */
	if (!err && peer)
		err = await_window(one, device, d);
	if (!err && peer)
		err = await_window(one, peer, d);
	if (!err)
		err = collect(one, device, &ours, d);
	if (!err && peer)
		err = collect(one, peer, &theirs, d);
	if (err) {
		abort_run(one, device);
		abort_run(one, peer);
	} else {
		err = kd_one_keep(one, ready, ours, theirs,
				  (int)json_integer_value(json_object_get(
					  device->hello, "cpus")),
				  run, d);
	}
	json_decref(ready);
	json_decref(ours);
	json_decref(theirs);
	return err;
}
