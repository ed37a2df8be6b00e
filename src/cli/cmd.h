/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_CMD_H
#define KD_CLI_CMD_H

#include "base/diag.h"
#include "base/opt.h"

struct kd_buf;

/* exit codes of every command but "check" */
enum kd_exit {
	KD_EXIT_DONE = 0,
	KD_EXIT_WORSE = 1,	/* a gate was asked for, and the answer is no */
	KD_EXIT_USAGE = 2,	/* usage or bad input */
	KD_EXIT_FAILED = 3,	/* the device or peer failed */
	KD_EXIT_PARTLY = 4,	/* some runs failed but the report stands */
	KD_EXIT_INTERRUPTED = 130,
};

/* options end at the first word that is none: "kdelta stat CMD -x" */
#define KD_COMMAND_STOPS 1u
/* not shown in help and completion */
#define KD_COMMAND_HIDDEN 2u
/* usage errors exit with 129, which ends a "git bisect run" */
#define KD_COMMAND_BISECT 4u

/**
 * struct kd_command - one subcommand, declared once
 * @name:     as typed
 * @summary:  one line for help, without full stop
 * @usage:    what follows the options: "FILE...", "[PATTERN]"; NULL: nothing
 * @details:  paragraphs for --help and the man page, parted by '\n'; may be
 *            NULL. "*word*" is bold and "_word_" is underlined in the man page.
 * @opts:     its options; may be NULL. --help needs no row.
 * @opts_size: of the structure that they describe
 * @min_args, @max_args: how many words may follow; @max_args < 0: any number
 * @flags:    KD_COMMAND_*
 * @run:      do it; @opts points to the filled structure, freed by the caller;
 *            @argv holds the @argc words that are no options, then a NULL.
 *            Returns the exit code.
 *
 * src/cli/cmd_NAME.c defines "const struct kd_command kd_command_NAME", and
 * NAME is in the list in src/cli/meson.build; there is nothing else to do.
 */
struct kd_command {
	const char *name;
	const char *summary;
	const char *usage;
	const char *details;
	const struct kd_opt *opts;
	size_t opts_size;
	int min_args;
	int max_args;
	unsigned int flags;
	int (*run)(const void *opts, int argc, char **argv);
};

/** kd_command_table - all commands in the order of the list in meson.build;
 * ends with NULL */
extern const struct kd_command *const kd_command_table[];

/** kd_command_find() - by name, or NULL */
const struct kd_command *kd_command_find(const char *name);

/**
 * kd_cli_main() - the whole program: find the command, read its options, run it
 *
 * --help, --version and "help COMMAND" are answered here, usage errors are
 * told with the nearest right word.
 * Return: the exit code.
 */
int kd_cli_main(int argc, char **argv);

/**
 * kd_cli_fail() - print "kdelta NAME: message" to stderr
 * @name: of the command, or NULL
 * Return: the exit code for @d: KD_EXIT_USAGE for -EINVAL, -ENOENT, -ERANGE and
 * -E2BIG, KD_EXIT_INTERRUPTED for -EINTR, else KD_EXIT_FAILED.
 */
int kd_cli_fail(const char *name, const struct kd_diag *d);

/** kd_cli_width() - columns for text on @fd: $COLUMNS, else the terminal's, else
 * 80; never under 60 nor over 100 */
int kd_cli_width(int fd);

#endif
