// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The controller's side of one agent. See remote.h and docs/protocol.md.
 */
#include "run/remote.h"

#include "base/clock.h"
#include "proto/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define CONSOLE_MAX 65536
#define CLOSE_NS (20 * KD_NS_PER_SEC)
#define SEND_NS (10 * KD_NS_PER_SEC)

static void keep_console(void *arg, const char *text, size_t len)
{
	struct kd_remote *r = arg;

	kd_buf_add(&r->console, text, len);
	kd_buf_puts(&r->console, "\n");
	if (r->console.len > CONSOLE_MAX)
		kd_buf_consume(&r->console, r->console.len - CONSOLE_MAX);
}

static int lose(struct kd_remote *r, int err, struct kd_diag *d)
{
	r->lost = true;
	kd_diag_subject(d, "%s", r->name);
	return err;
}

/* the pipe that a remote's frames go through */
static struct kd_remote *carrier(struct kd_remote *r)
{
	return r->via ? r->via : r;
}

json_int_t kd_remote_send(struct kd_remote *r, const char *op, json_t *args,
			  uint64_t timeout_ns, struct kd_diag *d)
{
	struct kd_remote *c = carrier(r);
	json_int_t id = ++c->next_id;
	json_t *frame = json_pack("{s:i,s:I,s:s}", "kd", 1, "id", id, "op", op);
	int err;

	if (r->via)
		json_object_set_new(frame, "end", json_string("peer"));
	if (args)
		json_object_update(frame, args);
	json_decref(args);
	if (c->lost) {
		json_decref(frame);
		return lose(r, kd_fail(d, -EPIPE, "the agent is gone"), d);
	}
	err = kd_conn_send(&c->conn, frame, kd_now() + timeout_ns, d);
	json_decref(frame);
	return err ? lose(r, err, d) : id;
}

static json_t *take_early(struct kd_remote *c, json_int_t id)
{
	char key[32];
	json_t *answer;

	snprintf(key, sizeof(key), "%" PRId64, (int64_t)id);
	answer = json_object_get(c->early, key);
	json_incref(answer);
	json_object_del(c->early, key);
	return answer;
}

static void keep_early(struct kd_remote *c, json_int_t id, json_t *frame)
{
	char key[32];

	snprintf(key, sizeof(key), "%" PRId64, (int64_t)id);
	json_object_set(c->early, key, frame);
}

static int await(struct kd_remote *c, json_int_t id, uint64_t deadline_ns,
		 json_t **out, struct kd_diag *d)
{
	json_t *frame = take_early(c, id);
	int err;

	while (!frame) {
		const json_t *re;

		err = kd_conn_recv(&c->conn, deadline_ns, &frame, d);
		if (err)
			return err;
		re = json_object_get(frame, "re");
		if (json_is_integer(re) && json_integer_value(re) != id)
			keep_early(c, json_integer_value(re), frame);
		if (!json_is_integer(re) || json_integer_value(re) != id) {
			json_decref(frame);
			frame = NULL;
		}
	}
	*out = frame;
	return 0;
}

int kd_remote_answer(struct kd_remote *r, json_int_t id, const char *op,
		     uint64_t timeout_ns, json_t **answer, struct kd_diag *d)
{
	struct kd_remote *c = carrier(r);
	const json_t *error;
	json_t *frame;
	int err = await(c, id, kd_now() + timeout_ns, &frame, d);

	if (err == -EINTR)
		return err;
	if (err) {
		kd_diag_hint(d, "the agent did not answer %s", op);
		c->lost = true;
		return lose(r, err, d);
	}
	error = json_object_get(frame, "error");
	if (error) {
		err = kd_json_get_diag(error, d);
		kd_diag_subject(d, "%s", r->name);
		json_decref(frame);
		return err;
	}
	if (answer)
		*answer = frame;
	else
		json_decref(frame);
	return 0;
}

int kd_remote_call(struct kd_remote *r, const char *op, json_t *args,
		   uint64_t timeout_ns, json_t **answer, struct kd_diag *d)
{
	json_int_t id = kd_remote_send(r, op, args, SEND_NS, d);

	if (id < 0)
		return (int)id;
	return kd_remote_answer(r, id, op, timeout_ns, answer, d);
}

static int hello(struct kd_remote *r, const char *ifname, uint64_t timeout_ns,
		 struct kd_diag *d)
{
	json_t *args = json_object();

	if (ifname)
		json_object_set_new(args, "ifname", json_string(ifname));
	return kd_remote_call(r, "hello", args, timeout_ns, &r->hello, d);
}

int kd_remote_start(struct kd_remote *r, const char *name, char *const *argv,
		    struct kd_diag *d)
{
	int err;

	memset(r, 0, sizeof(*r));
	r->name = name;
	err = kd_pipe_open(argv, &r->pipe, d);
	if (err)
		return err;
	kd_conn_init(&r->conn, r->pipe.in, r->pipe.out);
	r->conn.console = keep_console;
	r->conn.console_arg = r;
	r->early = json_object();
	r->open = true;
	return 0;
}

int kd_remote_open(struct kd_remote *r, const char *name, char *const *argv,
		   const char *ifname, uint64_t timeout_ns, struct kd_diag *d)
{
	int err = kd_remote_start(r, name, argv, d);

	if (err)
		return err;
	err = hello(r, ifname, timeout_ns, d);
	if (err) {
		if (r->console.len)
			kd_diag_hint(d, "it said: %.200s",
				     kd_buf_str(&r->console));
		kd_remote_close(r);
	}
	return err;
}

int kd_remote_close(struct kd_remote *r)
{
	int status;

	if (!r->open)
		return 0;
	status = kd_pipe_close(&r->pipe, CLOSE_NS);
	kd_conn_fini(&r->conn);
	kd_buf_fini(&r->console);
	json_decref(r->hello);
	json_decref(r->early);
	r->hello = NULL;
	r->early = NULL;
	r->open = false;
	return status;
}
