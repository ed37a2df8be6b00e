// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --help, made from the tables of commands and options.
 */
#include "cli/help.h"

#include "base/buf.h"
#include "base/opt.h"
#include "cli/cmd.h"
#include "observers/observer.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLUMN 26

static void pad(struct kd_buf *out, int n)
{
	while (n-- > 0)
		kd_buf_add(out, " ", 1);
}

void kd_help_wrap(const char *text, int at, int indent, int width,
		  struct kd_buf *out)
{
	bool first = at > indent;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (!len) {
			if (*text == '\n') {
				kd_buf_puts(out, "\n");
				at = 0;
				first = false;
			}
			text++;
			continue;
		}
		if (at > indent && at + !first + (int)len > width) {
			kd_buf_puts(out, "\n");
			at = 0;
		}
		if (at < indent) {
			pad(out, indent - at);
			at = indent;
		} else if (at > indent && !first) {
			kd_buf_puts(out, " ");
			at++;
		}
		kd_buf_add(out, text, len);
		at += (int)len;
		first = false;
		text += len;
	}
	kd_buf_puts(out, "\n");
}

/* "NAME  words", the words in a column of their own where there is room */
static void row(const char *name, const char *words, int width,
		struct kd_buf *out)
{
	int column = width < 72 ? NAME_COLUMN - 6 : NAME_COLUMN;
	int at = (int)strlen(name);

	kd_buf_puts(out, name);
	if (at + 2 > column) {
		kd_buf_puts(out, "\n");
		at = 0;
	}
	pad(out, column - at);
	kd_help_wrap(words, column, column, width, out);
}

static void option(const struct kd_opt *o, bool dashes, int width,
		   struct kd_buf *out)
{
	struct kd_buf words = { 0 };
	char name[96], letter[8] = "";
	bool flag = o->type == KD_OPT_BOOL;

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	if (!dashes)
		snprintf(name, sizeof(name), "  %s: %s", o->name,
			 kd_opt_arg(o));
	else if (flag)
		snprintf(name, sizeof(name), "  %s--%s%s", letter,
			 o->def && o->def[0] == 'y' ? "[no-]" : "", o->name);
	else
		snprintf(name, sizeof(name), "  %s--%s=%s", letter, o->name,
			 kd_opt_arg(o));
	kd_buf_puts(&words, o->help ? o->help : "");
	if (o->type == KD_OPT_ENUM) {
		kd_buf_puts(&words, ": ");
		for (int i = 0; o->choices[i]; i++)
			kd_buf_printf(&words, "%s%s", i ? ", " : "",
				      o->choices[i]);
	}
	if (o->flags & KD_OPT_REPEAT)
		kd_buf_puts(&words, "; may be repeated");
	if (o->def && !flag)
		kd_buf_printf(&words, " (default %s)", o->def);
	row(name, kd_buf_str(&words), width, out);
	kd_buf_fini(&words);
}

void kd_help_options(const struct kd_opt *opts, bool dashes, int width,
		     struct kd_buf *out)
{
	for (; opts && opts->name; opts++)
		option(opts, dashes, width, out);
}

/* the marks are for the man page */
static void details(const char *text, int width, struct kd_buf *out)
{
	struct kd_buf plain = { 0 };
	char before = ' ';

	for (const char *p = text; *p; before = *p++) {
		bool mark = *p == '*' || *p == '_';
		bool starts = strchr(" (\n", before);
		bool ends = strchr(" ),.;:\n", p[1]);

		if (mark && starts != ends)
			continue;
		kd_buf_add(&plain, p, 1);
		if (*p == '\n')
			kd_buf_add(&plain, p, 1);
	}
	kd_help_wrap(kd_buf_str(&plain), 0, 0, width, out);
	kd_buf_fini(&plain);
}

/* "a, b, c" */
static void add_name(struct kd_buf *names, const char *name)
{
	kd_buf_printf(names, "%s%s", kd_buf_str(names)[0] ? ", " : "", name);
}

/* what an experiment is made of; kdelta-experiment(5) explains each */
static void kinds(int width, struct kd_buf *out)
{
	struct kd_buf names = { 0 };

	for (size_t i = 0; kd_work_table[i]; i++)
		add_name(&names, kd_work_table[i]->name);
	row("  workloads", kd_buf_str(&names), width, out);
	kd_buf_reset(&names);
	for (size_t i = 0; kd_obs_table[i]; i++)
		add_name(&names, kd_obs_table[i]->name);
	row("  observers", kd_buf_str(&names), width, out);
	kd_buf_fini(&names);
}

void kd_help_program(int width, struct kd_buf *out)
{
	kd_buf_puts(out, "usage: kdelta COMMAND [OPTION...] [ARGUMENT...]\n\n");
	kd_help_wrap("Tells a kernel or driver developer what a change really does: runs its variants interleaved, measures them in the same window, and decides with statistics what moved.",
		     0, 0, width, out);
	kd_buf_puts(out, "\n");
	for (size_t i = 0; kd_command_table[i]; i++) {
		const struct kd_command *c = kd_command_table[i];
		char name[40];

		if (c->flags & KD_COMMAND_HIDDEN)
			continue;
		snprintf(name, sizeof(name), "  %s", c->name);
		row(name, c->summary, width, out);
	}
	kd_buf_puts(out, "\n");
	kinds(width, out);
	kd_buf_puts(out, "\n");
	row("  --version", "print the version", width, out);
	row("  -h, --help", "this text; after a command, that command's", width,
	    out);
	kd_buf_puts(out, "\n");
	kd_help_wrap("Exit status: 0 done; 1 the answer is \"worse\" where a gate was asked for; 2 usage or bad input; 3 the device or peer failed; 4 some runs failed but the report stands; 130 interrupted.",
		     0, 0, width, out);
}

void kd_help_command(const struct kd_command *cmd, int width,
		     struct kd_buf *out)
{
	struct kd_buf usage = { 0 };

	kd_buf_printf(&usage, "usage: kdelta %s%s%s%s", cmd->name,
		      cmd->opts ? " [OPTION...]" : "", cmd->usage ? " " : "",
		      cmd->usage ? cmd->usage : "");
	kd_help_wrap(kd_buf_str(&usage), 0, 0, width, out);
	kd_buf_fini(&usage);
	kd_buf_printf(out, "\n%s\n", cmd->summary);
	kd_buf_puts(out, "\n");
	kd_help_options(cmd->opts, true, width, out);
	row("  -h, --help", "this text", width, out);
	if (cmd->details) {
		kd_buf_puts(out, "\n");
		details(cmd->details, width, out);
	}
}
