// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "sort | uniq -c": a count, one blank, what was counted.
 *
 * The count comes first and is never the value. Text is counted as shares and
 * never read as a number, whatever digits are in it. A small histogram of
 * numbers is a sample of its size; a large one is the distribution inside one
 * run, which is told by its mean, median and so on, since events of one run do
 * not make as many runs.
 */
#include "imports/doc.h"
#include "imports/import.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GNU_WIDTH 7
#define COUNT_MAX 1e15

struct bin {
	double count;
	double value;
	const char *text;
};

/* "  36406 1": the column of the count's end, or 0 */
static size_t scan(const char *line, double *count, const char **text)
{
	size_t blanks = strspn(line, " "), digits;
	const char *end;

	digits = strspn(line + blanks, "0123456789");
	end = line + blanks + digits;
	if (!digits || digits > 15 || (*end && *end != ' '))
		return 0;
	if (*end == ' ')
		end++;
	if (*end == ' ')
		return 0;
	*count = strtod(line + blanks, NULL);
	*text = end;
	return *count > 0 ? blanks + digits : 0;
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	const char *text;
	double count;
	size_t column = 0, n = 0, with_text = 0;
	bool blank = false;

	/* the rest of a block that does not line up is no block */
	if (i && scan(doc->lines[i - 1].text, &count, &text))
		return 0;
	for (; i + n < doc->n; n++) {
		const char *line = doc->lines[i + n].text;
		size_t end = scan(line, &count, &text);

		if (!end)
			break;
		/* longer counts push the column to the right */
		if (!n)
			column = end;
		if (end != column && (*line == ' ' || end < column))
			break;
		blank |= *line == ' ';
		with_text += *text != '\0';
	}
	if (!n || !with_text || !blank)
		return 0;
	return n > 1 || column == GNU_WIDTH ? n : 0;
}

static int by_value(const void *a, const void *b)
{
	const struct bin *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static double quantile(const struct bin *bins, size_t n, double total,
		       double q)
{
	double seen = 0;

	for (size_t i = 0; i < n; i++) {
		seen += bins[i].count;
		if (seen >= q * total)
			return bins[i].value;
	}
	return bins[n - 1].value;
}

static double mean_of(const struct bin *bins, size_t n, double total)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bins[i].count * bins[i].value;
	return sum / total;
}

/* "12.5 ms": only plain numbers are values */
static bool all_numbers(struct bin *bins, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *end = kd_number_scan(bins[i].text, false,
						 &bins[i].value, NULL);

		if (!end || end[strspn(end, " \t")])
			return false;
	}
	return true;
}

static int add_one(struct kd_doc *doc, const char *metric, const char *unit,
		   double value, bool exploratory)
{
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	int r = kd_doc_place(doc, "", variant, workload);

	return r ? r : kd_figure_add(doc->ds, &(struct kd_figure){
		.variant = variant, .workload = workload, .metric = metric,
		.unit = unit, .value = value, .exploratory = exploratory,
	}, doc->d);
}

static int add_shares(struct kd_doc *doc, size_t i, const struct bin *bins,
		      size_t n, double total)
{
	char metric[KD_IMPORT_LABEL_MAX];
	int r = 0;

	for (size_t k = 0; k < n && !r; k++) {
		int len = snprintf(metric, sizeof(metric), "share[%s]",
				   bins[k].text);

		if (len >= (int)sizeof(metric))
			return kd_doc_fail(doc, i + k, 0,
					   "a category of %d bytes", len);
		r = add_one(doc, metric, "%", bins[k].count / total * 100,
			    false);
	}
	if (!r)
		r = kd_note(doc->ds, "%s: line %d: a histogram of text, %.0f in all; shares, as text has no mean",
			    doc->stem, doc->lines[i].no, total);
	return r;
}

struct event {
	double place;
	double value;
};

