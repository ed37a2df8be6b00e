// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Temperatures, and what was done about them
 * (Documentation/ABI/testing/sysfs-class-thermal):
 *   /sys/class/thermal/thermal_zoneN/type, temp        "cpu-thermal", "41850":
 *                                                      thousandths of a degree
 *   .../trip_point_M_temp, trip_point_M_type           "85000", "passive"
 *   /sys/class/thermal/cooling_deviceN/type, cur_state "cpufreq-cpu0", "0"
 *   /sys/devices/system/cpu/cpuN/thermal_throttle/core_throttle_count,
 *   package_throttle_count                             x86: events since boot
 * A zone whose sensor is off does not answer; its other samples count. Crossings
 * of a trip point are those that the samples show, so each lasted a period or
 * was luck. Sensors of one type are told apart by number.
 */
#include "base/root.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ZONES 32
#define MAX_COOLERS 64
#define MAX_COUNTERS 256
#define MAX_TRIPS 12
#define MAX_CPUS 512
#define NAME_SIZE 48

enum metric { M_MEAN, M_HIGHEST, M_TRIPS, M_COOLING, M_THROTTLED };

static const struct kd_metric_desc metrics[] = {
	[M_MEAN] = { "thermal.mean", "degC", KD_BETTER_LOWER,
		     "mean temperature of a zone" },
	[M_HIGHEST] = { "thermal.highest", "degC", KD_BETTER_LOWER,
			"highest temperature of a zone in a sample" },
	[M_TRIPS] = { "thermal.trips", "", KD_BETTER_LOWER,
		      "times a zone was seen to rise over one of its trip "
		      "points" },
	[M_COOLING] = { "thermal.cooling", "", KD_BETTER_LOWER,
			"mean state of a cooling device; 0 is none" },
	[M_THROTTLED] = { "thermal.throttled", "", KD_BETTER_LOWER,
			  "times that cores or their package were throttled, "
			  "of all cores" },
	{ 0 },
};

struct sensor {
	char name[NAME_SIZE];
	int fd;
	double sum, highest, last;
	uint64_t n;
	/* of a zone */
	double trips[MAX_TRIPS];
	size_t n_trips;
	uint64_t crossed;
};

struct counter {
	int fd;
	uint64_t first, last;
};

struct state {
	struct sensor zones[MAX_ZONES], coolers[MAX_COOLERS];
	size_t n_zones, n_coolers;
	struct counter counters[MAX_COUNTERS];
	size_t n_counters;
	bool counts;
};

/* a temperature may be below 0 */
static int read_number(int fd, double *out)
{
	char text[32], *end;
	ssize_t n = kd_pread_text(fd, text, sizeof(text));

	if (n <= 0)
		return n ? (int)n : -EINVAL;
	*out = (double)strtoll(text, &end, 10);
	return end == text ? -EINVAL : 0;
}

static void name_sensor(const struct kd_root *root, const char *dir,
			const struct sensor *others, size_t n, char *out)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/thermal/%s/type", dir);
	if (kd_root_read_line(root, path, out, NAME_SIZE) <= 0)
		snprintf(out, NAME_SIZE, "%s", dir);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(others[i].name, out))
			snprintf(out, NAME_SIZE, "%s", dir);
}

static void add_trips(struct sensor *z, const struct kd_root *root,
		      const char *dir)
{
	for (int i = 0; i < MAX_TRIPS; i++) {
		char path[128], text[32], type[16];

		snprintf(path, sizeof(path),
			 "/sys/class/thermal/%s/trip_point_%d_type", dir, i);
		if (kd_root_read_line(root, path, type, sizeof(type)) <= 0)
			return;
		snprintf(path, sizeof(path),
			 "/sys/class/thermal/%s/trip_point_%d_temp", dir, i);
		/* 0 and below: a trip point that is switched off */
		if (kd_root_read_line(root, path, text, sizeof(text)) > 0 &&
		    strtoll(text, NULL, 10) > 0)
			z->trips[z->n_trips++] =
				(double)strtoll(text, NULL, 10);
	}
}

static void add_sensor(struct sensor *list, size_t *n,
		       const struct kd_root *root, const char *dir,
		       const char *file)
{
	struct sensor *x = &list[*n];
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/thermal/%s/%s", dir, file);
	x->fd = kd_root_openat(root, path, O_RDONLY);
	if (x->fd < 0)
		return;
	name_sensor(root, dir, list, *n, x->name);
	add_trips(x, root, dir);
	++*n;
}

