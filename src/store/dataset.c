// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From stored runs to what the statistics take, and the other way for logs.
 *
 * One pass over the run table in the order stored. A figure's measure is found
 * by (workload, metric id) in a hash table, for kd_dataset_measure() compares
 * names, which is too slow a million times.
 */
#include "store/internal.h"

#include "base/buf.h"
#include "stats/dataset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static const char loading[] = "cannot read the runs";

struct slot {
	uint64_t key;		/* workload << 32 | metric id; 0: free */
	size_t measure;
};

struct failed_run {
	int variant, workload, round, attempt;
	enum kd_run_status status;
	char *reason;
};

struct loader {
	struct kd_store *store;
	const struct kd_store_exp *exp;
	struct kd_dataset *ds;
	struct kd_query metric;
	struct slot *slots;
	size_t n_slots, cap_slots;
	struct failed_run *failed;
	size_t n_failed;
	char **boots;		/* per variant: last boot id seen */
	struct kd_store_counts counts;
};

static struct slot *find_slot(struct slot *slots, size_t cap, uint64_t key)
{
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15ULL >> 20) & (cap - 1);

	while (slots[i].key && slots[i].key != key)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static int grow_slots(struct loader *l)
{
	size_t cap = l->cap_slots ? l->cap_slots * 2 : 256;
	struct slot *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < l->cap_slots; i++)
		if (l->slots[i].key)
			*find_slot(slots, cap, l->slots[i].key) = l->slots[i];
	free(l->slots);
	l->slots = slots;
	l->cap_slots = cap;
	return 0;
}

/* is @name one of the words of "a,b,c", or of the lines of "a\nb\n" */
static bool is_listed(const char *list, const char *name)
{
	const char *ends = list && strchr(list, '\n') ? "\n" : ",";
	size_t len = strlen(name);

	while (list && *list) {
		size_t word = strcspn(list, ends);

		if (word == len && !memcmp(list, name, len))
			return true;
		list += word + (list[word] != '\0');
	}
	return false;
}

/* of a command whose output a parser reads, and whose file names no primary
 * metric: the first figure of the output with a direction */
static bool is_first_of_output(const struct kd_dataset *ds,
			       const struct kd_store_workload *w,
			       const struct kd_measure *measure)
{
	if ((w->primary && *w->primary) || strcmp(w->kind, "exec") ||
	    measure->better == KD_BETTER_NONE ||
	    strncmp(measure->metric, "exec.", 5) ||
	    !strcmp(measure->metric, "exec.time"))
		return false;
	for (const struct kd_measure *m = ds->measures; m < measure; m++)
		if (m->primary && !strcmp(m->workload, measure->workload))
			return false;
	return true;
}

/* the measure of a metric seen for the first time; its index, or -errno */
static int64_t new_measure(struct loader *l, int workload, uint32_t id)
{
	const struct kd_store_workload *w = &l->exp->workloads[workload];
	struct kd_query *q = &l->metric;
	struct kd_measure *m = NULL;
	struct kd_buf bare = { 0 }, full = { 0 };
	int64_t index = -EBADMSG;

	kd_query_int(q, 1, id);
	if (kd_query_step(q)) {
		const char *name = (const char *)sqlite3_column_text(q->stmt, 0);
		const char *inst = (const char *)sqlite3_column_text(q->stmt, 1);
		const char *unit = (const char *)sqlite3_column_text(q->stmt, 2);
		bool peer = sqlite3_column_int(q->stmt, 4) == KD_FROM_PEER;

		kd_buf_printf(&bare, "%s%s", peer ? "peer." : "", name);
		kd_buf_puts(&full, kd_buf_str(&bare));
		if (inst[0])
			kd_buf_printf(&full, "[%s]", inst);
		if (!bare.err && !full.err)
			m = kd_dataset_measure(l->ds, w->name, full.data, unit,
				(enum kd_better)sqlite3_column_int(q->stmt, 3));
		index = m ? m - l->ds->measures : -ENOMEM;
		if (m && (is_listed(w->primary, bare.data) ||
			  is_listed(w->primary, full.data) ||
			  is_first_of_output(l->ds, w, m)))
			m->primary = true;
	}
	kd_query_done(q);
	kd_buf_fini(&bare);
	kd_buf_fini(&full);
	return q->rc ? -EIO : index;
}

