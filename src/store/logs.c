// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storing a dataset that was read from logs: each sample is a run with one
 * figure. The reader's notes are kept in the plan.
 */
#include "store/internal.h"

#include "stats/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static size_t workload_of(const struct kd_store_exp *e, const char *name)
{
	size_t i = 0;

	while (i < e->n_workloads && strcmp(e->workloads[i].name, name))
		i++;
	return i;
}

/* workloads in the order of the measures, with their primary metrics: one per
 * line, for a name out of a log may hold a comma */
static int make_workloads(struct kd_store_exp *e, const struct kd_dataset *ds)
{
	e->workloads = calloc(ds->n_measures + 1, sizeof(*e->workloads));
	if (!e->workloads)
		return -ENOMEM;
	for (size_t i = 0; i < ds->n_measures; i++) {
		const struct kd_measure *m = &ds->measures[i];
		size_t at = workload_of(e, m->workload);
		struct kd_store_workload *w = &e->workloads[at];
		char *list;

		if (at == e->n_workloads) {
			w->name = m->workload;
			w->kind = (char *)"import";
			e->n_workloads++;
		}
		if (!m->primary)
			continue;
		if (asprintf(&list, "%s%s\n", w->primary ? w->primary : "",
			     m->metric) < 0)
			return -ENOMEM;
		free(w->primary);
		w->primary = list;
	}
	return 0;
}

static int make_variants(struct kd_store_exp *e, const struct kd_dataset *ds)
{
	e->variants = calloc(ds->n_variants + 1, sizeof(*e->variants));
	if (!e->variants)
		return -ENOMEM;
	e->n_variants = ds->n_variants;
	e->factors = ds->factors;
	e->n_factors = ds->n_factors;
	e->baseline = (int)ds->baseline;
	for (size_t i = 0; i < ds->n_variants; i++) {
		e->variants[i].name = ds->variants[i];
		if (ds->n_factors && ds->levels)
			e->variants[i].levels = &ds->levels[i * ds->n_factors];
	}
	return 0;
}

/* the plan with the notes in it; caller's to free() */
static char *make_plan(const char *plan, const struct kd_dataset *ds)
{
	json_t *json = plan ? json_loads(plan, 0, NULL) : json_object();
	json_t *notes = json_array();
	char *text = NULL;

	for (size_t i = 0; i < ds->n_notes; i++)
		json_array_append_new(notes, json_string(ds->notes[i]));
	if (json && !json_object_set_new(json, "notes", notes))
		text = json_dumps(json, JSON_SORT_KEYS);
	json_decref(json);
	return text;
}

static int add_samples(struct kd_store *s, const struct kd_store_exp *e,
		       const struct kd_measure *m, struct kd_diag *d)
{
	int r = 0;

	for (size_t i = 0; !r && i < m->n_samples; i++) {
		struct kd_run_metric metric = {
			.name = m->metric, .unit = m->unit,
			.better = m->better, .value = m->samples[i].value,
		};
		struct kd_store_run run = {
			.variant = m->samples[i].variant,
			.workload = (int)workload_of(e, m->workload),
			.round = m->samples[i].round, .seq = m->samples[i].seq,
			.attempt = 1, .started_wall_ns = e->created_wall_ns,
			.metrics = &metric, .n_metrics = 1,
		};

		r = kd_store_add_run(s, e->id, &run, d);
	}
	return r;
}

static int add_all(struct kd_store *s, struct kd_store_exp *e,
		   const struct kd_dataset *ds, struct kd_diag *d)
{
	int r = kd_store_batch_begin(s, d), r2;

	if (r)
		return r;
	r = kd_store_begin(s, e, d);
	for (size_t i = 0; !r && i < ds->n_measures; i++)
		r = add_samples(s, e, &ds->measures[i], d);
	r2 = kd_store_batch_end(s, !r, d);
	return r ? r : r2;
}

int kd_store_add_dataset(struct kd_store *store, struct kd_store_exp *exp,
			 const struct kd_dataset *ds, struct kd_diag *d)
{
	struct kd_store_exp e = *exp;
	int r;

	e.workloads = NULL;
	e.n_workloads = 0;
	e.variants = NULL;
	e.plan = make_plan(exp->plan, ds);
	r = e.plan ? make_variants(&e, ds) : -ENOMEM;
	if (!r)
		r = make_workloads(&e, ds);
	if (r)
		kd_fail(d, r, "out of memory");
	else
		r = add_all(store, &e, ds, d);
	for (size_t i = 0; i < e.n_workloads; i++)
		free(e.workloads[i].primary);
	free(e.workloads);
	free(e.variants);
	free(e.plan);
	if (!r)
		exp->id = e.id;
	return r;
}
