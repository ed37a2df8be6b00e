// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command:label is three shell commands of the experiment file: get prints the
 * value, set and restore find it in $KD_VALUE. Without restore, set does it;
 * without get, the knob cannot be verified.
 */
#include "base/buf.h"
#include "knobs/knob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int shell(const char *command, const char *value, struct kd_buf *out,
		 struct kd_diag *d)
{
	struct kd_buf said = { 0 };
	char chunk[512];
	FILE *p;
	size_t n;
	int status;

	if (value)
		setenv("KD_VALUE", value, 1);
	p = popen(command, "re");
	if (!p)
		return kd_fail_errno(d, "cannot run \"%s\"", command);
	while ((n = fread(chunk, 1, sizeof(chunk), p)) > 0)
		if (said.len < 65536)
			kd_buf_add(&said, chunk, n);
	status = pclose(p);
	unsetenv("KD_VALUE");
	while (said.len && said.data[said.len - 1] == '\n')
		said.data[--said.len] = '\0';
	if (status)
		kd_fail(d, -EIO, "\"%s\" ended with status %d: %s", command,
			WIFEXITED(status) ? WEXITSTATUS(status) : -1,
			kd_buf_str(&said));
	else if (out)
		kd_buf_puts(out, kd_buf_str(&said));
	kd_buf_fini(&said);
	return status ? -EIO : 0;
}

static int check(const char *name, struct kd_diag *d)
{
	return *name ? 0 : kd_fail(d, -EINVAL, "a command knob needs a label");
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	return 0;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	if (!env->cmd_get)
		return kd_fail(d, -EOPNOTSUPP, "command:%s has no get", name);
	return shell(env->cmd_get, NULL, out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	if (!env->cmd_set)
		return kd_fail(d, -EOPNOTSUPP, "command:%s has no set", name);
	return shell(env->cmd_set, value, NULL, d);
}

const struct kd_knob_ops kd_knob_command_ops = {
	.name = "command",
	.summary = "shell commands that get, set and restore something",
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