static int64_t measure_of(struct loader *l, int workload, uint32_t id)
{
	uint64_t key = (uint64_t)(workload + 1) << 32 | id;
	struct slot *s;
	int64_t index;

	if (l->n_slots * 2 >= l->cap_slots && grow_slots(l))
		return -ENOMEM;
	s = find_slot(l->slots, l->cap_slots, key);
	if (s->key)
		return (int64_t)s->measure;
	index = new_measure(l, workload, id);
	if (index < 0)
		return index;
	s->key = key;
	s->measure = (size_t)index;
	l->n_slots++;
	return index;
}

static int add_figures(struct loader *l, struct kd_query *q, int variant,
		       int workload, int round, int seq)
{
	const unsigned char *p = sqlite3_column_blob(q->stmt, 8);
	size_t n = (size_t)sqlite3_column_bytes(q->stmt, 8) / KD_FIGURE_BYTES;

	for (size_t i = 0; i < n; i++, p += KD_FIGURE_BYTES) {
		int64_t m = measure_of(l, workload, kd_blob_u32(p));

		if (m == -EBADMSG)
			continue;	/* not in the dictionary: damaged */
		if (m < 0)
			return (int)m;
		if (kd_measure_add(&l->ds->measures[m], variant, round, seq,
				   kd_blob_double(p + 4)))
			return -ENOMEM;
	}
	return 0;
}

static int add_failed(struct loader *l, struct kd_query *q,
		      struct failed_run f)
{
	struct failed_run *more = l->failed;

	if (!(l->n_failed & (l->n_failed - 1)))
		more = reallocarray(l->failed,
				    l->n_failed ? l->n_failed * 2 : 1,
				    sizeof(*more));
	if (!more)
		return -ENOMEM;
	l->failed = more;
	f.reason = kd_query_str(q, 6);
	more[l->n_failed++] = f;
	return 0;
}

/* a later attempt that is ok makes good what failed before */
static void forgive(struct loader *l, int variant, int workload, int round,
		    int attempt)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_failed; i++) {
		struct failed_run *f = &l->failed[i];

		if (f->variant == variant && f->workload == workload &&
		    f->round == round && f->attempt < attempt)
			free(f->reason);
		else
			l->failed[kept++] = *f;
	}
	l->n_failed = kept;
}

/* boots come one after another, so a change of id is a new one */
static int count_boot(struct loader *l, struct kd_query *q, int variant)
{
	const char *boot = (const char *)sqlite3_column_text(q->stmt, 7);
	char *copy;

	if (!l->ds->n_boots || !boot)
		return 0;
	if (l->boots[variant] && !strcmp(l->boots[variant], boot))
		return 0;
	copy = strdup(boot);
	if (!copy)
		return -ENOMEM;
	free(l->boots[variant]);
	l->boots[variant] = copy;
	l->ds->n_boots[variant]++;
	return 0;
}

static int add_row(struct loader *l, struct kd_query *q)
{
	int variant = sqlite3_column_int(q->stmt, 0);
	int workload = sqlite3_column_int(q->stmt, 1);
	int round = sqlite3_column_int(q->stmt, 2);
	int seq = sqlite3_column_int(q->stmt, 3);
	int attempt = sqlite3_column_int(q->stmt, 4);
	int status = sqlite3_column_int(q->stmt, 5);
	int r;

	if (variant < 0 || (size_t)variant >= l->exp->n_variants ||
	    workload < 0 || (size_t)workload >= l->exp->n_workloads)
		return -EBADMSG;
	if (round >= l->counts.rounds)
		l->counts.rounds = round + 1;
	if (sqlite3_column_int(q->stmt, 9)) {
		l->counts.superseded++;
		return 0;
	}
	if (status != KD_RUN_OK)
		return add_failed(l, q, (struct failed_run){
			.variant = variant, .workload = workload,
			.round = round, .attempt = attempt,
			.status = (enum kd_run_status)status });
	if (attempt > 1)
		forgive(l, variant, workload, round, attempt);
	l->counts.ok++;
	r = count_boot(l, q, variant);
	return r ? r : add_figures(l, q, variant, workload, round, seq);
}

