// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta restore: put back what a crash left changed.
 */
#include "base/root.h"
#include "cli/cmd.h"
#include "knobs/journal.h"
#include "knobs/knob.h"

#include <stdio.h>

struct options {
	char *state;
};

static const struct kd_opt opts[] = {
	{ "state", KD_OPT_STR, offsetof(struct options, state),
	  .arg = "DIR",
	  .help = "where the journals of changed knobs are; /run/kdelta for root" },
	{ 0 },
};

static void say(void *arg, const char *words)
{
	int *n = arg;

	puts(words);
	++*n;
}

static int run(const void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct kd_knob_env env = { 0 };
	struct kd_diag d = { 0 };
	struct kd_root *root;
	int said = 0, left;

	if (kd_root_open("/", &root, &d))
		return kd_cli_fail("restore", &d);
	env.root = root;
	left = kd_journal_recover(o->state, &env, say, &said, &d);
	kd_root_close(root);
	if (left < 0)
		return kd_cli_fail("restore", &d);
	if (!said)
		puts("Nothing was left changed.");
	return left ? KD_EXIT_FAILED : KD_EXIT_DONE;
}

const struct kd_command kd_command_restore = {
	.name = "restore",
	.summary = "put back what a crash left changed",
	.details = "Knobs go back in reverse order. One that somebody else has "
		   "set since is left as it is, and said.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.run = run,
};
