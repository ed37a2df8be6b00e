// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plain lists as ministat takes them: one number a line, "#" comments. A unit
 * may follow the number, the same in all lines.
 */
#include "base/str.h"
#include "imports/doc.h"
#include "imports/import.h"
#include "imports/unit.h"
#include "stats/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HOLES_MAX 64	/* before the first value of a list */

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

/* "nan", "1e309", "1_000": a number to people, though not one to reckon with */
static bool is_like_number(const char *word, size_t len)
{
	char digits[64], *end;
	size_t n = 0;

	for (size_t i = 0; i < len && n < sizeof(digits) - 1; i++)
		if (word[i] != ',' && word[i] != '_' && (i || word[i] != '~'))
			digits[n++] = word[i];
	digits[n] = '\0';
	strtod(digits, &end);
	return n && !*end;
}

/* A line where a value should be. It must not be taken for the label of what
 * follows: its value would be lost, and the list be cut in two. */
static bool is_hole(const char *line)
{
	static const char *const words[] = { "-", "--", "?", "n/a", "na",
					     "error", "fail", "failed",
					     "timeout" };
	const char *p = line + strspn(line, " \t");
	size_t n = strcspn(p, " \t");

	for (size_t i = 0; i < KD_ARRAY_SIZE(words); i++)
		if (n == strlen(words[i]) && !strncasecmp(p, words[i], n) &&
		    !p[n + strspn(p + n, " \t")])
			return true;
	if (!n)
		return false;
	for (; *p; n = strcspn(p, " \t")) {
		if (!is_like_number(p, n))
			return false;
		p += n + strspn(p + n, " \t");
	}
	return true;
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	char unit[40];
	bool any = false;
	size_t last = i;
	double v;

	if (kd_doc_is_blank(doc, i))
		return 0;
	for (size_t k = i; k < doc->n; k++) {
		bool value = scan(doc->lines[k].text, &v, unit);

		any |= value;
		if (value || is_hole(doc->lines[k].text))
			last = k;
		else if (!kd_doc_is_blank(doc, k))
			break;
		if (!any && k - i > HOLES_MAX)
			break;
	}
	return any ? last - i + 1 : 0;
}

static int tell_hole(const struct kd_doc *doc, size_t i)
{
	char snip[48];

	kd_doc_fail(doc, i, 0, "\"%s\" among one number per line",
		    kd_snip(doc->lines[i].text, snip));
	kd_diag_hint(doc->d, "take the line out if that run has no value; write \":\" behind it if it is a label");
	return -EINVAL;
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
		if (kd_doc_is_blank(doc, k))
			continue;
		if (!scan(doc->lines[k].text, &v, unit))
			return tell_hole(doc, k);
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
