// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta import: other tools' logs into the store.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "cli/cmd.h"
#include "cli/select.h"
#include "cli/store_open.h"
#include "imports/import.h"
#include "imports/load.h"
#include "stats/dataset.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

struct options {
	char *name;
	char *format;
	char *baseline;
	char *metric;
	bool paired;
	double alpha;
	double min_effect;
	int64_t seed;
	char *store;
	bool json;
};

#define OFFSET(member) offsetof(struct options, member)

static const struct kd_opt opts[] = {
	{ "name", KD_OPT_STR, OFFSET(name), .arg = "NAME",
	  .help = "name in the store; default: of the first file" },
	{ "format", KD_OPT_STR, OFFSET(format), .letter = 'f', .arg = "NAME",
	  .help = "format of the logs; default: found out for each" },
	{ "baseline", KD_OPT_STR, OFFSET(baseline), .letter = 'b',
	  .arg = "NAME",
	  .help = "variant that the others are compared with; default: the first" },
	{ "metric", KD_OPT_STR, OFFSET(metric), .letter = 'm',
	  .arg = "PATTERN", .flags = KD_OPT_REPEAT,
	  .help = "only metrics, or workloads, that match a shell pattern" },
	{ "paired", KD_OPT_BOOL, OFFSET(paired),
	  .help = "the n-th values of all variants were measured together" },
	{ "alpha", KD_OPT_REAL, OFFSET(alpha), .def = "0.05", .min = 1e-6,
	  .max = 0.5,
	  .help = "rate of false alarms over all comparisons together" },
	{ "min-effect", KD_OPT_PCT, OFFSET(min_effect), .max = 1000,
	  .help = "smallest change of interest; needed for \"same\"" },
	{ "seed", KD_OPT_INT, OFFSET(seed), .def = "1", .min = 0,
	  .max = 9007199254740992.0,
	  .help = "of the permutation test's draws" },
	{ "json", KD_OPT_BOOL, OFFSET(json),
	  .help = "print what was stored as JSON" },
	KD_OPT_STORE_ROW(OFFSET(store)),
	{ 0 },
};

/* what is stored beside the figures; texts are the caller's */
struct origin {
	const struct options *o;
	char *name;
	char *files;
	char *plan;
};

static char *default_name(const char *word)
{
	const char *eq = strchr(word, '=');
	const char *path = eq && eq[1] ? eq + 1 : word;
	const char *base = strrchr(path, '/');
	const char *dot;

	base = base && base[1] ? base + 1 : path;
	if (!strcmp(base, "-"))
		base = "stdin";
	dot = strrchr(base, '.');
	return strndup(base, dot && dot > base ? (size_t)(dot - base) :
						 strlen(base));
}

static char *make_plan(const struct options *o, const char *files)
{
	json_t *plan = json_pack("{s:f,s:f}", "alpha", o->alpha, "power", 0.8);
	struct kd_buf method = { 0 };
	char *text;

	if (o->min_effect > 0)
		json_object_set_new(plan, "min_effect",
				    json_real(o->min_effect / 100));
	kd_buf_printf(&method, "read from %s, %s", files,
		      o->paired ? "paired by order" : "unpaired");
	json_object_set_new(plan, "method", json_string(kd_buf_str(&method)) ?:
			    json_string("read from logs"));
	text = json_dumps(plan, JSON_SORT_KEYS);
	json_decref(plan);
	kd_buf_fini(&method);
	return text;
}

static int describe(const struct options *o, int argc, char **argv,
		    struct origin *from)
{
	struct kd_buf files = { 0 };

	from->o = o;
	from->name = o->name ? strdup(o->name) : default_name(argv[0]);
	for (int i = 0; i < argc; i++)
		kd_buf_printf(&files, "%s%s", i ? ", " : "", argv[i]);
	from->files = kd_buf_steal(&files);
	from->plan = from->files ? make_plan(o, from->files) : NULL;
	return from->name && from->plan ? 0 : -ENOMEM;
}

static void origin_fini(struct origin *from)
{
	free(from->name);
	free(from->files);
	free(from->plan);
}

