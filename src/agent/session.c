// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What requests do. See docs/protocol.md; one function an operation.
 */
#include "agent/session.h"

#include "agent/knobs.h"
#include "agent/run.h"
#include "base/clock.h"
#include "base/root.h"
#include "knobs/knob.h"
#include "observers/env.h"
#include "observers/observer.h"
#include "proto/json.h"
#include "workloads/workload.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SEND_NS (10 * KD_NS_PER_SEC)

struct op {
	const char *name;
	int (*run)(struct kd_agent *a, const json_t *request, json_t *answer,
		   struct kd_diag *d);
};

int kd_agent_answer(struct kd_agent *a, json_int_t id, json_t *answer,
		    const struct kd_diag *error, struct kd_diag *d)
{
	json_t *frame = json_pack("{s:i,s:I}", "kd", 1, "re", id);
	int r;

	if (error && error->err) {
		json_object_set_new(frame, "error", kd_json_diag(error));
	} else {
		json_object_set_new(frame, "ok", json_true());
		json_object_update(frame, answer);
	}
	json_decref(answer);
	json_decref(a->last_answer);
	a->last_answer = frame;
	a->last_id = id;
	r = kd_conn_send(&a->conn, frame, kd_now() + SEND_NS, d);
	return r;
}

static struct kd_agent_slot *find_slot(struct kd_agent *a, const char *name)
{
	for (int i = 0; i < KD_AGENT_MAX_RUNS; i++)
		if (a->slots[i].run &&
		    !strcmp(kd_agent_run_name(a->slots[i].run), name))
			return &a->slots[i];
	return NULL;
}

static struct kd_agent_slot *named_slot(struct kd_agent *a, const json_t *req,
					struct kd_diag *d)
{
	const char *name = kd_json_get_str(req, "run", "");
	struct kd_agent_slot *slot = find_slot(a, name);

	if (!slot)
		kd_fail(d, -ENOENT, "there is no run \"%s\" here", name);
	return slot;
}

static json_t *names(const void *table)
{
	const char *const *const *rows = table;
	json_t *list = json_array();

	/* every table of operations begins with its name */
	for (; *rows; rows++)
		json_array_append_new(list, json_string(**rows));
	return list;
}

static int op_hello(struct kd_agent *a, const json_t *request, json_t *answer,
		    struct kd_diag *d)
{
	char boot[64] = "";
	struct utsname u;

	uname(&u);
	kd_root_read_line(a->root, "/proc/sys/kernel/random/boot_id", boot,
			  sizeof(boot));
	json_object_set_new(answer, "version", json_string(KD_VERSION));
	json_object_set_new(answer, "workloads", names(kd_work_table));
	json_object_set_new(answer, "observers", names(kd_obs_table));
	json_object_set_new(answer, "knobs", names(kd_knob_table));
	json_object_set_new(answer, "boot", kd_json_text(boot));
	json_object_set_new(answer, "pid", json_integer(getpid()));
	json_object_set_new(answer, "kernel", kd_json_text(u.release));
	json_object_set_new(answer, "machine", kd_json_text(u.machine));
	json_object_set_new(answer, "cpus",
			    json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(answer, "batch", json_boolean(a->batch));
	json_object_set_new(answer, "peer", json_boolean(a->child_pid > 0));
	return 0;
}

static void add_env(void *arg, const char *key, const char *value)
{
	json_object_set_new(arg, key, kd_json_text(value));
}

static int op_env(struct kd_agent *a, const json_t *request, json_t *answer,
		  struct kd_diag *d)
{
	json_t *env = json_object();

	json_object_set_new(answer, "env", env);
	return kd_env_collect(a->root, add_env, env, d);
}

static int op_ping(struct kd_agent *a, const json_t *request, json_t *answer,
		   struct kd_diag *d)
{
	return 0;
}

static int op_prepare(struct kd_agent *a, const json_t *request,
		      json_t *answer, struct kd_diag *d)
{
	struct kd_agent_slot *slot = NULL;
	json_t *skipped;
	int r;

	if (find_slot(a, kd_json_get_str(request, "run", "")))
		return kd_fail(d, -EEXIST, "there is such a run already");
	for (int i = 0; !slot && i < KD_AGENT_MAX_RUNS; i++)
		if (!a->slots[i].run)
			slot = &a->slots[i];
	if (!slot)
		return kd_fail(d, -EBUSY, "%d runs at once are too many",
			       KD_AGENT_MAX_RUNS);
	r = kd_agent_run_new(request, a->root, a->ifname, a->guardian,
			     a->notify_fd, &slot->run, &skipped, d);
	if (r)
		return r;
	slot->wait_id = slot->window_id = 0;
	json_object_set_new(answer, "skipped", skipped);
	return 0;
}

static int op_start(struct kd_agent *a, const json_t *request, json_t *answer,
		    struct kd_diag *d)
{
	struct kd_agent_slot *slot = named_slot(a, request, d);

	return slot ? kd_agent_run_start(slot->run, d) : -ENOENT;
}

static int op_abort(struct kd_agent *a, const json_t *request, json_t *answer,
		    struct kd_diag *d)
{
	struct kd_agent_slot *slot = named_slot(a, request, d);

