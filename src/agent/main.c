// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

int main(int argc, char **argv)
{
	return kd_agent_main(argc, argv);
}