static void add_counter(struct state *s, const struct kd_root *root, int cpu,
			const char *file)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/thermal_throttle/%s", cpu, file);
	fd = s->n_counters < MAX_COUNTERS ?
		     kd_root_openat(root, path, O_RDONLY) : -ENOENT;
	if (fd >= 0)
		s->counters[s->n_counters++].fd = fd;
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;
	char dir[32];

	for (int i = 0; i < MAX_ZONES; i++) {
		snprintf(dir, sizeof(dir), "thermal_zone%d", i);
		add_sensor(s->zones, &s->n_zones, env->root, dir, "temp");
	}
	for (int i = 0; i < MAX_COOLERS; i++) {
		snprintf(dir, sizeof(dir), "cooling_device%d", i);
		add_sensor(s->coolers, &s->n_coolers, env->root, dir,
			   "cur_state");
	}
	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		size_t before = s->n_counters;

		add_counter(s, env->root, cpu, "core_throttle_count");
		add_counter(s, env->root, cpu, "package_throttle_count");
		if (s->n_counters == before)
			break;
	}
	if (s->n_zones || s->n_coolers || s->n_counters)
		return 0;
	return kd_fail(d, -ENODEV, "this machine shows no temperatures: "
		       "/sys/class/thermal has no zone");
}

static void sample_sensor(struct sensor *x, bool begin)
{
	double v = 0;

	if (begin) {
		x->n = 0;
		x->sum = 0;
		x->crossed = 0;
	}
	if (read_number(x->fd, &v))
		return;
	for (size_t i = 0; x->n && i < x->n_trips; i++)
		x->crossed += x->last < x->trips[i] && v >= x->trips[i];
	if (!x->n || v > x->highest)
		x->highest = v;
	x->last = v;
	x->sum += v;
	x->n++;
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;
	bool begin = when == KD_OBS_BEGIN;

	for (size_t i = 0; i < s->n_zones; i++)
		sample_sensor(&s->zones[i], begin);
	for (size_t i = 0; i < s->n_coolers; i++)
		sample_sensor(&s->coolers[i], begin);
	if (when == KD_OBS_TICK)
		return;
	if (begin)
		s->counts = true;
	for (size_t i = 0; i < s->n_counters; i++) {
		struct counter *c = &s->counters[i];

		if (kd_number_read(c->fd, begin ? &c->first : &c->last) ||
		    (!begin && c->last < c->first))
			s->counts = false;
	}
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	double throttled = 0;
	size_t silent = 0;

	for (size_t i = 0; i < s->n_zones; i++) {
		const struct sensor *z = &s->zones[i];

		silent += !z->n;
		if (!z->n)
			continue;
		sink->metric(sink, &metrics[M_MEAN], z->name,
			     z->sum / (double)z->n / 1e3);
		sink->metric(sink, &metrics[M_HIGHEST], z->name,
			     z->highest / 1e3);
		if (z->n_trips)
			sink->metric(sink, &metrics[M_TRIPS], z->name,
				     (double)z->crossed);
	}
	for (size_t i = 0; i < s->n_coolers; i++)
		if (s->coolers[i].n)
			sink->metric(sink, &metrics[M_COOLING],
				     s->coolers[i].name, s->coolers[i].sum /
				     (double)s->coolers[i].n);
	for (size_t i = 0; i < s->n_counters; i++)
		throttled += (double)(s->counters[i].last -
				      s->counters[i].first);
	if (s->n_counters && s->counts)
		sink->metric(sink, &metrics[M_THROTTLED], NULL, throttled);
	if (silent)
		sink->event(sink, "note", 0, 0,
			    "thermal: a zone could not be read at all");
}

static void stop(void *priv)
{
	struct state *s = priv;

	for (size_t i = 0; i < s->n_zones; i++)
		kd_number_close(s->zones[i].fd);
	for (size_t i = 0; i < s->n_coolers; i++)
		kd_number_close(s->coolers[i].fd);
	for (size_t i = 0; i < s->n_counters; i++)
		kd_number_close(s->counters[i].fd);
}

const struct kd_obs_ops kd_obs_thermal_ops = {
	.name = "thermal",
	.summary = "temperatures, trip points, cooling and throttling",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
