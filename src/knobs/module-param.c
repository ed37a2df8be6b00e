// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module-param:wilc1000.enable_sleep is
 * /sys/module/wilc1000/parameters/enable_sleep; '-' and '_' are alike in a
 * module's name.
 */
#include "base/buf.h"
#include "base/root.h"
#include "knobs/file.h"
#include "knobs/knob.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int path_of(const char *name, char *out, size_t size, struct kd_diag *d)
{
	const char *dot = strchr(name, '.');
	size_t len = dot ? (size_t)(dot - name) : 0;
	char module[128];

	if (!len || !dot[1] || len >= sizeof(module) || strchr(name, '/') ||
	    strlen(dot + 1) > 128)
		return kd_fail(d, -EINVAL, "\"%s\" is no MODULE.PARAMETER",
			       name);
	memcpy(module, name, len);
	module[len] = '\0';
	for (char *p = module; *p; p++)
		*p = *p == '-' ? '_' : *p;
	snprintf(out, size, "/sys/module/%s/parameters/%s", module, dot + 1);
	return 0;
}

static int check(const char *name, struct kd_diag *d)
{
	char path[384];

	return path_of(name, path, sizeof(path), d);
}

/* what is missing: the module, or the parameter */
static void hint(const struct kd_knob_env *env, const char *path,
		 struct kd_diag *d)
{
	char module[384];
	int fd;

	if (!d || d->err != -ENOENT)
		return;
	snprintf(module, sizeof(module), "%s", path);
	*strstr(module, "/parameters/") = '\0';
	fd = kd_root_openat(env->root, module, O_PATH);
	d->hint[0] = '\0';
	if (fd < 0)
		kd_diag_hint(d, "the module is not loaded");
	else
		kd_diag_hint(d, "the module is loaded, but has no such parameter to see");
	if (fd >= 0)
		close(fd);
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	char path[384];
	int r = path_of(name, path, sizeof(path), d);

	if (!r)
		r = kd_knob_file_get(env->root, path, out, d);
	if (r == -ENOENT)
		hint(env, path, d);
	return r;
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	char path[384];
	int r = path_of(name, path, sizeof(path), d);

	if (!r)
		r = kd_knob_file_set(env->root, path, value, d);
	if (r == -ENOENT)
		hint(env, path, d);
	return r;
}

static DIR *open_dir(const struct kd_root *root, const char *path)
{
	int fd = kd_root_openat(root, path, O_RDONLY | O_DIRECTORY);

	return fd < 0 ? NULL : fdopendir(fd);
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	DIR *modules = open_dir(env->root, "/sys/module");
	struct dirent *m, *p;

	while (modules && (m = readdir(modules))) {
		char path[640], name[520], value[1024];
		DIR *params;

		if (m->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/module/%s/parameters",
			 m->d_name);
		params = open_dir(env->root, path);
		while (params && (p = readdir(params))) {
			if (p->d_name[0] == '.')
				continue;
			snprintf(name, sizeof(name), "%.250s.%.255s", m->d_name,
				 p->d_name);
			if (pattern && fnmatch(pattern, name, 0))
				continue;
			snprintf(path, sizeof(path),
				 "/sys/module/%.250s/parameters/%.255s",
				 m->d_name, p->d_name);
			found(arg, name,
			      kd_root_read_line(env->root, path, value,
						sizeof(value)) < 0 ?
				      NULL :
				      value,
			      0);
		}
		if (params)
			closedir(params);
	}
	if (modules)
		closedir(modules);
	return 0;
}

const struct kd_knob_ops kd_knob_module_param_ops = {
	.name = "module-param",
	.summary = "a parameter of a loaded module",
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
