// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parting a dataset where its variants share no measure. See load.h.
 */
#include "imports/load.h"

#include "base/buf.h"
#include "stats/dataset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TOLD_MAX 12

static size_t root(const size_t *up, size_t v)
{
	while (up[v] != v)
		v = up[v];
	return v;
}

/* variants of one measure belong together; the first one stands for them */
static void join(const struct kd_dataset *ds, size_t *up)
{
	for (size_t v = 0; v < ds->n_variants; v++)
		up[v] = v;
	for (size_t m = 0; m < ds->n_measures; m++) {
		const struct kd_measure *x = &ds->measures[m];

		for (size_t i = 1; i < x->n_samples; i++) {
			size_t a = root(up, (size_t)x->samples[0].variant);
			size_t b = root(up, (size_t)x->samples[i].variant);

			if (a < b)
				up[b] = a;
			else
				up[a] = b;
		}
	}
}

static int take_measure(struct kd_dataset *part, struct kd_measure *m,
			const size_t *index)
{
	struct kd_measure *grown = reallocarray(part->measures,
						part->n_measures + 1,
						sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	part->measures = grown;
	for (size_t i = 0; i < m->n_samples; i++)
		m->samples[i].variant = (int)index[m->samples[i].variant];
	grown[part->n_measures++] = *m;
	memset(m, 0, sizeof(*m));
	return 0;
}

static int take_part(struct kd_dataset *ds, struct kd_dataset *part,
		     const size_t *up, size_t r, size_t *index)
{
	for (size_t v = 0; v < ds->n_variants; v++) {
		int i;

		if (root(up, v) != r)
			continue;
		i = kd_dataset_variant(part, ds->variants[v]);
		if (i < 0)
			return i;
		index[v] = (size_t)i;
		if (v == ds->baseline)
			part->baseline = (size_t)i;
	}
	for (size_t m = 0; m < ds->n_measures; m++) {
		struct kd_measure *x = &ds->measures[m];

		if (x->n_samples &&
		    root(up, (size_t)x->samples[0].variant) == r &&
		    take_measure(part, x, index))
			return -ENOMEM;
	}
	part->title = ds->title ? strdup(ds->title) : NULL;
	return ds->title && !part->title ? -ENOMEM : 0;
}

int kd_import_parts(struct kd_dataset *ds, struct kd_dataset **out, size_t *n)
{
	size_t *up = calloc(2 * ds->n_variants + 1, sizeof(*up));
	size_t *index = up + ds->n_variants;
	struct kd_dataset *parts = calloc(ds->n_variants + 1, sizeof(*parts));
	size_t used = 0;
	int r = up && parts ? 0 : -ENOMEM;

	if (!r)
		join(ds, up);
	for (size_t v = 0; v < ds->n_variants && !r; v++)
		if (up[v] == v)
			r = take_part(ds, &parts[used++], up, v, index);
	free(up);
	if (r) {
		while (used)
			kd_dataset_fini(&parts[--used]);
		free(parts);
		return r;
	}
	parts[0].notes = ds->notes;
	parts[0].n_notes = ds->n_notes;
	ds->notes = NULL;
	ds->n_notes = 0;
	kd_dataset_fini(ds);
	*out = parts;
	*n = used;
	return 0;
}

/* the only variant with samples, or -1 */
static int single(const struct kd_measure *m)
{
	for (size_t i = 1; i < m->n_samples; i++)
		if (m->samples[i].variant != m->samples[0].variant)
			return -1;
	return m->n_samples ? m->samples[0].variant : -1;
}

static int tell_of(struct kd_dataset *ds, int v)
{
	struct kd_buf text = { 0 };
	size_t told = 0, more = 0;
	int r;

	for (size_t m = 0; m < ds->n_measures; m++) {
		const struct kd_measure *x = &ds->measures[m];
		double sum = 0;

		if (single(x) != v)
			continue;
		if (told == TOLD_MAX) {
			more++;
			continue;
		}
		for (size_t i = 0; i < x->n_samples; i++)
			sum += x->samples[i].value;
		kd_buf_printf(&text, "%s%s%s%s %.4g%s%s", told++ ? ", " : "",
			      x->workload, *x->workload ? " " : "", x->metric,
			      sum / (double)x->n_samples,
			      *x->unit ? " " : "", x->unit);
	}
	if (more)
		kd_buf_printf(&text, " and %zu more", more);
	r = text.err;
	if (!r && told)
		r = kd_dataset_note(ds, "only %s has: %s", ds->variants[v],
				    kd_buf_str(&text));
	kd_buf_fini(&text);
	return r;
}

int kd_import_tell_single(struct kd_dataset *ds)
{
	int r = 0;

	for (size_t v = 0; ds->n_variants > 1 && v < ds->n_variants && !r; v++)
		r = tell_of(ds, (int)v);
	return r;
}
