// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A parameter and what it gave, parted by single blanks:
 *
 * sk_pacing_shift throughput(Mbps) CPU utilization
 * 6 500(-P5) ~75% idle, Focus on CPU1: ~14%idle
 *
 * or with levels of several words, "default(262144)+1 Stream 336". Columns with
 * a unit at their name hold one value; words behind them head a free text, of
 * which the percentages are taken.
 */
#include "imports/table.h"

#include "imports/import.h"
#include "imports/unit.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64

struct head {
	struct kd_span param;
	struct kd_span columns[8];
	size_t n;
	struct kd_span text;	/* name of the free text; len 0: none */
};

static size_t split_words(const char *line, struct kd_span out[WORDS_MAX])
{
	size_t n = 0;

	while (*(line += strspn(line, " \t\r"))) {
		if (n == WORDS_MAX)
			return 0;
		out[n].text = line;
		out[n].len = strcspn(line, " \t\r");
		line += out[n++].len;
	}
	return n;
}

static bool find_head(const char *line, struct head *out)
{
	struct kd_span words[WORDS_MAX];
	size_t n = split_words(line, words), first = 0;
	char name[KD_IMPORT_LABEL_MAX], unit[40];

	*out = (struct head){ 0 };
	if (*line == '#')
		return false;
	while (first < n) {
		kd_name_unit(words[first], name, sizeof(name), unit);
		if (*unit)
			break;
		first++;
	}
	if (!first || first > 4 || first == n)
		return false;
	out->param.text = words[0].text;
	out->param.len = (size_t)(words[first - 1].text +
				  words[first - 1].len - words[0].text);
	while (first < n && out->n < 8) {
		kd_name_unit(words[first], name, sizeof(name), unit);
		if (!*unit)
			break;
		out->columns[out->n++] = words[first++];
	}
	if (first < n) {
		out->text.text = words[first].text;
		out->text.len = (size_t)(words[n - 1].text +
					 words[n - 1].len -
					 words[first].text);
	}
	return true;
}

/* the words that hold the values; @label ends before, @rest starts behind */
static bool find_row(const char *line, const struct head *h,
		     struct kd_cell *cells, struct kd_span *label,
		     const char **rest)
{
	struct kd_span words[WORDS_MAX];
	size_t n = split_words(line, words), first;

	if (n <= h->n)
		return false;
	first = h->text.len ? 1 : n - h->n;
	for (size_t c = 0; c < h->n; c++)
		if (!kd_cell_parse(words[first + c], &cells[c]))
			return false;
	label->text = words[0].text;
	label->len = (size_t)(words[first - 1].text + words[first - 1].len -
			      words[0].text);
	*rest = first + h->n < n ? words[first + h->n].text : "";
	return label->len < KD_IMPORT_LABEL_MAX;
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	struct kd_cell cells[8];
	struct kd_span label;
	const char *rest;
	struct head h;
	size_t n = 1;

	if (!find_head(doc->lines[i].text, &h))
		return 0;
	while (i + n < doc->n && find_row(doc->lines[i + n].text, &h, cells,
					  &label, &rest))
		n++;
	return n > 1 ? n : 0;
}

static size_t trim(const char *s, size_t n)
{
	while (n && strchr(" \t:.", s[n - 1]))
		n--;
	return n;
}

/* "~75% idle, Focus on CPU1: ~14%idle": a percentage in each part */
static int add_text(struct kd_doc *doc, size_t i, const char *variant,
		    const char *workload, const char *text)
{
	int r = 0;

	while (*text && !r) {
		size_t len = strcspn(text, ",;"), before, after;
		const char *p = text, *end = NULL, *tail;
		char metric[KD_IMPORT_LABEL_MAX];
		double v = 0;

		for (; p < text + len; p++) {
			if (p > text && isalnum((unsigned char)p[-1]))
				continue;
			end = kd_number_scan(p, false, &v, NULL);
			if (end && *end == '%')
				break;
		}
		if (p < text + len) {
			text += strspn(text, " \t");
			before = p > text ? trim(text, (size_t)(p - text)) : 0;
			tail = end + 1 + strspn(end + 1, " \t");
			len = strcspn(tail, ",;");
			after = trim(tail, len);
			snprintf(metric, sizeof(metric), "%.*s%s%.*s%s",
				 (int)(after < 60 ? after : 60), tail,
				 before ? " [" : "",
				 (int)(before < 60 ? before : 60), text,
				 before ? "]" : "");
			r = kd_figure_add(doc->ds, &(struct kd_figure){
				.variant = variant, .workload = workload,
				.metric = *metric ? metric : NULL,
				.unit = "%", .value = v, .exploratory = true,
			}, doc->d);
			text = tail + len;
		} else {
			if (strcspn(text, "0123456789,;") < len)
				r = kd_note(doc->ds, "%s: line %d: text behind the values was left out: \"%.*s\"",
					    doc->stem, doc->lines[i].no,
					    (int)(len < 60 ? len : 60), text);
			text += len;
		}
		text += *text != '\0';
	}
	return r;
}

static int add_row(struct kd_doc *doc, size_t i, const struct head *h)
{
	char variant[KD_IMPORT_LABEL_MAX], level[2 * KD_IMPORT_LABEL_MAX];
	char name[KD_IMPORT_LABEL_MAX], unit[40];
	const char *workload = *doc->heading ? doc->heading : doc->caption;
	struct kd_cell cells[8];
	struct kd_span label;
	const char *rest;
	int r = 0;

	if (!find_row(doc->lines[i].text, h, cells, &label, &rest))
		return -EINVAL;
	snprintf(variant, sizeof(variant), "%.*s", (int)label.len, label.text);
	if (kd_number_is(variant)) {
		if (h->param.len + label.len + 2 > sizeof(variant))
			return kd_doc_fail(doc, i, 0, "a label too long");
		snprintf(level, sizeof(level), "%.*s=%s", (int)h->param.len,
			 h->param.text, variant);
		snprintf(variant, sizeof(variant), "%.*s",
			 (int)sizeof(variant) - 1, level);
	}
	snprintf(level, sizeof(level), "%s%s%s", workload,
		 *workload ? " " : "", variant);
	if (doc->file->label) {
		snprintf(variant, sizeof(variant), "%s", doc->file->label);
		workload = level;
	}
	for (size_t c = 0; c < h->n && !r; c++) {
		const struct kd_cell *x = &cells[c];

		kd_name_unit(h->columns[c], name, sizeof(name), unit);
		if (x->missing)
			r = kd_note(doc->ds, "%s: line %d: no %s; it is missing, not 0",
				    doc->stem, doc->lines[i].no, name);
		else
			r = kd_figure_add(doc->ds, &(struct kd_figure){
				.variant = variant, .workload = workload,
				.metric = name,
				.unit = *x->unit ? x->unit : unit,
				.value = x->value,
			}, doc->d);
		if (!r && *x->remark)
			r = kd_note(doc->ds, "%s: line %d: the value of %s carries \"(%s)\"",
				    doc->stem, doc->lines[i].no, variant,
				    x->remark);
	}
	return r ? r : add_text(doc, i, variant, workload, rest);
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	struct head h;
	int r = 0;

	find_head(doc->lines[i].text, &h);
	for (size_t k = 1; k < n && !r; k++)
		r = add_row(doc, i + k, &h);
	return r;
}

const struct kd_import_ops kd_import_parameters_ops = {
	.name = "parameters",
	.summary = "a parameter's levels and what each gave, units at the names",
	.weak = true,
	.claim = claim,
	.block = block,
};
