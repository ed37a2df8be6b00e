// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading runs back.
 */
#include "store/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char loading[] = "cannot read the runs";

const char *kd_run_status_name(enum kd_run_status status)
{
	static const char *const names[] = {
		[KD_RUN_OK] = "ok",
		[KD_RUN_FAILED] = "failed",
		[KD_RUN_INTERRUPTED] = "interrupted",
		[KD_RUN_SUPERSEDED] = "superseded",
	};

	return (unsigned int)status < KD_RUN_STATUS_COUNT ? names[status] :
							    "unknown";
}

#define RUN_COLUMNS "run.id, variant, workload, round, slot, seq, attempt, " \
	"status, superseded, reason, started_wall_ns, device_window_ns, " \
	"peer_window_ns, boot_id, experiment"

static void read_columns(struct kd_query *q, struct kd_store_run *run)
{
	sqlite3_stmt *stmt = q->stmt;

	*run = (struct kd_store_run){
		.id = sqlite3_column_int64(stmt, 0),
		.variant = sqlite3_column_int(stmt, 1),
		.workload = sqlite3_column_int(stmt, 2),
		.round = sqlite3_column_int(stmt, 3),
		.slot = sqlite3_column_int(stmt, 4),
		.seq = sqlite3_column_int(stmt, 5),
		.attempt = sqlite3_column_int(stmt, 6),
		.status = sqlite3_column_int(stmt, 8) ? KD_RUN_SUPERSEDED :
			  (enum kd_run_status)sqlite3_column_int(stmt, 7),
		.reason = kd_query_str(q, 9),
		.started_wall_ns = (uint64_t)sqlite3_column_int64(stmt, 10),
		.device_window_ns = (uint64_t)sqlite3_column_int64(stmt, 11),
		.peer_window_ns = (uint64_t)sqlite3_column_int64(stmt, 12),
		.boot_id = kd_query_str(q, 13),
		.experiment = sqlite3_column_int64(stmt, 14),
	};
}

int kd_store_load_runs(struct kd_store *store, int64_t exp_id,
		       struct kd_store_run **out, size_t *n,
		       struct kd_diag *d)
{
	struct kd_store_run *runs = NULL;
	size_t used = 0, cap = 0;
	struct kd_query q;
	int r;

	kd_query_init(&q, store, "SELECT " RUN_COLUMNS
		      " FROM run WHERE experiment = ? ORDER BY run.id");
	kd_query_int(&q, 1, exp_id);
	while (kd_query_step(&q)) {
		if (used == cap) {
			struct kd_store_run *more;

			cap = cap ? cap * 2 : 64;
			more = reallocarray(runs, cap, sizeof(*runs));
			if (!more) {
				q.rc = SQLITE_NOMEM;
				break;
			}
			runs = more;
		}
		read_columns(&q, &runs[used++]);
	}
	r = kd_query_fini(&q, d, loading);
	if (r) {
		kd_store_runs_free(runs, used);
		return r;
	}
	*out = runs;
	*n = used;
	return 0;
}

void kd_store_runs_free(struct kd_store_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		kd_store_run_fini(&runs[i]);
	free(runs);
}

/* what the dictionary says of a metric */
struct entry {
	char *name;
	char *instance;
	char *unit;
	enum kd_better better;
	enum kd_run_from from;
};

/* columns from @c on: name, instance, unit, better, source */
static struct entry read_entry(struct kd_query *q, int c)
{
	struct entry e = {
		.name = kd_query_str(q, c),
		.instance = kd_query_str(q, c + 1),
		.unit = kd_query_str(q, c + 2),
		.better = (enum kd_better)sqlite3_column_int(q->stmt, c + 3),
		.from = (enum kd_run_from)sqlite3_column_int(q->stmt, c + 4),
	};

	if (e.instance && !e.instance[0]) {
		free(e.instance);
		e.instance = NULL;
	}
	return e;
}

static int load_metrics(struct kd_store *s, struct kd_store_run *run,
			const unsigned char *figures, size_t len,
			struct kd_diag *d)
{
	size_t n = len / KD_FIGURE_BYTES;
	struct kd_query q;

