// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta report: a stored experiment's report again, in any format.
 */
#include "cli/cmd.h"
#include "cli/store_open.h"
#include "cli/stored.h"

struct options {
	char *format;
	char *store;
	int64_t width;
	bool json;
	bool verbose;
};

static const struct kd_opt opts[] = {
	{ "format", KD_OPT_STR, offsetof(struct options, format), .letter = 'f',
	  .arg = "NAME",
	  .help = "text, commit, csv, csv-summary, json, markdown, html, ktap, lava, kcidb or gobench" },
	{ "json", KD_OPT_BOOL, offsetof(struct options, json),
	  .help = "the same as --format json" },
	KD_OPT_STORE_ROW(offsetof(struct options, store)),
	{ "verbose", KD_OPT_BOOL, offsetof(struct options, verbose),
	  .letter = 'v', .help = "all exploratory metrics and remarks" },
	{ "width", KD_OPT_INT, offsetof(struct options, width), .min = 60,
	  .max = 1000, .arg = "COLUMNS",
	  .help = "columns of the text format, else as the terminal has" },
	{ 0 },
};

static int run(const void *base, int argc, char **argv)
{
	const struct options *o = base;
	const char *format = o->json ? "json" : o->format;
	struct kd_diag d = { 0 };
	struct kd_store *store;
	int64_t id;
	int r;

	if (!kd_stored_format(format, &d))
		return kd_cli_fail("report", &d);
	r = kd_store_open_named(o->store, argc ? argv[0] : NULL, 0, &store, &id,
				&d);
	if (r)
		return kd_cli_fail("report", &d);
	r = kd_stored_report(store, id, format, (int)o->width, o->verbose,
			     stdout, &d);
	kd_store_close(store);
	return r ? kd_cli_fail("report", &d) : KD_EXIT_DONE;
}

const struct kd_command kd_command_report = {
	.name = "report",
	.summary = "print the report of a stored experiment",
	.usage = "[ID|NAME|latest]",
	.details = "Without an argument, that of the latest experiment. The start of a name will do where only one experiment has it.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.run = run,
};
