// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "label,value,value,...,Min,Max,Mean,Median,Stddev": a spreadsheet's export.
 *
 * Columns and rows that were computed from the values are told by their names,
 * recomputed, and not counted. Labels "Before: X" and "After: X" are variants
 * Before and After of workload X.
 */
#include "imports/csv.h"
#include "imports/doc.h"
#include "imports/import.h"
#include "imports/stat.h"
#include "imports/unit.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DELTA_ROWS_MAX 1000

struct row {
	size_t line;
	char *label;
	char *prefix;		/* of "prefix: rest" */
	char *rest;
	double *values;		/* as in the file */
	size_t n;
	double stat[KD_STAT_CHECKED];
	char *shown[KD_STAT_CHECKED];	/* derived cells as printed */
};

struct table {
	struct kd_doc *doc;
	char delimiter;
	bool header;
	enum kd_stat *kinds;	/* of the columns */
	size_t n_kinds;
	char unit[40];
	struct row *rows;	/* with values */
	size_t n_rows;
	struct row *deltas;	/* without */
	size_t n_deltas;
	bool prefixed;
	unsigned int agree, differ;
	unsigned int checked;	/* mask of enum kd_stat */
	struct kd_csv_row cells;
};

static bool is_value(const char *cell, size_t n)
{
	char text[64];

	if (!n || n >= sizeof(text))
		return false;
	memcpy(text, cell, n);
	text[n] = '\0';
	return kd_number_is(text);
}

/* what a line looks like, without cutting it */
static void look(const char *line, char delimiter, size_t *cells,
		 size_t *numbers, size_t *words, size_t *stats, bool *labelled)
{
	bool first = true;

	*cells = *numbers = *words = *stats = 0;
	*labelled = false;
	while (line) {
		const char *end = strchr(line, delimiter);
		size_t n = end ? (size_t)(end - line) : strlen(line);
		char name[24];

		while (n && strchr(" \t\r\"", line[n - 1]))
			n--;
		while (n && strchr(" \t\"", *line)) {
			line++;
			n--;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(n < 23 ? n : 23),
			 line);
		++*cells;
		if (is_value(line, n))
			++*numbers;
		else if (n && !first)
			++*words;
		if (first)
			*labelled = n && !is_value(line, n);
		if (n && !first && kd_stat_find(name) != KD_STAT_NONE)
			++*stats;
		first = false;
		line = end ? end + 1 : NULL;
	}
}

static bool is_row(const struct kd_doc *doc, size_t i, char delimiter)
{
	size_t cells, numbers, words, stats;
	bool labelled;

	if (i >= doc->n)
		return false;
	look(doc->lines[i].text, delimiter, &cells, &numbers, &words, &stats,
	     &labelled);
	return labelled && numbers && cells >= 2 && numbers > words;
}

static bool is_header(const char *line, char delimiter)
{
	size_t cells, numbers, words, stats;
	bool labelled;

	look(line, delimiter, &cells, &numbers, &words, &stats, &labelled);
	return cells >= 3 && (stats >= 2 || (!numbers && words + 1 >= 2));
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	char delimiter = kd_csv_delimiter(doc->lines[i].text);
	size_t n = 1;

	if (!delimiter || doc->lines[i].text[0] == '#')
		return 0;
	if (is_header(doc->lines[i].text, delimiter)) {
		if (!is_row(doc, i + 1, delimiter))
			return 0;
	} else if (!is_row(doc, i, delimiter) ||
		   kd_csv_count(doc->lines[i].text, delimiter) < 2 ||
		   !is_row(doc, i + 1, delimiter)) {
		return 0;
	}
	while (i + n < doc->n && !kd_doc_is_blank(doc, i + n) &&
	       kd_csv_count(doc->lines[i + n].text, delimiter))
		n++;
	return n;
}

/* "", "v1", "run 3", "7", "value": one run's values; not a name */
static bool is_run_name(const char *name)
{
	static const char *const words[] = {
		"v", "r", "run", "x", "value", "values", "sample", "test",
		"iteration", "iter", "round", "#", "t", NULL,
	};
	size_t n = strlen(name);

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	while (n && strchr(" _-", name[n - 1]))
		n--;
	for (size_t i = 0; words[i]; i++)
		if (strlen(words[i]) == n && !strncasecmp(name, words[i], n))
			return true;
	return !n;
}

