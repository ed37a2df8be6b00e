/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_ARGS_H
#define KD_CLI_ARGS_H

#include "base/diag.h"
#include "base/opt.h"

#include <stdbool.h>

/**
 * struct kd_args - what is left of a command line when its options are taken
 * @argc, @argv: the words that are no options, in the caller's array, followed
 *               by a NULL
 * @help: --help or -h was there; nothing after it was looked at
 */
struct kd_args {
	int argc;
	char **argv;
	bool help;
};

/**
 * kd_args_parse() - read a command line by its option table
 * @opts: the table, or NULL where there are no options
 * @base: the structure it describes, with the defaults in it
 * @argc, @argv: without the command's own name; argv[argc] must be writable,
 *               and the array is put in another order
 * @stops: options end at the first word that is none
 *
 * "--name VALUE", "--name=VALUE"; "--name" and "--no-name" for a KD_OPT_BOOL;
 * "-x VALUE", "-xVALUE", "-ab" for letters. "--" ends the options, "-" is a
 * word. Options and words may be mixed; the last of two values wins.
 * Return: 0, or -EINVAL, -ENOENT, -ERANGE with what was expected and the nearest
 * right word.
 */
int kd_args_parse(const struct kd_opt *opts, void *base, int argc, char **argv,
		  bool stops, struct kd_args *out, struct kd_diag *d);

#endif
