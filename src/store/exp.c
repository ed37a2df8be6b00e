// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Experiments: what was planned. Written once, at the start.
 */
#include "store/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char saving[] = "cannot store the experiment";
static const char loading[] = "cannot read the experiment";

static int insert_exp(struct kd_store *s, struct kd_store_exp *e,
		      struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, s,
		"INSERT INTO experiment (name, file_name, file_text, digest, seed, "
		"baseline, created_wall_ns, version, \"plan\", device, peer) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	kd_query_text(&q, 1, e->name);
	kd_query_text(&q, 2, e->file_name);
	kd_query_text(&q, 3, e->file_text);
	kd_query_text(&q, 4, e->digest);
	kd_query_int(&q, 5, (int64_t)e->seed);
	kd_query_int(&q, 6, e->baseline);
	kd_query_int(&q, 7, (int64_t)e->created_wall_ns);
	kd_query_text(&q, 8, e->version);
	kd_query_text(&q, 9, e->plan);
	kd_query_text(&q, 10, e->device);
	kd_query_text(&q, 11, e->peer);
	kd_query_done(&q);
	if (!q.rc)
		e->id = sqlite3_last_insert_rowid(s->db);
	return kd_query_fini(&q, d, saving);
}

static int insert_factors(struct kd_store *s, const struct kd_store_exp *e,
			  struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, s, "INSERT INTO factor VALUES (?, ?, ?)");
	for (size_t i = 0; i < e->n_factors; i++) {
		kd_query_int(&q, 1, e->id);
		kd_query_int(&q, 2, (int64_t)i);
		kd_query_text(&q, 3, e->factors[i]);
		kd_query_done(&q);
	}
	return kd_query_fini(&q, d, saving);
}

static int insert_variants(struct kd_store *s, const struct kd_store_exp *e,
			   struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, s, "INSERT INTO variant VALUES (?, ?, ?, ?)");
	for (size_t i = 0; i < e->n_variants; i++) {
		kd_query_int(&q, 1, e->id);
		kd_query_int(&q, 2, (int64_t)i);
		kd_query_text(&q, 3, e->variants[i].name);
		kd_query_text(&q, 4, e->variants[i].knobs);
		kd_query_done(&q);
	}
	return kd_query_fini(&q, d, saving);
}

static int insert_levels(struct kd_store *s, const struct kd_store_exp *e,
			 struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, s, "INSERT INTO level VALUES (?, ?, ?, ?)");
	for (size_t i = 0; i < e->n_variants; i++) {
		for (size_t f = 0; e->variants[i].levels && f < e->n_factors;
		     f++) {
			kd_query_int(&q, 1, e->id);
			kd_query_int(&q, 2, (int64_t)i);
			kd_query_int(&q, 3, (int64_t)f);
			kd_query_text(&q, 4, e->variants[i].levels[f]);
			kd_query_done(&q);
		}
	}
	return kd_query_fini(&q, d, saving);
}

static int insert_workloads(struct kd_store *s, const struct kd_store_exp *e,
			    struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, s, "INSERT INTO workload VALUES (?, ?, ?, ?, ?, ?)");
	for (size_t i = 0; i < e->n_workloads; i++) {
		kd_query_int(&q, 1, e->id);
		kd_query_int(&q, 2, (int64_t)i);
		kd_query_text(&q, 3, e->workloads[i].name);
		kd_query_text(&q, 4, e->workloads[i].kind);
		kd_query_text(&q, 5, e->workloads[i].options);
		kd_query_text(&q, 6, e->workloads[i].primary);
		kd_query_done(&q);
	}
	return kd_query_fini(&q, d, saving);
}

int kd_store_begin(struct kd_store *store, struct kd_store_exp *exp,
		   struct kd_diag *d)
{
	int r = kd_store_txn_begin(store, d, saving);

