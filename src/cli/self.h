/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_SELF_H
#define KD_CLI_SELF_H

struct kd_diag;

/** kd_cli_agent() - the command that starts an agent on this machine: this very
 * program; *@out is the caller's */
int kd_cli_agent(char **out, struct kd_diag *d);

#endif
