// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storing runs: one transaction each, so that a crash at any moment leaves
 * whole runs only.
 */
#include "store/internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char saving[] = "cannot store the run";

/* statements that a run needs many times */
struct writer {
	struct kd_store *store;
	struct kd_query find;
	struct kd_query add;
};

static void bind_metric(struct kd_query *q, const char *name,
			const char *instance, const char *unit,
			enum kd_better better, enum kd_run_from from)
{
	kd_query_text(q, 1, name);
	kd_query_text(q, 2, instance ? instance : "");
	kd_query_text(q, 3, unit ? unit : "");
	kd_query_int(q, 4, better);
	kd_query_int(q, 5, from);
}

/* the dictionary's number for a metric, added where new; 0: failed (the query
 * knows why) */
static int64_t metric_id(struct writer *w, const char *name,
			 const char *instance, const char *unit,
			 enum kd_better better, enum kd_run_from from)
{
	int64_t id = 0;

	bind_metric(&w->find, name, instance, unit, better, from);
	if (kd_query_step(&w->find))
		id = sqlite3_column_int64(w->find.stmt, 0);
	kd_query_done(&w->find);
	if (id || w->find.rc)
		return id;
	bind_metric(&w->add, name, instance, unit, better, from);
	kd_query_done(&w->add);
	return w->add.rc ? 0 : sqlite3_last_insert_rowid(w->store->db);
}

static int writer_init(struct writer *w, struct kd_store *s)
{
	w->store = s;
	kd_query_init(&w->find, s, "SELECT id FROM metric WHERE name = ? AND "
		      "instance = ? AND unit = ? AND better = ? AND source = ?");
	kd_query_init(&w->add, s, "INSERT INTO metric (name, instance, unit, "
		      "better, source) VALUES (?, ?, ?, ?, ?)");
	return 0;
}

static int writer_fini(struct writer *w, struct kd_diag *d)
{
	int r = kd_query_fini(&w->find, d, saving);
	int r2 = kd_query_fini(&w->add, d, saving);

	return r ? r : r2;
}

static int64_t environment_id(struct kd_store *s, const char *text,
			      struct kd_diag *d, int *r)
{
	struct kd_query q;
	int64_t id = 0;

	kd_query_init(&q, s, "SELECT id FROM environment WHERE text = ?");
	kd_query_text(&q, 1, text);
	if (kd_query_step(&q))
		id = sqlite3_column_int64(q.stmt, 0);
	*r = kd_query_fini(&q, d, saving);
	if (*r || id)
		return id;
	kd_query_init(&q, s, "INSERT INTO environment (text) VALUES (?)");
	kd_query_text(&q, 1, text);
	kd_query_done(&q);
	id = sqlite3_last_insert_rowid(s->db);
	*r = kd_query_fini(&q, d, saving);
	return id;
}

static unsigned char *pack_figures(struct writer *w,
				   const struct kd_store_run *run, size_t *len)
{
	unsigned char *data = malloc(run->n_metrics * KD_FIGURE_BYTES + 1);

	*len = 0;
	for (size_t i = 0; data && i < run->n_metrics; i++) {
		const struct kd_run_metric *m = &run->metrics[i];
		int64_t id;

		if (isnan(m->value))
			continue;
		id = metric_id(w, m->name, m->instance, m->unit, m->better,
			       m->from);
		kd_blob_put_u32(data + *len, (uint32_t)id);
		kd_blob_put_double(data + *len + 4, m->value);
		*len += KD_FIGURE_BYTES;
	}
	return data;
}

static int insert_run(struct writer *w, int64_t exp_id,
		      struct kd_store_run *run, struct kd_diag *d)
{
	struct kd_store *s = w->store;
	unsigned char *figures;
	struct kd_query q;
	int64_t env = 0;
	size_t len;
	int r = 0;