	if (r)
		return r;
	r = insert_exp(store, exp, d);
	if (!r)
		r = insert_factors(store, exp, d);
	if (!r)
		r = insert_variants(store, exp, d);
	if (!r)
		r = insert_levels(store, exp, d);
	if (!r)
		r = insert_workloads(store, exp, d);
	return kd_store_txn_end(store, r, d, saving);
}

int kd_store_set_plan(struct kd_store *store, int64_t exp_id, const char *plan,
		      struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, store,
		      "UPDATE experiment SET \"plan\" = ? WHERE id = ?");
	kd_query_text(&q, 1, plan);
	kd_query_int(&q, 2, exp_id);
	kd_query_done(&q);
	return kd_query_fini(&q, d, saving);
}

static int load_head(struct kd_store *s, struct kd_store_exp *e,
		     struct kd_diag *d)
{
	struct kd_query q;
	bool found;
	int r;

	kd_query_init(&q, s,
		"SELECT name, file_name, file_text, digest, seed, baseline, "
		"created_wall_ns, version, \"plan\", device, peer "
		"FROM experiment WHERE id = ?");
	kd_query_int(&q, 1, e->id);
	found = kd_query_step(&q);
	if (found) {
		e->name = kd_query_str(&q, 0);
		e->file_name = kd_query_str(&q, 1);
		e->file_text = kd_query_str(&q, 2);
		e->digest = kd_query_str(&q, 3);
		e->seed = (uint64_t)sqlite3_column_int64(q.stmt, 4);
		e->baseline = sqlite3_column_int(q.stmt, 5);
		e->created_wall_ns = (uint64_t)sqlite3_column_int64(q.stmt, 6);
		e->version = kd_query_str(&q, 7);
		e->plan = kd_query_str(&q, 8);
		e->device = kd_query_str(&q, 9);
		e->peer = kd_query_str(&q, 10);
	}
	r = kd_query_fini(&q, d, loading);
	if (!r && !found) {
		kd_diag_subject(d, "%s", s->path);
		r = kd_fail(d, -ENOENT, "there is no experiment %lld",
			    (long long)e->id);
	}
	return r;
}

/* number of rows of a child table, and an array of as many zeroed elements */
static int count_rows(struct kd_store *s, const char *sql, int64_t exp_id,
		      size_t size, void *array, size_t *n, struct kd_diag *d)
{
	struct kd_query q;
	void **out = array;
	int r;

	kd_query_init(&q, s, sql);
	kd_query_int(&q, 1, exp_id);
	if (kd_query_step(&q))
		*n = (size_t)sqlite3_column_int64(q.stmt, 0);
	r = kd_query_fini(&q, d, loading);
	if (r)
		return r;
	*out = calloc(*n ? *n : 1, size);
	if (!*out) {
		*n = 0;
		return kd_fail(d, -ENOMEM, "out of memory");
	}
	return 0;
}

static int load_factors(struct kd_store *s, struct kd_store_exp *e,
			struct kd_diag *d)
{
	struct kd_query q;
	int r = count_rows(s, "SELECT count(*) FROM factor WHERE experiment = ?",
			   e->id, sizeof(*e->factors), &e->factors,
			   &e->n_factors, d);

	if (r)
		return r;
	kd_query_init(&q, s, "SELECT name FROM factor WHERE experiment = ? "
		      "ORDER BY idx");
	kd_query_int(&q, 1, e->id);
	for (size_t i = 0; i < e->n_factors && kd_query_step(&q); i++)
		e->factors[i] = kd_query_str(&q, 0);
	return kd_query_fini(&q, d, loading);
}

static int load_variants(struct kd_store *s, struct kd_store_exp *e,
			 struct kd_diag *d)
{
	struct kd_query q;
	int r = count_rows(s, "SELECT count(*) FROM variant WHERE experiment = ?",
			   e->id, sizeof(*e->variants), &e->variants,
			   &e->n_variants, d);

	if (r)
		return r;
	kd_query_init(&q, s, "SELECT name, knobs FROM variant "
		      "WHERE experiment = ? ORDER BY idx");
	kd_query_int(&q, 1, e->id);
	for (size_t i = 0; i < e->n_variants && kd_query_step(&q); i++) {
		e->variants[i].name = kd_query_str(&q, 0);
		e->variants[i].knobs = kd_query_str(&q, 1);
	}
	return kd_query_fini(&q, d, loading);
}

