// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plain lists as ministat takes them: one number a line, "#" comments. A unit
 * may follow the number, the same in all lines.
 */
#include "imports/doc.h"
#include "imports/import.h"
#include "imports/unit.h"
#include "stats/dataset.h"

#include <stdio.h>
#include <string.h>

static const char *scan(const char *line, double *value, char unit[40])
{
	struct kd_unit u;
	const char *p = line + strspn(line, " \t");
	size_t n;

	p = kd_number_scan(p, false, value, NULL);
	unit[0] = '\0';
	if (!p)
		return NULL;
	p += strspn(p, " \t");
	n = strlen(p);
	while (n && strchr(" \t", p[n - 1]))
		n--;
	if (!n)
		return p;
	if (n >= 40)
		return NULL;
	snprintf(unit, 40, "%.*s", (int)n, p);
	return kd_unit_parse(unit, false, &u) ? p : NULL;
}

static bool is_comment(const char *line)
{
	return line[strspn(line, " \t")] == '#';
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	char unit[40];
	size_t last = 0;
	double v;

	if (!scan(doc->lines[i].text, &v, unit))
		return 0;
	for (size_t k = i; k < doc->n; k++) {
		if (scan(doc->lines[k].text, &v, unit))
			last = k;
		else if (!kd_doc_is_blank(doc, k))
			break;
	}
	return last - i + 1;
}

/* a comment between numbers may be meant as a label; it is one only where it
 * says so ("# before"), which has set a heading */
static int tell_comment(const struct kd_doc *doc, size_t i)
{
	char unit[40], snip[48];
	size_t comment = i;
	double v;

	while (i-- > 0) {
		const char *line = doc->lines[i].text;

		if (is_comment(line))
			comment = i;
		else if (scan(line, &v, unit))
			break;
		else if (!kd_doc_is_blank(doc, i))
			return 0;
	}
	if (i == (size_t)-1 || doc->lines[comment].text[0] != '#')
		return 0;
	kd_snip(doc->lines[comment].text + 1, snip);
	if (!strcmp(snip, doc->heading) || !strcmp(snip, doc->sub))
		return 0;
	return kd_note(doc->ds, "%s: line %d: the comment \"%s\" is not taken for a label; the list goes on below it",
		       doc->stem, doc->lines[comment].no, snip);
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	char unit[40], first[40] = "";
	double v;
	int r = kd_doc_place(doc, "", variant, workload);

	if (!r)
		r = tell_comment(doc, i);
	for (size_t k = i; k < i + n && !r; k++) {
		if (!scan(doc->lines[k].text, &v, unit))
			continue;
		if (k == i)
			strcpy(first, unit);
		if (strcmp(first, unit))
			return kd_doc_fail(doc, k, 0,
					   "the unit \"%s\" where the list began with \"%s\"",
					   unit, first);
		r = kd_figure_add(doc->ds, &(struct kd_figure){
			.variant = variant, .workload = workload,
			.unit = unit, .value = v,
		}, doc->d);
	}
	return r;
}

const struct kd_import_ops kd_import_list_ops = {
	.name = "list",
	.summary = "one number per line, as for ministat",
	.weak = true,
	.claim = claim,
	.block = block,
};
