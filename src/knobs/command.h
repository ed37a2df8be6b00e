/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_COMMAND_H
#define KD_KNOBS_COMMAND_H

/*
 * "command:LABEL" is whatever shell commands of the experiment file change. The
 * label only names it; the commands travel in struct kd_knob_env:
 *
 *   @cmd_get:     prints the value on standard output; without it the knob is
 *                 write-only and cannot be verified
 *   @cmd_set:     finds the wanted value in $KD_VALUE; needed to set
 *   @cmd_restore: undoes it, with what @cmd_get had printed before in
 *                 $KD_VALUE (empty without one); without it @cmd_set does
 *                 that where there is a @cmd_get, and nothing can otherwise
 *
 * A command runs under "sh -c" with an empty standard input. It fails by its
 * exit status; what it printed on standard error is told. One that runs for
 * longer than a minute is killed.
 */

#define KD_COMMAND_SECONDS 60

struct kd_buf;
struct kd_diag;

/** kd_command_shell() - run @command so, with @value in $KD_VALUE; @out (may be
 * NULL) gets what it prints, without the last line ends */
int kd_command_shell(const char *command, const char *value,
		     struct kd_buf *out, struct kd_diag *d);

#endif
