// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module-param:wilc1000.enable_sleep is
 * /sys/module/wilc1000/parameters/enable_sleep. '-' and '_' are alike in both
 * names, as in modprobe(8); the kernel shows '_' in a module's name.
 */
#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define MODULES "/sys/module"

struct param {
	char module[128];
	char name[128];
	char path[512];
};

struct look_alike {
	const char *wanted;
	char *found;
	size_t size;
};

struct walk {
	const struct kd_knob_env *env;
	const char *pattern;
	const char *module;
	void (*found)(void *arg, const char *name, const char *value,
		      unsigned int flags);
	void *arg;
};

static bool is_alike(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') &&
				  (*b == '-' || *b == '_')))
			return false;
	return !*a && !*b;
}

static int split(const char *name, struct param *p, struct kd_diag *d)
{
	const char *dot = strchr(name, '.');
	size_t len = dot ? (size_t)(dot - name) : 0;

	if (!len || !dot[1] || len >= sizeof(p->module) || strchr(name, '/') ||
	    strlen(dot + 1) >= sizeof(p->name) ||
	    kd_str_has_prefix(dot + 1, ".."))
		return kd_fail(d, -EINVAL,
			       "\"%s\" is no MODULE.PARAMETER, such as tcp_cubic.beta",
			       name);
	snprintf(p->module, sizeof(p->module), "%.*s", (int)len, name);
	strcpy(p->name, dot + 1);
	return 0;
}

static int check(const char *name, struct kd_diag *d)
{
	struct param p;

	return split(name, &p, d);
}

static int try_name(void *arg, const char *name)
{
	struct look_alike *l = arg;

	if (is_alike(name, l->wanted))
		snprintf(l->found, l->size, "%s", name);
	return 0;
}

/* as the kernel spells module and parameter */
static int find(const struct kd_knob_env *env, const char *name,
		struct param *p, struct kd_diag *d)
{
	struct look_alike module = { .found = p->module,
				     .size = sizeof(p->module) };
	struct look_alike param = { .found = p->name,
				    .size = sizeof(p->name) };
	struct param wanted;
	int r = split(name, &wanted, d);

	if (r)
		return r;
	*p = wanted;
	module.wanted = wanted.module;
	param.wanted = wanted.name;
	kd_knob_dir_each(env->root, MODULES, try_name, &module);
	snprintf(p->path, sizeof(p->path), MODULES "/%s/parameters", p->module);
	kd_knob_dir_each(env->root, p->path, try_name, &param);
	snprintf(p->path, sizeof(p->path), MODULES "/%s/parameters/%s",
		 p->module, p->name);
	return 0;
}

static bool exists(const struct kd_knob_env *env, const struct param *p,
		   const char *tail)
{
	char path[512];
	mode_t mode;

	snprintf(path, sizeof(path), MODULES "/%s%s", p->module, tail);
	return !kd_knob_file_mode(env->root, path, &mode);
}

/* module or parameter missing, or there but fixed */
static int explain(const struct kd_knob_env *env, const struct param *p,
		   int write, struct kd_diag *d)
{
	mode_t mode = 0;

	if (!exists(env, p, "")) {
		kd_fail(d, -ENOENT, "%s is absent: no module %s is loaded",
			p->path, p->module);
		kd_diag_hint(d, "load it first: modprobe %s", p->module);
		return -ENOENT;
	}
	if (kd_knob_file_mode(env->root, p->path, &mode))
		return 0;
	if (!write || (mode & 0222))
		return 0;
	kd_fail(d, -EACCES, "%s is read-only (mode %04o)", p->path,
		(unsigned int)mode & 07777);
	/* kernel/module/sysfs.c: only a loaded module has initstate */
	if (exists(env, p, "/initstate"))
		kd_diag_hint(d, "it is fixed when the module is loaded: reload it with driver:module/%s, or modprobe %s %s=...",
			     p->module, p->module, p->name);
	else
		kd_diag_hint(d, "%s is built in: it is fixed at boot, on the kernel's command line as %s.%s=...",
			     p->module, p->module, p->name);
	return -EACCES;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	struct param p;
	int r = find(env, name, &p, d);

	if (!r)
		r = explain(env, &p, 0, d);
	return r ? r : kd_knob_file_get(env->root, p.path, out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	struct param p;
	int r = find(env, name, &p, d);

	if (!r)
		r = explain(env, &p, 1, d);
	return r ? r : kd_knob_file_set(env->root, p.path, value, d);
}

static unsigned int look(const struct kd_knob_env *env, const char *name)
{
	struct param p;

	return find(env, name, &p, NULL) ? 0 :
					   kd_knob_file_flags(env->root, p.path);
}

static int list_param(void *arg, const char *param)
{
	const struct walk *w = arg;
	struct kd_buf value = { 0 };
	char path[640], name[520];
	mode_t mode = 0;
	int r;

	snprintf(name, sizeof(name), "%.255s.%.255s", w->module, param);
	if (w->pattern && fnmatch(w->pattern, name, 0))
		return 0;
	snprintf(path, sizeof(path), MODULES "/%.255s/parameters/%.255s",
		 w->module, param);
	kd_knob_file_mode(w->env->root, path, &mode);
	if (!(mode & 0222))
		return 0;
	r = kd_knob_file_get(w->env->root, path, &value, NULL);
	w->found(w->arg, name, r ? NULL : kd_buf_str(&value),
		 mode & 0444 ? 0 : KD_KNOB_WRITE_ONLY);
	kd_buf_fini(&value);
	return 0;
}

static int list_module(void *arg, const char *module)
{
	struct walk *w = arg;
	char path[512];

	snprintf(path, sizeof(path), MODULES "/%s/parameters", module);
	w->module = module;
	kd_knob_dir_each(w->env->root, path, list_param, w);
	return 0;
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	struct walk w = { .env = env, .pattern = pattern, .found = found,
			  .arg = arg };

	kd_knob_dir_each(env->root, MODULES, list_module, &w);
	return 0;
}

const struct kd_knob_ops kd_knob_module_param_ops = {
	.name = "module-param",
	.summary = "a parameter of a module that can be written while it runs: module-param:MODULE.PARAMETER",
	.look = look,
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
