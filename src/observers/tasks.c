// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU time per task and kernel thread; taskscan.c reads it. Time of tasks that
 * come and go between two samples, and of interrupts where the kernel keeps
 * them apart, is in no task: /proc/stat knows it, and the difference is
 * reported.
 *
 * Unlike all others this one opens files while sampling, of tasks that it has
 * not seen; it allocates nothing then.
 */
#include "base/clock.h"
#include "base/opt.h"
#include "base/root.h"
#include "observers/number.h"
#include "observers/observer.h"
#include "observers/taskscan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum metric { M_CPU, M_OTHER, M_UNATTRIBUTED };

static const struct kd_metric_desc metrics[] = {
	[M_CPU] = { "tasks.cpu", "%", KD_BETTER_LOWER,
		    "CPU time of all tasks of one name, of one core" },
	[M_OTHER] = { "tasks.other", "%", KD_BETTER_NONE,
		      "tasks below the top, of one core" },
	[M_UNATTRIBUTED] = { "tasks.unattributed", "%", KD_BETTER_NONE,
			     "busy in /proc/stat, but in no task seen; of one "
			     "core; slightly below 0 by its coarser clock" },
	{ 0 },
};

struct options {
	int64_t top;
};

static const struct kd_opt opts_table[] = {
	{ "top", KD_OPT_INT, offsetof(struct options, top), 1, 256, "16",
	  .help = "names reported per run" },
	{ 0 },
};

struct state {
	const struct options *opts;
	struct kd_taskscan *scan;
	int stat_fd;
	uint64_t t0_ns, t1_ns;
	uint64_t busy0, busy1;
	uint64_t tick_ns;
	int error;
};

/* "cpu  user nice system idle iowait irq softirq ...", all but idle, iowait
 * and what the hypervisor took */
static uint64_t read_busy(struct state *s)
{
	char text[512];
	unsigned long long v[7];

	if (kd_pread_text(s->stat_fd, text, sizeof(text)) <= 0 ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1],
		   &v[2], &v[3], &v[4], &v[5], &v[6]) != 7) {
		s->error = -EIO;
		return 0;
	}
	return v[0] + v[1] + v[2] + v[5] + v[6];
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;
	int r;

	s->opts = opts;
	s->tick_ns = KD_NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	s->stat_fd = kd_root_openat(env->root, "/proc/stat", O_RDONLY);
	if (s->stat_fd < 0)
		return kd_fail(d, s->stat_fd, "cannot open /proc/stat");
	r = kd_taskscan_open(env->root, env->period_ns, &s->scan, d);
	if (r)
		kd_number_close(s->stat_fd);
	return r;
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;

	if (when == KD_OBS_BEGIN) {
		s->t0_ns = now_ns;
		s->error = 0;
		s->busy0 = read_busy(s);
	}
	kd_taskscan_sample(s->scan, when);
	if (when == KD_OBS_END) {
		s->t1_ns = now_ns;
		s->busy1 = read_busy(s);
	}
}

static void report(struct state *s, struct kd_sink *sink,
		   const struct kd_task_name *rows, size_t n)
{
	double span = (double)(s->t1_ns - s->t0_ns);
	uint64_t all = 0, rest = 0, busy;

	for (size_t i = 0; i < n; i++) {
		all += rows[i].used_ns;
		if (i >= (size_t)s->opts->top)
			rest += rows[i].used_ns;
		else
			sink->metric(sink, &metrics[M_CPU], rows[i].name,
				     (double)rows[i].used_ns * 100 / span);
	}
	sink->metric(sink, &metrics[M_OTHER], NULL, (double)rest * 100 / span);
	busy = s->busy1 > s->busy0 ? (s->busy1 - s->busy0) * s->tick_ns : 0;
	sink->metric(sink, &metrics[M_UNATTRIBUTED], NULL,
		     ((double)busy - (double)all) * 100 / span);
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	struct kd_task_name *rows = NULL;
	uint64_t dropped = kd_taskscan_dropped(s->scan);
	char text[96];
	ssize_t n = -EIO;

	if (!s->error && !kd_taskscan_error(s->scan) && s->t1_ns > s->t0_ns)
		n = kd_taskscan_names(s->scan, &rows);
	if (n <= 0)
		sink->event(sink, "note", 0, 0, "tasks: /proc could not be read");
	else
		report(s, sink, rows, (size_t)n);
	free(rows);
	if (n > 0 && dropped) {
		snprintf(text, sizeof(text), "tasks: too many to keep all; %llu "
			 "readings were left out", (unsigned long long)dropped);
		sink->event(sink, "note", 0, 0, text);
	}
}

static void stop(void *priv)
{
	struct state *s = priv;

	kd_number_close(s->stat_fd);
	kd_taskscan_close(s->scan);
}

const struct kd_obs_ops kd_obs_tasks_ops = {
	.name = "tasks",
	.summary = "CPU time per task and kernel thread, from /proc",
	.opts = opts_table,
	.opts_size = sizeof(struct options),
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
