// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is the present state like the good one or like the bad one. See check.h.
 */
#include "cli/check.h"

#include "base/buf.h"
#include "base/str.h"
#include "stats/pairs.h"
#include "stats/ratio.h"
#include "store/store.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	[KD_CHECK_GOOD] = "good",
	[KD_CHECK_BAD] = "bad",
	[KD_CHECK_UNSURE] = "unsure",
};

const char *kd_check_name(enum kd_check_verdict v)
{
	return names[v];
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

static int find_variant(struct kd_reference *ref, const char *wanted,
			struct kd_diag *d)
{
	struct kd_buf all = { 0 };
	size_t found = 0, n = 0;

	for (size_t i = 0; i < ref->ds.n_variants; i++) {
		kd_buf_printf(&all, "%s%.60s", i ? ", " : "",
			      ref->ds.variants[i]);
		if (wanted ? strcmp(wanted, ref->ds.variants[i]) :
			     !has_runs(&ref->ds, i))
			continue;
		found = i;
		n++;
	}
	if (n == 1) {
		ref->variant = found;
	} else if (!n && !wanted) {
		kd_fail(d, -EINVAL, "the reference \"%s\" has no good run",
			ref->name);
	} else {
		kd_fail(d, -EINVAL, n ?
			"the reference \"%s\" has several variants" :
			"the reference \"%s\" has no such variant", ref->name);
		kd_diag_hint(d, "name one: %.200s, as NAME:VARIANT",
			     kd_buf_str(&all));
	}
	kd_buf_fini(&all);
	return n == 1 ? 0 : -EINVAL;
}

int kd_reference_load(struct kd_store *store, const char *name,
		      struct kd_reference *out, struct kd_diag *d)
{
	struct kd_reference ref = { .name = name };
	const char *colon = strchr(name, ':');
	char *text = strndup(name, strcspn(name, ":"));
	int64_t id = 0;
	int r = text ? kd_store_find(store, text, &id, d) :
		       kd_fail(d, -ENOMEM, "out of memory");

	free(text);
	ref.id = id;
	if (!r)
		r = kd_store_dataset(store, id, &ref.ds, NULL, d);
	if (!r)
		r = find_variant(&ref, colon ? colon + 1 : NULL, d);
	if (r)
		kd_dataset_fini(&ref.ds);
	else
		*out = ref;
	return r;
}

void kd_reference_fini(struct kd_reference *ref)
{
	kd_dataset_fini(&ref->ds);
}

static const struct kd_measure *find(const struct kd_dataset *ds,
				     const struct kd_measure *like)
{
	for (size_t i = 0; i < ds->n_measures; i++) {
		const struct kd_measure *m = &ds->measures[i];

		if (!strcmp(m->workload, like->workload) &&
		    !strcmp(m->metric, like->metric) &&
		    !strcmp(m->unit, like->unit))
			return m;
	}
	return NULL;
}

/* the usable values of one variant; caller's to free() */
static double *values(const struct kd_measure *m, size_t variant, size_t *n)
{
	double *x = calloc((m ? m->n_samples : 0) + 1, sizeof(*x));

	*n = 0;
	for (size_t i = 0; x && m && i < m->n_samples; i++)
		if ((size_t)m->samples[i].variant == variant &&
		    kd_is_usable(m->samples[i].value))
			x[(*n)++] = m->samples[i].value;
	return x;
}

static bool is_wanted(const struct kd_check *c, const struct kd_measure *m)
{
	const char *p = c->metric;
	char text[256], whole[400];

	if (!p)
		return m->primary;
	snprintf(whole, sizeof(whole), "%s %s", m->workload, m->metric);
	while (*p) {
		size_t n = strcspn(p, "\n");

		snprintf(text, sizeof(text), "%.*s", (int)n, p);
		if (!fnmatch(text, m->metric, 0) || !fnmatch(text, whole, 0))
			return true;
		p += n + (p[n] == '\n');
	}
	return false;
}

/* are good and bad shown to differ in what @m measures */
static bool differs(const struct kd_check *c, const struct kd_measure *m)
{
	size_t ng, nb;
	double *g = values(m, c->good->variant, &ng);
	const struct kd_measure *mb = find(&c->bad->ds, m);
	double *b = values(mb, c->bad->variant, &nb);
	struct kd_effect e;
	bool yes = g && b && !kd_effect_welch(g, ng, b, nb, &e) &&
		   kd_effect_p(&e) < c->alpha;

	free(g);
	free(b);
	return yes;
}

static bool can_judge(const struct kd_check *c, const struct kd_measure *m)
{
	return c->bad ? differs(c, m) : m->better != KD_BETTER_NONE;
}

int kd_check_references(const struct kd_check *c, struct kd_diag *d)
{
	const struct kd_dataset *ds = &c->good->ds;
	struct kd_buf all = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ds->n_measures; i++) {
		const struct kd_measure *m = &ds->measures[i];

		if (m->primary || !n)
			kd_buf_printf(&all, "%s%s", all.len ? ", " : "",
				      m->metric);
		if (!is_wanted(c, m))
			continue;
		n++;
		if (can_judge(c, m)) {
			kd_buf_fini(&all);
			return 0;
		}
	}
	if (!n) {
		kd_fail(d, -EINVAL, "\"%s\" has no metric to judge by",
			c->good->name);
		kd_diag_hint(d, "say one with --metric, such as %.200s",
			     kd_buf_str(&all));
	} else if (c->bad) {
		kd_fail(d, -EINVAL, "\"%s\" and \"%s\" are not shown to differ in any metric looked at",
			c->good->name, c->bad->name);
		kd_diag_hint(d, "measure both with more rounds, or longer; \"kdelta compare %s %s\" shows them",
			     c->good->name, c->bad->name);
	} else {
		kd_fail(d, -EINVAL, "the metrics looked at have no good side");
		kd_diag_hint(d, "give a --bad reference too, or for exec better=higher or lower");
	}
	kd_buf_fini(&all);
	return -EINVAL;
}

