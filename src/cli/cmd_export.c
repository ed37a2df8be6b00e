// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta export: all that is stored of an experiment as one JSON document. Runs
 * are printed one at a time, so that the memory needed is that of one.
 */
#include "cli/cmd.h"
#include "cli/store_json.h"
#include "cli/store_open.h"
#include "reports/words.h"

struct options {
	char *store;
};

static const struct kd_opt opts[] = {
	KD_OPT_STORE_ROW(offsetof(struct options, store)),
	{ 0 },
};

#define JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(17))

static int print_runs(struct kd_store *store, const struct kd_store_exp *exp,
		      struct kd_diag *d)
{
	struct kd_store_run *runs = NULL, run;
	size_t n = 0;
	int r = kd_store_load_runs(store, exp->id, &runs, &n, d);

	for (size_t i = 0; !r && i < n; i++) {
		json_t *j;

		r = kd_store_load_run(store, runs[i].id, &run, d);
		if (r)
			break;
		j = kd_store_run_json(exp, &run, true);
		fputs(i ? ",\n" : "\n", stdout);
		json_dumpf(j, stdout, JSON_FLAGS);
		json_decref(j);
		kd_store_run_fini(&run);
	}
	kd_store_runs_free(runs, n);
	return r;
}

static int print_all(struct kd_store *store, int64_t id, struct kd_diag *d)
{
	struct kd_store_exp exp;
	json_t *j;
	int r = kd_store_load_exp(store, id, &exp, d);

	if (r)
		return r;
	j = kd_store_exp_json(&exp);
	fputs("{\"format\": \"kdelta-export\", \"schema\": 1,\n\"experiment\": ",
	      stdout);
	json_dumpf(j, stdout, JSON_FLAGS);
	json_decref(j);
	fputs(",\n\"runs\": [", stdout);
	r = print_runs(store, &exp, d);
	fputs("\n]}\n", stdout);
	kd_store_exp_fini(&exp);
	return r ? r : kd_rep_done(stdout, d);
}

static int run(const void *base, int argc, char **argv)
{
	const struct options *o = base;
	struct kd_diag d = { 0 };
	struct kd_store *store;
	int64_t id;
	int r = kd_store_open_named(o->store, argc ? argv[0] : NULL, 0, &store,
				    &id, &d);

	if (r)
		return kd_cli_fail("export", &d);
	r = print_all(store, id, &d);
	kd_store_close(store);
	return r ? kd_cli_fail("export", &d) : KD_EXIT_DONE;
}

const struct kd_command kd_command_export = {
	.name = "export",
	.summary = "print all that is stored of an experiment as JSON",
	.usage = "[ID|NAME|latest]",
	.details = "Every figure, series, histogram and event of every run, the experiment file, the plan and the environments.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.run = run,
};
