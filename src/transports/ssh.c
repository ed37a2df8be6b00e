// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A board behind ssh. kdelta-agent must be on its PATH, or named by "agent".
 */
#include "transports/argv.h"
#include "transports/transport.h"

struct options {
	char *host;
	char *agent;
	char *command;
	char *address;
};

static const struct kd_opt opts[] = {
	{ "host", KD_OPT_STR, offsetof(struct options, host),
	  .arg = "USER@HOST", .help = "as ssh takes it",
	  .flags = KD_OPT_POSITIONAL },
	{ "agent", KD_OPT_STR, offsetof(struct options, agent),
	  .def = "kdelta-agent", .arg = "CMD", .help = "the agent there" },
	{ "command", KD_OPT_STR, offsetof(struct options, command),
	  .def = "ssh -T -o BatchMode=yes", .arg = "CMD",
	  .help = "the ssh to use, with its options" },
	{ "address", KD_OPT_STR, offsetof(struct options, address),
	  .arg = "ADDR", .help = "its address, for the other end to dial" },
	{ 0 },
};

static int argv(const void *options, const char *agent, char ***out,
		struct kd_diag *d)
{
	const struct options *o = options;
	struct kd_argv a = { 0 };

	if (!o->host)
		return kd_fail(d, -EINVAL, "ssh needs a host: { ssh: root@board }");
	kd_argv_add_words(&a, o->command);
	kd_argv_add(&a, "--");
	kd_argv_add(&a, o->host);
	kd_argv_add(&a, o->agent);
	return kd_argv_take(&a, out, d);
}

const struct kd_transport_ops kd_transport_ssh_ops = {
	.name = "ssh",
	.summary = "a board behind ssh",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.flags = KD_TRANSPORT_REBOOTS,
	.argv = argv,
};