static int take_header(struct table *t, size_t i)
{
	struct kd_unit u;

	t->header = true;
	t->n_kinds = t->cells.n;
	t->kinds = calloc(t->cells.n, sizeof(*t->kinds));
	if (!t->kinds)
		return kd_fail(t->doc->d, -ENOMEM, "out of memory");
	for (size_t c = 0; c < t->cells.n; c++) {
		const char *name = t->cells.cells[c];
		const char *base = t->doc->lines[i].text;

		t->kinds[c] = c ? kd_stat_find(name) : KD_STAT_NONE;
		if (t->kinds[c] != KD_STAT_NONE || is_run_name(name))
			continue;
		if (kd_unit_parse(name, false, &u)) {
			snprintf(t->unit, sizeof(t->unit), "%s", name);
			continue;
		}
		if (!c)
			continue;
		kd_doc_fail(t->doc, i, (size_t)(name - base),
			    "column \"%.60s\": runs of a row's label, or a variant of its own?",
			    name);
		kd_diag_hint(t->doc->d, "head the columns of runs v1,v2,..., or give each variant a row or a file");
		return -EINVAL;
	}
	return 0;
}

static enum kd_stat kind(const struct table *t, size_t c)
{
	return t->header && c < t->n_kinds ? t->kinds[c] : KD_STAT_NONE;
}

static bool is_missing(const char *cell)
{
	static const char *const words[] = {
		"-", "--", "n/a", "na", "nan", "x", "fail", "failed", "error",
		"?", NULL,
	};

	for (size_t i = 0; words[i]; i++)
		if (!strcasecmp(cell, words[i]))
			return true;
	return false;
}

static int take_values(struct table *t, size_t i, double *values, size_t *n)
{
	struct kd_doc *doc = t->doc;
	int r = 0;

	*n = 0;
	for (size_t c = 1; c < t->cells.n && !r; c++) {
		const char *cell = t->cells.cells[c];
		const char *end;

		if (!*cell || kind(t, c) != KD_STAT_NONE)
			continue;
		if (is_missing(cell)) {
			r = kd_note(doc->ds, "%s: line %d: \"%s\" is no value; it is missing, not 0",
				    doc->stem, doc->lines[i].no, cell);
			continue;
		}
		end = kd_number_scan(cell, false, &values[*n], NULL);
		if (!end || *end)
			return kd_doc_fail(doc, i, (size_t)(cell -
					   doc->lines[i].text),
					   "expected a number, not \"%.40s\"",
					   cell);
		++*n;
	}
	return r ? kd_fail(doc->d, r, "out of memory") : 0;
}

/* "Before: TX only" */
static void split_label(struct row *row)
{
	char *colon = strstr(row->label, ": ");

	if (!colon)
		return;
	row->prefix = strndup(row->label, (size_t)(colon - row->label));
	row->rest = strdup(colon + 2 + strspn(colon + 2, " "));
}

static int take_row(struct table *t, size_t i)
{
	struct kd_doc *doc = t->doc;
	struct row row = { .line = i };
	double *sorted = NULL;
	bool any = false;
	int r;

	for (size_t c = 0; c < t->cells.n; c++)
		any |= *t->cells.cells[c];
	if (!any)
		return 0;
	if (t->header && t->cells.n != t->n_kinds)
		return kd_doc_fail(doc, i, 0,
				   "%zu columns where the header has %zu",
				   t->cells.n, t->n_kinds);
	row.values = malloc(t->cells.n * sizeof(*row.values));
	row.label = strdup(t->cells.cells[0]);
	r = row.values && row.label ? take_values(t, i, row.values, &row.n) :
				      kd_fail(doc->d, -ENOMEM, "out of memory");
	if (!r && row.n) {
		sorted = malloc(row.n * sizeof(*sorted));
		if (sorted) {
			memcpy(sorted, row.values, row.n * sizeof(*sorted));
			kd_stat_compute(sorted, row.n, row.stat);
			free(sorted);
		} else {
			r = kd_fail(doc->d, -ENOMEM, "out of memory");
		}
	}
	for (size_t c = 1; !r && c < t->cells.n; c++)
		if (kind(t, c) < KD_STAT_CHECKED && *t->cells.cells[c])
			row.shown[kind(t, c)] = t->cells.cells[c];
	if (!r)
		split_label(&row);
	/* also where it failed: freed with the table */
	if (row.n)
		t->rows[t->n_rows++] = row;
	else
		t->deltas[t->n_deltas++] = row;
	return r;
}

