// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stored experiments beside each other. See merge.h.
 */
#include "cli/merge.h"

#include "base/str.h"
#include "cli/stored.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "[LABEL=]EXPERIMENT[:VARIANT]"; @label and @exp are the caller's */
struct word {
	char *label;
	char *exp;
	const char *variant;
};

struct merger {
	struct kd_store *store;
	struct kd_dataset *ds;
	bool alone;
	int seq;
	char **options;		/* of workloads seen, "NAME\0OPTIONS" */
	size_t n_options;
	int *boots;
	size_t n_boots;
	bool by_boot;
};

static int part(const char *text, struct word *w)
{
	const char *eq = strchr(text, '=');
	const char *exp = eq ? eq + 1 : text;
	char *colon;

	w->label = strndup(text, eq ? (size_t)(eq - text) : strlen(text));
	w->exp = strdup(exp);
	if (!w->label || !w->exp)
		return -ENOMEM;
	colon = strchr(w->exp, ':');
	w->variant = colon ? colon + 1 : NULL;
	if (colon)
		*colon = '\0';
	return 0;
}

static void word_fini(struct word *w)
{
	free(w->label);
	free(w->exp);
}

static bool is_file(const char *text)
{
	const char *eq = strchr(text, '=');

	return !strcmp(text, "-") || !access(text, F_OK) ||
	       (eq && (!strcmp(eq + 1, "-") || !access(eq + 1, F_OK)));
}

bool kd_merge_is_stored(char *const *words, int n, const char *path)
{
	struct kd_store *store = NULL;
	bool found = false;

	for (int i = 0; i < n; i++)
		if (is_file(words[i]))
			return false;
	if (kd_store_open_read(path, &store, NULL))
		return false;
	for (int i = 0; i < n && !found; i++) {
		struct word w = { 0 };
		int64_t id;

		found = !part(words[i], &w) &&
			!kd_store_find(store, w.exp, &id, NULL);
		word_fini(&w);
	}
	kd_store_close(store);
	return found;
}

static bool has_runs(const struct kd_dataset *ds, size_t variant)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t k = 0; k < ds->measures[i].n_samples; k++)
			if ((size_t)ds->measures[i].samples[k].variant ==
			    variant)
				return true;
	return false;
}

/* where each variant of @from goes: an index in m->ds, -1: nowhere */
static int map_variants(struct merger *m, const struct word *w,
			const struct kd_dataset *from, int *map,
			struct kd_diag *d)
{
	const char *near;
	size_t used = 0;

	for (size_t i = 0; i < from->n_variants; i++) {
		bool wanted = w->variant ?
			!strcmp(w->variant, from->variants[i]) :
			has_runs(from, i);

		map[i] = wanted ? 0 : -1;
		used += wanted;
	}
	if (!used && !w->variant)
		return kd_fail(d, -EINVAL, "experiment \"%s\" has no good run",
			       w->exp);
	if (!used) {
		kd_fail(d, -EINVAL, "experiment \"%s\" has no variant \"%s\"",
			w->exp, w->variant);
		near = kd_str_nearest(w->variant, from->variants,
				      from->n_variants,
				      sizeof(*from->variants));
		kd_diag_hint(d, near ? "did you mean \"%s\"?" :
			     "the first one is \"%s\"",
			     near ? near : from->variants[0]);
		return -EINVAL;
	}
	for (size_t i = 0; i < from->n_variants; i++) {
		char *name = NULL;

		if (map[i] < 0)
			continue;
		if (m->alone ? asprintf(&name, "%s", from->variants[i]) < 0 :
		    used == 1 ? asprintf(&name, "%s", w->label) < 0 :
				asprintf(&name, "%s/%s", w->label,
					 from->variants[i]) < 0)
			return kd_fail(d, -ENOMEM, "out of memory");
		map[i] = kd_dataset_variant(m->ds, name);
		free(name);
		if (map[i] < 0)
			return kd_fail(d, map[i], "out of memory");
	}
	return 0;
}

static int add_samples(struct merger *m, const struct kd_dataset *from,
		       const int *map)
{
	int last = 0;

	for (size_t i = 0; i < from->n_measures; i++) {
		const struct kd_measure *x = &from->measures[i];
		struct kd_measure *to = kd_dataset_measure(m->ds, x->workload,
			x->metric, x->unit, x->better);

		if (!to)
			return -ENOMEM;
		to->primary |= x->primary;
		for (size_t k = 0; k < x->n_samples; k++) {
			const struct kd_sample *s = &x->samples[k];

			if (s->seq > last)
				last = s->seq;
			if (map[s->variant] >= 0 &&
			    kd_measure_add(to, map[s->variant],
					   m->alone ? s->round : -1,
					   m->seq + s->seq, s->value))
				return -ENOMEM;
		}
	}
	m->seq += last + 1;
	return 0;
}