static void decide(const struct kd_check *c, const struct kd_seq *seq,
		   size_t family, struct kd_check_measure *x)
{
	x->p = fmin(1, kd_seq_p(seq, x->line.p) * (double)family);
	if (x->line.towards_good < 0 && x->p < c->alpha)
		x->verdict = KD_CHECK_BAD;
	/* good needs them all, so there is nothing to correct */
	else if (x->line.towards_good > 0 &&
		 kd_seq_p(seq, x->line.p) < c->alpha)
		x->verdict = KD_CHECK_GOOD;
}

static int judge(const struct kd_check *c, const struct kd_measure *m,
		 const struct kd_seq *seq, size_t family,
		 struct kd_check_measure *x)
{
	struct kd_sample_set good, bad = { 0 }, here;
	double *g = values(find(&c->good->ds, m), c->good->variant, &good.n);
	double *b = values(c->bad ? find(&c->bad->ds, m) : NULL,
			   c->bad ? c->bad->variant : 0, &bad.n);
	double *h = values(m, 0, &here.n);
	int r = -ENOMEM;

	*x = (struct kd_check_measure){
		.workload = m->workload, .metric = m->metric, .unit = m->unit,
		.n = here.n, .p = NAN, .verdict = KD_CHECK_UNSURE, .why = "",
	};
	good.x = g;
	bad.x = b;
	here.x = h;
	if (g && b && h) {
		r = kd_boundary_judge(good, bad, here, c->loss,
				      m->better == KD_BETTER_HIGHER, &x->line);
		if (!r)
			decide(c, seq, family, x);
		else if (r == -EDOM)
			x->why = "one run shows no spread to judge by";
		else
			x->why = "no spread to judge by: all values are equal";
		r = 0;
	}
	free(g);
	free(b);
	free(h);
	return r;
}

static void add_up(struct kd_check *c)
{
	c->verdict = KD_CHECK_GOOD;
	for (size_t i = 0; i < c->n; i++) {
		if (c->measures[i].verdict == KD_CHECK_BAD)
			c->verdict = KD_CHECK_BAD;
		else if (c->measures[i].verdict == KD_CHECK_UNSURE &&
			 c->verdict == KD_CHECK_GOOD)
			c->verdict = KD_CHECK_UNSURE;
	}
}

int kd_check_look(struct kd_check *c, const struct kd_dataset *here,
		  const struct kd_seq *seq, struct kd_diag *d)
{
	size_t family = 0;
	int r = 0;

	kd_check_fini(c);
	c->measures = calloc(here->n_measures + 1, sizeof(*c->measures));
	if (!c->measures)
		return kd_fail(d, -ENOMEM, "out of memory");
	for (int pass = 0; !r && pass < 2; pass++) {
		for (size_t i = 0; !r && i < here->n_measures; i++) {
			const struct kd_measure *m = &here->measures[i];
			const struct kd_measure *g = find(&c->good->ds, m);

			if (!g || !is_wanted(c, m) || !can_judge(c, g))
				continue;
			if (pass)
				r = judge(c, m, seq, family,
					  &c->measures[c->n++]);
			else
				family++;
		}
	}
	if (r)
		return kd_fail(d, r, "out of memory");
	if (!c->n) {
		kd_fail(d, -EINVAL, "\"%s\" was measured under other workloads: no metric is the same",
			c->good->name);
		kd_diag_hint(d, "give the same file, or the same -w, as for the reference");
		return -EINVAL;
	}
	add_up(c);
	return 0;
}

void kd_check_fini(struct kd_check *c)
{
	free(c->measures);
	c->measures = NULL;
	c->n = 0;
}
