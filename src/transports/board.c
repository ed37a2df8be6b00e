// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual board: kdelta-board boots it and is the pipe to its agent. In
 * batch mode the requests are read to the end before it starts, so that the
 * same requests and seed give the same bytes. See docs/board.md.
 */
#include "transports/board.h"

#include "transports/argv.h"
#include "transports/transport.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	char *profile;
	char *command;
	bool interactive;
	char *kernel;
	char *console;
	char *param;
	uint64_t timeout_ns;
	int64_t boots;
};

static const struct kd_opt opts[] = {
	{ "profile", KD_OPT_STR, offsetof(struct options, profile),
	  .arg = "NAME", .help = "the board's hardware",
	  .flags = KD_OPT_POSITIONAL },
	{ "interactive", KD_OPT_BOOL, offsetof(struct options, interactive),
	  .help = "answer while requests come; repeats to a percent or two" },
	{ "kernel", KD_OPT_STR, offsetof(struct options, kernel),
	  .arg = "VERSION", .help = "Debian kernel to boot" },
	{ "console", KD_OPT_STR, offsetof(struct options, console),
	  .arg = "FILE", .help = "keep the board's console there" },
	{ "param", KD_OPT_STR, offsetof(struct options, param),
	  .arg = "MOD.P=V", .help = "a module's parameter at load" },
	{ "timeout", KD_OPT_TIME, offsetof(struct options, timeout_ns),
	  .min = 1e9, .max = 86400e9,
	  .help = "CPU time of this machine after which a board has hung" },
	{ "boots", KD_OPT_INT, offsetof(struct options, boots),
	  .max = 64, .help = "boards at once; by default one a CPU of this machine" },
	{ "command", KD_OPT_STR, offsetof(struct options, command),
	  .arg = "CMD", .help = "the kdelta-board to use, with its options" },
	{ 0 },
};

static void add_pair(struct kd_argv *a, const char *name, const char *value)
{
	if (!value)
		return;
	kd_argv_add(a, name);
	kd_argv_add(a, value);
}

static bool find(char *out, size_t size, const char *dir,
		 const char *const *places)
{
	for (; *places; places++) {
		snprintf(out, size, "%s/%s", dir, *places);
		if (!access(out, X_OK))
			return true;
	}
	return false;
}

/* beside this program, in the build tree or as installed */
static bool find_beside(char *out, size_t size, const char *const *places)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n < 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	return find(out, size, self, places);
}

void kd_board_command(struct kd_argv *a, const char *command)
{
	static const char *const agents[] = {
		"../agent/kdelta-agent", "kdelta-agent", NULL
	};
	static const char *const beside[] = {
		"kdelta-board", "../../../board/kdelta-board", NULL
	};
	char path[PATH_MAX + 64];

	if (!command)
		command = getenv("KDELTA_BOARD");
	if (command && *command)
		kd_argv_add_words(a, command);
	else if (find_beside(path, sizeof(path), beside) ||
		 find(path, sizeof(path), KD_LIBEXECDIR,
		      (const char *const[]){ "kdelta-board", NULL }))
		kd_argv_add(a, path);
	else
		kd_argv_add(a, "kdelta-board");
	if (!getenv("KDELTA_AGENT") &&
	    find_beside(path, sizeof(path), agents))
		add_pair(a, "--agent", path);
}

static int argv(const void *options, const char *agent, char ***out,
		struct kd_diag *d)
{
	const struct options *o = options;
	char text[32];
	struct kd_argv a = { 0 };

	if (!o->profile)
		return kd_fail(d, -EINVAL,
			       "board needs a profile: { board: wilc1000 }");
	kd_board_command(&a, o->command);
	add_pair(&a, "--profile", o->profile);
	add_pair(&a, "--kernel", o->kernel);
	add_pair(&a, "--console", o->console);
	add_pair(&a, "--param", o->param);
	if (o->timeout_ns) {
		snprintf(text, sizeof(text), "%.0f",
			 (double)o->timeout_ns / 1e9);
		add_pair(&a, "--timeout", text);
	}
	if (o->interactive)
		kd_argv_add(&a, "--interactive");
	return kd_argv_take(&a, out, d);
}

/* boards share nothing, and their clocks do not see each other's load */
static unsigned int boots(const void *options)
{
	const struct options *o = options;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (o->interactive)
		return 0;
	if (o->boots)
		return (unsigned int)o->boots;
	return cpus > 1 ? (unsigned int)cpus : 1;
}

const struct kd_transport_ops kd_transport_board_ops = {
	.name = "board",
	.summary = "the virtual board, in QEMU",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.flags = KD_TRANSPORT_BATCH | KD_TRANSPORT_REBOOTS,
	.argv = argv,
	.boots = boots,
};
