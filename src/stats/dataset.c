// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Building and freeing datasets. See dataset.h.
 */
#include "stats/dataset.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* room for one more, doubling at powers of two */
static void *grown(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return reallocarray(array, n ? n * 2 : 1, size);
}

int kd_dataset_variant(struct kd_dataset *ds, const char *name)
{
	char **variants;

	for (size_t i = 0; i < ds->n_variants; i++)
		if (!strcmp(ds->variants[i], name))
			return (int)i;
	variants = grown(ds->variants, ds->n_variants, sizeof(*variants));
	if (!variants)
		return -ENOMEM;
	ds->variants = variants;
	variants[ds->n_variants] = strdup(name);
	if (!variants[ds->n_variants])
		return -ENOMEM;
	return (int)ds->n_variants++;
}

static bool same_measure(const struct kd_measure *m, const char *workload,
			 const char *metric, const char *unit)
{
	return !strcmp(m->workload, workload) && !strcmp(m->metric, metric) &&
	       !strcmp(m->unit, unit);
}

struct kd_measure *kd_dataset_measure(struct kd_dataset *ds,
				      const char *workload, const char *metric,
				      const char *unit, enum kd_better better)
{
	struct kd_measure *measures, *m;

	for (size_t i = 0; i < ds->n_measures; i++)
		if (same_measure(&ds->measures[i], workload, metric, unit))
			return &ds->measures[i];
	measures = grown(ds->measures, ds->n_measures, sizeof(*measures));
	if (!measures)
		return NULL;
	ds->measures = measures;
	m = &measures[ds->n_measures];
	*m = (struct kd_measure){
		.workload = strdup(workload),
		.metric = strdup(metric),
		.unit = strdup(unit),
		.better = better,
	};
	ds->n_measures++;
	return m->workload && m->metric && m->unit ? m : NULL;
}

int kd_measure_add(struct kd_measure *m, int variant, int round, int seq,
		   double value)
{
	if (m->n_samples == m->cap_samples) {
		size_t cap = m->cap_samples ? m->cap_samples * 2 : 16;
		struct kd_sample *s = reallocarray(m->samples, cap, sizeof(*s));

		if (!s)
			return -ENOMEM;
		m->samples = s;
		m->cap_samples = cap;
	}
	m->samples[m->n_samples++] = (struct kd_sample){
		.variant = variant,
		.round = round,
		.seq = seq,
		.value = value,
	};
	return 0;
}

int kd_dataset_note(struct kd_dataset *ds, const char *fmt, ...)
{
	char **notes = grown(ds->notes, ds->n_notes, sizeof(*notes));
	struct kd_buf text = { 0 };
	va_list ap;
	int r;

	if (!notes)
		return -ENOMEM;
	ds->notes = notes;
	va_start(ap, fmt);
	r = kd_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	if (r) {
		kd_buf_fini(&text);
		return r;
	}
	notes[ds->n_notes++] = kd_buf_steal(&text);
	return 0;
}

void kd_dataset_fini(struct kd_dataset *ds)
{
	for (size_t i = 0; i < ds->n_measures; i++) {
		free(ds->measures[i].workload);
		free(ds->measures[i].metric);
		free(ds->measures[i].unit);
		free(ds->measures[i].samples);
	}
	for (size_t i = 0; ds->levels && i < ds->n_variants * ds->n_factors; i++)
		free(ds->levels[i]);
	for (size_t i = 0; i < ds->n_variants; i++)
		free(ds->variants[i]);
	for (size_t i = 0; i < ds->n_factors; i++)
		free(ds->factors[i]);
	for (size_t i = 0; i < ds->n_notes; i++)
		free(ds->notes[i]);
	free(ds->levels);
	free(ds->variants);
	free(ds->factors);
	free(ds->notes);
	free(ds->n_boots);
	free(ds->measures);
	free(ds->title);
	memset(ds, 0, sizeof(*ds));
}
