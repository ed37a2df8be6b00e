// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables for a terminal: as wide as their text, two blanks between columns.
 */
#include "reports/table.h"

#include "reports/words.h"
#include "stats/analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2

void kd_table_cell(struct kd_table *t, const char *text)
{
	char **cells = t->cells;

	if (!(t->n_cells & (t->n_cells - 1)))
		cells = reallocarray(cells, t->n_cells ? t->n_cells * 2 : 1,
				     sizeof(*cells));
	if (!cells) {
		t->err = -ENOMEM;
		return;
	}
	t->cells = cells;
	cells[t->n_cells] = strdup(text);
	if (!cells[t->n_cells])
		t->err = -ENOMEM;
	else
		t->n_cells++;
}

static size_t column_width(const struct kd_table *t, size_t c)
{
	size_t width = 0;

	for (size_t i = c; i < t->n_cells; i += t->columns) {
		size_t w = kd_rep_columns(t->cells[i]);

		if (w > width)
			width = w;
	}
	return width;
}

size_t kd_table_width(const struct kd_table *t, size_t indent)
{
	size_t width = indent;

	for (size_t c = 0; c < t->columns; c++)
		width += column_width(t, c) + (c ? GAP : 0);
	return width;
}

static const char *colour_of(const char *text)
{
	if (!strcmp(text, kd_verdict_name(KD_VERDICT_BETTER)))
		return "\033[32m";
	if (!strcmp(text, kd_verdict_name(KD_VERDICT_WORSE)))
		return "\033[31m";
	if (!strcmp(text, kd_verdict_name(KD_VERDICT_UNCLEAR)) ||
	    !strcmp(text, kd_verdict_name(KD_VERDICT_CHANGED)))
		return "\033[33m";
	return NULL;
}

static void print_cell(FILE *out, const char *text, size_t width, bool left,
		       bool last, bool colour)
{
	const char *start = colour ? colour_of(text) : NULL;
	int pad = (int)(width - kd_rep_columns(text));

	if (!left)
		fprintf(out, "%*s", pad, "");
	fprintf(out, "%s%s%s", start ? start : "", text, start ? "\033[0m" : "");
	if (left && !last)
		fprintf(out, "%*s", pad, "");
}

void kd_table_print(FILE *out, const struct kd_table *t, size_t indent,
		    bool colour)
{
	size_t *widths = calloc(t->columns + 1, sizeof(*widths));

	if (!widths)
		return;
	for (size_t c = 0; c < t->columns; c++)
		widths[c] = column_width(t, c);
	for (size_t i = 0; i + t->columns <= t->n_cells; i += t->columns) {
		size_t last = t->columns;

		/* no blanks at a line's end */
		while (last && !t->cells[i + last - 1][0])
			last--;
		fprintf(out, "%*s", last ? (int)indent : 0, "");
		for (size_t c = 0; c < last; c++) {
			fprintf(out, "%*s", c ? GAP : 0, "");
			print_cell(out, t->cells[i + c], widths[c],
				   !c || (t->left & 1u << c), c + 1 == last,
				   colour && i);
		}
		fputc('\n', out);
	}
	free(widths);
}

void kd_table_fini(struct kd_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i]);
	free(t->cells);
	t->cells = NULL;
	t->n_cells = 0;
}
