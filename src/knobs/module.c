// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules in and out. See module.h; finit_module(2), delete_module(2).
 */
#include "knobs/module.h"

#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/command.h"
#include "knobs/file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NONE "none"
#define LOADED "loaded"

struct params {
	const struct kd_root *root;
	const char *module;
	struct kd_buf *out;
};

static bool is_word(const char *value, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(value, word, n) && (!value[n] || value[n] == ' ');
}

bool kd_module_is_value(const char *value)
{
	return is_word(value, LOADED) || *value == '/';
}

int kd_module_check(const char *name, struct kd_diag *d)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || name[n] == '_' ||
	       name[n] == '-')
		n++;
	if (n && !name[n] && n < 64 && name[0] != '-')
		return 0;
	return kd_fail(d, -EINVAL, "\"%.80s\" is no name of a module", name);
}

/* the kernel shows '_' */
static void spell(const char *name, char out[64])
{
	snprintf(out, 64, "%s", name);
	for (; *out; out++)
		*out = *out == '-' ? '_' : *out;
}

static int add_param(void *arg, const char *name)
{
	const struct params *p = arg;
	char path[512], value[1024];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", p->module,
		 name);
	if (kd_root_read_line(p->root, path, value, sizeof(value)) <= 0 ||
	    strpbrk(value, " \t\"'\\") || !strcmp(value, "(null)"))
		return 0;
	return kd_buf_printf(p->out, " %s=%s", name, value);
}

int kd_module_get(const struct kd_root *root, const char *name,
		  struct kd_buf *out, struct kd_diag *d)
{
	char module[64], path[160];
	struct params p = { root, module, out };
	mode_t mode;
	int r = kd_module_check(name, d);

	if (r)
		return r;
	spell(name, module);
	snprintf(path, sizeof(path), "/sys/module/%s", module);
	if (kd_knob_file_mode(root, path, &mode))
		return kd_buf_puts(out, NONE);
	snprintf(path, sizeof(path), "/sys/module/%s/initstate", module);
	if (kd_knob_file_mode(root, path, &mode)) {
		kd_fail(d, -EACCES, "%s is built into the kernel: it is read-only here",
			module);
		return -EACCES;
	}
	kd_buf_puts(out, LOADED);
	snprintf(path, sizeof(path), "/sys/module/%s/parameters", module);
	kd_knob_dir_each(root, path, add_param, &p);
	return out->err;
}

static int take_out(const char *module, struct kd_diag *d)
{
	if (!syscall(SYS_delete_module, module, O_NONBLOCK))
		return 0;
	if (errno == EWOULDBLOCK || errno == EBUSY) {
		kd_fail(d, -EBUSY, "cannot take out module %s: it is in use",
			module);
		kd_diag_hint(d, "take its interface down, or what holds it away; /sys/module/%s/holders says who",
			     module);
		return -EBUSY;
	}
	return kd_fail_errno(d, "cannot take out module %s", module);
}

static int put_in_file(const char *value, const char *module,
		       struct kd_diag *d)
{
	size_t n = strcspn(value, " ");
	const char *params = value + n + (value[n] == ' ');
	char path[512];
	int fd, r;

	snprintf(path, sizeof(path), "%.*s", (int)n, value);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return kd_fail_errno(d, "cannot open module %s", path);
	r = syscall(SYS_finit_module, fd, params, 0) ?
		    kd_fail_errno(d, "cannot put in module %s (\"%s\")", path,
				  params) : 0;
	close(fd);
	if (r == -ENOENT)
		kd_diag_hint(d, "a symbol or a parameter is not known: dmesg says which");
	else if (r == -ENOEXEC)
		kd_diag_hint(d, "it was built for another kernel");
	else if (r == -ENOSYS)
		kd_diag_hint(d, "this kernel has no modules");
	return r;
}

/* may it be put in by its name? */
static int ask_modprobe(const char *module, struct kd_diag *d)
{
	char command[128];

	snprintf(command, sizeof(command), "modinfo -n %s >/dev/null", module);
	return kd_command_shell(command, "", NULL, d);
}

static int put_in_name(const char *module, const char *params,
		       struct kd_diag *d)
{
	char command[128];

	/* unquoted: as many words as there are parameters, none a pattern */
	snprintf(command, sizeof(command), "set -f; modprobe %s $KD_VALUE",
		 module);
	return kd_command_shell(command, params, NULL, d);
}

int kd_module_set(const struct kd_root *root, const char *name,
		  const char *value, struct kd_diag *d)
{
	struct kd_buf now = { 0 };
	char module[64];
	bool is_in;
	int r = kd_module_get(root, name, &now, d);

	is_in = strcmp(kd_buf_str(&now), NONE);
	kd_buf_fini(&now);
	if (r)
		return r;
	spell(name, module);
	if (strcmp(value, NONE) && !kd_module_is_value(value)) {
		kd_fail(d, -EINVAL, "\"%.80s\" is nothing for a module", value);
		kd_diag_hint(d, "write none, \"loaded [PARAMETER=VALUE...]\" or \"/path/to/%s.ko [PARAMETER=VALUE...]\"",
			     module);
		return -EINVAL;
	}
	if ((is_in || is_word(value, LOADED)) && ask_modprobe(module, NULL)) {
		kd_fail(d, -ENOENT, "modprobe does not find a module %s", module);
		kd_diag_hint(d, is_in ? "it could not be put back as it was: take it out by hand first, and give its file" :
			     "give its file: /path/to/it.ko");
		return -ENOENT;
	}
	/* before the old one is let go of */
	if (*value == '/') {
		char path[512];

		snprintf(path, sizeof(path), "%.*s", (int)strcspn(value, " "),
			 value);
		if (access(path, R_OK))
			return kd_fail_errno(d, "cannot open module %s", path);
	}
	if (is_in)
		r = take_out(module, d);
	if (!r && *value == '/')
		r = put_in_file(value, module, d);
	else if (!r && is_word(value, LOADED))
		r = put_in_name(module, value + strlen(LOADED), d);
	return r;
}

enum kd_knob_match kd_module_match(const char *wanted, const char *seen)
{
	if (!is_word(seen, LOADED))
		return KD_KNOB_DIFFERS;
	for (wanted += strcspn(wanted, " "); *wanted;
	     wanted += strcspn(wanted, " ")) {
		char name[128], a[512], b[512];
		const char *there;
		size_t n;

		wanted += strspn(wanted, " ");
		n = strcspn(wanted, "= ");
		if (!n || wanted[n] != '=' || n >= sizeof(name) - 2)
			continue;
		snprintf(name, sizeof(name), " %.*s=", (int)n, wanted);
		there = strstr(seen, name);
		if (!there)
			continue;
		there += strlen(name);
		snprintf(a, sizeof(a), "%.*s",
			 (int)strcspn(wanted + n + 1, " "), wanted + n + 1);
		snprintf(b, sizeof(b), "%.*s", (int)strcspn(there, " "), there);
		if (kd_knob_match_text(a, b) == KD_KNOB_DIFFERS)
			return KD_KNOB_DIFFERS;
	}
	return KD_KNOB_SAME;
}