static int check_row(struct table *t, const struct row *row)
{
	struct kd_doc *doc = t->doc;
	double n = (double)row->n;

	for (int s = 0; s < KD_STAT_CHECKED; s++) {
		if (!row->shown[s])
			continue;
		t->checked |= 1u << s;
		if (kd_stat_agrees(row->shown[s], row->stat[s])) {
			t->agree++;
			continue;
		}
		t->differ++;
		if (kd_note(doc->ds, "%s: line %d: its %s says %.20s, its values give %.10g%s; the values are used",
			    doc->stem, doc->lines[row->line].no,
			    kd_stat_name(s), row->shown[s], row->stat[s],
			    s == KD_STAT_SD && n > 1 &&
			    kd_stat_agrees(row->shown[s], row->stat[s] *
					   sqrt((n - 1) / n)) ?
			    " (it divides by n, not n - 1)" : ""))
			return -ENOMEM;
	}
	return 0;
}

static int tell_checked(struct table *t)
{
	char words[96] = "";
	size_t len = 0;
	unsigned int left = t->checked;

	if (!t->agree)
		return 0;
	for (int s = 0; s < KD_STAT_CHECKED; s++) {
		if (!(t->checked & 1u << s))
			continue;
		left &= ~(1u << s);
		len += (size_t)snprintf(words + len, sizeof(words) - len,
					"%s%s", !len ? "" : left ? ", " :
					" and ", kd_stat_name(s));
	}
	if (t->differ)
		return kd_note(t->doc->ds, "the file's own %s columns agree with its values in %u of %u cells",
			       words, t->agree, t->agree + t->differ);
	return kd_note(t->doc->ds, "the file's own %s columns agree with its values; they are not counted",
		       words);
}

/* do all labels have the form "A: X", with an X that two As share */
static bool find_prefixes(const struct table *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!t->rows[i].prefix)
			return false;
	for (size_t i = 1; i < t->n_rows; i++)
		if (!strcmp(t->rows[i].rest, t->rows[0].rest) &&
		    strcmp(t->rows[i].prefix, t->rows[0].prefix))
			return true;
	return false;
}

static int add_row(struct table *t, const struct row *row)
{
	struct kd_doc *doc = t->doc;
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	const char *a = row->prefix, *b = row->rest;
	int r;

	if (strlen(row->label) >= KD_IMPORT_LABEL_MAX)
		return kd_doc_fail(doc, row->line, 0, "a label of %zu bytes",
				   strlen(row->label));
	if (t->prefixed && !doc->file->label) {
		if (kd_label_is_direction(a) && !kd_label_is_direction(b))
			a = row->rest, b = row->prefix;
		strcpy(variant, a);
		strcpy(workload, b);
		r = 0;
	} else {
		r = kd_doc_place(doc, row->label, variant, workload);
	}
	for (size_t k = 0; k < row->n && !r; k++)
		r = kd_figure_add(doc->ds, &(struct kd_figure){
			.variant = variant, .workload = workload,
			.unit = t->unit, .value = row->values[k],
		}, doc->d);
	return r;
}

enum meaning { UNKNOWN, DIFFERENCE, PERCENT };

/* which of a - b and a / b - 1 a cell holds */
static enum meaning explain(const char *cell, double a, double b)
{
	size_t n = strlen(cell);
	char text[40];

	if (!n || n >= sizeof(text))
		return UNKNOWN;
	strcpy(text, cell);
	if (text[n - 1] == '%') {
		text[n - 1] = '\0';
		return kd_stat_agrees(text, (b / a - 1) * 100) ? PERCENT :
								  UNKNOWN;
	}
	if (kd_stat_agrees(text, b - a))
		return DIFFERENCE;
	return kd_stat_agrees(text, (b / a - 1) * 100) ? PERCENT : UNKNOWN;
}

static const struct row *find_row(const struct table *t, const char *variant,
				  const char *workload)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!strcmp(t->rows[i].prefix, variant) &&
		    !strcmp(t->rows[i].rest, workload))
			return &t->rows[i];
	return NULL;
}

static const char *other_prefix(const struct table *t)
{
	const char *other = NULL;

	for (size_t i = 0; i < t->n_rows; i++) {
		const char *p = t->rows[i].prefix;

		if (!strcmp(p, t->rows[0].prefix))
			continue;
		if (other && strcmp(p, other))
			return NULL;
		other = p;
	}
	return other;
}

static bool has_percent(const struct row *row)
{
	for (int s = 0; s < KD_STAT_CHECKED; s++)
		if (row->shown[s] && strchr(row->shown[s], '%'))
			return true;
	return false;
}

/* all cells of a derived row have one meaning, or it is unknown */
static enum meaning explain_row(const struct row *delta, const struct row *a,
				const struct row *b)
{
	enum meaning all = UNKNOWN;

	for (int s = 0; s < KD_STAT_CHECKED; s++) {
		enum meaning m;

		if (!delta->shown[s])
			continue;
		m = explain(delta->shown[s], a->stat[s], b->stat[s]);
		if (m == UNKNOWN || (all != UNKNOWN && m != all))
			return UNKNOWN;
		all = m;
	}
	return all;
}