	if (!slot)
		return -ENOENT;
	kd_agent_run_free(slot->run);
	slot->run = NULL;
	return 0;
}

static const struct op ops[] = {
	{ "hello", op_hello },
	{ "env", op_env },
	{ "ping", op_ping },
	{ "lock", kd_agent_op_lock },
	{ "knob.get", kd_agent_op_get },
	{ "knob.set", kd_agent_op_set },
	{ "knob.restore", kd_agent_op_restore },
	{ "run.prepare", op_prepare },
	{ "run.start", op_start },
	{ "run.abort", op_abort },
};

static int answer_wait(struct kd_agent *a, struct kd_agent_slot *slot,
		       struct kd_diag *d)
{
	struct kd_diag why = { 0 };
	const json_t *result = kd_agent_run_join(slot->run, &why);
	json_t *answer = json_object();
	json_int_t id = slot->wait_id;

	if (result)
		json_object_set(answer, "result", (json_t *)result);
	kd_agent_run_free(slot->run);
	slot->run = NULL;
	return kd_agent_answer(a, id, answer, &why, d);
}

/* the run that a wait is for, started already where nothing else is read while
 * it waits */
static struct kd_agent_slot *waited_slot(struct kd_agent *a,
					 const json_t *request,
					 struct kd_diag *d)
{
	struct kd_agent_slot *slot = named_slot(a, request, d);

	if (slot && a->batch && !kd_agent_run_is_started(slot->run)) {
		kd_fail(d, -EINVAL, "run %s has not been started",
			kd_agent_run_name(slot->run));
		return NULL;
	}
	return slot;
}

static int answer_window(struct kd_agent *a, struct kd_agent_slot *slot,
			 struct kd_diag *d)
{
	struct kd_diag why = { 0 };
	json_int_t id = slot->window_id;

	slot->window_id = 0;
	return kd_agent_answer(a, id, json_object(), &why, d);
}

/* answered when the window is over; a batch waits here */
static int handle_window(struct kd_agent *a, json_int_t id,
			 const json_t *request, struct kd_diag *d)
{
	struct kd_diag why = { 0 };
	struct kd_agent_slot *slot = waited_slot(a, request, &why);

	if (!slot)
		return kd_agent_answer(a, id, json_object(), &why, d);
	slot->window_id = id;
	if (a->batch)
		kd_agent_run_await_counted(slot->run);
	return kd_agent_run_is_counted(slot->run) ? answer_window(a, slot, d) :
						    0;
}

/* answered when the run is over; a batch waits here */
static int handle_wait(struct kd_agent *a, json_int_t id, const json_t *request,
		       struct kd_diag *d)
{
	struct kd_diag why = { 0 };
	struct kd_agent_slot *slot = waited_slot(a, request, &why);

	if (!slot)
		return kd_agent_answer(a, id, json_object(), &why, d);
	slot->wait_id = id;
	kd_agent_run_await(slot->run);
	if (a->batch || kd_agent_run_is_done(slot->run))
		return answer_wait(a, slot, d);
	return 0;
}

int kd_agent_reap(struct kd_agent *a, struct kd_diag *d)
{
	for (int i = 0; i < KD_AGENT_MAX_RUNS; i++) {
		struct kd_agent_slot *slot = &a->slots[i];
		int r = 0;

		if (slot->run && slot->window_id &&
		    kd_agent_run_is_counted(slot->run))
			r = answer_window(a, slot, d);
		if (!r && slot->run && slot->wait_id &&
		    kd_agent_run_is_done(slot->run))
			r = answer_wait(a, slot, d);
		if (r)
			return r;
	}
	return 0;
}

void kd_agent_end_runs(struct kd_agent *a)
{
	for (int i = 0; i < KD_AGENT_MAX_RUNS; i++) {
		kd_agent_run_free(a->slots[i].run);
		a->slots[i].run = NULL;
	}
}

int kd_agent_handle(struct kd_agent *a, const json_t *frame, struct kd_diag *d)
{
	const char *name = kd_json_get_str(frame, "op", "");
	json_int_t id = json_integer_value(json_object_get(frame, "id"));
	struct kd_diag why = { 0 };
	json_t *answer;
	size_t i;

	if (id == a->last_id && a->last_answer)
		return kd_conn_send(&a->conn, a->last_answer,
				    kd_now() + SEND_NS, d);
	if (!strcmp(name, "run.window"))
		return handle_window(a, id, frame, d);
	if (!strcmp(name, "run.wait"))
		return handle_wait(a, id, frame, d);
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(ops[i].name, name))
			break;
	answer = json_object();
	if (id <= 0)
		kd_fail(&why, -EINVAL, "a request needs an id from 1");
	else if (i == sizeof(ops) / sizeof(ops[0]))
		kd_fail(&why, -EOPNOTSUPP,
			"this agent has no operation \"%s\"", name);
	else if (ops[i].run(a, frame, answer, &why) && !why.err)
		kd_fail(&why, -EIO, "%s failed", name);
	return kd_agent_answer(a, id, answer, &why, d);
}
