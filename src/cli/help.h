/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_HELP_H
#define KD_CLI_HELP_H

#include <stdbool.h>

struct kd_buf;
struct kd_command;
struct kd_opt;

/** kd_help_program() - "kdelta --help" in @width columns */
void kd_help_program(int width, struct kd_buf *out);

/** kd_help_command() - "kdelta COMMAND --help" in @width columns */
void kd_help_command(const struct kd_command *cmd, int width,
		     struct kd_buf *out);

/**
 * kd_help_options() - one paragraph an option
 * @dashes: command line: letter and "--name=ARG"; else "name: ARG"
 */
void kd_help_options(const struct kd_opt *opts, bool dashes, int width,
		     struct kd_buf *out);

/** kd_help_wrap() - append @text in @width columns, each line after @indent
 * blanks; the first line starts at column @at */
void kd_help_wrap(const char *text, int at, int indent, int width,
		  struct kd_buf *out);

#endif
