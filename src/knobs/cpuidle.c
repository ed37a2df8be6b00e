// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpuidle:C6.disable, cpuidle:state2.disable of all CPUs, cpuidle:cpu1.C6.disable
 * of one; cpuidle:governor.
 *
 * Files of /sys/devices/system/cpu/cpuN/cpuidle/stateM and current_governor of
 * /sys/devices/system/cpu/cpuidle (Documentation/admin-guide/pm/cpuidle.rst).
 */
#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"
#include "knobs/many.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu"
#define GOVERNOR CPUS "/cpuidle/current_governor"
#define STATES_MAX 16

/* [cpuN.]STATE.disable */
struct which {
	char cpu[24];		/* "": all */
	char state[32];
};

struct choice {
	const struct kd_root *root;
	const struct which *which;
	struct kd_many *files;
};

static int bad(const char *name, struct kd_diag *d)
{
	kd_fail(d, -EINVAL, "\"%.80s\" is no setting of cpuidle", name);
	kd_diag_hint(d, "write cpuidle:governor, cpuidle:C6.disable, or cpuidle:cpu1.state2.disable for one CPU");
	return -EINVAL;
}

static bool is_cpu(const char *s, size_t len)
{
	return len > 3 && len < 10 && kd_str_has_prefix(s, "cpu") &&
	       strspn(s + 3, "0123456789") >= len - 3;
}

static int split(const char *name, struct which *w, struct kd_diag *d)
{
	const char *dot = strchr(name, '.');
	size_t len;

	memset(w, 0, sizeof(*w));
	if (!strcmp(name, "governor"))
		return 0;
	if (dot && is_cpu(name, (size_t)(dot - name))) {
		memcpy(w->cpu, name, (size_t)(dot - name));
		name = dot + 1;
		dot = strchr(name, '.');
	}
	len = dot ? (size_t)(dot - name) : 0;
	if (!len || len >= sizeof(w->state) || strcmp(dot, ".disable") ||
	    memchr(name, '/', len))
		return bad(name, d);
	memcpy(w->state, name, len);
	return 0;
}

static int check(const char *name, struct kd_diag *d)
{
	struct which w;

	return split(name, &w, d);
}

static bool is_state(const struct kd_root *root, const char *dir,
		     const char *state, int i)
{
	char path[160], name[64], number[24];

	snprintf(number, sizeof(number), "state%d", i);
	if (!strcmp(number, state))
		return true;
	snprintf(path, sizeof(path), "%s/state%d/name", dir, i);
	return kd_root_read_line(root, path, name, sizeof(name)) > 0 &&
	       !strcmp(name, state);
}

static int add(void *arg, const char *entry)
{
	const struct choice *c = arg;
	char dir[96], path[160];
	mode_t mode;

	if (!is_cpu(entry, strlen(entry)) ||
	    (c->which->cpu[0] && strcmp(c->which->cpu, entry)))
		return 0;
	snprintf(dir, sizeof(dir), CPUS "/%.20s/cpuidle", entry);
	for (int i = 0; i < STATES_MAX; i++) {
		snprintf(path, sizeof(path), "%s/state%d/disable", dir, i);
		if (!kd_knob_file_mode(c->root, path, &mode) &&
		    is_state(c->root, dir, c->which->state, i))
			return kd_many_add(c->files, entry, path);
	}
	return 0;
}

static int find(const struct kd_knob_env *env, const char *name,
		struct kd_many *files, struct kd_diag *d)
{
	struct which w;
	struct choice c = { env->root, &w, files };
	int r = split(name, &w, d);

	if (r)
		return r;
	if (!w.state[0])
		return kd_many_add(files, "machine", GOVERNOR);
	kd_knob_dir_each(env->root, CPUS, add, &c);
	if (files->n)
		return 0;
	kd_fail(d, -ENOENT, "there is no idle state %s%s%s: %s", w.state,
		w.cpu[0] ? " of " : "", w.cpu, strerror(ENOENT));
	kd_diag_hint(d, "kdelta knobs \"cpuidle:*\" lists what there is");
	return -ENOENT;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	struct kd_many files = { 0 };
	int r = find(env, name, &files, d);

	if (!r)
		r = kd_many_get(env->root, &files, out, d);
	kd_many_fini(&files);
	return r;
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	struct kd_many files = { 0 };
	int r = find(env, name, &files, d);

	if (!r)
		r = kd_many_set(env->root, &files, value, d);
	kd_many_fini(&files);
	return r;
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	for (int i = -1; i < STATES_MAX; i++) {
		struct kd_buf value = { 0 };
		char name[96] = "governor", path[96], state[64];

		snprintf(path, sizeof(path), CPUS "/cpu0/cpuidle/state%d/name",
			 i);
		if (i >= 0 && kd_root_read_line(env->root, path, state,
						sizeof(state)) <= 0)
			break;
		if (i >= 0)
			snprintf(name, sizeof(name), "%s.disable", state);
		if ((!pattern || !fnmatch(pattern, name, 0)) &&
		    !get(env, name, &value, NULL))
			found(arg, name, kd_buf_str(&value), 0);
		kd_buf_fini(&value);
	}
	return 0;
}

const struct kd_knob_ops kd_knob_cpuidle_ops = {
	.name = "cpuidle",
	.summary = "idle states of all CPUs, and their governor: cpuidle:C6.disable, cpuidle:governor",
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
