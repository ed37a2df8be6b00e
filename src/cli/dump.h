/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_DUMP_H
#define KD_CLI_DUMP_H

struct kd_buf;

/**
 * kd_dump_options() - all tables as lines of tab-separated fields
 *
 *   command NAME SUMMARY USAGE      and "command-text NAME PARAGRAPH" lines
 *   workload NAME SUMMARY           and "workload-metric NAME METRIC UNIT HELP"
 *   observer NAME SUMMARY           and "observer-metric ..."
 *   knob NAME SUMMARY
 *   transport NAME SUMMARY
 *   report, import NAME SUMMARY
 *   run, plan                       the experiment file's common options
 *
 * each followed by its options: "KIND-option OWNER NAME LETTER TYPE ARG CHOICES
 * DEFAULT FLAGS HELP", choices joined by blanks, flags "repeat", "word".
 * Completion and man pages are made from it.
 */
void kd_dump_options(struct kd_buf *out);

#endif
