// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One run on a device that starts anew for it. See batch.h.
 *
 * Every request is sent before the first answer comes: none needs a value out
 * of an answer. docs/protocol.md has the order.
 */
#include "run/batch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "experiment/experiment.h"
#include "proto/json.h"
#include "run/console.h"
#include "run/knobset.h"
#include "run/record.h"
#include "run/remote.h"
#include "store/store.h"
#include "transports/argv.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SEND_NS (600 * KD_NS_PER_SEC)
/* the command knows when a device has hung; this is for a command that has */
#define ANSWER_NS (24ull * 3600 * KD_NS_PER_SEC)

/* exit statuses of kdelta-board, see docs/board.md */
enum { EXIT_PANIC = 20, EXIT_HANG, EXIT_RESET };

struct step {
	struct kd_remote *to;
	const char *op;
	json_int_t id;
	json_t *answer;
};

struct kd_batch {
	char *const *argv;
	uint32_t seed;
	const struct kd_experiment *exp;
	size_t variant;
	const struct kd_one *one;
	struct kd_remote device, peer;
	struct kd_console console;
	struct step *steps;
	size_t n;
};

uint32_t kd_batch_seed(uint64_t seed)
{
	return (uint32_t)(seed & 0x7fffffff);
}

static int begin(struct kd_batch *s, struct kd_diag *d)
{
	struct kd_argv a = { 0 };
	char seed[16];
	char **argv;
	int r = kd_console_open(&s->console, s->argv, d);

	if (r)
		return r;
	for (size_t i = 0; s->argv[i]; i++)
		kd_argv_add(&a, s->argv[i]);
	snprintf(seed, sizeof(seed), "%u", s->seed);
	kd_argv_add(&a, "--quiet");
	kd_argv_add(&a, "--seed");
	kd_argv_add(&a, seed);
	kd_argv_add(&a, "--console");
	kd_argv_add(&a, s->console.path);
	r = kd_argv_take(&a, &argv, d);
	if (!r)
		r = kd_remote_start(&s->device, "device", argv, d);
	kd_argv_free(argv);
	s->peer = (struct kd_remote){ .name = "peer", .via = &s->device };
	return r;
}

/* @args is stolen */
static int ask(struct kd_batch *s, struct kd_remote *to, const char *op,
	       json_t *args, struct kd_diag *d)
{
	struct step *step = &s->steps[s->n];

	step->id = kd_remote_send(to, op, args, SEND_NS, d);
	if (step->id < 0)
		return (int)step->id;
	step->to = to;
	step->op = op;
	s->n++;
	return 0;
}

static int ask_run(struct kd_batch *s, struct kd_remote *to, const char *op,
		   struct kd_diag *d)
{
	if (to == &s->peer && !s->one->addr)
		return 0;
	if (!strcmp(op, "run.prepare"))
		return ask(s, to, op, kd_one_args(s->one, to == &s->device),
			   d);
	return ask(s, to, op, json_pack("{s:s}", "run", s->one->name), d);
}

static int ask_all(struct kd_batch *s, struct kd_diag *d)
{
	const struct kd_exp_variant *v = &s->exp->variants[s->variant];
	int r;

	/* nothing of this machine may be in the requests: same seed, same bytes */
	r = ask(s, &s->device, "hello", NULL, d);
	if (!r)
		r = ask(s, &s->device, "lock",
			json_pack("{s:o}", "owner",
				  kd_json_text(s->exp->name)), d);
	for (size_t i = 0; !r && i < v->n_knobs; i++)
		r = ask(s, &s->device, "knob.set",
			kd_knobset_args(&v->knobs[i], v->knobs[i].value), d);
	if (!r)
		r = ask(s, &s->device, "env", NULL, d);
	if (!r)
		r = ask_run(s, &s->peer, "run.prepare", d);
	if (!r)
		r = ask_run(s, &s->device, "run.prepare", d);
	if (!r)
		r = ask_run(s, &s->peer, "run.start", d);
	if (!r)
		r = ask_run(s, &s->device, "run.start", d);
	if (!r)
		r = ask_run(s, &s->device, "run.wait", d);
	if (!r)
		r = ask_run(s, &s->peer, "run.wait", d);
	if (!r)
		kd_pipe_end_input(&s->device.pipe);
	return r;
}

/* the first error; what comes after it follows from it */
static int collect(struct kd_batch *s, struct kd_diag *d)
{
	struct kd_diag why;
	int first = 0, r;

	for (size_t i = 0; i < s->n; i++) {
		struct step *step = &s->steps[i];

		do {
			memset(&why, 0, sizeof(why));
			r = kd_remote_answer(step->to, step->id, step->op,
					     ANSWER_NS, &step->answer, &why);
			if (r == -EINTR && s->one->stop &&
			    *s->one->stop)
				return r;
		} while (r == -EINTR);
		if (r && !first) {
			first = r;
			*d = why;
		}
		if (step->to->lost)
			break;
	}
	return first;
}