	if (run->environment) {
		env = environment_id(s, run->environment, d, &r);
		if (r)
			return r;
	}
	figures = pack_figures(w, run, &len);
	if (!figures)
		return kd_fail(d, -ENOMEM, "out of memory");
	kd_query_init(&q, s,
		"INSERT INTO run (experiment, variant, workload, round, slot, seq, "
		"attempt, status, superseded, reason, started_wall_ns, "
		"device_window_ns, peer_window_ns, boot_id, environment, figures) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	kd_query_int(&q, 1, exp_id);
	kd_query_int(&q, 2, run->variant);
	kd_query_int(&q, 3, run->workload);
	kd_query_int(&q, 4, run->round);
	kd_query_int(&q, 5, run->slot);
	kd_query_int(&q, 6, run->seq);
	kd_query_int(&q, 7, run->attempt);
	kd_query_int(&q, 8, run->status == KD_RUN_SUPERSEDED ? KD_RUN_OK :
		     run->status);
	kd_query_int(&q, 9, run->status == KD_RUN_SUPERSEDED);
	kd_query_text(&q, 10, run->reason);
	kd_query_int(&q, 11, (int64_t)run->started_wall_ns);
	kd_query_int(&q, 12, (int64_t)run->device_window_ns);
	kd_query_int(&q, 13, (int64_t)run->peer_window_ns);
	kd_query_text(&q, 14, run->boot_id);
	if (env)
		kd_query_int(&q, 15, env);
	kd_query_blob(&q, 16, figures, len);
	free(figures);
	kd_query_done(&q);
	if (!q.rc)
		run->id = sqlite3_last_insert_rowid(s->db);
	return kd_query_fini(&q, d, saving);
}

static unsigned char *pack_u64(const uint64_t *v, size_t n)
{
	unsigned char *data = malloc(n * 8 + 1);

	for (size_t i = 0; data && i < n; i++)
		kd_blob_put_u64(data + i * 8, v[i]);
	return data;
}

static unsigned char *pack_double(const double *v, size_t n)
{
	unsigned char *data = malloc(n * 8 + 1);

	for (size_t i = 0; data && i < n; i++)
		kd_blob_put_double(data + i * 8, v[i]);
	return data;
}

/* a row of series or histogram: two blobs of @n 8-byte numbers */
static void insert_pair(struct kd_query *q, int64_t run, size_t idx,
			int64_t metric, unsigned char *a, unsigned char *b,
			size_t n)
{
	kd_query_int(q, 1, run);
	kd_query_int(q, 2, (int64_t)idx);
	kd_query_int(q, 3, metric);
	if (a && b) {
		kd_query_blob(q, 4, a, n * 8);
		kd_query_blob(q, 5, b, n * 8);
	} else {
		q->rc = SQLITE_NOMEM;
	}
	kd_query_done(q);
	free(a);
	free(b);
}

static int insert_series(struct writer *w, const struct kd_store_run *run,
			 struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, w->store, "INSERT INTO series VALUES (?, ?, ?, ?, ?)");
	for (size_t i = 0; i < run->n_series; i++) {
		const struct kd_run_series *s = &run->series[i];

		insert_pair(&q, run->id, i,
			    metric_id(w, s->name, s->instance, s->unit,
				      s->better, s->from),
			    pack_u64(s->t_ns, s->n),
			    pack_double(s->values, s->n), s->n);
	}
	return kd_query_fini(&q, d, saving);
}

static int insert_hists(struct writer *w, const struct kd_store_run *run,
			struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, w->store,
		      "INSERT INTO histogram VALUES (?, ?, ?, ?, ?)");
	for (size_t i = 0; i < run->n_hists; i++) {
		const struct kd_run_hist *h = &run->hists[i];

		insert_pair(&q, run->id, i,
			    metric_id(w, h->name, h->instance, h->unit,
				      h->better, h->from),
			    pack_double(h->upper, h->n),
			    pack_u64(h->counts, h->n), h->n);
	}
	return kd_query_fini(&q, d, saving);
}

static int insert_events(struct kd_store *s, const struct kd_store_run *run,
			 struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, s, "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)");
	for (size_t i = 0; i < run->n_events; i++) {
		const struct kd_run_event *e = &run->events[i];

		kd_query_int(&q, 1, run->id);
		kd_query_int(&q, 2, (int64_t)i);
		kd_query_text(&q, 3, e->kind);
		kd_query_int(&q, 4, e->flags);
		kd_query_int(&q, 5, e->from);
		kd_query_int(&q, 6, (int64_t)e->t_ns);
		kd_query_text(&q, 7, e->text ? e->text : "");
		kd_query_done(&q);
	}
	return kd_query_fini(&q, d, saving);
}

static int insert_all(struct kd_store *store, int64_t exp_id,
		      struct kd_store_run *run, struct kd_diag *d)
{
	struct writer w;
	int r, r2;

	r = writer_init(&w, store);
	if (!r)
		r = insert_run(&w, exp_id, run, d);
	if (!r)
		r = insert_series(&w, run, d);
	if (!r)
		r = insert_hists(&w, run, d);
	if (!r)
		r = insert_events(store, run, d);
	r2 = writer_fini(&w, d);
	return r ? r : r2;
}

int kd_store_add_run(struct kd_store *store, int64_t exp_id,
		     struct kd_store_run *run, struct kd_diag *d)
{
	int r = kd_store_txn_begin(store, d, saving);

	if (r)
		return r;
	r = insert_all(store, exp_id, run, d);
	return kd_store_txn_end(store, r, d, saving);
}

int kd_store_mark_superseded(struct kd_store *store, int64_t exp_id, int round,
			     int variant, struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, store, "UPDATE run SET superseded = 1 WHERE "
		      "experiment = ?1 AND round = ?2 AND "
		      "(?3 < 0 OR variant = ?3)");
	kd_query_int(&q, 1, exp_id);
	kd_query_int(&q, 2, round);
	kd_query_int(&q, 3, variant);
	kd_query_done(&q);
	return kd_query_fini(&q, d, "cannot mark the runs of a cut round");
}

int kd_store_batch_begin(struct kd_store *store, struct kd_diag *d)
{
	int r = kd_store_txn_begin(store, d, saving);

	if (!r)
		store->in_batch = true;
	return r;
}

int kd_store_batch_end(struct kd_store *store, bool keep, struct kd_diag *d)
{
	store->in_batch = false;
	if (keep)
		return kd_store_txn_end(store, 0, d, saving);
	kd_store_txn_end(store, -ECANCELED, NULL, saving);
	return 0;
}
