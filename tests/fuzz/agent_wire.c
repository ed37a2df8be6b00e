// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes on the pipe to an agent, in batch mode. Its tables hold harmless
 * kinds of things, so that a request that changes or runs something does not;
 * no journal can be opened, so that nothing is forked.
 *
 * Each frame is read as the controller reads answers, too.
 */
#include "agent/knobs.h"
#include "agent/session.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/opt.h"
#include "base/root.h"
#include "knobs/knob.h"
#include "observers/observer.h"
#include "proto/json.h"
#include "proto/result.h"
#include "workloads/workload.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct options {
	int64_t n;
	char *text;
};

static const struct kd_opt options[] = {
	{ "n", KD_OPT_INT, offsetof(struct options, n), .max = 10 },
	{ "text", KD_OPT_STR, offsetof(struct options, text) },
	{ 0 },
};

static const struct kd_metric_desc metrics[] = { { "x.y", "1/s" }, { 0 } };

static int nothing(void *priv, const struct kd_work_env *env, const void *opts,
		   struct kd_diag *d)
{
	return 0;
}

static int step(void *priv, struct kd_diag *d)
{
	return 0;
}

static int stamp(void *priv, uint64_t *ns, struct kd_diag *d)
{
	*ns = kd_now();
	return 0;
}

/* time does not pass here */
static int await(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	return 0;
}

static void end(void *priv)
{
}

static void result(void *priv, struct kd_sink *sink)
{
	sink->metric(sink, &metrics[0], NULL, 1);
}

static const struct kd_work_ops work = {
	.name = "idle", .summary = "nothing", .opts = options,
	.opts_size = sizeof(struct options), .priv_size = 8,
	.flags = KD_WORK_ENDS, .metrics = metrics, .prepare = nothing,
	.start = step, .begin = stamp, .wait = await, .end = stamp,
	.stop = end, .result = result, .fini = end,
};
const struct kd_work_ops *const kd_work_table[] = { &work, NULL };

static int observe(void *priv, const struct kd_obs_env *env, const void *opts,
		   struct kd_diag *d)
{
	return 0;
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
}

static const struct kd_obs_ops observer = {
	.name = "cpu", .summary = "nothing", .opts = options,
	.opts_size = sizeof(struct options), .priv_size = 8,
	.metrics = metrics, .start = observe, .sample = sample,
	.result = result, .stop = end,
};
const struct kd_obs_ops *const kd_obs_table[] = { &observer, NULL };

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	return kd_buf_puts(out, name);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	abort();	/* without a journal nothing may be changed */
}

static const struct kd_knob_ops knob = {
	.name = "sysctl", .get = get, .set = set,
};
const struct kd_knob_ops *const kd_knob_table[] = { &knob, NULL };

static void on_metric(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, double value)
{
	if (!m->name || !m->unit)
		abort();
}

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i] + (double)t_ns[i];
	if (n && !m->name)
		abort();
	(void)sum;
}

static void on_hist(struct kd_sink *s, const struct kd_metric_desc *m,
		    const char *instance, const double *upper,
		    const uint64_t *counts, size_t n)
{
	on_series(s, m, instance, counts, upper, n);
}

static void on_event(struct kd_sink *s, const char *kind, unsigned int flags,
		     uint64_t t_ns, const char *text)
{
	if (!kind || !text)
		abort();
}

static void as_answer(const json_t *frame)
{
	struct kd_sink sink = { on_metric, on_series, on_hist, on_event };
	struct kd_diag d = { 0 }, error = { 0 };
	const json_t *res = json_object_get(frame, "result");

	kd_json_get_diag(json_object_get(frame, "error"), &error);
	if (res && kd_result_replay(res, &sink, &d) && !d.text[0])
		abort();
}

/* as the agent does in batch mode: until the input ends or is no protocol */
static void serve(struct kd_agent *a)
{
	struct kd_diag d = { 0 };
	json_t *frame;
	int r = 0;

	while (!r || !a->conn.eof) {
		frame = NULL;
		r = kd_conn_pop(&a->conn, &frame, &d);
		if (r > 0) {
			as_answer(frame);
			r = kd_agent_handle(a, frame, &d);
			json_decref(frame);
			if (r)
				break;
			continue;
		}
		if (r < 0) {
			if (!d.text[0])
				abort();
			kd_diag_clear(&d);
			continue;
		}
		if (a->conn.eof)
			break;
		kd_conn_fill(&a->conn);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kd_agent a = { .batch = true, .state_dir = "/dev/null/none" };
	struct kd_diag d = { 0 };
	int in = memfd_create("fuzz", 0), out = open("/dev/null", O_WRONLY);

	if (in < 0 || out < 0 || write(in, data, size) != (ssize_t)size ||
	    lseek(in, 0, SEEK_SET) || kd_root_open("/dev", &a.root, &d))
		abort();
	a.notify_fd = eventfd(0, EFD_NONBLOCK);
	kd_conn_init(&a.conn, in, out);
	serve(&a);
	kd_agent_end_runs(&a);
	json_decref(a.last_answer);
	kd_conn_fini(&a.conn);
	kd_root_close(a.root);
	close(a.notify_fd);
	close(in);
	close(out);
	return 0;
}
