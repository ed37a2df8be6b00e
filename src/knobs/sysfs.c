// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysfs:/sys/block/sda/queue/scheduler: any file under /sys (with debugfs,
 * tracefs and cgroups in it) or /proc, by its path.
 */
#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define DEPTH_MAX 16

struct walk {
	const struct kd_knob_env *env;
	const char *pattern;
	char path[512];
	int depth;
	void (*found)(void *arg, const char *name, const char *value,
		      unsigned int flags);
	void *arg;
};

static int check(const char *name, struct kd_diag *d)
{
	size_t n = strlen(name);

	if ((kd_str_has_prefix(name, "/sys/") ||
	     kd_str_has_prefix(name, "/proc/")) && n < 500 &&
	    !strstr(name, "/../") && (n < 3 || strcmp(name + n - 3, "/..")))
		return 0;
	kd_fail(d, -EINVAL, "\"%.200s\" is no file under /sys or /proc", name);
	kd_diag_hint(d, "write the whole path: sysfs:/sys/...");
	return -EINVAL;
}

/* a link such as /proc/self/root leads out of them; the file system tells */
static int check_inside(const struct kd_root *root, const char *path,
			struct kd_diag *d)
{
	static const unsigned long inside[] = {
		SYSFS_MAGIC, PROC_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC,
		SELINUX_MAGIC, PSTOREFS_MAGIC, 0x62656570 /* configfs */,
	};
	struct statfs fs;
	int fd, r;

	if (!kd_root_is_live(root))
		return 0;
	fd = kd_root_openat(root, path, O_PATH);
	if (fd < 0)
		return 0;	/* absent: told by who opens it */
	r = fstatfs(fd, &fs) ? -errno : -EINVAL;
	close(fd);
	for (size_t i = 0; i < KD_ARRAY_SIZE(inside); i++)
		if ((unsigned long)fs.f_type == inside[i])
			return 0;
	return kd_fail(d, r, "\"%.200s\" leads out of /sys and /proc", path);
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	int r = check(name, d);

	if (!r)
		r = check_inside(env->root, name, d);
	return r ? r : kd_knob_file_get(env->root, name, out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	int r = check(name, d);

	if (!r)
		r = check_inside(env->root, name, d);
	return r ? r : kd_knob_file_set(env->root, name, value, d);
}

static unsigned int look(const struct kd_knob_env *env, const char *name)
{
	return check(name, NULL) ? 0 : kd_knob_file_flags(env->root, name);
}

/* where /sys/class/net/eth0 and the like lead to: another device under the same
 * name has another place */
static int device(const struct kd_knob_env *env, const char *name,
		  struct kd_buf *out)
{
	char *real, *slash;
	char path[512];
	int r;

	if (check(name, NULL) || !kd_root_is_live(env->root))
		return 0;
	snprintf(path, sizeof(path), "%s", name);
	slash = strrchr(path, '/');
	*slash = '\0';
	real = realpath(path, NULL);
	if (!real)
		return -errno;
	r = kd_str_has_prefix(real, "/sys/devices/") ? kd_buf_puts(out, real) :
						       0;
	free(real);
	return r;
}

static int visit(void *arg, const char *entry)
{
	struct walk *w = arg;
	size_t len = strlen(w->path);
	const char *part = w->pattern;
	struct kd_buf value = { 0 };
	char want[256];
	mode_t mode;
	int r;

	for (int i = 0; part && i <= w->depth; i++)
		part = strchr(part + 1, '/');
	if (!part)
		return 0;
	snprintf(want, sizeof(want), "%.*s", (int)strcspn(part + 1, "/"),
		 part + 1);
	if (fnmatch(want, entry, 0))
		return 0;
	snprintf(w->path + len, sizeof(w->path) - len, "/%s", entry);
	if (!kd_knob_file_mode(w->env->root, w->path, &mode)) {
		if (strchr(part + 1, '/')) {
			w->depth++;
			if (w->depth < DEPTH_MAX)
				kd_knob_dir_each(w->env->root, w->path, visit,
						 w);
			w->depth--;
		} else if (S_ISREG(mode) && (mode & 0222)) {
			r = get(w->env, w->path, &value, NULL);
			w->found(w->arg, w->path, r ? NULL : kd_buf_str(&value),
				 mode & 0444 ? 0 : KD_KNOB_WRITE_ONLY);
			kd_buf_fini(&value);
		}
	}
	w->path[len] = '\0';
	return 0;
}

/* there are too many to list them all: a pattern has to say the folders */
static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	struct walk w = { .env = env, .pattern = pattern, .found = found,
			  .arg = arg };
	const char *slash;

	if (!pattern || check(pattern, NULL))
		return 0;
	slash = strchr(pattern + 1, '/');
	snprintf(w.path, sizeof(w.path), "%.*s", (int)(slash - pattern),
		 pattern);
	w.depth = 0;
	kd_knob_dir_each(env->root, w.path, visit, &w);
	return 0;
}

const struct kd_knob_ops kd_knob_sysfs_ops = {
	.name = "sysfs",
	.summary = "any file under /sys or /proc, by its path; debugfs too",
	.look = look,
	.device = device,
	.check = check,
	.list = list,
	.get = get,
	.set = set,
	.match = kd_knob_match_rounded,
};
