// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device is this machine: the agent is a child process.
 */
#include "transports/argv.h"
#include "transports/transport.h"

struct options {
	char *ifname;
};

static const struct kd_opt opts[] = {
	{ "ifname", KD_OPT_STR, offsetof(struct options, ifname),
	  .arg = "NAME", .help = "the interface under test" },
	{ 0 },
};

static int argv(const void *options, const char *agent, char ***out,
		struct kd_diag *d)
{
	const struct options *o = options;
	struct kd_argv a = { 0 };

	kd_argv_add_words(&a, agent);
	if (o->ifname) {
		kd_argv_add(&a, "--ifname");
		kd_argv_add(&a, o->ifname);
	}
	return kd_argv_take(&a, out, d);
}

const struct kd_transport_ops kd_transport_local_ops = {
	.name = "local",
	.summary = "this machine, its own network",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.flags = KD_TRANSPORT_LOCAL,
	.argv = argv,
};
