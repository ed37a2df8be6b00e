// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cmd.h"

int main(int argc, char **argv)
{
	return kd_cli_main(argc, argv);
}
