// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual board: kdelta-board boots it and is the pipe to its agent. In
 * batch mode the requests are read to the end before it starts, so that the
 * same requests and seed give the same bytes. See docs/board.md.
 */
#include "transports/argv.h"
#include "transports/transport.h"

#include <stdlib.h>
#include <string.h>

struct options {
	char *profile;
	char *command;
	bool interactive;
	char *kernel;
	char *console;
	char *param;
};

static const struct kd_opt opts[] = {
	{ "profile", KD_OPT_STR, offsetof(struct options, profile),
	  .arg = "NAME", .help = "the board's hardware",
	  .flags = KD_OPT_POSITIONAL },
	{ "interactive", KD_OPT_BOOL, offsetof(struct options, interactive),
	  .help = "answer while requests come; repeats to a percent or two" },
	{ "kernel", KD_OPT_STR, offsetof(struct options, kernel),
	  .arg = "VERSION", .help = "Debian kernel to boot" },
	{ "console", KD_OPT_STR, offsetof(struct options, console),
	  .arg = "FILE", .help = "keep the board's console there" },
	{ "param", KD_OPT_STR, offsetof(struct options, param),
	  .arg = "MOD.P=V", .help = "a module's parameter at load" },
	{ "command", KD_OPT_STR, offsetof(struct options, command),
	  .arg = "CMD", .help = "the kdelta-board to use, with its options" },
	{ 0 },
};

static void add_pair(struct kd_argv *a, const char *name, const char *value)
{
	if (!value)
		return;
	kd_argv_add(a, name);
	kd_argv_add(a, value);
}

static int argv(const void *options, const char *agent, char ***out,
		struct kd_diag *d)
{
	const struct options *o = options;
	const char *command = o->command ?: getenv("KDELTA_BOARD");
	struct kd_argv a = { 0 };

	if (!o->profile)
		return kd_fail(d, -EINVAL,
			       "board needs a profile: { board: wilc1000 }");
	kd_argv_add_words(&a, command && *command ? command : "kdelta-board");
	add_pair(&a, "--profile", o->profile);
	if (agent && strchr(agent, '/'))
		add_pair(&a, "--agent", agent);
	add_pair(&a, "--kernel", o->kernel);
	add_pair(&a, "--console", o->console);
	add_pair(&a, "--param", o->param);
	if (o->interactive)
		kd_argv_add(&a, "--interactive");
	return kd_argv_take(&a, out, d);
}

const struct kd_transport_ops kd_transport_board_ops = {
	.name = "board",
	.summary = "the virtual board, in QEMU",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.flags = KD_TRANSPORT_BATCH | KD_TRANSPORT_REBOOTS,
	.argv = argv,
};
