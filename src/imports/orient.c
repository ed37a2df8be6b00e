// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which way a table is to be read: its columns or its rows are the variants.
 *
 * Units at the columns' names make the columns metrics; units at the rows'
 * labels make the rows metrics. Without units, names such as "before" decide,
 * then a first column of numbers, which is a parameter.
 */
#include "imports/table.h"

#include "imports/import.h"
#include "imports/stat.h"
#include "imports/unit.h"
#include "stats/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct view {
	const struct kd_table *t;
	bool rows_are_variants;
	bool sweep;		/* variants are named "param=level" */
	bool stats;		/* columns are Min, Mean, ... */
	char second[48];	/* name of the second figure of the cells */
	bool second_is_change;
};

void kd_table_free(struct kd_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_rows; i++)
		free(t->rows[i].cells);
	free(t->rows);
	free(t);
}

static bool all_rows(const struct kd_table *t, bool (*is)(const char *))
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!is(t->rows[i].label))
			return false;
	return t->n_rows;
}

static bool all_names(const struct kd_table *t, bool (*is)(const char *))
{
	for (size_t c = 0; c < t->n; c++)
		if (!is(t->names[c]))
			return false;
	return true;
}

static bool has_units(const struct kd_table *t, bool rows)
{
	size_t n = rows ? t->n_rows : t->n;

	for (size_t i = 0; i < n; i++)
		if (*(rows ? t->rows[i].unit : t->units[i]))
			return true;
	return false;
}

static bool is_metric(const char *name)
{
	struct kd_unit u;

	return kd_unit_better(name, KD_DIM_NONE) != KD_BETTER_NONE ||
	       kd_unit_parse(name, false, &u);
}

static bool is_stat(const char *name)
{
	return kd_stat_find(name) != KD_STAT_NONE;
}

static void orient(struct view *v)
{
	const struct kd_table *t = v->t;

	v->stats = t->n > 1 && all_names(t, is_stat);
	v->sweep = *t->param && all_rows(t, kd_number_is);
	if (v->stats || has_units(t, false))
		v->rows_are_variants = true;
	else if (has_units(t, true))
		v->rows_are_variants = false;
	else if (all_rows(t, kd_label_is_change) !=
		 all_names(t, kd_label_is_change))
		v->rows_are_variants = all_rows(t, kd_label_is_change);
	else
		v->rows_are_variants = v->sweep || all_names(t, is_metric);
}

static int check_levels(const struct view *v)
{
	const struct kd_table *t = v->t;

	if (!v->rows_are_variants)
		return 0;
	if (t->n_rows > KD_IMPORT_VARIANTS_MAX)
		return kd_doc_fail(t->doc, t->rows[0].line, 0,
				   "a table of %zu rows, each a variant; at most %d can be compared",
				   t->n_rows, KD_IMPORT_VARIANTS_MAX);
	for (size_t i = 1; i < t->n_rows; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(t->rows[i].label, t->rows[k].label))
				continue;
			kd_doc_fail(t->doc, t->rows[i].line, 0,
				    "\"%.40s\" stands twice in the first column: is it a parameter, or a figure like the others?",
				    t->rows[i].label);
			kd_diag_hint(t->doc->d, "give one list of numbers per figure");
			return -EINVAL;
		}
	}
	return 0;
}

/* "IPQ4019 (avg. cpu usage %)" above the table names what is in parentheses */
static void find_second(struct view *v)
{
	const struct kd_table *t = v->t;
	size_t first = t->head > 6 ? t->head - 6 : 0;

	strcpy(v->second, "second figure");
	for (size_t i = t->head; i-- > first;) {
		const char *s = t->doc->lines[i].text, *open, *close;
		size_t n;

		open = strchr(s, '(');
		close = open ? strchr(open, ')') : NULL;
		if (!close || close[-1] != '%')
			continue;
		n = (size_t)(close - open - 2);
		while (n && open[n] == ' ')
			n--;
		if (n && n < sizeof(v->second))
			snprintf(v->second, sizeof(v->second), "%.*s", (int)n,
				 open + 1);
		return;
	}
}

/* is the second figure of every row the change against its first cell */
static bool is_change(const struct view *v)
{
	const struct kd_table *t = v->t;
	bool any = false;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct kd_cell *c = t->rows[i].cells;

		for (size_t k = 0; k < t->n; k++) {
			double change = c[0].value ?
				(c[k].value / c[0].value - 1) * 100 : 0;

			if (c[k].missing)
				continue;
			if (!c[k].has_second || !*c[k].second_unit ||
			    fabs(c[k].second - change) > 0.02)
				return false;
			any |= k > 0;
		}
	}
	return any;
}

static int add_value(const struct view *v, const char *variant,
		     const char *workload, const char *metric,
		     const char *unit, double value, bool exploratory)
{
	return kd_figure_add(v->t->doc->ds, &(struct kd_figure){
		.variant = variant, .workload = workload,
		.metric = metric, .unit = unit, .value = value,
		.exploratory = exploratory,
	}, v->t->doc->d);
}

