// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ttcp: "[label: ]N bytes in S real seconds = X KB/sec +++".
 *
 * KB is 1024 bytes. The printed rate is used: the seconds are rounded to 0.01,
 * so that bytes / seconds is only a check. Lines of ttcp-t and ttcp-r that
 * follow each other with the same run are its two ends, not two runs.
 */
#include "imports/doc.h"
#include "imports/import.h"
#include "imports/unit.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct row {
	char label[KD_IMPORT_LABEL_MAX];
	char nested[KD_IMPORT_LABEL_MAX];
	char end;		/* 't', 'r' or 0 */
	bool cut;
	bool cpu;		/* a rate per second of CPU time */
	double bytes;
	double seconds;
	double rate;
	char unit[24];
};

static const char *find_in(const char *line)
{
	const char *p = strstr(line, " bytes in ");

	return p && p > line && isdigit((unsigned char)p[-1]) ? p : NULL;
}

static bool is_ttcp(const char *line)
{
	const char *p = strstr(line, "ttcp");

	return p && (p == line || p[-1] == ' ') &&
	       (!strncmp(p, "ttcp-t:", 7) || !strncmp(p, "ttcp-r:", 7) ||
		!strncmp(p, "ttcp:", 5));
}

static bool is_mine(const char *line)
{
	const char *p = find_in(line);

	if (*line == '#')
		return false;
	if (!p)
		return is_ttcp(line);
	/* prose may say "16777216 bytes in each of the runs"; a garbled line
	 * is short */
	p += strlen(" bytes in ");
	return isdigit((unsigned char)*p) || strlen(p) < 12 ||
	       strstr(p, " seconds");
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	size_t n = 0;
	bool any = false;

	/* a run of lines without a rate was seen from its first line */
	if (i && is_mine(doc->lines[i - 1].text))
		return 0;
	for (; i + n < doc->n; n++) {
		const char *line = doc->lines[i + n].text;

		if (*line == '#' && n && i + n + 1 < doc->n &&
		    strstr(line, "ttcp "))
			continue;
		if (!is_mine(line) && !(n && kd_doc_is_blank(doc, i + n) &&
					i + n + 1 < doc->n &&
					is_mine(doc->lines[i + n + 1].text)))
			break;
		any |= find_in(line) != NULL;
	}
	return any && is_mine(doc->lines[i].text) ? n : 0;
}

/* what stands before the number of bytes: "[label: ][nested: ][ttcp-r: ]" */
static int take_labels(struct kd_doc *doc, size_t i, const char *end,
		       struct row *row)
{
	char text[2 * KD_IMPORT_LABEL_MAX], *part, *next;
	size_t n = (size_t)(end - doc->lines[i].text);

	if (n >= sizeof(text))
		return kd_doc_fail(doc, i, 0, "a label of %zu bytes", n);
	memcpy(text, doc->lines[i].text, n);
	text[n] = '\0';
	for (part = text; part; part = next) {
		next = strstr(part, ": ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		while (*part == ' ' || *part == '\t')
			part++;
		n = strlen(part);
		while (n && strchr(" \t:-", part[n - 1]))
			part[--n] = '\0';
		if (!strcmp(part, "ttcp-t") || !strcmp(part, "ttcp-r"))
			row->end = part[5];
		else if (n && strcmp(part, "ttcp"))
			snprintf(row->label[0] ? row->nested : row->label,
				 KD_IMPORT_LABEL_MAX, "%s", part);
	}
	return 0;
}

/* "1941.97 KB/sec +++"; a line that ends before the unit does is cut */
static int take_rate(struct kd_doc *doc, size_t i, const char *p,
		     struct row *row)
{
	const char *line = doc->lines[i].text;
	const char *end = kd_number_scan(p, false, &row->rate, NULL);
	struct kd_unit u;
	size_t n;

