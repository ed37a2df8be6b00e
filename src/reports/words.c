// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers and names as people read them. See words.h.
 */
#include "reports/words.h"

#include "base/diag.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* one character of UTF-8; its length, 1 with *cp = -1 where it is broken */
static int decode(const char *s, int32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	int n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 :
		p[0] >= 0xe0 && p[0] < 0xf0 ? 3 :
		p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : 0;
	static const int32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	*cp = n == 1 ? p[0] : n ? p[0] & (0x7f >> n) : -1;
	for (int i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*cp = -1;
			return 1;
		}
		*cp = *cp << 6 | (p[i] & 0x3f);
	}
	if (n > 1 && (*cp < least[n] || *cp > 0x10ffff ||
		      (*cp >= 0xd800 && *cp < 0xe000)))
		*cp = -1;
	return *cp < 0 ? 1 : n;
}

/* columns of a character: marks that stand over another take none, East Asian
 * wide ones and pictures two (Unicode TR11, by block) */
static size_t columns_of(int32_t c)
{
	if ((c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010) ||
	    (c >= 0x202a && c < 0x202f) || (c >= 0x20d0 && c < 0x2100) ||
	    (c >= 0xfe00 && c < 0xfe10) || (c >= 0x2066 && c < 0x206a))
		return 0;
	if ((c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
	    (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
	    (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
	    (c >= 0xffe0 && c < 0xffe7) || (c >= 0x1f300 && c < 0x1fb00) ||
	    (c >= 0x20000 && c < 0x40000))
		return 2;
	return 1;
}

size_t kd_rep_columns(const char *s)
{
	size_t n = 0;
	int32_t cp;

	while (*s) {
		s += decode(s, &cp);
		n += cp < 0 ? 1 : columns_of(cp);
	}
	return n;
}

void kd_rep_name(struct kd_buf *out, const char *s)
{
	int32_t cp;

	while (*s) {
		int n = decode(s, &cp);

		if (cp == '\n')
			kd_buf_puts(out, "\\n");
		else if (cp == '\t')
			kd_buf_puts(out, "\\t");
		else if (cp == '\r')
			kd_buf_puts(out, "\\r");
		else if (cp >= 0 && (cp < 0x20 || (cp >= 0x7f && cp < 0xa0)))
			kd_buf_printf(out, "\\x%02x", (unsigned int)cp);
		else if (cp < 0 || (cp >= 0x202a && cp < 0x202f) ||
			 (cp >= 0x2066 && cp < 0x206a) || cp == 0x2028 ||
			 cp == 0x2029)
			kd_buf_puts(out, "?"); /* broken, or turns lines round */
		else
			kd_buf_add(out, s, (size_t)n);
		s += n;
	}
}

/* bytes at the start of @s that take at most @columns */
static size_t head_bytes(const char *s, size_t columns)
{
	const char *p = s;
	int32_t cp;

	while (*p) {
		int n = decode(p, &cp);
		size_t w = cp < 0 ? 1 : columns_of(cp);

		if (w > columns)
			break;
		columns -= w;
		p += n;
	}
	return (size_t)(p - s);
}

void kd_rep_fit(struct kd_buf *out, const char *s, size_t columns)
{
	struct kd_buf clean = { 0 };
	size_t all, head, tail;
	const char *text, *from;

	kd_rep_name(&clean, s);
	text = kd_buf_str(&clean);
	all = kd_rep_columns(text);
	if (all <= columns) {
		kd_buf_puts(out, text);
	} else if (columns < 6) {
		kd_buf_add(out, text, head_bytes(text, columns));
	} else {
		head = (columns - 2) / 2;
		tail = columns - 2 - head;
		kd_buf_add(out, text, head_bytes(text, head));
		kd_buf_puts(out, "..");
		for (from = text; all > tail;) {
			int32_t cp;

			from += decode(from, &cp);
			all -= cp < 0 ? 1 : columns_of(cp);
		}
		kd_buf_puts(out, from);
	}
	kd_buf_fini(&clean);
}

void kd_rep_wrap(FILE *out, const char *text, int width, const char *first,
		 const char *others)
{
	const char *indent = first;
	struct kd_buf clean = { 0 };
	const char *p;
	size_t used = 0;
	bool empty = true;

	kd_rep_name(&clean, text);
	p = kd_buf_str(&clean);
	fputs(indent, out);
	used = kd_rep_columns(indent);
	while (*p) {
		size_t len = strcspn(p, " ");
		struct kd_buf word = { 0 };
		size_t w;

		/* "+3.1 %" stays on one line */
		if (!strncmp(p + len, " %", 2))
			len += 1 + strcspn(p + len + 1, " ");
		kd_buf_add(&word, p, len);
		w = kd_rep_columns(kd_buf_str(&word));
		if (!empty && used + 1 + w > (size_t)width) {
			indent = others;
			fprintf(out, "\n%s", indent);
			used = kd_rep_columns(indent);
			empty = true;
		}
		if (used + !empty + w > (size_t)width) {
			/* a word longer than a line: what fits, go on below */
			len = head_bytes(word.data, (size_t)width - used);
			fwrite(word.data, 1, len, out);
			fprintf(out, "\n%s", others);
			used = kd_rep_columns(others);
			kd_buf_fini(&word);
			p += len;
			continue;
		}
		fprintf(out, "%s%s", empty ? "" : " ", kd_buf_str(&word));
		used += !empty + w;
		empty = false;
		kd_buf_fini(&word);
		p += len;
		p += strspn(p, " ");
	}
	fputc('\n', out);
	kd_buf_fini(&clean);
}

#define DATA_DECIMALS_MAX 3

/* places that the samples have, DATA_DECIMALS_MAX + 1 for "all of a double" */
static int data_decimals(const struct kd_measure *m)
{
	static const double scale[] = { 1, 10, 100, 1000 };
	int places = 0;

	for (size_t i = 0; i < m->n_samples; i++) {
		double v = fabs(m->samples[i].value);

		if (!isfinite(v))
			continue;
		while (places <= DATA_DECIMALS_MAX &&
		       fabs(v * scale[places] - round(v * scale[places])) >
		       1e-9 * fmax(1, v * scale[places]))
			places++;
		if (places > DATA_DECIMALS_MAX)
			break;
	}
	return places;
}

static int clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

int kd_rep_decimals(const struct kd_dataset *ds, const struct kd_analysis *a,
		    size_t measure)
{
	const struct kd_measure_result *r = &a->measures[measure];
	int data = data_decimals(&ds->measures[measure]), places;
	double biggest = 0, spread = INFINITY, gap = INFINITY;

	for (size_t i = 0; i < a->n_variants; i++) {
		const struct kd_summary *s = &r->summaries[i];
		double diff;

		if (!s->n)
			continue;
		biggest = fmax(biggest, fabs(s->mean));
		if (s->n > 1 && s->sd > 0)
			spread = fmin(spread, s->sd);
		diff = fabs(s->mean - r->summaries[ds->baseline].mean);
		if (diff > 0 && r->summaries[ds->baseline].n)
			gap = fmin(gap, diff);
	}
	if (data <= DATA_DECIMALS_MAX)
		places = data < 2 ? data + 1 : data;
	else if (isfinite(spread))
		places = 2 - (int)floor(log10(spread));
	else
		places = biggest > 0 ? 3 - (int)floor(log10(biggest)) : 0;
	if (biggest > 0) {
		int digits = (int)floor(log10(biggest)) + 1;

		places = clamp(places, 3 - digits, 7 - digits);
		/* two digits of the smallest difference, within reason */
		if (isfinite(gap) && gap / biggest > 1e-12)
			places = clamp(places, 1 - (int)floor(log10(gap)) < 12 ?
				       -(int)floor(log10(gap)) : 0, 15);
	}
	return clamp(places, 0, 12);
}

void kd_rep_value(struct kd_buf *out, double v, int decimals)
{
	if (isnan(v))
		kd_buf_puts(out, "-");
	else if (fabs(v) >= 1e15 || isinf(v))
		kd_buf_printf(out, "%.6g", v);
	else
		kd_buf_printf(out, "%.*f", decimals, v == 0 ? 0.0 : v);
}

/* places for a percentage: 5.39, 275.9, 1234, but 0.0012 */
static int pct_places(double pct)
{
	double v = fabs(pct);

	if (!isfinite(v) || v >= 1000)
		return 0;
	if (v >= 100)
		return 1;
	if (v >= 0.005 || v < 1e-12)
		return 2;
	return clamp(1 - (int)floor(log10(v)), 2, 12);
}

void kd_rep_pct(struct kd_buf *out, double fraction)
{
	double pct = fraction * 100;

	if (isnan(fraction))
		kd_buf_puts(out, "-");
	else
		kd_buf_printf(out, "%+.*f %%", pct_places(pct), pct);
}

/* places for a plain difference: as for its interval */
static int difference_places(const struct kd_comparison *c)
{
	double v = isfinite(c->hi - c->lo) && c->hi > c->lo ? c->hi - c->lo :
							     fabs(c->change);

	return v > 0 ? clamp(2 - (int)floor(log10(v)), 0, 12) : 2;
}

void kd_rep_change(struct kd_buf *out, const struct kd_comparison *c,
		   double change, const char *unit)
{
	if (isnan(change))
		kd_buf_puts(out, "-");
	else if (c->flags & KD_FLAG_DIFFERENCE)
		kd_buf_printf(out, "%+.*f%s%s", difference_places(c), change,
			      unit[0] ? " " : "", unit);
	else
		kd_rep_pct(out, change);
}

void kd_rep_interval(struct kd_buf *out, const struct kd_comparison *c,
		     const char *unit)
{
	int places;

	if (isnan(c->lo) || isnan(c->hi)) {
		kd_buf_puts(out, "-");
	} else if (c->flags & KD_FLAG_DIFFERENCE) {
		places = difference_places(c);
		kd_buf_printf(out, "%+.*f..%+.*f%s%s", places, c->lo, places,
			      c->hi, unit[0] ? " " : "", unit);
	} else {
		double lo = c->lo * 100, hi = c->hi * 100;
		double small = fmin(fabs(lo), fabs(hi));

		places = pct_places(fmax(fabs(lo), fabs(hi)));
		if (small < 0.005 && small > 1e-12)
			places = pct_places(small);
		kd_buf_printf(out, "%+.*f..%+.*f %%", places, lo, places, hi);
	}
}

void kd_rep_median(struct kd_buf *out, const struct kd_comparison *c)
{
	struct kd_comparison median = *c;

	if (isnan(c->median_lo) || isnan(c->median_hi))
		return;
	median.lo = c->median_lo;
	median.hi = c->median_hi;
	kd_buf_puts(out, "by median ");
	kd_rep_change(out, c, c->median_change, "");
	kd_buf_puts(out, " [");
	kd_rep_interval(out, &median, "");
	kd_buf_puts(out, "]");
}

void kd_rep_p(struct kd_buf *out, double p)
{
	if (isnan(p))
		kd_buf_puts(out, "-");
	else if (p < 0.0001)
		kd_buf_puts(out, "<0.0001");
	else if (p < 0.1)
		kd_buf_printf(out, "%.4f", p);
	else
		kd_buf_printf(out, "%.3f", p);
}

void kd_rep_measure(struct kd_buf *out, const struct kd_measure *m)
{
	kd_buf_printf(out, "%s%s%s", m->workload,
		      m->workload[0] && m->metric[0] ? " " : "", m->metric);
}

const char *kd_rep_better(const struct kd_measure *m)
{
	switch (m->better) {
	case KD_BETTER_HIGHER:
		return "higher is better";
	case KD_BETTER_LOWER:
		return "lower is better";
	default:
		return "no good side";
	}
}

void kd_rep_flags(struct kd_buf *out, unsigned int flags)
{
	size_t start = out->len;

	for (int i = 0; i < KD_FLAG_COUNT; i++)
		if (flags & 1u << i)
			kd_buf_printf(out, "%s%s", out->len > start ? "; " : "",
				      kd_flag_text((enum kd_flag)(1u << i)));
}

void kd_rep_needed(struct kd_buf *out, const struct kd_analysis *a,
		   const struct kd_comparison *c)
{
	const char *what = c->paired ? "rounds" : "runs a side";

	if (c->needed_seen && c->needed_min)
		kd_buf_printf(out, "needs %u %s for the change seen, %u for one of %.4g %%",
			      c->needed_seen, what, c->needed_min,
			      a->plan.min_effect * 100);
	else if (c->needed_seen)
		kd_buf_printf(out, "needs %u %s for the change seen",
			      c->needed_seen, what);
	else if (c->needed_min)
		kd_buf_printf(out, "needs %u %s for a change of %.4g %%",
			      c->needed_min, what, a->plan.min_effect * 100);
}

bool kd_rep_is_tested(const struct kd_dataset *ds, const struct kd_analysis *a,
		      size_t measure, size_t variant)
{
	return variant != ds->baseline && kd_rep_n(a, measure, variant) &&
	       kd_rep_n(a, measure, ds->baseline);
}

size_t kd_rep_n(const struct kd_analysis *a, size_t measure, size_t variant)
{
	return a->measures[measure].summaries[variant].n;
}

void kd_rep_id(struct kd_buf *out, const char *s, const char *also)
{
	if (!*s)
		kd_buf_puts(out, "_");
	for (; *s; s++) {
		bool ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			  (*s >= '0' && *s <= '9') || strchr(also, *s);

		kd_buf_add(out, ok ? s : "_", 1);
	}
}

int kd_rep_done(FILE *out, struct kd_diag *d)
{
	errno = 0;
	if (fflush(out) || ferror(out)) {
		if (!errno)
			errno = EIO;
		return kd_fail_errno(d, "cannot write the report");
	}
	return 0;
}