static int name_cell(const struct view *v, size_t i, size_t c, char *variant,
		     char *workload, char *metric)
{
	const struct kd_table *t = v->t;
	const struct kd_table_row *row = &t->rows[i];
	const char *above = *t->doc->heading ? t->doc->heading : t->doc->sub;
	char label[2 * KD_IMPORT_LABEL_MAX + 2];
	char by[KD_IMPORT_LABEL_MAX + 4];
	int n;

	*metric = '\0';
	if (!*above && v->rows_are_variants)
		above = t->doc->caption;
	if (!*above && v->sweep && v->rows_are_variants &&
	    !t->doc->file->label) {
		snprintf(by, sizeof(by), "by %s", t->param);
		above = by;
	}
	if (v->rows_are_variants) {
		n = v->sweep ? snprintf(label, sizeof(label), "%s=%s",
					t->param, row->label) :
			       snprintf(label, sizeof(label), "%s",
					row->label);
		snprintf(metric, KD_IMPORT_LABEL_MAX, "%s", t->names[c]);
	} else {
		n = snprintf(label, sizeof(label), "%s", t->names[c]);
	}
	if (t->doc->file->label) {
		n = snprintf(variant, KD_IMPORT_LABEL_MAX, "%s",
			     t->doc->file->label);
		if (n < KD_IMPORT_LABEL_MAX)
			n = snprintf(workload, KD_IMPORT_LABEL_MAX, "%s%s%s",
				     above, *above ? " " : "",
				     v->rows_are_variants ? label :
							    row->label);
		if (!v->rows_are_variants)
			snprintf(metric, KD_IMPORT_LABEL_MAX, "%s",
				 t->names[c]);
	} else if (n < KD_IMPORT_LABEL_MAX) {
		strcpy(variant, label);
		n = snprintf(workload, KD_IMPORT_LABEL_MAX, "%s%s%s", above,
			     *above && !v->rows_are_variants ? " " : "",
			     v->rows_are_variants ? "" : row->label);
	}
	if (n >= KD_IMPORT_LABEL_MAX)
		return kd_doc_fail(t->doc, row->line, 0, "a label of %d bytes",
				   n);
	return 0;
}

static int tell_cell(const struct view *v, size_t i, size_t c,
		     const char *variant)
{
	const struct kd_table *t = v->t;
	const struct kd_cell *x = &t->rows[i].cells[c];
	int no = t->doc->lines[t->rows[i].line].no, r = 0;

	if (x->missing)
		return kd_note(t->doc->ds, "%s: line %d, %s: no value; it is missing, not 0",
			       t->doc->stem, no, variant);
	if (*x->remark)
		r = kd_note(t->doc->ds, "%s: line %d: the value of %s carries \"(%s)\"",
			    t->doc->stem, no, variant, x->remark);
	if (!r && x->spread)
		r = kd_note(t->doc->ds, "%s: the figures behind +- are not used, as their number of runs is not known",
			    t->doc->stem);
	return r;
}

static int add_cell(const struct view *v, size_t i, size_t c)
{
	const struct kd_table *t = v->t;
	const struct kd_table_row *row = &t->rows[i];
	const struct kd_cell *x = &row->cells[c];
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	char metric[KD_IMPORT_LABEL_MAX];
	const char *unit = *x->unit ? x->unit : *t->units[c] ? t->units[c] :
			   row->unit;
	bool total = !v->rows_are_variants && !strcasecmp(row->label, "total");
	int r;

	if (v->stats && kd_stat_find(t->names[c]) != KD_STAT_MEAN)
		return 0;
	r = name_cell(v, i, c, variant, workload, metric);
	if (!r)
		r = tell_cell(v, i, c, variant);
	if (r || x->missing)
		return r;
	r = add_value(v, variant, workload, *metric ? metric : NULL, unit,
		      x->value, total);
	if (!r && x->has_second && !v->second_is_change)
		r = add_value(v, variant, workload, v->second, x->second_unit,
			      x->second, true);
	return r;
}

/* Min..Stddev without the values: one figure, of a number of runs that the
 * table does not say */
static int tell_stats(const struct view *v)
{
	const struct kd_table *t = v->t;
	int r = kd_note(t->doc->ds, "%s: line %d: only Min..Stddev, of an unknown number of runs: the mean counts as one value, so nothing can be tested",
			t->doc->stem, t->doc->lines[t->head].no);

	for (size_t i = 1; i < t->n_rows && !r; i++) {
		size_t same = 0;

		for (size_t c = 0; c < t->n; c++)
			same += t->rows[i].cells[c].value ==
				t->rows[i - 1].cells[c].value;
		if (same == t->n)
			r = kd_note(t->doc->ds, "%s: lines %d and %d are equal in every figure, spread too: copied, or saturated?",
				    t->doc->stem,
				    t->doc->lines[t->rows[i - 1].line].no,
				    t->doc->lines[t->rows[i].line].no);
	}
	return r;
}

static bool has_mean(const struct kd_table *t)
{
	for (size_t c = 0; c < t->n; c++)
		if (kd_stat_find(t->names[c]) == KD_STAT_MEAN)
			return true;
	return false;
}

int kd_table_add(struct kd_table *t)
{
	struct view v = { .t = t };
	int r;

	orient(&v);
	r = check_levels(&v);
	if (r)
		return r;
	if (v.stats && !has_mean(t))
		return kd_doc_fail(t->doc, t->head, 0,
				   "columns of statistics without a mean");
	find_second(&v);
	v.second_is_change = is_change(&v);
	for (size_t i = 0; i < t->n_rows; i++) {
		for (size_t c = 0; c < t->n; c++) {
			r = add_cell(&v, i, c);
			if (r)
				return r;
		}
	}
	if (v.stats)
		r = tell_stats(&v);
	else if (v.second_is_change)
		r = kd_note(t->doc->ds, "%s: the percentages beside the values are their changes; recomputed, they agree, and are not counted",
			    t->doc->stem);
	return r ? kd_fail(t->doc->d, r, "out of memory") : 0;
}
