// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta rm: remove experiments with all their runs. Which one is never
 * guessed: a number or a whole name, not "latest" by default.
 */
#include "cli/cmd.h"
#include "cli/store_open.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
	char *store;
};

static const struct kd_opt opts[] = {
	KD_OPT_STORE_ROW(offsetof(struct options, store)),
	{ 0 },
};

static int remove_one(const char *path, const char *text, struct kd_diag *d)
{
	struct kd_store_exp exp;
	struct kd_store *store;
	int64_t id;
	int r = kd_store_open_named(path, text, 1, &store, &id, d);

	if (r)
		return r;
	r = kd_store_load_exp(store, id, &exp, d);
	if (!r) {
		r = kd_store_remove(store, id, d);
		if (!r)
			fprintf(stderr, "removed experiment %" PRId64 ", %s\n",
				id, exp.name);
		kd_store_exp_fini(&exp);
	}
	kd_store_close(store);
	return r;
}

static int run(const void *base, int argc, char **argv)
{
	const struct options *o = base;
	struct kd_diag d = { 0 };

	for (int i = 0; i < argc; i++)
		if (remove_one(o->store, argv[i], &d))
			return kd_cli_fail("rm", &d);
	return KD_EXIT_DONE;
}

const struct kd_command kd_command_rm = {
	.name = "rm",
	.summary = "remove stored experiments",
	.usage = "ID|NAME...",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
