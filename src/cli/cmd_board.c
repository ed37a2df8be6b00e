// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta board: the virtual board by hand. kdelta-board does the work.
 */
#include "cli/cmd.h"
#include "transports/argv.h"
#include "transports/board.h"

#include <unistd.h>

struct options {
	bool list;
	bool shell;
};

static const struct kd_opt opts[] = {
	{ "list", KD_OPT_BOOL, offsetof(struct options, list),
	  .help = "the profiles that there are" },
	{ "shell", KD_OPT_BOOL, offsetof(struct options, shell),
	  .help = "a shell on the board" },
	{ 0 },
};

static int run(const void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct kd_argv a = { 0 };
	struct kd_diag d = { 0 };
	char **words;

	if (!argc && !o->list) {
		kd_fail(&d, -EINVAL, "which profile?");
		kd_diag_hint(&d, "--list names them");
		return kd_cli_fail("board", &d);
	}
	kd_board_command(&a, NULL);
	if (o->list)
		kd_argv_add(&a, "--list");
	if (o->shell)
		kd_argv_add(&a, "--shell");
	for (int i = 0; i < argc; i++) {
		if (!i)
			kd_argv_add(&a, "--profile");
		kd_argv_add(&a, argv[i]);
	}
	if (!kd_argv_take(&a, &words, &d)) {
		execvp(words[0], words);
		kd_fail_errno(&d, "cannot start %s", words[0]);
		kd_argv_free(words);
	}
	return kd_cli_fail("board", &d);
}

const struct kd_command kd_command_board = {
	.name = "board",
	.summary = "boot the virtual board by hand",
	.usage = "[PROFILE [OPTION]...]",
	.details =
		"Boots _PROFILE_ and is the pipe to the agent on it: requests on "
		"standard input, answers on standard output, as JSON lines; "
		"*kdelta board wilc1000 <requests.jsonl*. Options after the "
		"profile are those of kdelta-board: *--init* runs a shell script "
		"on the board instead, *--seed*, *--console*, *--kernel*, "
		"*--param* and more, which *kdelta board wilc1000 --help* lists.\n"
		"Experiments need none of this: *dut: { board: wilc1000 }* is all.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = -1,
	.flags = KD_COMMAND_STOPS,
	.run = run,
};
