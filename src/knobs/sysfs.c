// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysfs:/sys/class/... : any file under /sys (debugfs and tracefs too) or
 * /proc.
 */
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"

#include <string.h>

static int check(const char *name, struct kd_diag *d)
{
	if ((!kd_str_has_prefix(name, "/sys/") &&
	     !kd_str_has_prefix(name, "/proc/")) ||
	    strstr(name, "/../"))
		return kd_fail(d, -EINVAL, "\"%s\" is no file under /sys or /proc",
			       name);
	return 0;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	int r = check(name, d);

	return r ? r : kd_knob_file_get(env->root, name, out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	int r = check(name, d);

	return r ? r : kd_knob_file_set(env->root, name, value, d);
}

/* there are too many to list: a pattern without wildcards names one */
static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	return 0;
}

const struct kd_knob_ops kd_knob_sysfs_ops = {
	.name = "sysfs",
	.summary = "any file under /sys or /proc",
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
