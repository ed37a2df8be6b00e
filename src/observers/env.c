// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The environment of a run. See env.h.
 */
#include "observers/env.h"
#include "observers/observer.h"

#include "base/root.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct item {
	const char *key;
	const char *path;
};

static const struct item files[] = {
	{ "kernel", "/proc/sys/kernel/osrelease" },
	{ "version", "/proc/sys/kernel/version" },
	{ "cmdline", "/proc/cmdline" },
	{ "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor" },
	{ "boost", "/sys/devices/system/cpu/cpufreq/boost" },
	{ "no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo" },
	{ "smt", "/sys/devices/system/cpu/smt/control" },
	{ "online", "/sys/devices/system/cpu/online" },
	{ "cpuidle", "/sys/devices/system/cpu/cpuidle/current_governor" },
	{ "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "hugepages", "/sys/kernel/mm/transparent_hugepage/enabled" },
	{ "model", "/proc/device-tree/model" },
};

static const char *const sysctl_dirs[] = { "/proc/sys/net/core",
					   "/proc/sys/net/ipv4" };

typedef void emit_fn(void *arg, const char *key, const char *value);

/* "model name	: AMD EPYC", the first of them */
static void emit_cpu_model(const struct kd_root *root, emit_fn *emit, void *arg)
{
	char text[4096];
	char *p;

	if (kd_root_read(root, "/proc/cpuinfo", text, sizeof(text)) < 0 &&
	    !text[0])
		return;
	text[sizeof(text) - 1] = '\0';
	p = strstr(text, "model name");
	p = p ? strchr(p, ':') : NULL;
	if (!p)
		return;
	p[strcspn(p, "\n")] = '\0';
	emit(arg, "cpu_model", kd_str_trim(p + 1));
}

static DIR *open_dir(const struct kd_root *root, const char *path)
{
	int fd = kd_root_openat(root, path, O_RDONLY | O_DIRECTORY);

	return fd < 0 ? NULL : fdopendir(fd);
}

static void emit_files(const struct kd_root *root, const char *dir,
		       const char *prefix, const char *only, emit_fn *emit,
		       void *arg)
{
	DIR *d = open_dir(root, dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[512], key[512], value[512];

		if (e->d_name[0] == '.' || e->d_type == DT_DIR ||
		    (only && !kd_str_has_prefix(e->d_name, only)))
			continue;
		snprintf(path, sizeof(path), "%.200s/%.250s", dir, e->d_name);
		snprintf(key, sizeof(key), "%.200s%.250s", prefix, e->d_name);
		if (kd_root_read_line(root, path, value, sizeof(value)) > 0)
			emit(arg, key, value);
	}
	if (d)
		closedir(d);
}

static void emit_modules(const struct kd_root *root, emit_fn *emit, void *arg)
{
	char text[16384];
	char *rest = text, *line;

	if (kd_root_read(root, "/proc/modules", text, sizeof(text)) <= 0)
		return;
	while ((line = strsep(&rest, "\n")) && *line) {
		char dir[320], prefix[160];
		size_t n = strcspn(line, " ");

		line[n] = '\0';
		snprintf(dir, sizeof(dir), "/sys/module/%.100s/parameters",
			 line);
		snprintf(prefix, sizeof(prefix), "module.%.100s.", line);
		emit(arg, prefix, "loaded");
		emit_files(root, dir, prefix, NULL, emit, arg);
	}
}

int kd_env_collect(const struct kd_root *root, emit_fn *emit, void *arg,
		   struct kd_diag *d)
{
	char value[4096];

	for (size_t i = 0; i < KD_ARRAY_SIZE(files); i++)
		if (kd_root_read_line(root, files[i].path, value,
				      sizeof(value)) > 0)
			emit(arg, files[i].key, value);
	emit_cpu_model(root, emit, arg);
	emit_files(root, sysctl_dirs[0], "net.core.", NULL, emit, arg);
	emit_files(root, sysctl_dirs[1], "net.ipv4.", "tcp_", emit, arg);
	emit_modules(root, emit, arg);
	return 0;
}

/*
 * The environment is recorded with every run, asked for or not. As an observer
 * it has a name, and nothing to sample.
 */
static int env_probe(const struct kd_obs_env *env, const void *opts,
		     struct kd_diag *d)
{
	return 0;
}

static int env_start(void *priv, const struct kd_obs_env *env,
		     const void *opts, struct kd_diag *d)
{
	return 0;
}

static void env_sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
}

static void env_result(void *priv, struct kd_sink *sink)
{
}

static void env_stop(void *priv)
{
}

static const struct kd_metric_desc env_metrics[] = { { 0 } };

const struct kd_obs_ops kd_obs_env_ops = {
	.name = "env",
	.summary = "what differs between variants that nobody asked for; always recorded",
	.metrics = env_metrics,
	.probe = env_probe,
	.start = env_start,
	.sample = env_sample,
	.result = env_result,
	.stop = env_stop,
};
