// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines with delimiters, with "..." around cells where needed (RFC 4180; a cell
 * does not go over a line's end).
 */
#include "imports/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t kd_csv_count(const char *line, char delimiter)
{
	bool quoted = false;
	size_t n = 0;

	for (; *line; line++) {
		if (*line == '"')
			quoted = !quoted;
		n += !quoted && *line == delimiter;
	}
	return n;
}

char kd_csv_delimiter(const char *line)
{
	static const char known[] = ",;\t";
	size_t most = 0;
	char best = 0;

	for (const char *c = known; *c; c++) {
		size_t n = kd_csv_count(line, *c);

		if (n > most) {
			most = n;
			best = *c;
		}
	}
	return best;
}

static int push(struct kd_csv_row *row, char *cell)
{
	if (row->n == row->cap) {
		size_t cap = row->cap ? row->cap * 2 : 32;
		char **cells = reallocarray(row->cells, cap, sizeof(*cells));

		if (!cells)
			return -ENOMEM;
		row->cells = cells;
		row->cap = cap;
	}
	row->cells[row->n++] = cell;
	return 0;
}

/* the cell's text without blanks around it and quotes */
static char *clean(char *cell)
{
	char *in, *out;
	size_t n;

	cell += strspn(cell, " \t\r");
	n = strlen(cell);
	while (n && strchr(" \t\r", cell[n - 1]))
		cell[--n] = '\0';
	if (*cell != '"')
		return cell;
	for (in = cell + 1, out = cell; *in; in++) {
		if (*in == '"' && *++in != '"')
			break;
		*out++ = *in;
	}
	*out = '\0';
	return cell;
}

int kd_csv_split(char *line, char delimiter, struct kd_csv_row *row)
{
	bool quoted = false, more = true;

	row->n = 0;
	while (more) {
		char *cell = line;

		for (; *line && (quoted || *line != delimiter); line++)
			if (*line == '"')
				quoted = !quoted;
		more = *line;
		*line++ = '\0';
		if (push(row, clean(cell)))
			return -ENOMEM;
	}
	return 0;
}

void kd_csv_fini(struct kd_csv_row *row)
{
	free(row->cells);
	*row = (struct kd_csv_row){ 0 };
}
