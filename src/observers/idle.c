// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Idle states, from /sys/devices/system/cpu/cpuN/cpuidle/stateM:
 *   name   "WFI"
 *   time   us spent in it; counted when the core wakes, so that a sleep across
 *          an end of the window falls on one side of it
 *   usage  times entered
 *   above, below  times the state was too deep, or a deeper one would have
 *          done (since Linux 5.0 and only where the kernel keeps them)
 */
#include "base/root.h"
#include "base/str.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CPUS 512
#define MAX_STATES 16 /* more than CPUIDLE_STATE_MAX */
#define NAME_SIZE 32

enum counter { TIME, USAGE, ABOVE, BELOW, N_COUNTERS };

static const char *const files[] = {
	[TIME] = "time", [USAGE] = "usage", [ABOVE] = "above",
	[BELOW] = "below",
};

/* in the order of enum counter */
static const struct kd_metric_desc metrics[] = {
	[TIME] = { "idle.residency", "%", KD_BETTER_NONE,
		   "share of all cores' time in one idle state" },
	[USAGE] = { "idle.entries", "1/s", KD_BETTER_NONE,
		    "times an idle state was entered" },
	[ABOVE] = { "idle.above", "1/s", KD_BETTER_LOWER,
		    "times it was too deep for the sleep that came" },
	[BELOW] = { "idle.below", "1/s", KD_BETTER_LOWER,
		    "times a deeper one would have fitted" },
	{ 0 },
};

struct idle_state {
	char name[NAME_SIZE];
	int fd[N_COUNTERS];
	uint64_t first[N_COUNTERS], last[N_COUNTERS];
};

struct state {
	struct idle_state *states;
	size_t n, cap;
	unsigned int cpus;
	uint64_t t0_ns, t1_ns;
	int error;
};

static void stop(void *priv)
{
	struct state *s = priv;

	for (size_t i = 0; i < s->n; i++)
		for (int c = 0; c < N_COUNTERS; c++)
			kd_number_close(s->states[i].fd[c]);
	free(s->states);
}

static int open_state(struct state *s, const struct kd_root *root, int cpu,
		      int state)
{
	char path[96];
	struct idle_state *x;

	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 32;
		void *p = realloc(s->states, cap * sizeof(*s->states));

		if (!p)
			return -ENOMEM;
		s->states = p;
		s->cap = cap;
	}
	x = &s->states[s->n];
	memset(x, 0, sizeof(*x));
	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", cpu,
		 state);
	if (kd_root_read_line(root, path, x->name, sizeof(x->name)) <= 0)
		snprintf(x->name, sizeof(x->name), "state%d", state);
	for (int c = 0; c < N_COUNTERS; c++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/%s",
			 cpu, state, files[c]);
		x->fd[c] = kd_root_openat(root, path, O_RDONLY);
		if (x->fd[c] >= 0 || (c > USAGE && x->fd[c] == -ENOENT))
			continue;
		for (int k = 0; k < c; k++)
			kd_number_close(x->fd[k]);
		return x->fd[c];
	}
	s->n++;
	return 0;
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;
	int r = 0;

	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		for (int i = 0; i < MAX_STATES; i++) {
			r = open_state(s, env->root, cpu, i);
			if (r)
				break;
			s->cpus += !i;
		}
		if (r && r != -ENOENT)
			break;
	}
	if (s->n && (!r || r == -ENOENT))
		return 0;
	stop(s);
	if (r == -EMFILE)
		return kd_fail(d, r, "too many idle states for the limit of "
			       "open files; raise it with ulimit -n");
	if (r && r != -ENOENT)
		return kd_fail(d, r, "cannot open the idle states");
	return kd_fail(d, -ENODEV, "this kernel shows no idle states: "
		       "/sys/devices/system/cpu/cpu*/cpuidle is missing");
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;

	if (when == KD_OBS_TICK)
		return;
	if (when == KD_OBS_BEGIN)
		s->error = 0;
	*(when == KD_OBS_BEGIN ? &s->t0_ns : &s->t1_ns) = now_ns;
	for (size_t i = 0; i < s->n; i++) {
		struct idle_state *x = &s->states[i];
		uint64_t *to = when == KD_OBS_BEGIN ? x->first : x->last;

		for (int c = 0; c < N_COUNTERS; c++)
			if (x->fd[c] >= 0 && kd_number_read(x->fd[c], &to[c]))
				s->error = -EIO;
	}
}

/* the same state of all cores together, at the first row that has its name */
static void report(const struct state *s, size_t at, struct kd_sink *sink)
{
	const char *name = s->states[at].name;
	double span_s = (double)(s->t1_ns - s->t0_ns) / 1e9;

	for (size_t i = 0; i < at; i++)
		if (!strcmp(s->states[i].name, name))
			return;
	for (int c = 0; c < N_COUNTERS; c++) {
		double sum = 0;
		bool has = false;

		for (size_t i = at; i < s->n; i++) {
			const struct idle_state *x = &s->states[i];

			if (x->fd[c] < 0 || strcmp(x->name, name))
				continue;
			has = true;
			sum += (double)(x->last[c] - x->first[c]);
		}
		if (has && c == TIME)
			sum = sum / 1e6 * 100 / s->cpus;
		if (has)
			sink->metric(sink, &metrics[c], name, sum / span_s);
	}
}

static bool went_back(const struct state *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (int c = 0; c < N_COUNTERS; c++)
			if (s->states[i].last[c] < s->states[i].first[c])
				return true;
	return false;
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;

	if (s->error || s->t1_ns <= s->t0_ns || went_back(s)) {
		sink->event(sink, "note", 0, 0, "idle: the counters went away "
			    "or began anew during the run");
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		report(s, i, sink);
}

const struct kd_obs_ops kd_obs_idle_ops = {
	.name = "idle",
	.summary = "time in idle states and how well they were chosen",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
