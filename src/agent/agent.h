/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_AGENT_AGENT_H
#define KD_AGENT_AGENT_H

#include <stdio.h>

/** kd_agent_main() - the agent on standard input and output; an exit code */
int kd_agent_main(int argc, char **argv);

/** kd_agent_usage() - its options */
void kd_agent_usage(FILE *out);

#endif