/* rows without values: differences and percentages of the two variants */
static int check_deltas(struct table *t)
{
	struct kd_dataset *ds = t->doc->ds;
	const char *stem = t->doc->stem, *other;
	unsigned int counts[3] = { 0 };
	size_t in_order[2] = { 0 };
	int r = 0;

	if (!t->n_deltas)
		return 0;
	other = t->prefixed ? other_prefix(t) : NULL;
	if (!other || t->n_deltas > DELTA_ROWS_MAX ||
	    t->n_rows > DELTA_ROWS_MAX)
		return kd_note(ds, "%s: %zu %s without values left out, from line %d on",
			       stem, t->n_deltas,
			       t->n_deltas == 1 ? "row" : "rows",
			       t->doc->lines[t->deltas[0].line].no);
	for (size_t i = 0; i < t->n_deltas && !r; i++) {
		const struct row *x = &t->deltas[i], *a, *b;
		size_t *k = &in_order[has_percent(x)];
		const char *work = x->rest ? x->rest : x->label;
		int no = t->doc->lines[x->line].no;
		enum meaning m;

		a = find_row(t, t->rows[0].prefix, work);
		if (!a && *k < t->n_rows)
			a = find_row(t, t->rows[0].prefix, t->rows[*k].rest);
		++*k;
		b = a ? find_row(t, other, a->rest) : NULL;
		m = a && b ? explain_row(x, a, b) : UNKNOWN;
		counts[m]++;
		if (m == UNKNOWN)
			r = kd_note(ds, "%s: line %d has no values, and what it says does not follow from the others; it was left out",
				    stem, no);
		else if (m == DIFFERENCE && strchr(x->label, '%'))
			r = kd_note(ds, "%s: line %d is headed %%, but holds differences in the unit",
				    stem, no);
	}
	if (!r && counts[DIFFERENCE])
		r = kd_note(ds, "%u Delta %s: differences in the unit (%s less %s), not percentages; recomputed, they agree, and are not counted",
			    counts[DIFFERENCE],
			    counts[DIFFERENCE] == 1 ? "row" : "rows", other,
			    t->rows[0].prefix);
	if (!r && counts[PERCENT])
		r = kd_note(ds, "%u %s of percentages: recomputed, they agree, and are not counted",
			    counts[PERCENT],
			    counts[PERCENT] == 1 ? "row" : "rows");
	return r;
}

static void rows_free(struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rows[i].label);
		free(rows[i].prefix);
		free(rows[i].rest);
		free(rows[i].values);
	}
	free(rows);
}

static void table_fini(struct table *t)
{
	rows_free(t->rows, t->n_rows);
	rows_free(t->deltas, t->n_deltas);
	free(t->kinds);
	kd_csv_fini(&t->cells);
}

/* labels decide on variants together, so values go in in a second pass */
static int read_rows(struct table *t, size_t i, size_t n)
{
	struct kd_doc *doc = t->doc;
	size_t first = i;
	int r = 0;

	if (is_header(doc->lines[i].text, t->delimiter)) {
		if (kd_csv_split(doc->lines[i].text, t->delimiter, &t->cells))
			return kd_fail(doc->d, -ENOMEM, "out of memory");
		r = take_header(t, i);
		first++;
	}
	for (size_t k = first; k < i + n && !r; k++) {
		if (kd_csv_split(doc->lines[k].text, t->delimiter, &t->cells))
			r = kd_fail(doc->d, -ENOMEM, "out of memory");
		else
			r = take_row(t, k);
	}
	return r;
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	struct table t = {
		.doc = doc,
		.delimiter = kd_csv_delimiter(doc->lines[i].text),
	};
	int r;

	t.rows = calloc(n, sizeof(*t.rows));
	t.deltas = calloc(n, sizeof(*t.deltas));
	r = t.rows && t.deltas ? read_rows(&t, i, n) :
				 kd_fail(doc->d, -ENOMEM, "out of memory");
	t.prefixed = !r && t.n_rows && find_prefixes(&t);
	for (size_t k = 0; k < t.n_rows && !r; k++) {
		r = check_row(&t, &t.rows[k]);
		if (!r)
			r = add_row(&t, &t.rows[k]);
	}
	if (!r)
		r = tell_checked(&t);
	if (!r)
		r = check_deltas(&t);
	table_fini(&t);
	return r;
}

const struct kd_import_ops kd_import_summary_ops = {
	.name = "csv",
	.summary = "rows \"label,value,value,...\" with or without Min..Stddev",
	.claim = claim,
	.block = block,
};