	run->metrics = calloc(n ? n : 1, sizeof(*run->metrics));
	if (!run->metrics)
		return kd_fail(d, -ENOMEM, "out of memory");
	kd_query_init(&q, s, "SELECT name, instance, unit, better, source "
		      "FROM metric WHERE id = ?");
	for (size_t i = 0; i < n; i++) {
		const unsigned char *p = figures + i * KD_FIGURE_BYTES;
		struct entry e;

		kd_query_int(&q, 1, kd_blob_u32(p));
		if (kd_query_step(&q)) {
			e = read_entry(&q, 0);
			run->metrics[run->n_metrics++] = (struct kd_run_metric){
				e.name, e.instance, e.unit, e.better, e.from,
				kd_blob_double(p + 4),
			};
		}
		kd_query_done(&q);
	}
	return kd_query_fini(&q, d, loading);
}

static uint64_t *unpack_u64(struct kd_query *q, int column, size_t n)
{
	const unsigned char *p = sqlite3_column_blob(q->stmt, column);
	uint64_t *v = calloc(n ? n : 1, sizeof(*v));

	if (!v)
		q->rc = SQLITE_NOMEM;
	for (size_t i = 0; v && i < n; i++)
		v[i] = kd_blob_u64(p + i * 8);
	return v;
}

static double *unpack_double(struct kd_query *q, int column, size_t n)
{
	const unsigned char *p = sqlite3_column_blob(q->stmt, column);
	double *v = calloc(n ? n : 1, sizeof(*v));

	if (!v)
		q->rc = SQLITE_NOMEM;
	for (size_t i = 0; v && i < n; i++)
		v[i] = kd_blob_double(p + i * 8);
	return v;
}

/* numbers in both blobs, the smaller count where a file was tampered with */
static size_t pair_length(struct kd_query *q)
{
	size_t a = (size_t)sqlite3_column_bytes(q->stmt, 0) / 8;
	size_t b = (size_t)sqlite3_column_bytes(q->stmt, 1) / 8;

	return a < b ? a : b;
}

static size_t count_of(struct kd_store *s, const char *sql, int64_t run_id)
{
	struct kd_query q;
	size_t n = 0;

	kd_query_init(&q, s, sql);
	kd_query_int(&q, 1, run_id);
	if (kd_query_step(&q))
		n = (size_t)sqlite3_column_int64(q.stmt, 0);
	sqlite3_finalize(q.stmt);
	return n;
}

static int load_series(struct kd_store *s, struct kd_store_run *run,
		       struct kd_diag *d)
{
	size_t cap = count_of(s, "SELECT count(*) FROM series WHERE run = ?",
			      run->id);
	struct kd_query q;

	run->series = calloc(cap ? cap : 1, sizeof(*run->series));
	if (!run->series)
		return kd_fail(d, -ENOMEM, "out of memory");
	kd_query_init(&q, s, "SELECT t, v, name, instance, unit, better, source "
		      "FROM series JOIN metric ON metric.id = metric "
		      "WHERE run = ? ORDER BY idx");
	kd_query_int(&q, 1, run->id);
	while (run->n_series < cap && kd_query_step(&q)) {
		struct kd_run_series *row = &run->series[run->n_series++];
		struct entry e = read_entry(&q, 2);
		size_t n = pair_length(&q);

		*row = (struct kd_run_series){ e.name, e.instance, e.unit,
					       e.better, e.from,
					       unpack_u64(&q, 0, n),
					       unpack_double(&q, 1, n), n };
	}
	return kd_query_fini(&q, d, loading);
}

static int load_hists(struct kd_store *s, struct kd_store_run *run,
		      struct kd_diag *d)
{
	size_t cap = count_of(s, "SELECT count(*) FROM histogram WHERE run = ?",
			      run->id);
	struct kd_query q;

	run->hists = calloc(cap ? cap : 1, sizeof(*run->hists));
	if (!run->hists)
		return kd_fail(d, -ENOMEM, "out of memory");
	kd_query_init(&q, s, "SELECT upper, counts, name, instance, unit, better, "
		      "source FROM histogram JOIN metric ON metric.id = metric "
		      "WHERE run = ? ORDER BY idx");
	kd_query_int(&q, 1, run->id);
	while (run->n_hists < cap && kd_query_step(&q)) {
		struct kd_run_hist *row = &run->hists[run->n_hists++];
		struct entry e = read_entry(&q, 2);
		size_t n = pair_length(&q);

		*row = (struct kd_run_hist){ e.name, e.instance, e.unit,
					     e.better, e.from,
					     unpack_double(&q, 0, n),
					     unpack_u64(&q, 1, n), n };
	}
	return kd_query_fini(&q, d, loading);
}