static const json_t *find(const struct kd_batch *s, const struct kd_remote *from,
			  const char *op)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->steps[i].to == from && !strcmp(s->steps[i].op, op))
			return s->steps[i].answer;
	return NULL;
}

static void read_answer(const struct kd_batch *s, struct kd_batch_answer *out)
{
	const json_t *hello = find(s, &s->device, "hello");
	const json_t *env = json_object_get(find(s, &s->device, "env"), "env");
	const char *boot = kd_json_get_str(hello, "boot", NULL);

	if (boot)
		out->boot_id = strdup(boot);
	if (env)
		out->environment = json_dumps(env, JSON_COMPACT |
							   JSON_SORT_KEYS);
}

/* what the end of the command means; @r: what the answers said */
static int judge(struct kd_batch *s, int status, int r, struct kd_store_run *run,
		 struct kd_batch_answer *answer, struct kd_diag *d)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	bool crashed = code == EXIT_PANIC || code == EXIT_HANG ||
		       code == EXIT_RESET;
	char why[400];

	answer->refused = !crashed && !find(s, &s->device, "run.start") &&
			  r != -EINTR;
	if (r == -EINTR || !code || (r && !s->device.lost && !crashed))
		return r;
	kd_diag_clear(d);
	kd_console_reason(&s->console, why, sizeof(why));
	if (!why[0])
		snprintf(why, sizeof(why), "%s ended with status %d",
			 s->argv[0], code);
	kd_console_keep(&s->console, run);
	return kd_fail(d, crashed ? -ENODEV : -EIO, "%s", why);
}

/* with the run, so that it can be done again */
static void keep_seed(const struct kd_batch *s, struct kd_store_run *run)
{
	struct kd_record rec;
	char text[32];

	kd_record_init(&rec, run);
	snprintf(text, sizeof(text), "seed %u", s->seed);
	rec.sink.event(&rec.sink, "boot", 0, 0, text);
}

static int keep(const struct kd_batch *s, struct kd_store_run *run,
		struct kd_diag *d)
{
	const json_t *hello = find(s, &s->device, "hello");

	return kd_one_keep(s->one, find(s, &s->device, "run.prepare"),
			   find(s, &s->device, "run.wait"),
			   find(s, &s->peer, "run.wait"),
			   (int)json_integer_value(json_object_get(hello,
								   "cpus")),
			   run, d);
}

int kd_batch_start(char *const *argv, uint64_t seed,
		   const struct kd_experiment *exp, size_t variant,
		   const struct kd_one *one, struct kd_batch **out,
		   struct kd_diag *d)
{
	struct kd_batch *s = calloc(1, sizeof(*s));
	int r;

	*out = s;
	if (!s)
		return kd_fail(d, -ENOMEM, "out of memory");
	s->argv = argv;
	s->seed = kd_batch_seed(seed);
	s->exp = exp;
	s->variant = variant;
	s->one = one;
	/* hello, lock, env, and prepare, start, wait at two ends */
	s->steps = calloc(exp->variants[variant].n_knobs + 9,
			  sizeof(*s->steps));
	if (!s->steps)
		return kd_fail(d, -ENOMEM, "out of memory");
	r = begin(s, d);
	if (!r)
		r = ask_all(s, d);
	/* gone already: its end says why */
	if (r && s->device.lost) {
		kd_diag_clear(d);
		r = 0;
	}
	return r;
}

int kd_batch_finish(struct kd_batch *s, struct kd_store_run *run,
		    struct kd_batch_answer *answer, struct kd_diag *d)
{
	int r, status;

	memset(answer, 0, sizeof(*answer));
	keep_seed(s, run);
	r = collect(s, d);
	if (r == -EINTR)
		kd_batch_cancel(s);
	read_answer(s, answer);
	status = kd_remote_close(&s->device);
	r = judge(s, status, r, run, answer, d);
	if (r)
		return r;
	if (!find(s, &s->device, "run.wait"))
		return kd_fail(d, -EPIPE, "the device ended without an answer");
	return keep(s, run, d);
}

void kd_batch_cancel(struct kd_batch *s)
{
	if (s && s->device.open)
		kill(-s->device.pipe.pid, SIGTERM);
}

void kd_batch_abandon(struct kd_batch *s)
{
	if (!s)
		return;
	kd_batch_cancel(s);
	kd_remote_close(&s->device);
	kd_console_close(&s->console);
	for (size_t i = 0; i < s->n; i++)
		json_decref(s->steps[i].answer);
	free(s->steps);
	free(s);
}