static int add_rows(struct loader *l, struct kd_diag *d)
{
	struct kd_query q;
	int r = 0, r2;

	kd_query_init(&l->metric, l->store, "SELECT name, instance, unit, better, "
		      "source FROM metric WHERE id = ?");
	kd_query_init(&q, l->store, "SELECT variant, workload, round, seq, attempt, "
		      "status, reason, boot_id, figures, superseded FROM run "
		      "WHERE experiment = ? ORDER BY id");
	kd_query_int(&q, 1, l->exp->id);
	while (!r && kd_query_step(&q))
		r = add_row(l, &q);
	r2 = kd_query_fini(&q, d, loading);
	if (!r2)
		r2 = kd_query_fini(&l->metric, d, loading);
	else
		sqlite3_finalize(l->metric.stmt);
	if (r2)
		return r2;
	if (r == -EBADMSG)
		return kd_fail(d, r, "%s: a run belongs to no variant or workload: the file is damaged",
			       l->store->path);
	return r ? kd_fail(d, r, "out of memory") : 0;
}

#define NOTES_MAX 8

static int note_failures(struct loader *l)
{
	struct kd_dataset *ds = l->ds;
	int r = 0;

	for (size_t i = 0; !r && i < l->n_failed; i++) {
		const struct failed_run *f = &l->failed[i];
		const char *w = l->exp->workloads[f->workload].name;

		if (f->status == KD_RUN_INTERRUPTED)
			l->counts.interrupted++;
		else
			l->counts.failed++;
		if (i == NOTES_MAX)
			r = kd_dataset_note(ds, "%zu more runs did not end well",
					    l->n_failed - i);
		if (i >= NOTES_MAX)
			continue;
		r = kd_dataset_note(ds, "%s%s%s, round %d %s%s%s",
				    l->exp->variants[f->variant].name,
				    w[0] ? ", " : "", w, f->round + 1,
				    f->status == KD_RUN_INTERRUPTED ?
				    "was interrupted" : "failed",
				    f->reason ? ": " : "",
				    f->reason ? f->reason : "");
	}
	if (!r && l->counts.superseded)
		r = kd_dataset_note(ds, "%u runs of rounds that were cut short are kept in the store, but not counted: the rounds were repeated whole",
				    l->counts.superseded);
	return r;
}

/* an observer that found nothing to look at has no figures: why not */
static int note_skipped(struct loader *l, struct kd_diag *d)
{
	struct kd_query q;
	int r = 0, r2;

	kd_query_init(&q, l->store, "SELECT e.text, count(*) FROM event e "
		      "JOIN run ON run.id = e.run WHERE run.experiment = ? AND "
		      "e.kind = 'skipped' AND run.status = 0 AND "
		      "NOT run.superseded GROUP BY e.text ORDER BY min(run.id)");
	kd_query_int(&q, 1, l->exp->id);
	while (!r && kd_query_step(&q)) {
		const char *text = (const char *)
			sqlite3_column_text(q.stmt, 0);
		int64_t n = sqlite3_column_int64(q.stmt, 1);

		if (n == (int64_t)l->counts.ok)
			r = kd_dataset_note(l->ds, "nothing of observer %s",
					    text);
		else
			r = kd_dataset_note(l->ds, "nothing of observer %s (%lld of %u runs)",
					    text, (long long)n, l->counts.ok);
	}
	r2 = kd_query_fini(&q, d, loading);
	if (r2)
		return r2;
	return r ? kd_fail(d, r, "out of memory") : 0;
}

