/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TEST_IMPORTS_HELPER_H
#define TEST_IMPORTS_HELPER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "imports/import.h"
#include "stats/dataset.h"

/* read a text; the message of a failure is in @msg */
static inline int read_text(struct kd_dataset *ds, const char *name,
			    const char *label, const char *text, char msg[1280])
{
	struct kd_import_file f = {
		.name = name, .label = label, .data = text,
		.len = strlen(text),
	};
	struct kd_diag d = { 0 };
	int r = kd_import_read(&f, NULL, ds, &d);

	kd_diag_format(&d, msg, 1280);
	if (r)
		assert_int_equal(d.err, r);
	return r;
}

static inline char *load(const char *path)
{
	char name[512];
	FILE *in;
	char *text = NULL;
	size_t len = 0, cap = 0;

	snprintf(name, sizeof(name), "%s/%s", KD_TEST_DATA, path);
	in = fopen(name, "r");
	if (!in)
		fail_msg("%s is missing", name);
	while (len == cap) {
		cap = cap ? cap * 2 : 65536;
		text = realloc(text, cap + 1);
		len += fread(text + len, 1, cap - len, in);
	}
	fclose(in);
	text[len] = '\0';
	return text;
}

static inline int read_data(struct kd_dataset *ds, const char *path,
			    const char *label, char msg[1280])
{
	char *text = load(path);
	int r = read_text(ds, path, label, text, msg);

	free(text);
	return r;
}

static inline int variant(const struct kd_dataset *ds, const char *name)
{
	for (size_t i = 0; i < ds->n_variants; i++)
		if (!strcmp(ds->variants[i], name))
			return (int)i;
	fail_msg("there is no variant \"%s\"", name);
	return -1;
}

static inline const struct kd_measure *measure(const struct kd_dataset *ds,
					       const char *workload,
					       const char *metric)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		if (!strcmp(ds->measures[i].workload, workload) &&
		    !strcmp(ds->measures[i].metric, metric))
			return &ds->measures[i];
	for (size_t i = 0; i < ds->n_measures; i++)
		print_message("# has \"%s\" \"%s\"\n",
			      ds->measures[i].workload,
			      ds->measures[i].metric);
	fail_msg("there is no measure \"%s\" \"%s\"", workload, metric);
	return NULL;
}

/* the values of one variant are exactly these */
static inline void expect(const struct kd_dataset *ds, const char *who,
			  const char *workload, const char *metric,
			  const char *unit, const double *values, size_t n)
{
	const struct kd_measure *m = measure(ds, workload, metric);
	int v = variant(ds, who);
	size_t k = 0;

	assert_string_equal(m->unit, unit);
	for (size_t i = 0; i < m->n_samples; i++) {
		if (m->samples[i].variant != v)
			continue;
		if (k >= n)
			fail_msg("%s: more than %zu values", who, n);
		if (fabs(m->samples[i].value - values[k]) >
		    1e-9 * fabs(values[k]))
			fail_msg("%s %s %s: value %zu is %.12g, not %.12g", who,
				 workload, metric, k, m->samples[i].value,
				 values[k]);
		k++;
	}
	assert_int_equal(k, n);
}

#define EXPECT(ds, who, workload, metric, unit, ...) do { \
	const double values_[] = { __VA_ARGS__ }; \
	expect(ds, who, workload, metric, unit, values_, \
	       sizeof(values_) / sizeof(values_[0])); \
} while (0)

static inline void has_note(const struct kd_dataset *ds, const char *part)
{
	for (size_t i = 0; i < ds->n_notes; i++)
		if (strstr(ds->notes[i], part))
			return;
	for (size_t i = 0; i < ds->n_notes; i++)
		print_message("# note: %s\n", ds->notes[i]);
	fail_msg("no note with \"%s\"", part);
}

#endif
