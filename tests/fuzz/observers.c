// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as the files of /proc and /sys that observers read. The first byte
 * says which observer; then its files at the window's start and at its end, in
 * the order below, each ended by 0xff. What it reports must be numbers.
 *
 * clang: -fsanitize=fuzzer,address,undefined; else with replay.c.
 */
#include "base/clock.h"
#include "base/opt.h"
#include "base/root.h"
#include "observers/observer.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_FILES 10
#define CPU "sys/devices/system/cpu/"
#define IDLE CPU "cpu0/cpuidle/state0/"
#define FREQ CPU "cpufreq/policy0/"
#define TASK "proc/7/task/7/"
#define HWMON "sys/class/hwmon/hwmon0/"
#define RAPL "sys/class/powercap/intel-rapl:0/"
#define LINK "sys/class/net/eth0/"
#define ZONE "sys/class/thermal/thermal_zone0/"

static const struct {
	const char *observer;
	const char *files[MAX_FILES];
} rows[] = {
	{ "cpu", { "proc/stat" } },
	{ "irq", { "proc/interrupts", "proc/softirqs",
		   "proc/net/softnet_stat" } },
	{ "tasks", { "proc/stat", TASK "schedstat", TASK "stat", TASK "comm",
		     "proc/loadavg" } },
	{ "idle", { IDLE "name", IDLE "time", IDLE "usage", IDLE "above",
		    IDLE "below" } },
	{ "power", { HWMON "name", HWMON "power1_label", HWMON "power1_input",
		     RAPL "name", RAPL "max_energy_range_uj",
		     RAPL "energy_uj" } },
	{ "kmsg", { "dev/kmsg" } },
	{ "freq", { FREQ "scaling_cur_freq", FREQ "stats/time_in_state",
		    FREQ "stats/total_trans" } },
	{ "thermal", { ZONE "type", ZONE "temp", ZONE "trip_point_0_type",
		       ZONE "trip_point_0_temp",
		       "sys/class/thermal/cooling_device0/cur_state",
		       CPU "cpu0/thermal_throttle/core_throttle_count" } },
	{ "link", { LINK "statistics/tx_bytes", LINK "statistics/rx_packets",
		    LINK "carrier_changes" } },
};

/* the trees are made once, and stay small: a file is written anew in place */
static char dir[sizeof(rows) / sizeof(rows[0])][64];

static void die(const char *what)
{
	perror(what);
	abort();
}

static void tidy(void)
{
	for (size_t i = 0; i < sizeof(dir) / sizeof(dir[0]); i++) {
		char command[96];

		snprintf(command, sizeof(command), "rm -rf %s", dir[i]);
		if (dir[i][0] && system(command))
			perror(command);
	}
}

static const char *tree(size_t i)
{
	static int registered;

	if (dir[i][0])
		return dir[i];
	if (!registered++)
		atexit(tidy);
	strcpy(dir[i], "/tmp/kd-fuzz-XXXXXX");
	if (!mkdtemp(dir[i]))
		die("mkdtemp");
	return dir[i];
}

/* the next file's bytes; the rest of the input is left in *@data */
static size_t next(const uint8_t **data, size_t *size)
{
	const uint8_t *end = memchr(*data, 0xff, *size);
	size_t len = end ? (size_t)(end - *data) : *size;

	*data += end ? len + 1 : len;
	*size -= end ? len + 1 : len;
	return len;
}

static void put(size_t row, const uint8_t **data, size_t *size)
{
	for (int i = 0; i < MAX_FILES && rows[row].files[i]; i++) {
		const uint8_t *at = *data;
		size_t len = next(data, size);
		char path[256];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", tree(row),
			 rows[row].files[i]);
		for (char *p = path + 5; (p = strchr(p + 1, '/'));) {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || write(fd, at, len) != (ssize_t)len)
			die(path);
		close(fd);
	}
}

static void on_metric(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, double value)
{
	if (!isfinite(value) || !m->name || (instance && strlen(instance) > 256))
		abort();
}

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			abort();
}

static void on_event(struct kd_sink *s, const char *kind, unsigned int flags,
		     uint64_t t_ns, const char *text)
{
	if (!strlen(kind) || strlen(text) > 1024)
		abort();
}

static void window(const struct kd_obs_ops *ops, size_t row,
		   const struct kd_root *root, const uint8_t *data, size_t size)
{
	struct kd_sink sink = { .metric = on_metric, .series = on_series,
				.event = on_event };
	struct kd_obs_env env = { .root = root, .period_ns = 1000,
				  .max_samples = 4 };
	void *priv = calloc(1, ops->priv_size + 1);
	void *opts = calloc(1, ops->opts_size + 1);
	uint64_t t = 10 * KD_NS_PER_SEC;

	if (!priv || !opts || kd_opt_init(ops->opts, opts))
		die("out of memory");
	put(row, &data, &size);
	if (!ops->start(priv, &env, opts, NULL)) {
		ops->sample(priv, KD_OBS_BEGIN, t);
		put(row, &data, &size);
		ops->sample(priv, KD_OBS_TICK, t + KD_NS_PER_SEC);
		ops->sample(priv, KD_OBS_END, t + 2 * KD_NS_PER_SEC);
		ops->result(priv, &sink);
		ops->stop(priv);
	}
	if (ops->opts)
		kd_opt_fini(ops->opts, opts);
	free(opts);
	free(priv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t row = size ? data[0] % (sizeof(rows) / sizeof(rows[0])) : 0;
	const struct kd_obs_ops *ops = kd_obs_find(rows[row].observer);
	struct kd_root *root;

	if (!size)
		return 0;
	if (!ops || kd_root_open(tree(row), &root, NULL))
		abort();
	window(ops, row, root, data + 1, size - 1);
	kd_root_close(root);
	return 0;
}
