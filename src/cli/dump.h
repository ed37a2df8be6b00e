/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_DUMP_H
#define KD_CLI_DUMP_H

struct kd_buf;

/**
 * kd_dump_options() - all tables as lines of tab-separated fields
 *
 * "command NAME SUMMARY", "option COMMAND NAME LETTER TYPE ARG CHOICES HELP",
 * and "workload", "observer", "knob", "transport" and "plan" with theirs.
 * Completion and man pages are made from it.
 */
void kd_dump_options(struct kd_buf *out);

#endif
