// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "Before / After", then "Station 1: 19.17 / 25.09 Mbps": the slash parts
 * variants and divides nothing.
 */
#include "imports/cell.h"
#include "imports/doc.h"
#include "imports/import.h"
#include "stats/dataset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PARTS_MAX 8

/* cut at " / "; how many, 0 where there is none or too many */
static size_t split(const char *s, struct kd_span out[PARTS_MAX])
{
	size_t n = 0;

	while (n < PARTS_MAX) {
		const char *end = strstr(s, " / ");
		size_t len;

		s += strspn(s, " \t");
		len = end && end > s ? (size_t)(end - s) : strlen(s);
		while (len && strchr(" \t\r", s[len - 1]))
			len--;
		if (!len)
			return 0;
		out[n++] = (struct kd_span){ s, len };
		if (!end)
			return n > 1 ? n : 0;
		s = end + 3;
	}
	return 0;
}

/* "label: a / b unit"; the label's length */
static size_t find_row(const char *line, size_t n, struct kd_cell *cells)
{
	struct kd_span parts[PARTS_MAX];
	const char *colon = strstr(line, ": ");

	while (colon && colon - line < KD_IMPORT_LABEL_MAX &&
	       split(colon + 2, parts) != n)
		colon = strstr(colon + 1, ": ");
	if (!colon || colon - line >= KD_IMPORT_LABEL_MAX)
		return 0;
	for (size_t c = 0; c < n; c++)
		if (!kd_cell_parse(parts[c], &cells[c]))
			return 0;
	for (size_t c = 0; c + 1 < n; c++)
		if (!*cells[c].unit)
			strcpy(cells[c].unit, cells[n - 1].unit);
	return (size_t)(colon - line);
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	struct kd_span names[PARTS_MAX];
	struct kd_cell cells[PARTS_MAX];
	size_t n = split(doc->lines[i].text, names), rows = 1;

	if (!n || *doc->lines[i].text == '#')
		return 0;
	for (size_t c = 0; c < n; c++)
		if (kd_cell_parse(names[c], &cells[c]) || names[c].len > 60)
			return 0;
	while (i + rows < doc->n &&
	       find_row(doc->lines[i + rows].text, n, cells))
		rows++;
	return rows > 1 ? rows : 0;
}

/* a line right below that looks like a row, but is none */
static int check_below(const struct kd_doc *doc, size_t i, size_t n)
{
	const char *line = i < doc->n ? doc->lines[i].text : "";
	const char *colon = strstr(line, ": ");

	if (!colon || !strstr(colon, " / ") ||
	    !colon[strcspn(colon, "0123456789")])
		return 0;
	return kd_doc_fail(doc, i, (size_t)(colon + 2 - line),
			   "expected %zu values parted by \" / \"", n);
}

static int add_row(struct kd_doc *doc, size_t i, const struct kd_span *names,
		   size_t n, double *sums, bool *summed)
{
	const char *line = doc->lines[i].text + strspn(doc->lines[i].text,
						       " \t");
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	struct kd_cell cells[PARTS_MAX];
	size_t len = find_row(line, n, cells);
	bool total = (len == 5 && !strncasecmp(line, "total", 5)) ||
		     (len == 3 && !strncasecmp(line, "sum", 3));
	int r = 0;

	if (len >= sizeof(workload) - 64)
		return kd_doc_fail(doc, i, 0, "a label of %zu bytes", len);
	for (size_t c = 0; c < n && !r; c++) {
		snprintf(variant, sizeof(variant), "%.*s", (int)names[c].len,
			 names[c].text);
		if (doc->file->label) {
			snprintf(workload, sizeof(workload), "%.*s, %.60s",
				 (int)len, line, variant);
			snprintf(variant, sizeof(variant), "%s",
				 doc->file->label);
		} else {
			snprintf(workload, sizeof(workload), "%.*s", (int)len,
				 line);
		}
		if (total)
			*summed &= fabs(cells[c].value - sums[c]) <=
				   0.011 + 1e-3 * fabs(sums[c]);
		else
			sums[c] += cells[c].value;
		if (cells[c].missing)
			r = kd_note(doc->ds, "%s: line %d, %s: no value; it is missing, not 0",
				    doc->stem, doc->lines[i].no, variant);
		else
			r = kd_figure_add(doc->ds, &(struct kd_figure){
				.variant = variant, .workload = workload,
				.unit = cells[c].unit,
				.value = cells[c].value,
				.exploratory = total,
			}, doc->d);
	}
	if (!r && total)
		r = kd_note(doc->ds, "%s: line %d: the total %s the sum of the rows above; it is shown, but not counted as one more row",
			    doc->stem, doc->lines[i].no,
			    *summed ? "is" : "is not");
	return r;
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	struct kd_span names[PARTS_MAX];
	double sums[PARTS_MAX] = { 0 };
	bool summed = true;
	size_t columns = split(doc->lines[i].text, names);
	int r = 0;

	for (size_t k = 1; k < n && !r; k++)
		r = add_row(doc, i + k, names, columns, sums, &summed);
	return r ? r : check_below(doc, i + n, columns);
}

const struct kd_import_ops kd_import_slash_ops = {
	.name = "slash",
	.summary = "\"A / B\", then rows \"label: value / value unit\"",
	.claim = claim,
	.block = block,
};
