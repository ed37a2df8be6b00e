// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clock rates of the cores, from /sys/devices/system/cpu/cpufreq/policyN, where
 * N is the first core of those that share a clock:
 *   scaling_cur_freq      "1800000": kHz now, as the driver knows it
 *   stats/time_in_state   "600000 1234": kHz, ticks of 10 ms since boot (with
 *                         CONFIG_CPU_FREQ_STAT)
 *   stats/total_trans     changes since boot
 * The mean is that of time_in_state, which misses nothing, and else that of the
 * samples. Lowest and highest are of the samples.
 */
#include "base/root.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CPUS 512
#define MAX_POLICIES 64
#define TEXT_SIZE (16 << 10)

enum metric { M_MEAN, M_LOWEST, M_HIGHEST, M_CHANGES };

static const struct kd_metric_desc metrics[] = {
	[M_MEAN] = { "freq.mean", "MHz", KD_BETTER_NONE,
		     "mean clock rate of the cores of one policy" },
	[M_LOWEST] = { "freq.lowest", "MHz", KD_BETTER_NONE,
		       "lowest clock rate in a sample" },
	[M_HIGHEST] = { "freq.highest", "MHz", KD_BETTER_NONE,
			"highest clock rate in a sample" },
	[M_CHANGES] = { "freq.changes", "1/s", KD_BETTER_NONE,
			"changes of the clock rate" },
	{ 0 },
};

/* time_in_state: its sum, and that weighted with the rate */
struct times {
	double ticks, khz_ticks;
};

struct policy {
	char name[16];
	int cur_fd, times_fd, changes_fd;
	double sum_khz;
	uint64_t n, lowest, highest;
	struct times first, last;
	uint64_t changes0, changes1;
	int error;
};

struct state {
	struct policy policies[MAX_POLICIES];
	size_t n;
	char *text;
	uint64_t t0_ns, t1_ns;
};

static void stop(void *priv)
{
	struct state *s = priv;

	for (size_t i = 0; i < s->n; i++) {
		kd_number_close(s->policies[i].cur_fd);
		kd_number_close(s->policies[i].times_fd);
		kd_number_close(s->policies[i].changes_fd);
	}
	free(s->text);
}

static int open_file(const struct kd_root *root, int cpu, const char *file)
{
	char path[96];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpufreq/policy%d/%s", cpu, file);
	return kd_root_openat(root, path, O_RDONLY);
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;
	int denied = 0;

	for (int cpu = 0; cpu < MAX_CPUS && s->n < MAX_POLICIES; cpu++) {
		struct policy *p = &s->policies[s->n];

		p->cur_fd = open_file(env->root, cpu, "scaling_cur_freq");
		if (p->cur_fd == -ENOENT)
			continue;
		if (p->cur_fd < 0) {
			denied = p->cur_fd;
			continue;
		}
		snprintf(p->name, sizeof(p->name), "policy%d", cpu);
		p->times_fd = open_file(env->root, cpu, "stats/time_in_state");
		p->changes_fd = open_file(env->root, cpu, "stats/total_trans");
		s->n++;
	}
	s->text = malloc(TEXT_SIZE);
	if (s->n && s->text)
		return 0;
	stop(s);
	if (s->n)
		return kd_fail(d, -ENOMEM, "out of memory");
	if (denied)
		return kd_fail(d, denied, "cannot open scaling_cur_freq");
	return kd_fail(d, -ENODEV, "the clock rates of this machine are not "
		       "shown: /sys/devices/system/cpu/cpufreq/policy* is "
		       "missing");
}

static bool read_times(const struct policy *p, char *text, struct times *out)
{
	char *at = text, *end;

	*out = (struct times){ 0 };
	if (p->times_fd < 0 || kd_pread_text(p->times_fd, text, TEXT_SIZE) <= 0)
		return false;
	for (;;) {
		double khz = (double)strtoull(at, &end, 10), ticks;

		if (end == at)
			break;
		ticks = (double)strtoull(end, &at, 10);
		if (at == end)
			return false;
		out->ticks += ticks;
		out->khz_ticks += khz * ticks;
	}
	return out->ticks > 0;
}

static void sample_rate(struct policy *p)
{
	uint64_t khz;

	if (kd_number_read(p->cur_fd, &khz)) {
		p->error = -EIO;
		return;
	}
	if (!p->n || khz < p->lowest)
		p->lowest = khz;
	if (!p->n || khz > p->highest)
		p->highest = khz;
	p->sum_khz += (double)khz;
	p->n++;
}

static void sample_edge(struct policy *p, char *text, bool begin)
{
	if (begin) {
		p->error = 0;
		p->n = 0;
		p->sum_khz = 0;
	}
	if (!read_times(p, text, begin ? &p->first : &p->last))
		p->first.ticks = -1;
	if (p->changes_fd >= 0 &&
	    kd_number_read(p->changes_fd, begin ? &p->changes0 : &p->changes1))
		p->changes0 = UINT64_MAX;
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;

	if (when != KD_OBS_TICK)
		*(when == KD_OBS_BEGIN ? &s->t0_ns : &s->t1_ns) = now_ns;
	for (size_t i = 0; i < s->n; i++) {
		if (when != KD_OBS_TICK)
			sample_edge(&s->policies[i], s->text,
				    when == KD_OBS_BEGIN);
		sample_rate(&s->policies[i]);
	}
}

static double mean_khz(const struct policy *p)
{
	double ticks = p->last.ticks - p->first.ticks;

	/* under 0.1 s one tick more or less would move the mean */
	if (p->first.ticks >= 0 && ticks >= 10)
		return (p->last.khz_ticks - p->first.khz_ticks) / ticks;
	return p->sum_khz / (double)p->n;
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	double span_s = (double)(s->t1_ns - s->t0_ns) / 1e9;

	for (size_t i = 0; i < s->n; i++) {
		const struct policy *p = &s->policies[i];

		if (p->error || !p->n || s->t1_ns <= s->t0_ns) {
			sink->event(sink, "note", 0, 0, "freq: a clock rate "
				    "could not be read all the time");
			continue;
		}
		sink->metric(sink, &metrics[M_MEAN], p->name,
			     mean_khz(p) / 1e3);
		sink->metric(sink, &metrics[M_LOWEST], p->name,
			     (double)p->lowest / 1e3);
		sink->metric(sink, &metrics[M_HIGHEST], p->name,
			     (double)p->highest / 1e3);
		if (p->changes_fd >= 0 && p->changes1 >= p->changes0)
			sink->metric(sink, &metrics[M_CHANGES], p->name,
				     (double)(p->changes1 - p->changes0) /
					     span_s);
	}
}

const struct kd_obs_ops kd_obs_freq_ops = {
	.name = "freq",
	.summary = "clock rates of the cores, from cpufreq",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
