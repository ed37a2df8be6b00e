// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * curl's progress meter. Its records overwrite each other with CR; the last one
 * is the transfer. k, M and G are powers of 1024:
 *
 *   % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
 *                                  Dload  Upload   Total   Spent    Left  Speed
 * 100 1024M  100 1024M    0     0  9747k      0  0:01:47  0:01:47 --:--:-- 9544k
 */
#include "imports/doc.h"
#include "imports/import.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELDS 12

struct record {
	double percent, total, received, sent, down, up, spent;
	bool finished;
};

static bool is_title(const char *s)
{
	return strstr(s, "% Total") && strstr(s, "% Received") &&
	       strstr(s, "% Xferd");
}

static bool is_subtitle(const char *s)
{
	return strstr(s, "Dload") && strstr(s, "Upload") && strstr(s, "Spent");
}

/* "9747k", "17.3M", "99648" in bytes */
static bool parse_size(const char *s, size_t n, double *out)
{
	static const char units[] = "kMGTP";
	char text[24];
	const char *end, *u;

	if (!n || n >= sizeof(text) || !isdigit((unsigned char)*s))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	end = kd_number_scan(text, false, out, NULL);
	if (!end)
		return false;
	if (*end) {
		u = strchr(units, *end);
		if (!u || end[1])
			return false;
		*out *= pow(1024, (double)(u - units + 1));
	}
	return true;
}

/* "0:01:47", "2d 03h" is two fields and not taken; -1 for "--:--:--" */
static bool parse_span(const char *s, size_t n, double *out)
{
	unsigned int h, m, sec;
	char text[24];
	int used = 0;

	if (n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	*out = -1;
	if (!strcmp(text, "--:--:--"))
		return true;
	if (sscanf(text, "%4u:%2u:%2u%n", &h, &m, &sec, &used) != 3 ||
	    (size_t)used != n)
		return false;
	*out = h * 3600.0 + m * 60.0 + sec;
	return true;
}

static bool parse_record(const char *s, size_t len, struct record *out)
{
	const char *at[FIELDS], *end = s + len;
	size_t size[FIELDS], n = 0;
	double unused, left;

	while (s < end) {
		while (s < end && (*s == ' ' || *s == '\t'))
			s++;
		if (s == end)
			break;
		if (n == FIELDS)
			return false;
		at[n] = s;
		while (s < end && *s != ' ' && *s != '\t')
			s++;
		size[n] = (size_t)(s - at[n]);
		n++;
	}
	if (n != FIELDS)
		return false;
	if (!parse_size(at[0], size[0], &out->percent) ||
	    !parse_size(at[1], size[1], &out->total) ||
	    !parse_size(at[2], size[2], &unused) ||
	    !parse_size(at[3], size[3], &out->received) ||
	    !parse_size(at[4], size[4], &unused) ||
	    !parse_size(at[5], size[5], &out->sent) ||
	    !parse_size(at[6], size[6], &out->down) ||
	    !parse_size(at[7], size[7], &out->up) ||
	    !parse_span(at[8], size[8], &unused) ||
	    !parse_span(at[9], size[9], &out->spent) ||
	    !parse_span(at[10], size[10], &left) ||
	    !parse_size(at[11], size[11], &unused))
		return false;
	out->finished = out->percent == 100 ||
			(out->percent == 0 && out->total == 0);
	return true;
}

/* the record behind the last CR that has one */
static bool last_record(const char *text, struct record *out)
{
	const char *end = text + strlen(text);

	while (end > text) {
		const char *start = end;

		while (start > text && start[-1] != '\r')
			start--;
		if (parse_record(start, (size_t)(end - start), out))
			return true;
		end = start > text ? start - 1 : start;
	}
	return false;
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	struct record r;
	size_t n = 1;

	if (!is_title(doc->lines[i].text))
		return last_record(doc->lines[i].text, &r) ? 1 : 0;
	if (i + n < doc->n && is_subtitle(doc->lines[i + n].text))
		n++;
	while (i + n < doc->n && (last_record(doc->lines[i + n].text, &r) ||
				  (kd_doc_is_blank(doc, i + n) &&
				   i + n + 1 < doc->n &&
				   last_record(doc->lines[i + n + 1].text, &r))))
		n++;
	return n;
}

static int check(struct kd_doc *doc, size_t i, const struct record *x,
		 double bytes, double speed)
{
	double low = bytes / (x->spent + 1.5), high;

	if (x->spent < 2 || !speed)
		return 0;
	high = bytes / (x->spent - 1);
	if (speed >= low * 0.98 && speed <= high * 1.02)
		return 0;
	return kd_note(doc->ds, "%s: line %d: its size and time give %.4g MiB/s, it says %.4g; the latter is used",
		       doc->stem, doc->lines[i].no,
		       bytes / x->spent / 0x1p20, speed / 0x1p20);
}

static int add(struct kd_doc *doc, size_t i, const struct record *x)
{
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	bool up = x->sent > x->received;
	struct kd_figure f = {
		.metric = up ? "upload" : "download", .unit = "MiB/s",
		.value = (up ? x->up : x->down) / 0x1p20,
	};
	int r = kd_doc_place(doc, "", variant, workload);

	f.variant = variant;
	f.workload = workload;
	if (!r)
		r = kd_figure_add(doc->ds, &f, doc->d);
	if (!r)
		r = check(doc, i, x, up ? x->sent : x->received,
			  up ? x->up : x->down);
	if (r || x->spent < 0)
		return r;
	f.metric = "time spent";
	f.unit = "s";
	f.value = x->spent;
	f.exploratory = true;
	return kd_figure_add(doc->ds, &f, doc->d);
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	struct record x = { 0 };
	bool any = false;
	int r = 0;

	for (size_t k = i; k < i + n && !r; k++) {
		const char *text = doc->lines[k].text;

		if (is_title(text) || is_subtitle(text) ||
		    !last_record(text, &x))
			continue;
		/* a file that was read in text mode has records as lines */
		if (k + 1 < i + n && !x.finished)
			continue;
		any = true;
		if (x.finished && x.received + x.sent > 0)
			r = add(doc, k, &x);
		else
			r = kd_note(doc->ds, "%s: line %d: the transfer stopped at %g %%; it has no figure",
				    doc->stem, doc->lines[k].no, x.percent);
	}
	if (!any && !r)
		r = kd_note(doc->ds, "%s: line %d: a meter without a record; it has no figure",
			    doc->stem, doc->lines[i].no);
	return r;
}

const struct kd_import_ops kd_import_curl_ops = {
	.name = "curl",
	.summary = "curl's progress meter",
	.claim = claim,
	.block = block,
};
