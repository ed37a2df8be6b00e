// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which experiments there are, which one is meant, and removing one.
 */
#include "store/internal.h"

#include "base/buf.h"
#include "base/parse.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char loading[] = "cannot list the experiments";

/* a failed run is not counted where a later attempt at it was ok */
static const char list_sql[] =
	"SELECT e.id, e.name, e.created_wall_ns, "
	"(SELECT count(*) FROM variant v WHERE v.experiment = e.id), "
	"(SELECT count(*) FROM workload w WHERE w.experiment = e.id), "
	"(SELECT coalesce(max(round), -1) + 1 FROM run r "
	" WHERE r.experiment = e.id), "
	"(SELECT count(*) FROM run r WHERE r.experiment = e.id AND status = 0 "
	" AND NOT superseded), "
	"(SELECT count(*) FROM run r WHERE r.experiment = e.id AND status > 0 "
	" AND NOT superseded) - "
	"(SELECT count(*) FROM run ok JOIN run bad ON "
	" bad.experiment = ok.experiment AND bad.variant = ok.variant AND "
	" bad.workload = ok.workload AND bad.round = ok.round AND "
	" bad.attempt < ok.attempt AND bad.status > 0 AND NOT bad.superseded "
	" WHERE ok.experiment = e.id AND ok.attempt > 1 AND ok.status = 0 AND "
	" NOT ok.superseded) "
	"FROM experiment e ORDER BY e.id";

int kd_store_list(struct kd_store *store, struct kd_store_item **out,
		  size_t *n, struct kd_diag *d)
{
	struct kd_store_item *items = NULL;
	size_t used = 0, cap = 0;
	struct kd_query q;
	int r;

	kd_query_init(&q, store, list_sql);
	while (kd_query_step(&q)) {
		if (used == cap) {
			struct kd_store_item *more;

			cap = cap ? cap * 2 : 16;
			more = reallocarray(items, cap, sizeof(*items));
			if (!more) {
				q.rc = SQLITE_NOMEM;
				break;
			}
			items = more;
		}
		items[used++] = (struct kd_store_item){
			.id = sqlite3_column_int64(q.stmt, 0),
			.name = kd_query_str(&q, 1),
			.created_wall_ns =
				(uint64_t)sqlite3_column_int64(q.stmt, 2),
			.variants = sqlite3_column_int(q.stmt, 3),
			.workloads = sqlite3_column_int(q.stmt, 4),
			.rounds = sqlite3_column_int(q.stmt, 5),
			.runs_ok = sqlite3_column_int(q.stmt, 6),
			.runs_failed = sqlite3_column_int(q.stmt, 7),
		};
	}
	r = kd_query_fini(&q, d, loading);
	if (r) {
		kd_store_list_free(items, used);
		return r;
	}
	*out = items;
	*n = used;
	return 0;
}

void kd_store_list_free(struct kd_store_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(items[i].name);
	free(items);
}

/* the newest experiment that a query with one text parameter finds; 0: none */
static int newest(struct kd_store *s, const char *sql, const char *text,
		  int64_t *id, struct kd_diag *d)
{
	struct kd_query q;

	*id = 0;
	kd_query_init(&q, s, sql);
	if (text)
		kd_query_text(&q, 1, text);
	if (kd_query_step(&q))
		*id = sqlite3_column_int64(q.stmt, 0);
	return kd_query_fini(&q, d, loading);
}

/* distinct names, as an array that the caller frees with its strings */
static int load_names(struct kd_store *s, char ***out, size_t *n,
		      struct kd_diag *d)
{
	struct kd_query q;
	char **names = NULL;

	*n = 0;
	kd_query_init(&q, s, "SELECT DISTINCT name FROM experiment ORDER BY name");
	while (kd_query_step(&q)) {
		char **more = reallocarray(names, *n + 1, sizeof(*names));

		if (!more) {
			q.rc = SQLITE_NOMEM;
			break;
		}
		names = more;
		names[(*n)++] = kd_query_str(&q, 0);
	}
	*out = names;
	return kd_query_fini(&q, d, loading);
}