static void tell(const struct options *o, const struct kd_store_exp *e,
		 const struct kd_dataset *ds, json_t *told)
{
	size_t samples = 0;

	for (size_t i = 0; i < ds->n_measures; i++)
		samples += ds->measures[i].n_samples;
	if (o->json)
		json_array_append_new(told, json_pack(
			"{s:I,s:s,s:i,s:i,s:i}", "id", (json_int_t)e->id,
			"name", e->name, "variants", (int)ds->n_variants,
			"measures", (int)ds->n_measures, "samples",
			(int)samples));
	else
		printf("experiment %" PRId64 ", \"%s\": %zu variants, %zu metrics, %zu values\n",
		       e->id, e->name, ds->n_variants, ds->n_measures,
		       samples);
}

static int keep(struct kd_store *store, const struct origin *from, size_t part,
		struct kd_dataset *ds, json_t *told, struct kd_diag *d)
{
	struct kd_buf name = { 0 };
	struct kd_store_exp e = {
		.file_name = from->files, .plan = from->plan,
		.seed = (uint64_t)from->o->seed, .created_wall_ns = kd_wall(),
		.version = (char *)KD_VERSION,
	};
	int r;

	kd_buf_puts(&name, from->name);
	if (part)
		kd_buf_printf(&name, "-%zu", part + 1);
	e.name = name.data;
	r = kd_import_tell_single(ds);
	if (r || name.err)
		kd_fail(d, -ENOMEM, "out of memory");
	else
		r = kd_store_add_dataset(store, &e, ds, d);
	if (!r)
		tell(from->o, &e, ds, told);
	kd_buf_fini(&name);
	return r;
}

static int read_logs(const struct options *o, int argc, char **argv,
		     struct kd_dataset **parts, size_t *n, struct kd_diag *d)
{
	struct kd_dataset ds = { 0 };
	int r = kd_import_files(argv, (size_t)argc, o->format, &ds, d);

	if (!r)
		r = kd_select_metrics(&ds, o->metric, d);
	if (!r)
		r = kd_select_baseline(&ds, o->baseline, d);
	if (!r && o->paired)
		r = kd_select_pairs(&ds, d);
	if (!r && kd_import_parts(&ds, parts, n))
		r = kd_fail(d, -ENOMEM, "out of memory");
	kd_dataset_fini(&ds);
	return r;
}

static int store_parts(const struct origin *from, struct kd_dataset *parts,
		       size_t n, json_t *told, struct kd_diag *d)
{
	struct kd_store *store;
	size_t kept = 0;
	int r = kd_store_open(from->o->store, &store, d);

	if (r)
		return r;
	for (size_t i = 0; !r && i < n; i++)
		if (parts[i].n_measures)
			r = keep(store, from, kept++, &parts[i], told, d);
	kd_store_close(store);
	return r;
}

static int run(const void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct kd_dataset *parts = NULL;
	struct origin from = { 0 };
	struct kd_diag d = { 0 };
	json_t *told = json_array();
	size_t n = 0;
	int r = read_logs(o, argc, argv, &parts, &n, &d);

	if (!r && describe(o, argc, argv, &from))
		r = kd_fail(&d, -ENOMEM, "out of memory");
	if (!r)
		r = store_parts(&from, parts, n, told, &d);
	if (!r && o->json) {
		json_dumpf(told, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	for (size_t i = 0; i < n; i++)
		kd_dataset_fini(&parts[i]);
	free(parts);
	origin_fini(&from);
	json_decref(told);
	return r ? kd_cli_fail("import", &d) : KD_EXIT_DONE;
}

const struct kd_command kd_command_import = {
	.name = "import",
	.summary = "read other tools' logs into the store",
	.usage = "[LABEL=]FILE...",
	.details =
		"The files are read as by *kdelta compare*, each a variant, or "
		"the groups inside one; afterwards *kdelta report*, *compare* and "
		"*export* know them. A log that holds tables of different things "
		"becomes an experiment for each. What the reader has to say, as "
		"rows that it found to be derived, is kept and reported too.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