static int load_levels(struct kd_store *s, struct kd_store_exp *e,
		       struct kd_diag *d)
{
	struct kd_query q;

	if (!e->n_factors)
		return 0;
	for (size_t i = 0; i < e->n_variants; i++) {
		e->variants[i].levels = calloc(e->n_factors, sizeof(char *));
		if (!e->variants[i].levels)
			return kd_fail(d, -ENOMEM, "out of memory");
	}
	kd_query_init(&q, s, "SELECT variant, factor, value FROM level "
		      "WHERE experiment = ?");
	kd_query_int(&q, 1, e->id);
	while (kd_query_step(&q)) {
		size_t v = (size_t)sqlite3_column_int64(q.stmt, 0);
		size_t f = (size_t)sqlite3_column_int64(q.stmt, 1);

		if (v < e->n_variants && f < e->n_factors)
			e->variants[v].levels[f] = kd_query_str(&q, 2);
	}
	return kd_query_fini(&q, d, loading);
}

static int load_workloads(struct kd_store *s, struct kd_store_exp *e,
			  struct kd_diag *d)
{
	struct kd_query q;
	int r = count_rows(s, "SELECT count(*) FROM workload WHERE experiment = ?",
			   e->id, sizeof(*e->workloads), &e->workloads,
			   &e->n_workloads, d);

	if (r)
		return r;
	kd_query_init(&q, s, "SELECT name, kind, options, primary_metrics "
		      "FROM workload WHERE experiment = ? ORDER BY idx");
	kd_query_int(&q, 1, e->id);
	for (size_t i = 0; i < e->n_workloads && kd_query_step(&q); i++) {
		e->workloads[i].name = kd_query_str(&q, 0);
		e->workloads[i].kind = kd_query_str(&q, 1);
		e->workloads[i].options = kd_query_str(&q, 2);
		e->workloads[i].primary = kd_query_str(&q, 3);
	}
	return kd_query_fini(&q, d, loading);
}

int kd_store_load_exp(struct kd_store *store, int64_t exp_id,
		      struct kd_store_exp *out, struct kd_diag *d)
{
	struct kd_store_exp e = { .id = exp_id };
	int r = load_head(store, &e, d);

	if (!r)
		r = load_factors(store, &e, d);
	if (!r)
		r = load_variants(store, &e, d);
	if (!r)
		r = load_levels(store, &e, d);
	if (!r)
		r = load_workloads(store, &e, d);
	if (!r && (e.baseline < 0 || (size_t)e.baseline >= e.n_variants) &&
	    e.n_variants)
		r = kd_fail(d, -EBADMSG,
			    "%s: experiment %lld: its baseline is no variant",
			    store->path, (long long)exp_id);
	if (r)
		kd_store_exp_fini(&e);
	else
		*out = e;
	return r;
}

void kd_store_exp_fini(struct kd_store_exp *e)
{
	for (size_t i = 0; i < e->n_variants; i++) {
		for (size_t f = 0; e->variants[i].levels && f < e->n_factors;
		     f++)
			free(e->variants[i].levels[f]);
		free(e->variants[i].levels);
		free(e->variants[i].name);
		free(e->variants[i].knobs);
	}
	for (size_t i = 0; i < e->n_workloads; i++) {
		free(e->workloads[i].name);
		free(e->workloads[i].kind);
		free(e->workloads[i].options);
		free(e->workloads[i].primary);
	}
	for (size_t i = 0; i < e->n_factors; i++)
		free(e->factors[i]);
	free(e->variants);
	free(e->workloads);
	free(e->factors);
	free(e->name);
	free(e->file_name);
	free(e->file_text);
	free(e->digest);
	free(e->version);
	free(e->plan);
	free(e->device);
	free(e->peer);
	memset(e, 0, sizeof(*e));
}
