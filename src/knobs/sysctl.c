// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysctl:net.ipv4.tcp_wmem is /proc/sys/net/ipv4/tcp_wmem, of the caller's
 * network namespace where the kernel keeps one per namespace. A '/' in a name
 * stands for a '.' inside one of its parts, as sysctl(8) has it.
 */
#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 8

static int path_of(const char *name, char *out, size_t size, struct kd_diag *d)
{
	int n = snprintf(out, size, "/proc/sys/%s", name);

	if (n < 0 || (size_t)n >= size || strstr(name, ".."))
		return kd_fail(d, -EINVAL, "\"%s\" is no name of a sysctl",
			       name);
	for (char *p = out + strlen("/proc/sys/"); *p; p++)
		*p = *p == '.' ? '/' : *p == '/' ? '.' : *p;
	return 0;
}

static int check(const char *name, struct kd_diag *d)
{
	char path[512];

	if (!*name || *name == '.' || *name == '/')
		return kd_fail(d, -EINVAL, "\"%s\" is no name of a sysctl, as net.ipv4.tcp_wmem is",
			       name);
	return path_of(name, path, sizeof(path), d);
}

static unsigned int scope(const char *name)
{
	return kd_str_has_prefix(name, "net.") ? KD_KNOB_NETNS : 0;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	char path[512];
	int r = path_of(name, path, sizeof(path), d);

	return r ? r : kd_knob_file_get(env->root, path, out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	char path[512];
	int r = path_of(name, path, sizeof(path), d);

	return r ? r : kd_knob_file_set(env->root, path, value, d);
}

struct walk {
	const struct kd_knob_env *env;
	const char *pattern;
	void (*found)(void *arg, const char *name, const char *value,
		      unsigned int flags);
	void *arg;
};

static void visit_file(const struct walk *w, const char *path, const char *name)
{
	char value[4096];

	if (w->pattern && fnmatch(w->pattern, name, 0))
		return;
	w->found(w->arg, name,
		 kd_root_read_line(w->env->root, path, value, sizeof(value)) < 0 ?
			 NULL :
			 value,
		 scope(name));
}

static void visit_dir(const struct walk *w, const char *path, const char *name,
		      int depth)
{
	int fd = kd_root_openat(w->env->root, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (dir && depth < DEPTH_MAX && (e = readdir(dir))) {
		char sub[512], dotted[512], part[256];

		if (e->d_name[0] == '.')
			continue;
		snprintf(part, sizeof(part), "%s", e->d_name);
		for (char *p = part; *p; p++)
			*p = *p == '.' ? '/' : *p;
		snprintf(sub, sizeof(sub), "%.250s/%.255s", path, e->d_name);
		snprintf(dotted, sizeof(dotted), "%.250s%s%.255s", name,
			 *name ? "." : "", part);
		if (e->d_type == DT_DIR)
			visit_dir(w, sub, dotted, depth + 1);
		else
			visit_file(w, sub, dotted);
	}
	if (dir)
		closedir(dir);
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	const struct walk w = { env, pattern, found, arg };

	visit_dir(&w, "/proc/sys", "", 0);
	return 0;
}

const struct kd_knob_ops kd_knob_sysctl_ops = {
	.name = "sysctl",
	.summary = "a file under /proc/sys, as sysctl(8) names it",
	.scope = scope,
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
