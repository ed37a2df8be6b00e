// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power and energy of what the machine can measure of itself:
 *   /sys/class/hwmon/hwmonN/powerM_input, uW, named by powerM_label, or else
 *   by hwmonN/name; its energy is the trapezoids between the samples
 *   /sys/class/powercap/ZONE/energy_uj, uJ, which starts again at 0 after
 *   max_energy_range_uj; named by ZONE/name
 * energy_uj is readable by root alone. It must be sampled more often than it
 * wraps (a minute or so at full load).
 */
#include "base/root.h"
#include "base/str.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SENSORS 64
#define NAME_SIZE 64

enum metric { M_MEAN, M_ENERGY };

static const struct kd_metric_desc metrics[] = {
	[M_MEAN] = { "power.mean", "W", KD_BETTER_LOWER,
		     "mean power; without a name where there is one sensor" },
	[M_ENERGY] = { "power.energy", "J", KD_BETTER_LOWER,
		       "energy in the window" },
	{ 0 },
};

struct sensor {
	char name[NAME_SIZE];
	int fd;
	bool counts;	/* an energy counter, not a power reading */
	bool part;	/* of another one: a zone inside a zone */
	uint64_t range;
	uint64_t last;
	double joule;
};

struct state {
	struct sensor sensors[MAX_SENSORS];
	size_t n;
	uint64_t t0_ns, t_ns;
	int denied;
	int error;
};

static void add_sensor(struct state *s, const struct kd_root *root,
		       const char *path, const char *name, const char *where,
		       struct sensor x)
{
	if (s->n == MAX_SENSORS)
		return;
	x.fd = kd_root_openat(root, path, O_RDONLY);
	if (x.fd < 0) {
		if (x.fd != -ENOENT)
			s->denied = x.fd;
		return;
	}
	snprintf(x.name, sizeof(x.name), "%s", name);
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->sensors[i].name, x.name))
			snprintf(x.name, sizeof(x.name), "%.30s@%.30s", name,
				 where);
	s->sensors[s->n++] = x;
}

static void add_hwmon(struct state *s, const struct kd_root *root,
		      const char *chip)
{
	char path[160], name[NAME_SIZE], label[NAME_SIZE];

	snprintf(path, sizeof(path), "/sys/class/hwmon/%.60s/name", chip);
	if (kd_root_read_line(root, path, name, sizeof(name)) <= 0)
		snprintf(name, sizeof(name), "%.60s", chip);
	for (int i = 1; i <= 16; i++) {
		snprintf(path, sizeof(path),
			 "/sys/class/hwmon/%.60s/power%d_label", chip, i);
		if (kd_root_read_line(root, path, label, sizeof(label)) <= 0)
			snprintf(label, sizeof(label), "%.40s.power%d", name,
				 i);
		snprintf(path, sizeof(path),
			 "/sys/class/hwmon/%.60s/power%d_input", chip, i);
		add_sensor(s, root, path, label, chip, (struct sensor){ 0 });
	}
}

/* "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it */
static void add_zone(struct state *s, const struct kd_root *root,
		     const char *zone)
{
	const char *colon = strchr(zone, ':');
	struct sensor x = { .counts = true };
	char path[160], text[NAME_SIZE];

	if (!colon)
		return;
	x.part = strchr(colon + 1, ':');
	snprintf(path, sizeof(path),
		 "/sys/class/powercap/%.60s/max_energy_range_uj", zone);
	if (kd_root_read_line(root, path, text, sizeof(text)) > 0)
		x.range = strtoull(text, NULL, 10);
	snprintf(path, sizeof(path), "/sys/class/powercap/%.60s/name", zone);
	if (kd_root_read_line(root, path, text, sizeof(text)) <= 0)
		snprintf(text, sizeof(text), "%.60s", zone);
	snprintf(path, sizeof(path), "/sys/class/powercap/%.60s/energy_uj",
		 zone);
	add_sensor(s, root, path, text, zone, x);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* in order of names, so that two of one label are told apart alike each time */
static void each_name(struct state *s, const struct kd_root *root,
		      const char *path,
		      void (*add)(struct state *, const struct kd_root *,
				  const char *))
{
	int fd = kd_root_openat(root, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char names[MAX_SENSORS][NAME_SIZE];
	struct dirent *e;
	size_t n = 0;

	while (dir && n < MAX_SENSORS && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			snprintf(names[n++], NAME_SIZE, "%s", e->d_name);
	if (dir)
		closedir(dir);
	else
		kd_number_close(fd);
	qsort(names, n, sizeof(names[0]), by_name);
	for (size_t i = 0; i < n; i++)
		add(s, root, names[i]);
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;

	each_name(s, env->root, "/sys/class/hwmon", add_hwmon);
	each_name(s, env->root, "/sys/class/powercap", add_zone);
	if (s->n)
		return 0;
	if (s->denied)
		return kd_fail(d, s->denied, "a power sensor is here, but "
			       "cannot be opened; energy_uj needs root");
	return kd_fail(d, -ENODEV, "no power sensor: neither "
		       "/sys/class/hwmon/*/power*_input nor "
		       "/sys/class/powercap/*/energy_uj");
}

static void advance(struct state *s, struct sensor *x, uint64_t v,
		    double span_s)
{
	if (!x->counts)
		x->joule += ((double)x->last + (double)v) / 2 / 1e6 * span_s;
	else if (v >= x->last)
		x->joule += (double)(v - x->last) / 1e6;
	else if (x->range >= x->last)
		x->joule += (double)(x->range - x->last + v) / 1e6;
	else
		s->error = -ERANGE;
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;

	if (when == KD_OBS_BEGIN) {
		s->t0_ns = now_ns;
		s->error = 0;
	}
	for (size_t i = 0; i < s->n; i++) {
		struct sensor *x = &s->sensors[i];
		uint64_t v;
		int r = kd_number_read(x->fd, &v);

		if (r) {
			s->error = r;
			continue;
		}
		if (when == KD_OBS_BEGIN)
			x->joule = 0;
		else
			advance(s, x, v, (double)(now_ns - s->t_ns) / 1e9);
		x->last = v;
	}
	s->t_ns = now_ns;
}

static void report(struct kd_sink *sink, const struct sensor *x,
		   const char *name, double span_s)
{
	sink->metric(sink, &metrics[M_MEAN], name, x->joule / span_s);
	sink->metric(sink, &metrics[M_ENERGY], name, x->joule);
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	double span_s = (double)(s->t_ns - s->t0_ns) / 1e9;
	const struct sensor *whole = NULL;
	size_t wholes = 0;

	if (s->error || s->t_ns <= s->t0_ns) {
		sink->event(sink, "note", 0, 0,
			    "power: a sensor could not be read all the time");
		return;
	}
	for (size_t i = 0; i < s->n; i++) {
		report(sink, &s->sensors[i], s->sensors[i].name, span_s);
		if (s->sensors[i].part)
			continue;
		whole = &s->sensors[i];
		wholes++;
	}
	if (wholes == 1)
		report(sink, whole, NULL, span_s);
}

static void stop(void *priv)
{
	struct state *s = priv;

	for (size_t i = 0; i < s->n; i++)
		kd_number_close(s->sensors[i].fd);
}

const struct kd_obs_ops kd_obs_power_ops = {
	.name = "power",
	.summary = "power and energy, from hwmon and powercap",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
