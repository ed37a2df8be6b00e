// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the command line to a command. See cmd.h.
 */
#include "cli/cmd.h"

#include "base/buf.h"
#include "base/parse.h"
#include "base/str.h"
#include "cli/args.h"
#include "cli/dump.h"
#include "cli/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BISECT_STOPS 129

const struct kd_command *kd_command_find(const char *name)
{
	for (size_t i = 0; kd_command_table[i]; i++)
		if (!strcmp(kd_command_table[i]->name, name))
			return kd_command_table[i];
	return NULL;
}

int kd_cli_width(int fd)
{
	const char *text = getenv("COLUMNS");
	struct winsize ws;
	int64_t n = 0;

	if (!text || kd_parse_i64(text, &n) || n <= 0)
		n = ioctl(fd, TIOCGWINSZ, &ws) || !ws.ws_col ? 80 : ws.ws_col;
	return n < 60 ? 60 : n > 100 ? 100 : (int)n;
}

int kd_cli_fail(const char *name, const struct kd_diag *d)
{
	char text[1280];

	kd_diag_format(d, text, sizeof(text));
	fprintf(stderr, "kdelta%s%s: %s\n", name ? " " : "", name ? name : "",
		text);
	switch (d->err) {
	case -EINVAL:
	case -ENOENT:
	case -ERANGE:
	case -E2BIG:
		return KD_EXIT_USAGE;
	case -EINTR:
		return KD_EXIT_INTERRUPTED;
	default:
		return KD_EXIT_FAILED;
	}
}

static int print(struct kd_buf *text)
{
	int r = text->err || fputs(kd_buf_str(text), stdout) < 0 ||
		fflush(stdout) ? KD_EXIT_FAILED : KD_EXIT_DONE;

	kd_buf_fini(text);
	return r;
}

static int usage_error(const struct kd_command *cmd, const struct kd_diag *d)
{
	int r = kd_cli_fail(cmd ? cmd->name : NULL, d);

	if (!d->hint[0])
		fprintf(stderr, "kdelta%s%s: see kdelta %s%s--help\n",
			cmd ? " " : "", cmd ? cmd->name : "",
			cmd ? cmd->name : "", cmd ? " " : "");
	return cmd && (cmd->flags & KD_COMMAND_BISECT) ? BISECT_STOPS : r;
}

static int unknown_command(const char *word)
{
	struct kd_diag d = { 0 };
	const char *best = NULL;
	unsigned int least = 4;

	for (size_t i = 0; kd_command_table[i]; i++) {
		const struct kd_command *c = kd_command_table[i];
		unsigned int n = kd_str_distance(word, c->name);

		if (!(c->flags & KD_COMMAND_HIDDEN) && n < least &&
		    n < strlen(word)) {
			least = n;
			best = c->name;
		}
	}
	kd_fail(&d, -EINVAL, "there is no command \"%s\"", word);
	if (best)
		kd_diag_hint(&d, "did you mean \"%s\"?", best);
	return usage_error(NULL, &d);
}

static int check_words(const struct kd_command *cmd, const struct kd_args *args,
		       struct kd_diag *d)
{
	if (args->argc < cmd->min_args)
		return kd_fail(d, -EINVAL, "an argument is missing: %s",
			       cmd->usage ? cmd->usage : "");
	if (cmd->max_args >= 0 && args->argc > cmd->max_args)
		return kd_fail(d, -EINVAL, "one argument too many: \"%s\"",
			       args->argv[cmd->max_args]);
	return 0;
}

static int run_command(const struct kd_command *cmd, int argc, char **argv)
{
	void *opts = calloc(1, cmd->opts_size ? cmd->opts_size : 1);
	struct kd_diag d = { 0 };
	struct kd_buf text = { 0 };
	struct kd_args args;
	int r;

	if (!opts || kd_opt_init(cmd->opts, opts)) {
		free(opts);
		kd_fail(&d, -ENOMEM, "out of memory");
		return kd_cli_fail(cmd->name, &d);
	}
	r = kd_args_parse(cmd->opts, opts, argc, argv,
			  cmd->flags & KD_COMMAND_STOPS, &args, &d);
	if (!r && args.help) {
		kd_help_command(cmd, kd_cli_width(STDOUT_FILENO), &text);
		r = print(&text);
	} else if (r || check_words(cmd, &args, &d)) {
		r = usage_error(cmd, &d);
	} else {
		r = cmd->run(opts, args.argc, args.argv);
	}
	kd_opt_fini(cmd->opts, opts);
	free(opts);
	return r;
}

static int help(const char *topic)
{
	const struct kd_command *cmd = topic ? kd_command_find(topic) : NULL;
	int width = kd_cli_width(STDOUT_FILENO);
	struct kd_buf text = { 0 };

	if (topic && !cmd)
		return unknown_command(topic);
	if (cmd)
		kd_help_command(cmd, width, &text);
	else
		kd_help_program(width, &text);
	return print(&text);
}

int kd_cli_main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct kd_command *cmd;
	struct kd_buf text = { 0 };
	struct kd_diag d = { 0 };

	if (!word) {
		kd_help_program(kd_cli_width(STDERR_FILENO), &text);
		fputs(kd_buf_str(&text), stderr);
		kd_buf_fini(&text);
		return KD_EXIT_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
	    !strcmp(word, "help"))
		return help(argc > 2 ? argv[2] : NULL);
	if (!strcmp(word, "--version")) {
		kd_buf_printf(&text, "kdelta %s\n", KD_VERSION);
		return print(&text);
	}
	if (!strcmp(word, "--dump-options")) {
		kd_dump_options(&text);
		return print(&text);
	}
	cmd = kd_command_find(word);
	if (cmd)
		return run_command(cmd, argc - 2, argv + 2);
	if (word[0] == '-') {
		kd_fail(&d, -EINVAL, "there is no option %s", word);
		return usage_error(NULL, &d);
	}
	return unknown_command(word);
}