/* what the plan says of the samples: is a boot the unit, a log's notes */
static int apply_plan(struct loader *l)
{
	json_t *plan = l->exp->plan ? json_loads(l->exp->plan, 0, NULL) : NULL;
	const char *unit = json_string_value(json_object_get(plan, "unit"));
	json_t *notes = json_object_get(plan, "notes");
	struct kd_dataset *ds = l->ds;
	int r = 0;

	if (unit && !strcmp(unit, "boot")) {
		ds->n_boots = calloc(l->exp->n_variants + 1,
				     sizeof(*ds->n_boots));
		if (!ds->n_boots)
			r = -ENOMEM;
	}
	for (size_t i = 0; !r && i < json_array_size(notes); i++) {
		const char *s = json_string_value(json_array_get(notes, i));

		if (s)
			r = kd_dataset_note(ds, "%s", s);
	}
	json_decref(plan);
	return r;
}

static int add_frame(struct loader *l)
{
	const struct kd_store_exp *e = l->exp;
	struct kd_dataset *ds = l->ds;
	int v;

	ds->title = strdup(e->name);
	ds->baseline = (size_t)e->baseline;
	l->boots = calloc(e->n_variants + 1, sizeof(*l->boots));
	if (!ds->title || !l->boots)
		return -ENOMEM;
	for (size_t i = 0; i < e->n_variants; i++) {
		v = kd_dataset_variant(ds, e->variants[i].name);

		if (v < 0)
			return v;
		if ((size_t)v != i)
			return -EBADMSG;	/* two of one name */
	}
	v = apply_plan(l);
	if (v || !e->n_factors)
		return v;
	ds->factors = calloc(e->n_factors, sizeof(*ds->factors));
	ds->levels = calloc(e->n_variants * e->n_factors + 1,
			    sizeof(*ds->levels));
	if (!ds->factors || !ds->levels)
		return -ENOMEM;
	ds->n_factors = e->n_factors;
	for (size_t f = 0; f < e->n_factors; f++) {
		ds->factors[f] = strdup(e->factors[f]);
		for (size_t i = 0; i < e->n_variants; i++) {
			const char *s = e->variants[i].levels[f];

			ds->levels[i * e->n_factors + f] = strdup(s ? s : "");
			if (!ds->levels[i * e->n_factors + f])
				return -ENOMEM;
		}
		if (!ds->factors[f])
			return -ENOMEM;
	}
	return 0;
}

/* an environment more than one: what differs is said elsewhere */
static int compare_environments(struct loader *l, struct kd_diag *d)
{
	struct kd_query q;

	kd_query_init(&q, l->store, "SELECT count(DISTINCT environment) FROM run "
		      "WHERE experiment = ? AND status = 0 AND NOT superseded");
	kd_query_int(&q, 1, l->exp->id);
	if (kd_query_step(&q))
		l->counts.same_environment = sqlite3_column_int(q.stmt, 0) <= 1;
	return kd_query_fini(&q, d, loading);
}

int kd_store_dataset(struct kd_store *store, int64_t exp_id,
		     struct kd_dataset *ds, struct kd_store_counts *counts,
		     struct kd_diag *d)
{
	struct kd_store_exp exp;
	struct kd_dataset built = { 0 };
	struct loader l = { .store = store, .exp = &exp, .ds = &built };
	int r = kd_store_load_exp(store, exp_id, &exp, d);

	if (r)
		return r;
	r = add_frame(&l);
	if (r)
		kd_fail(d, r, r == -EBADMSG ?
			"two variants have one name: the store is damaged" :
			"out of memory");
	if (!r)
		r = add_rows(&l, d);
	if (!r && note_failures(&l))
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (!r)
		r = note_skipped(&l, d);
	if (!r)
		r = compare_environments(&l, d);
	for (size_t i = 0; i < l.n_failed; i++)
		free(l.failed[i].reason);
	for (size_t i = 0; l.boots && i < exp.n_variants; i++)
		free(l.boots[i]);
	free(l.boots);
	free(l.failed);
	free(l.slots);
	kd_store_exp_fini(&exp);
	if (r) {
		kd_dataset_fini(&built);
		return r;
	}
	*ds = built;
	if (counts)
		*counts = l.counts;
	return 0;
}