	row->cut = !end || !*end;
	if (row->cut && i + 1 == doc->n)
		return 0;
	if (!end)
		return kd_doc_fail(doc, i, (size_t)(p - line),
				   "expected a rate such as \"397.50 KB/sec\"");
	row->cut = false;
	end += strspn(end, " ");
	n = strcspn(end, " ");
	snprintf(row->unit, sizeof(row->unit), "%.*s", (int)n, end);
	row->cpu = !strncmp(end + n, " sec", 4) && strstr(row->unit, "cpu");
	if (row->cpu)
		return 0;
	if (!kd_unit_parse(row->unit, true, &u) || u.dim != KD_DIM_RATE) {
		if (i + 1 == doc->n) {
			row->cut = true;
			return 0;
		}
		return kd_doc_fail(doc, i, (size_t)(end - line),
				   "\"%s\" is no unit of ttcp, such as KB/sec",
				   row->unit);
	}
	return 0;
}

static int parse(struct kd_doc *doc, size_t i, struct row *row)
{
	const char *line = doc->lines[i].text, *in = find_in(line), *p = in;
	const char *end;
	int r;

	*row = (struct row){ 0 };
	while (p > line && (isdigit((unsigned char)p[-1])))
		p--;
	r = take_labels(doc, i, p, row);
	if (r)
		return r;
	end = kd_number_scan(p, false, &row->bytes, NULL);
	if (end != in)
		return kd_doc_fail(doc, i, (size_t)(p - line),
				   "expected a number of bytes");
	p = in + strlen(" bytes in ");
	end = kd_number_scan(p, false, &row->seconds, NULL);
	if (!end || row->seconds < 0)
		return kd_doc_fail(doc, i, (size_t)(p - line),
				   "expected a number of seconds");
	end += strspn(end, " ");
	row->cpu = !strncasecmp(end, "cpu ", 4);
	p = strchr(end, '=');
	if (!p || p[1] != ' ') {
		row->cut = true;
		if (i + 1 == doc->n)
			return 0;
		return kd_doc_fail(doc, i, (size_t)(end - line),
				   "expected \"real seconds = X KB/sec\"");
	}
	if (row->cpu)
		return 0;
	return take_rate(doc, i, p + 2, row);
}

static int check_rate(struct kd_doc *doc, size_t i, const struct row *row)
{
	struct kd_unit u;
	double rate, slack;

	kd_unit_parse(row->unit, true, &u);
	if (row->seconds <= 0)
		return 0;
	rate = row->bytes * 8 / row->seconds / u.factor;
	slack = rate * (0.006 / row->seconds) + 0.01;
	if (fabs(rate - row->rate) <= slack)
		return 0;
	return kd_note(doc->ds, "%s: line %d says %g %s, but its bytes and seconds give %.2f; the printed rate is used",
		       doc->stem, doc->lines[i].no, row->rate, u.name, rate);
}

static int tell_nested(struct kd_doc *doc, size_t i, const struct row *row)
{
	for (size_t v = 0; v < doc->ds->n_variants; v++)
		if (!strcmp(doc->ds->variants[v], row->nested))
			return kd_note(doc->ds, "%s: line %d carries two labels, \"%s\" and \"%s\"; counted under the first",
				       doc->stem, doc->lines[i].no, row->label,
				       row->nested);
	return kd_note(doc->ds, "%s: line %d carries a second prefix, \"%s\"; counted under \"%s\"",
		       doc->stem, doc->lines[i].no, row->nested, row->label);
}

static int add(struct kd_doc *doc, const struct row *row, const char *metric,
	       const char *label)
{
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	int r = kd_doc_place(doc, label, variant, workload);

	if (r)
		return r;
	if (!*workload && row->end && !strcmp(metric, "throughput"))
		strcpy(workload, row->end == 't' ? "TX" : "RX");
	return kd_figure_add(doc->ds, &(struct kd_figure){
		.variant = variant, .workload = workload, .metric = metric,
		.unit = row->unit, .value = row->rate, .binary = true,
	}, doc->d);
}

static bool is_pair(const struct row *a, const struct row *b)
{
	const struct row *t = a->end == 't' ? a : b;
	const struct row *r = a->end == 't' ? b : a;

	return t->end == 't' && r->end == 'r' && !strcmp(t->label, r->label) &&
	       r->bytes <= t->bytes && t->bytes > 0 &&
	       fabs(t->seconds - r->seconds) <= 0.05 + 0.1 * t->seconds;
}

static int add_pair(struct kd_doc *doc, const struct row *a,
		    const struct row *b)
{
	const struct row *t = a->end == 't' ? a : b;
	const struct row *r = a->end == 't' ? b : a;
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	int err = add(doc, r, "received", r->label);

	if (!err)
		err = add(doc, t, "sent", t->label);
	if (!err)
		err = kd_doc_place(doc, t->label, variant, workload);
	if (err)
		return err;
	return kd_figure_add(doc->ds, &(struct kd_figure){
		.variant = variant, .workload = workload, .metric = "loss",
		.unit = "%", .value = (t->bytes - r->bytes) / t->bytes * 100,
		.exploratory = true,
	}, doc->d);
}

static int tell_sizes(struct kd_doc *doc, const struct row *rows, size_t n)
{
	for (size_t k = 1; k < n; k++)
		if (rows[k].bytes != rows[0].bytes && rows[k].end == rows[0].end)
			return kd_note(doc->ds, "%s: the runs moved different amounts (%.0f and %.0f bytes); they are compared by rate",
				       doc->stem, rows[0].bytes, rows[k].bytes);
	return 0;
}

static int add_rows(struct kd_doc *doc, const struct row *rows, size_t n)
{
	bool pairs = n && n % 2 == 0;
	int r = 0;

	for (size_t k = 0; k + 1 < n && pairs; k += 2)
		pairs = is_pair(&rows[k], &rows[k + 1]);
	for (size_t k = 0; k < n && !r; k += pairs ? 2 : 1)
		r = pairs ? add_pair(doc, &rows[k], &rows[k + 1]) :
			    add(doc, &rows[k], "throughput", rows[k].label);
	if (!r && !pairs)
		r = tell_sizes(doc, rows, n);
	return r;
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	struct row *rows = calloc(n, sizeof(*rows));
	size_t used = 0;
	int r = rows ? 0 : kd_fail(doc->d, -ENOMEM, "out of memory");

	for (size_t k = i; k < i + n && !r; k++) {
		struct row *row = &rows[used];

		if (!find_in(doc->lines[k].text))
			continue;
		r = parse(doc, k, row);
		if (r)
			break;
		if (row->cut)
			r = kd_note(doc->ds, "%s: line %d is cut before its rate and was left out",
				    doc->stem, doc->lines[k].no);
		else if (row->cpu)
			r = kd_note(doc->ds, "%s: lines of rates per second of CPU time were left out",
				    doc->stem);
		else
			used++, r = check_rate(doc, k, row);
		if (!r && !row->cut && !row->cpu && row->nested[0])
			r = tell_nested(doc, k, row);
	}
	if (!r)
		r = add_rows(doc, rows, used);
	free(rows);
	return r;
}

const struct kd_import_ops kd_import_ttcp_ops = {
	.name = "ttcp",
	.summary = "lines \"N bytes in S real seconds = X KB/sec\" of ttcp",
	.claim = claim,
	.block = block,
};
