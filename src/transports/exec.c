// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any command that gives a byte pipe to an agent.
 */
#include "transports/argv.h"
#include "transports/transport.h"

struct options {
	char *command;
	char *address;
};

static const struct kd_opt opts[] = {
	{ "command", KD_OPT_STR, offsetof(struct options, command),
	  .arg = "CMD",
	  .help = "command whose standard input and output are the agent's",
	  .flags = KD_OPT_POSITIONAL },
	{ "address", KD_OPT_STR, offsetof(struct options, address),
	  .arg = "ADDR", .help = "its address, for the other end to dial" },
	{ 0 },
};

static int argv(const void *options, const char *agent, char ***out,
		struct kd_diag *d)
{
	const struct options *o = options;
	struct kd_argv a = { 0 };

	kd_argv_add_words(&a, o->command ? o->command : "");
	return kd_argv_take(&a, out, d);
}

const struct kd_transport_ops kd_transport_exec_ops = {
	.name = "exec",
	.summary = "any command that gives a byte pipe to kdelta-agent",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.argv = argv,
};