static int match_prefix(const char *text, char **names, size_t n,
			const char **match, struct kd_diag *d)
{
	struct kd_buf some = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (!names[i] || !kd_str_has_prefix(names[i], text))
			continue;
		*match = names[i];
		if (found++ < 5)
			kd_buf_printf(&some, "%s%s", some.len ? ", " : "",
				      names[i]);
	}
	if (found > 1) {
		kd_fail(d, -EINVAL, "\"%s\" may mean %zu experiments: %s%s", text,
			found, kd_buf_str(&some), found > 5 ? ", ..." : "");
		kd_diag_hint(d, "give more of the name, or the number from kdelta ls");
	}
	kd_buf_fini(&some);
	return found > 1 ? -EINVAL : 0;
}

static int find_by_name(struct kd_store *s, const char *text, int64_t *id,
			struct kd_diag *d)
{
	static const char by_name[] =
		"SELECT max(id) FROM experiment WHERE name = ?";
	const char *match = NULL, *near;
	char **names = NULL;
	size_t n;
	int r = newest(s, by_name, text, id, d);

	if (r || *id)
		return r;
	r = load_names(s, &names, &n, d);
	if (!r)
		r = match_prefix(text, names, n, &match, d);
	if (!r && match)
		r = newest(s, by_name, match, id, d);
	if (!r && !match) {
		kd_diag_subject(d, "%s", s->path);
		r = kd_fail(d, -ENOENT, "there is no experiment \"%s\"", text);
		near = kd_str_nearest(text, names, n, sizeof(*names));
		if (near)
			kd_diag_hint(d, "did you mean \"%s\"?", near);
		else
			kd_diag_hint(d, "kdelta ls lists them");
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return r;
}

int kd_store_find(struct kd_store *store, const char *text, int64_t *exp_id,
		  struct kd_diag *d)
{
	int64_t id = 0, number;
	char digits[24];
	int r;

	if (!text || !text[0] || !strcmp(text, "latest")) {
		r = newest(store, "SELECT max(id) FROM experiment", NULL, &id, d);
		if (!r && !id) {
			kd_diag_subject(d, "%s", store->path);
			r = kd_fail(d, -ENOENT, "no experiment is stored here yet");
		}
		if (!r)
			*exp_id = id;
		return r;
	}
	if (!kd_parse_i64(text, &number) && number > 0) {
		snprintf(digits, sizeof(digits), "%" PRId64, number);
		r = newest(store, "SELECT id FROM experiment WHERE "
			   "id = CAST(? AS INTEGER)", digits, &id, d);
		if (r)
			return r;
	}
	if (!id) {
		r = find_by_name(store, text, &id, d);
		if (r)
			return r;
	}
	*exp_id = id;
	return 0;
}

static int delete_rows(struct kd_store *s, const char *sql, int64_t exp_id,
		       struct kd_diag *d, const char *doing)
{
	struct kd_query q;

	kd_query_init(&q, s, sql);
	if (exp_id)
		kd_query_int(&q, 1, exp_id);
	kd_query_done(&q);
	return kd_query_fini(&q, d, doing);
}

int kd_store_remove(struct kd_store *store, int64_t exp_id, struct kd_diag *d)
{
	static const char doing[] = "cannot remove the experiment";
	int changed = 0, r = kd_store_txn_begin(store, d, doing);

	if (r)
		return r;
	r = delete_rows(store, "DELETE FROM run WHERE experiment = ?", exp_id, d,
			doing);
	if (!r)
		r = delete_rows(store, "DELETE FROM experiment WHERE id = ?",
				exp_id, d, doing);
	if (!r) {
		changed = sqlite3_changes(store->db);
		r = delete_rows(store, "DELETE FROM environment WHERE id NOT IN "
				"(SELECT environment FROM run WHERE environment "
				"NOT NULL)", 0, d, doing);
	}
	if (!r && !changed) {
		kd_diag_subject(d, "%s", store->path);
		r = kd_fail(d, -ENOENT, "there is no experiment %lld",
			    (long long)exp_id);
	}
	r = kd_store_txn_end(store, r, d, doing);
	if (r)
		return r;
	/* best effort: the space is reused anyway, and a reader may be busy */
	sqlite3_exec(store->db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", NULL,
		     NULL, NULL);
	return 0;
}
