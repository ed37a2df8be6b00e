// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpufreq:governor of all policies, cpufreq:policy0.max of one; cpufreq:boost.
 *
 * A setting is a file of /sys/devices/system/cpu/cpufreq/policyN
 * (Documentation/admin-guide/pm/cpufreq.rst); "scaling_" and "_freq" may be left
 * out: "governor", "min", "max", "setspeed", "energy_performance_preference".
 */
#include "base/buf.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"
#include "knobs/many.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define TOP "/sys/devices/system/cpu/cpufreq"

static const char *const settings[] = {
	"governor", "min", "max", "setspeed", "energy_performance_preference",
};

struct choice {
	const struct kd_root *root;
	const char *policy;	/* NULL: all */
	const char *word;
	struct kd_many *files;
};

/* policyN.WORD or WORD */
static int split(const char *name, char policy[24], const char **word,
		 struct kd_diag *d)
{
	const char *dot = strchr(name, '.');
	size_t digits = kd_str_has_prefix(name, "policy") ?
		strspn(name + strlen("policy"), "0123456789") : 0;

	*word = dot ? dot + 1 : name;
	*policy = '\0';
	if (dot && (!digits ||
		    name + strlen("policy") + digits != dot || digits > 6))
		goto bad;
	if (dot)
		snprintf(policy, 24, "%.*s", (int)(dot - name), name);
	for (const char *p = *word; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			goto bad;
	if (**word && strlen(*word) < 48)
		return 0;
bad:
	kd_fail(d, -EINVAL, "\"%.80s\" is no setting of cpufreq", name);
	kd_diag_hint(d, "write cpufreq:governor, cpufreq:max, or cpufreq:policy0.max for one policy");
	return -EINVAL;
}

static int check(const char *name, struct kd_diag *d)
{
	char policy[24];
	const char *word;

	return split(name, policy, &word, d);
}

static int add(void *arg, const char *entry)
{
	const struct choice *c = arg;
	static const char *const forms[][2] = {
		{ "scaling_", "" }, { "scaling_", "_freq" }, { "", "" },
	};
	char path[160];
	mode_t mode;

	if (!kd_str_has_prefix(entry, "policy") ||
	    (c->policy && strcmp(entry, c->policy)))
		return 0;
	for (size_t i = 0; i < KD_ARRAY_SIZE(forms); i++) {
		snprintf(path, sizeof(path), TOP "/%.30s/%s%s%s", entry,
			 forms[i][0], c->word, forms[i][1]);
		if (!kd_knob_file_mode(c->root, path, &mode))
			return kd_many_add(c->files, entry, path);
	}
	return 0;
}

static int find(const struct kd_knob_env *env, const char *name,
		struct kd_many *files, struct kd_diag *d)
{
	char policy[24];
	struct choice c = { .root = env->root, .files = files };
	mode_t mode;
	int r = split(name, policy, &c.word, d);

	if (r)
		return r;
	if (!strcmp(name, "boost"))
		return kd_many_add(files, "machine", TOP "/boost");
	c.policy = *policy ? policy : NULL;
	r = kd_knob_dir_each(env->root, TOP, add, &c);
	if (!r && files->n)
		return 0;
	if (r == -ENOMEM)
		return kd_fail(d, r, "out of memory");
	kd_fail(d, -ENOENT, "cpufreq:%s is absent: %s", name,
		strerror(ENOENT));
	if (kd_knob_file_mode(env->root, TOP "/policy0", &mode))
		kd_diag_hint(d, "there is no driver for the frequency of these CPUs");
	else
		kd_diag_hint(d, "kdelta knobs \"cpufreq:*\" lists what there is");
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
	for (size_t i = 0; i <= KD_ARRAY_SIZE(settings); i++) {
		const char *name = i < KD_ARRAY_SIZE(settings) ? settings[i] :
								 "boost";
		struct kd_buf value = { 0 };

		if ((!pattern || !fnmatch(pattern, name, 0)) &&
		    !get(env, name, &value, NULL))
			found(arg, name, kd_buf_str(&value), 0);
		kd_buf_fini(&value);
	}
	return 0;
}

const struct kd_knob_ops kd_knob_cpufreq_ops = {
	.name = "cpufreq",
	.summary = "governor and frequency limits of all CPUs: cpufreq:governor, cpufreq:policy0.max",
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