static int load_events(struct kd_store *s, struct kd_store_run *run,
		       struct kd_diag *d)
{
	size_t cap = count_of(s, "SELECT count(*) FROM event WHERE run = ?",
			      run->id);
	struct kd_query q;

	run->events = calloc(cap ? cap : 1, sizeof(*run->events));
	if (!run->events)
		return kd_fail(d, -ENOMEM, "out of memory");
	kd_query_init(&q, s, "SELECT kind, flags, source, t_ns, text FROM event "
		      "WHERE run = ? ORDER BY idx");
	kd_query_int(&q, 1, run->id);
	while (run->n_events < cap && kd_query_step(&q)) {
		struct kd_run_event *e = &run->events[run->n_events++];

		*e = (struct kd_run_event){
			.kind = kd_query_str(&q, 0),
			.flags = (unsigned int)sqlite3_column_int(q.stmt, 1),
			.from = (enum kd_run_from)sqlite3_column_int(q.stmt, 2),
			.t_ns = (uint64_t)sqlite3_column_int64(q.stmt, 3),
			.text = kd_query_str(&q, 4),
		};
	}
	return kd_query_fini(&q, d, loading);
}

static int load_row(struct kd_store *s, int64_t run_id,
		    struct kd_store_run *run, struct kd_diag *d)
{
	struct kd_query q;
	bool found;
	int r = 0, r2;

	kd_query_init(&q, s, "SELECT " RUN_COLUMNS ", environment.text, figures "
		      "FROM run LEFT JOIN environment ON environment.id = "
		      "run.environment WHERE run.id = ?");
	kd_query_int(&q, 1, run_id);
	found = kd_query_step(&q);
	if (found) {
		read_columns(&q, run);
		run->environment = kd_query_str(&q, 15);
		r = load_metrics(s, run, sqlite3_column_blob(q.stmt, 16),
				 (size_t)sqlite3_column_bytes(q.stmt, 16), d);
	}
	r2 = kd_query_fini(&q, d, loading);
	if (!r && !r2 && !found) {
		kd_diag_subject(d, "%s", s->path);
		return kd_fail(d, -ENOENT, "there is no run %lld",
			       (long long)run_id);
	}
	return r ? r : r2;
}

int kd_store_load_run(struct kd_store *store, int64_t run_id,
		      struct kd_store_run *out, struct kd_diag *d)
{
	struct kd_store_run run = { 0 };
	int r = load_row(store, run_id, &run, d);

	if (!r)
		r = load_series(store, &run, d);
	if (!r)
		r = load_hists(store, &run, d);
	if (!r)
		r = load_events(store, &run, d);
	if (r)
		kd_store_run_fini(&run);
	else
		*out = run;
	return r;
}

void kd_store_run_fini(struct kd_store_run *run)
{
	for (size_t i = 0; i < run->n_metrics; i++) {
		free(run->metrics[i].name);
		free(run->metrics[i].instance);
		free(run->metrics[i].unit);
	}
	for (size_t i = 0; i < run->n_series; i++) {
		free(run->series[i].name);
		free(run->series[i].instance);
		free(run->series[i].unit);
		free(run->series[i].t_ns);
		free(run->series[i].values);
	}
	for (size_t i = 0; i < run->n_hists; i++) {
		free(run->hists[i].name);
		free(run->hists[i].instance);
		free(run->hists[i].unit);
		free(run->hists[i].upper);
		free(run->hists[i].counts);
	}
	for (size_t i = 0; i < run->n_events; i++) {
		free(run->events[i].kind);
		free(run->events[i].text);
	}
	free(run->metrics);
	free(run->series);
	free(run->hists);
	free(run->events);
	free(run->reason);
	free(run->boot_id);
	free(run->environment);
	memset(run, 0, sizeof(*run));
}
