// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta agent: the agent of this machine, for kdelta's own use.
 */
#include "agent/agent.h"
#include "cli/cmd.h"

static int run(const void *opts, int argc, char **argv)
{
	/* argv[-1] is this command's own name */
	return kd_agent_main(argc + 1, argv - 1);
}

const struct kd_command kd_command_agent = {
	.name = "agent",
	.summary = "the agent on standard input and output",
	.usage = "[OPTION]...",
	.max_args = -1,
	.flags = KD_COMMAND_HIDDEN,
	.run = run,
};
