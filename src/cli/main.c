// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"
#include "cli/cmd.h"

#include <string.h>

int main(int argc, char **argv)
{
	/* how this program starts its own agents; it has its own options */
	if (argc > 1 && !strcmp(argv[1], "agent"))
		return kd_agent_main(argc - 1, argv + 1);
	return kd_cli_main(argc, argv);
}
