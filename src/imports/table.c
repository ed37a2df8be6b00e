// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables laid out with blanks:
 *
 *                              without patch  with patch
 * - iperf localhost (gbit/sec) ~3.7           ~6.4
 *
 * Columns are parted by two blanks or a tab; a line of names, then rows.
 */
#include "imports/table.h"

#include "imports/import.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 48

struct shape {
	size_t names;		/* cells of the head line */
	size_t values;		/* columns of values */
	size_t first;		/* line of the first row */
	size_t rows;
};

static bool is_number(struct kd_span s)
{
	struct kd_cell c;

	return kd_cell_parse(s, &c) && !c.missing;
}

static bool is_head(const struct kd_doc *doc, size_t i,
		    struct kd_span spans[KD_CELLS_MAX], size_t *n)
{
	const char *line = doc->lines[i].text;

	*n = 0;
	if (*line == '#' || kd_is_rule(line))
		return false;
	*n = kd_cells_split(line, spans);
	for (size_t c = 0; c < *n; c++)
		if (is_number(spans[c]) || spans[c].len > NAME_MAX_LEN)
			return false;
	return *n >= 2;
}

/* the last @values cells are values, and a label stands before them */
static bool is_row(const struct kd_doc *doc, size_t i, size_t values)
{
	struct kd_span spans[KD_CELLS_MAX];
	struct kd_cell cell;
	bool any = false;
	size_t n;

	if (i >= doc->n)
		return false;
	n = kd_cells_split(doc->lines[i].text, spans);
	if (n <= values)
		return false;
	for (size_t c = n - values; c < n; c++) {
		if (!kd_cell_parse(spans[c], &cell))
			return false;
		any |= !cell.missing;
	}
	return any;
}

static bool find_shape(const struct kd_doc *doc, size_t i, struct shape *out)
{
	struct kd_span names[KD_CELLS_MAX], row[KD_CELLS_MAX];
	size_t first = i + 1, cells;

	if (!is_head(doc, i, names, &out->names))
		return false;
	while (first < doc->n && kd_is_rule(doc->lines[first].text))
		first++;
	if (first >= doc->n)
		return false;
	cells = kd_cells_split(doc->lines[first].text, row);
	if (!cells)
		return false;
	if (cells == out->names)
		out->values = out->names - 1;
	else if (cells > out->names &&
		 names[0].text - doc->lines[i].text >
		 row[0].text - doc->lines[first].text)
		out->values = out->names;
	else
		return false;
	out->first = first;
	out->rows = 0;
	while (is_row(doc, first + out->rows, out->values))
		out->rows++;
	return out->rows;
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	struct shape s;

	return find_shape(doc, i, &s) ? s.first + s.rows - i : 0;
}

/* "- iperf localhost (gbit/sec)" of one or more cells */
static int take_label(struct kd_table *t, struct kd_table_row *row,
		      const struct kd_span *spans, size_t n)
{
	char text[KD_IMPORT_LABEL_MAX] = "";
	size_t len = 0;

	for (size_t c = 0; c < n; c++) {
		int k = snprintf(text + len, sizeof(text) - len, "%s%.*s",
				 c ? " " : "", (int)spans[c].len,
				 spans[c].text);

		len += (size_t)k;
		if (len >= sizeof(text))
			return kd_doc_fail(t->doc, row->line, 0,
					   "a label of over %d bytes",
					   KD_IMPORT_LABEL_MAX);
	}
	len = (*text == '-' || *text == '*') && text[1] == ' ' ? 2 : 0;
	len += strspn(text + len, " ");
	kd_name_unit((struct kd_span){ text + len, strlen(text + len) },
		     row->label, sizeof(row->label), row->unit);
	return 0;
}

static int take_row(struct kd_table *t, size_t i)
{
	struct kd_table_row *row = &t->rows[t->n_rows];
	struct kd_span spans[KD_CELLS_MAX];
	size_t n = kd_cells_split(t->doc->lines[i].text, spans);
	int r;

	*row = (struct kd_table_row){ .line = i };
	row->cells = calloc(t->n, sizeof(*row->cells));
	if (!row->cells)
		return kd_fail(t->doc->d, -ENOMEM, "out of memory");
	t->n_rows++;
	r = take_label(t, row, spans, n - t->n);
	for (size_t c = 0; c < t->n; c++)
		kd_cell_parse(spans[n - t->n + c], &row->cells[c]);
	return r;
}

/* a line right below that has figures, but not in every column */
static int check_below(const struct kd_doc *doc, size_t i, size_t values)
{
	struct kd_span spans[KD_CELLS_MAX];
	size_t n, numbers = 0;

	if (kd_doc_is_blank(doc, i))
		return 0;
	n = kd_cells_split(doc->lines[i].text, spans);
	for (size_t c = 1; c < n; c++)
		numbers += is_number(spans[c]);
	if (!numbers)
		return 0;
	return kd_doc_fail(doc, i, (size_t)(spans[0].text -
			   doc->lines[i].text),
			   "%zu of %zu columns of the table have a value here",
			   numbers, values);
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	struct kd_table *t = calloc(1, sizeof(*t));
	struct kd_span names[KD_CELLS_MAX];
	struct shape s;
	size_t first;
	int r = 0;

	if (!t || !find_shape(doc, i, &s))
		goto out;
	is_head(doc, i, names, &s.names);
	t->doc = doc;
	t->head = i;
	t->n = s.values;
	t->rows = calloc(s.rows, sizeof(*t->rows));
	first = s.names - s.values;
	if (first)
		snprintf(t->param, sizeof(t->param), "%.*s",
			 (int)names[0].len, names[0].text);
	for (size_t c = 0; c < s.values; c++)
		kd_name_unit(names[first + c], t->names[c],
			     sizeof(t->names[c]), t->units[c]);
	for (size_t k = 0; k < s.rows && t->rows && !r; k++)
		r = take_row(t, s.first + k);
	if (!r && t->rows)
		r = check_below(doc, i + n, s.values);
	if (!r && t->rows)
		r = kd_table_add(t);
out:
	if (!t || !t->rows)
		r = kd_fail(doc->d, -ENOMEM, "out of memory");
	kd_table_free(t);
	return r;
}

const struct kd_import_ops kd_import_table_ops = {
	.name = "table",
	.summary = "a line of names, then rows; columns parted by two blanks",
	.weak = true,
	.claim = claim,
	.block = block,
};