static int by_place(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* A histogram has lost the order of its events. Sorted they would look like a
 * drift; by multiples of the golden ratio they come evenly mixed. */
static int add_mixed(struct kd_doc *doc, const struct bin *bins, size_t n,
		     double total)
{
	static const double golden = 0.6180339887498949;
	struct event *events = calloc((size_t)total, sizeof(*events));
	size_t used = 0;
	int r = 0;

	if (!events)
		return kd_fail(doc->d, -ENOMEM, "out of memory");
	for (size_t k = 0; k < n; k++) {
		for (double c = 0; c < bins[k].count; c++) {
			events[used].place = fmod((double)used * golden, 1);
			events[used++].value = bins[k].value;
		}
	}
	qsort(events, used, sizeof(*events), by_place);
	for (size_t k = 0; k < used && !r; k++)
		r = add_one(doc, NULL, "", events[k].value, false);
	free(events);
	return r;
}

static int add_events(struct kd_doc *doc, size_t i, const struct bin *bins,
		      size_t n, double total)
{
	int r = add_mixed(doc, bins, n, total);

	if (!r)
		r = kd_note(doc->ds, "%s: line %d: a histogram; each of its %.0f events counts as one value, which holds if they were measured independently",
			    doc->stem, doc->lines[i].no, total);
	return r;
}

static int add_summary(struct kd_doc *doc, size_t i, const struct bin *bins,
		       size_t n, double total)
{
	int r = add_one(doc, "mean", "", mean_of(bins, n, total), false);

	if (!r)
		r = add_one(doc, "median", "", quantile(bins, n, total, 0.5),
			    true);
	if (!r)
		r = add_one(doc, "p99", "", quantile(bins, n, total, 0.99),
			    true);
	if (!r)
		r = add_one(doc, "max", "", bins[n - 1].value, true);
	if (!r)
		r = kd_note(doc->ds, "%s: line %d: a histogram of %.0f events; taken as one run's distribution, as events of one run are not runs",
			    doc->stem, doc->lines[i].no, total);
	return r;
}

/* beside other figures a histogram explains them; it is no variant */
static int tell(struct kd_doc *doc, size_t i, const struct bin *bins, size_t n,
		double total)
{
	return kd_note(doc->ds, "histogram \"%s\" (line %d): %.0f events, mean %.4g, median %g, 99 %% at most %g, max %g",
		       *doc->heading ? doc->heading : doc->stem,
		       doc->lines[i].no, total, mean_of(bins, n, total),
		       quantile(bins, n, total, 0.5),
		       quantile(bins, n, total, 0.99), bins[n - 1].value);
}

static int read_bins(struct kd_doc *doc, size_t i, size_t n, struct bin *bins,
		     size_t *used, double *total)
{
	*used = 0;
	*total = 0;
	for (size_t k = i; k < i + n; k++) {
		struct bin *b = &bins[*used];
		size_t len;

		scan(doc->lines[k].text, &b->count, &b->text);
		len = strlen(b->text);
		while (len && strchr(" \t\r", b->text[len - 1]))
			len--;
		if (!len) {
			if (kd_note(doc->ds, "%s: line %d counts %.0f empty %s: no value, left out",
				    doc->stem, doc->lines[k].no, b->count,
				    b->count == 1 ? "line" : "lines"))
				return kd_fail(doc->d, -ENOMEM,
					       "out of memory");
			continue;
		}
		*total += b->count;
		++*used;
	}
	if (*total > COUNT_MAX)
		return kd_doc_fail(doc, i, 0, "counts of over 10^15 in all");
	return 0;
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	struct bin *bins = calloc(n, sizeof(*bins));
	double total = 0;
	size_t used = 0;
	int r = bins ? read_bins(doc, i, n, bins, &used, &total) :
		       kd_fail(doc->d, -ENOMEM, "out of memory");

	if (r || !used)
		goto out;
	if (!all_numbers(bins, used)) {
		r = add_shares(doc, i, bins, used, total);
		goto out;
	}
	qsort(bins, used, sizeof(*bins), by_value);
	if (!doc->alone)
		r = tell(doc, i, bins, used, total);
	else if (total <= KD_IMPORT_EXPAND_MAX)
		r = add_events(doc, i, bins, used, total);
	else
		r = add_summary(doc, i, bins, used, total);
out:
	free(bins);
	return r;
}

const struct kd_import_ops kd_import_hist_ops = {
	.name = "uniq",
	.summary = "histograms of \"sort | uniq -c\": count, then what was counted",
	.weak = true,
	.claim = claim,
	.block = block,
};