/* a run is the unit where boots were not: then there are enough of them */
static int add_boots(struct merger *m, const struct kd_dataset *from,
		     const int *map)
{
	int *boots = reallocarray(m->boots, m->ds->n_variants + 1,
				  sizeof(*boots));

	if (!boots)
		return -ENOMEM;
	m->boots = boots;
	for (; m->n_boots < m->ds->n_variants; m->n_boots++)
		boots[m->n_boots] = 0;
	m->by_boot |= from->n_boots != NULL;
	for (size_t i = 0; i < from->n_variants; i++) {
		if (map[i] < 0)
			continue;
		if (!from->n_boots)
			boots[map[i]] = INT_MAX / 2;
		else if (boots[map[i]] < INT_MAX / 2)
			boots[map[i]] += from->n_boots[i];
	}
	return 0;
}

static int check_workload(struct merger *m, const char *label,
			  const struct kd_store_workload *w)
{
	const char *options = w->options ? w->options : "";
	char **grown, *kept;

	for (size_t i = 0; i < m->n_options; i++) {
		const char *there = m->options[i] + strlen(m->options[i]) + 1;

		if (strcmp(m->options[i], w->name))
			continue;
		return !strcmp(there, options) ? 0 :
			kd_dataset_note(m->ds, "%s: workload %s is set up otherwise than in the first experiment: %s, and there %s",
					label, w->name, options, there);
	}
	grown = reallocarray(m->options, m->n_options + 1, sizeof(*grown));
	kept = calloc(1, strlen(w->name) + strlen(options) + 2);
	if (grown)
		m->options = grown;
	if (!grown || !kept) {
		free(kept);
		return -ENOMEM;
	}
	strcpy(kept, w->name);
	strcpy(kept + strlen(kept) + 1, options);
	m->options[m->n_options++] = kept;
	return 0;
}

static int add_notes(struct merger *m, const struct word *w,
		     const struct kd_stored *s)
{
	int r = 0;

	if (!m->alone)
		r = kd_dataset_note(m->ds, "%s: experiment %s, \"%s\", of %s%s%s, %u runs",
				    w->label, s->id, s->exp.name, s->date,
				    s->kernel ? ", kernel " : "",
				    s->kernel ? s->kernel : "", s->counts.ok);
	for (size_t i = 0; !r && i < s->ds.n_notes; i++)
		r = m->alone ? kd_dataset_note(m->ds, "%s", s->ds.notes[i]) :
			       kd_dataset_note(m->ds, "%s: %s", w->label,
					       s->ds.notes[i]);
	for (size_t i = 0; !r && i < s->exp.n_workloads; i++)
		r = check_workload(m, w->label, &s->exp.workloads[i]);
	return r;
}

static int add(struct merger *m, const char *text, struct kd_diag *d)
{
	struct kd_stored s = { 0 };
	struct word w = { 0 };
	int64_t id;
	int *map = NULL;
	int r = part(text, &w);

	if (r)
		kd_fail(d, r, "out of memory");
	if (!r)
		r = kd_store_find(m->store, w.exp, &id, d);
	if (!r)
		r = kd_stored_load(m->store, id, &s, d);
	if (!r) {
		map = calloc(s.ds.n_variants + 1, sizeof(*map));
		r = map ? map_variants(m, &w, &s.ds, map, d) :
			  kd_fail(d, -ENOMEM, "out of memory");
	}
	if (!r && m->alone && !w.variant && map[s.ds.baseline] >= 0)
		m->ds->baseline = (size_t)map[s.ds.baseline];
	if (!r && (add_samples(m, &s.ds, map) || add_boots(m, &s.ds, map) ||
		   add_notes(m, &w, &s)))
		r = kd_fail(d, -ENOMEM, "out of memory");
	free(map);
	kd_stored_fini(&s);
	word_fini(&w);
	return r;
}

int kd_merge_stored(char *const *words, int n, const char *path,
		    struct kd_dataset *ds, struct kd_diag *d)
{
	struct merger m = { .ds = ds, .alone = n == 1 };
	int r = kd_store_open_read(path, &m.store, d);

	if (r)
		return r;
	for (int i = 0; !r && i < n; i++)
		r = add(&m, words[i], d);
	if (!r && !m.alone &&
	    kd_dataset_note(ds, "these experiments ran one after the other, not interleaved: whatever else changed between them counts as an effect"))
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (!r && m.by_boot) {
		ds->n_boots = m.boots;
		m.boots = NULL;
	}
	for (size_t i = 0; i < m.n_options; i++)
		free(m.options[i]);
	free(m.options);
	free(m.boots);
	kd_store_close(m.store);
	if (r)
		kd_dataset_fini(ds);
	return r;
}
