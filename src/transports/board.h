/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TRANSPORTS_BOARD_H
#define KD_TRANSPORTS_BOARD_H

struct kd_argv;

/**
 * kd_board_command() - append the kdelta-board to use and its --agent
 * @command: with options; NULL: $KDELTA_BOARD, else beside this program, else
 *           as installed, else from PATH
 */
void kd_board_command(struct kd_argv *a, const char *command);

#endif
