// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures on their way into a dataset: names made printable, units made one,
 * limits kept.
 */
#include "imports/doc.h"

#include "base/buf.h"
#include "imports/unit.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX 1e100	/* squares and sums of it are finite */

/* length of the valid UTF-8 sequence at @s, 0 where there is none */
static size_t utf8_len(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		   s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
		   s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void make_printable(char *text)
{
	unsigned char *s = (unsigned char *)text;

	while (*s) {
		size_t n = utf8_len(s);

		if (!n || *s < ' ' || *s == 0x7f) {
			*s++ = '?';
			continue;
		}
		s += n;
	}
}

const char *kd_snip(const char *text, char out[48])
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strnlen(text, 41);
	if (n > 40) {
		memcpy(out, text, 37);
		strcpy(out + 37, "...");
	} else {
		memcpy(out, text, n);
		out[n] = '\0';
	}
	make_printable(out);
	return out;
}

int kd_note(struct kd_dataset *ds, const char *fmt, ...)
{
	struct kd_buf text = { 0 };
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = kd_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	if (r)
		goto out;
	make_printable(text.data);
	for (size_t i = 0; i < ds->n_notes; i++)
		if (!strcmp(ds->notes[i], text.data))
			goto out;
	if (ds->n_notes == KD_IMPORT_NOTES_MAX)
		r = kd_dataset_note(ds, "more notes than %d: the others are not shown",
				    KD_IMPORT_NOTES_MAX);
	else if (ds->n_notes < KD_IMPORT_NOTES_MAX)
		r = kd_dataset_note(ds, "%s", text.data);
out:
	kd_buf_fini(&text);
	return r;
}

/* the unit that a measure of this name and dimension has already */
static struct kd_measure *find_like(struct kd_dataset *ds, const char *workload,
				    const char *metric,
				    const struct kd_unit *unit, bool binary,
				    struct kd_unit *has)
{
	for (size_t i = 0; i < ds->n_measures; i++) {
		struct kd_measure *m = &ds->measures[i];

		if (strcmp(m->workload, workload) || strcmp(m->metric, metric))
			continue;
		kd_unit_parse(m->unit, binary, has);
		if (!strcmp(has->name, unit->name) ||
		    (unit->dim != KD_DIM_NONE && has->dim == unit->dim))
			return m;
	}
	return NULL;
}

static int convert(struct kd_dataset *ds, const struct kd_unit *from,
		   const struct kd_unit *to, double *value)
{
	double by = from->factor / to->factor;

	if (!strcmp(from->name, to->name))
		return 0;
	*value *= by;
	if (by >= 1)
		return kd_note(ds, "%s was turned into %s (1 %s = %.10g %s)",
			       from->name, to->name, from->name, by, to->name);
	return kd_note(ds, "%s was turned into %s (1 %s = %.10g %s)",
		       from->name, to->name, to->name, 1 / by, from->name);
}

static int add(struct kd_dataset *ds, const struct kd_figure *f, char *variant,
	       char *workload, char *metric, struct kd_diag *d)
{
	double value = f->value;
	struct kd_unit unit, has;
	struct kd_measure *m;
	int v, r = 0;

	kd_unit_parse(f->unit ? f->unit : "", f->binary, &unit);
	make_printable(unit.name);
	v = kd_dataset_variant(ds, variant);
	if (v < 0)
		return kd_fail(d, v, "out of memory");
	if (ds->n_variants > KD_IMPORT_VARIANTS_MAX)
		return kd_fail(d, -E2BIG, "more than %d different labels",
			       KD_IMPORT_VARIANTS_MAX);
	m = find_like(ds, workload, metric, &unit, f->binary, &has);
	if (m) {
		r = convert(ds, &unit, &has, &value);
	} else {
		m = kd_dataset_measure(ds, workload, metric, unit.name,
				       kd_unit_better(metric, unit.dim));
		if (!m)
			return kd_fail(d, -ENOMEM, "out of memory");
		m->primary = !f->exploratory;
		if (ds->n_measures > KD_IMPORT_MEASURES_MAX)
			return kd_fail(d, -E2BIG,
				       "more than %d different figures",
				       KD_IMPORT_MEASURES_MAX);
	}
	if (!r && m->n_samples >= KD_IMPORT_SAMPLES_MAX)
		return kd_fail(d, -E2BIG, "more than %d values of one figure",
			       KD_IMPORT_SAMPLES_MAX);
	if (!r)
		r = kd_measure_add(m, v, -1, (int)m->n_samples, value);
	return r ? kd_fail(d, r, "out of memory") : 0;
}

int kd_figure_add(struct kd_dataset *ds, const struct kd_figure *f,
		  struct kd_diag *d)
{
	const char *given[3] = { f->variant, f->workload, f->metric };
	char names[3][KD_IMPORT_LABEL_MAX];
	struct kd_unit unit;

	if (!isfinite(f->value) || fabs(f->value) > VALUE_MAX)
		return kd_fail(d, -EINVAL, "a value of %g: larger than %g cannot be reckoned with",
			       f->value, VALUE_MAX);
	if (!given[2]) {
		kd_unit_parse(f->unit, f->binary, &unit);
		given[2] = kd_unit_metric(unit.dim);
		if (!given[2])
			given[2] = "value";
	}
	for (int i = 0; i < 3; i++) {
		size_t n = strlen(given[i]);

		if (n >= sizeof(names[i]))
			return kd_fail(d, -E2BIG,
				       "a name of %zu bytes; at most %d", n,
				       KD_IMPORT_LABEL_MAX - 1);
		memcpy(names[i], given[i], n + 1);
		make_printable(names[i]);
	}
	return add(ds, f, names[0], names[1], names[2], d);
}
