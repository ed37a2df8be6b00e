// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device is a network namespace of this machine, made for the experiment
 * and gone with it. netlab.h makes it; the agent enters it by descriptor.
 */
#include "transports/netlab.h"

#include "transports/argv.h"
#include "transports/transport.h"

static int argv(const void *options, const char *agent, char ***out,
		struct kd_diag *d)
{
	struct kd_argv a = { 0 };

	kd_argv_add_words(&a, agent);
	return kd_argv_take(&a, out, d);
}

const struct kd_transport_ops kd_transport_netns_ops = {
	.name = "netns",
	.summary = "two network namespaces of this machine, joined by veth",
	.opts = kd_netlab_opts,
	.opts_size = sizeof(struct kd_netlab_options),
	.flags = KD_TRANSPORT_LOCAL,
	.argv = argv,
};
