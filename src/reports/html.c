// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One page that needs nothing else: the answer, a plot of every sample with
 * mean and interval, and the tables. No script, nothing is fetched.
 */
#include "reports/blocks.h"
#include "reports/energy.h"
#include "reports/report.h"
#include "reports/sweep.h"
#include "reports/words.h"

#include "base/buf.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <math.h>
#include <string.h>

#define PLOT_WIDTH 720
#define NAME_WIDTH 180
#define ROW_HEIGHT 26
#define PLOT_ROWS_MAX 200

static const char style_text[] =
	"body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;"
	"padding:0 1em;color:#222;background:#fff}"
	"table{border-collapse:collapse;margin:.7em 0;display:block;"
	"overflow-x:auto}"
	"th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}"
	"th:first-child,td:first-child,td:last-child,th:last-child"
	"{text-align:left}"
	".better{color:#0a6b2d}.worse{color:#b3261e}.unclear{color:#7a5b00}"
	"svg{max-width:100%;height:auto}svg text{font-size:12px;fill:#222}"
	".dot{fill:#3465a4;fill-opacity:.55}.mean{stroke:#222;stroke-width:2}"
	".ci{stroke:#222;stroke-width:1}.axis{stroke:#999}"
	".base{stroke:#999;stroke-dasharray:3 3}"
	"@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
	"th,td{border-color:#444}svg text{fill:#ddd}.dot{fill:#7aa6e0}"
	".mean,.ci{stroke:#ddd}.better{color:#6fd08c}.worse{color:#ff8a80}"
	".unclear{color:#e0c060}}";

static void puts_escaped(FILE *out, const char *s)
{
	struct kd_buf b = { 0 };

	kd_rep_name(&b, s);
	for (const char *p = kd_buf_str(&b); *p; p++) {
		switch (*p) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*p, out);
		}
	}
	kd_buf_fini(&b);
}

static void cell(FILE *out, struct kd_buf *b)
{
	fputs("<td>", out);
	puts_escaped(out, kd_buf_str(b));
	fputs("</td>", out);
	kd_buf_reset(b);
}

/* the range of a plot, never empty */
struct scale {
	double lo, hi;
};

static struct scale scale_of(const struct kd_measure *m)
{
	struct scale s = { INFINITY, -INFINITY };
	double margin;

	for (size_t i = 0; i < m->n_samples; i++) {
		if (!isfinite(m->samples[i].value))
			continue;
		s.lo = fmin(s.lo, m->samples[i].value);
		s.hi = fmax(s.hi, m->samples[i].value);
	}
	if (s.lo > s.hi)
		return (struct scale){ 0, 1 };
	margin = (s.hi - s.lo) * 0.05;
	if (!(margin > 0))
		margin = s.hi != 0 ? fabs(s.hi) * 0.05 : 1;
	s.lo -= margin;
	s.hi += margin;
	return s;
}

static double place(const struct scale *s, double v)
{
	double x = (v - s->lo) / (s->hi - s->lo);

	x = x < 0 ? 0 : x > 1 ? 1 : x;
	return NAME_WIDTH + x * (PLOT_WIDTH - NAME_WIDTH - 10);
}

static void plot_row(FILE *out, const struct kd_dataset *ds,
		     const struct kd_analysis *a, size_t i, size_t v,
		     const struct scale *sc, int y)
{
	const struct kd_measure *m = &ds->measures[i];
	const struct kd_summary *s = &a->measures[i].summaries[v];
	struct kd_buf name = { 0 };

	kd_rep_fit(&name, ds->variants[v], 24);
	fprintf(out, "<text x=\"0\" y=\"%d\">", y + 4);
	puts_escaped(out, kd_buf_str(&name));
	fputs("</text>\n", out);
	kd_buf_fini(&name);
	for (size_t k = 0; k < m->n_samples; k++) {
		const struct kd_sample *p = &m->samples[k];

		/* spread up and down a little, the same way each time */
		if ((size_t)p->variant == v && isfinite(p->value))
			fprintf(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/>",
				place(sc, p->value), y + (int)(k * 5 % 9) - 4);
	}
	if (isfinite(s->mean_lo) && isfinite(s->mean_hi))
		fprintf(out, "\n<line class=\"ci\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
			place(sc, s->mean_lo), place(sc, s->mean_hi), y, y);
	if (isfinite(s->mean))
		fprintf(out, "<line class=\"mean\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n",
			place(sc, s->mean), place(sc, s->mean), y - 9, y + 9);
}

static void write_plot(FILE *out, const struct kd_dataset *ds,
		       const struct kd_analysis *a, size_t i)
{
	struct scale sc = scale_of(&ds->measures[i]);
	int places = kd_rep_decimals(ds, a, i), rows = 0, height, y;
	struct kd_buf b = { 0 };
	double base = a->measures[i].summaries[ds->baseline].mean;

	for (size_t v = 0; v < ds->n_variants; v++)
		rows += kd_rep_n(a, i, v) > 0;
	if (!rows || rows > PLOT_ROWS_MAX)
		return;
	height = (rows + 1) * ROW_HEIGHT;
	fprintf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\"><title>",
		PLOT_WIDTH, height, PLOT_WIDTH, height);
	kd_rep_measure(&b, &ds->measures[i]);
	kd_buf_puts(&b, ": every sample, the mean and its 95 % interval");
	puts_escaped(out, kd_buf_str(&b));
	kd_buf_reset(&b);
	fputs("</title>\n", out);
	if (kd_rep_n(a, i, ds->baseline) && isfinite(base))
		fprintf(out, "<line class=\"base\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>\n",
			place(&sc, base), place(&sc, base), height - 22);
	y = ROW_HEIGHT / 2;
	for (size_t v = 0; v < ds->n_variants; v++) {
		if (!kd_rep_n(a, i, v))
			continue;
		plot_row(out, ds, a, i, v, &sc, y);
		y += ROW_HEIGHT;
	}
	fprintf(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
		NAME_WIDTH, PLOT_WIDTH - 10, height - 20, height - 20);
	kd_rep_value(&b, sc.lo, places);
	fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text>", NAME_WIDTH,
		height - 5, kd_buf_str(&b));
	kd_buf_reset(&b);
	kd_rep_value(&b, sc.hi, places);
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s ",
		PLOT_WIDTH - 10, height - 5, kd_buf_str(&b));
	puts_escaped(out, ds->measures[i].unit);
	fputs("</text></svg>\n", out);
	kd_buf_fini(&b);
}

static void write_row(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a, size_t i, size_t v)
{
	const struct kd_summary *s = &a->measures[i].summaries[v];
	const struct kd_comparison *c = &a->measures[i].comparisons[v];
	const char *unit = ds->measures[i].unit;
	int places = kd_rep_decimals(ds, a, i);
	struct kd_buf b = { 0 };

	fputs("<tr><td>", out);
	puts_escaped(out, ds->variants[v]);
	fprintf(out, "</td><td>%zu</td>", s->n);
	kd_rep_value(&b, s->mean, places);
	cell(out, &b);
	kd_rep_value(&b, s->median, places);
	cell(out, &b);
	kd_rep_value(&b, s->n > 1 ? s->sd : NAN, places);
	cell(out, &b);
	if (!kd_rep_is_tested(ds, a, i, v)) {
		fprintf(out, "<td>%s</td><td></td><td></td><td></td><td></td></tr>\n",
			v == ds->baseline ? "baseline" : "");
		kd_buf_fini(&b);
		return;
	}
	kd_rep_change(&b, c, c->change, unit);
	cell(out, &b);
	kd_rep_interval(&b, c, unit);
	cell(out, &b);
	kd_rep_p(&b, c->p);
	cell(out, &b);
	kd_rep_p(&b, c->p_adj);
	cell(out, &b);
	fprintf(out, "<td class=\"%s\">%s</td></tr>\n",
		kd_verdict_name(c->verdict), kd_verdict_name(c->verdict));
	kd_buf_fini(&b);
}

static void write_remarks(FILE *out, const struct kd_dataset *ds,
			  const struct kd_analysis *a, size_t i)
{
	struct kd_buf b = { 0 };
	bool any = false;

	for (size_t v = 0; v < ds->n_variants; v++) {
		const struct kd_summary *s = &a->measures[i].summaries[v];
		const struct kd_comparison *c = &a->measures[i].comparisons[v];

		kd_buf_reset(&b);
		if (kd_rep_is_tested(ds, a, i, v)) {
			kd_buf_puts(&b, c->why);
			if (c->verdict == KD_VERDICT_UNCLEAR && !b.len)
				kd_rep_needed(&b, a, c);
			kd_buf_puts(&b, b.len && !isnan(c->median_lo) ? "; " :
								       "");
			kd_rep_median(&b, c);
		}
		if (s->n && (s->flags | c->flags)) {
			kd_buf_puts(&b, b.len ? "; " : "");
			kd_rep_flags(&b, s->flags | c->flags);
		}
		if (!b.len || !s->n)
			continue;
		fputs(any ? "<li>" : "<ul><li>", out);
		any = true;
		puts_escaped(out, ds->variants[v]);
		fputs(": ", out);
		puts_escaped(out, kd_buf_str(&b));
		fputs("</li>\n", out);
	}
	fputs(any ? "</ul>\n" : "", out);
	kd_buf_fini(&b);
}

static void write_measure(FILE *out, const struct kd_dataset *ds,
			  const struct kd_analysis *a, size_t i)
{
	const struct kd_measure *m = &ds->measures[i];
	struct kd_buf b = { 0 };

	fputs("<h2>", out);
	kd_rep_measure(&b, m);
	kd_buf_printf(&b, "%s%s (%s%s)", m->unit[0] ? ", " : "", m->unit,
		      kd_rep_better(m), m->primary ? "" : ", exploratory");
	puts_escaped(out, kd_buf_str(&b));
	kd_buf_fini(&b);
	fputs("</h2>\n", out);
	write_plot(out, ds, a, i);
	fprintf(out, "<table><tr><th>variant</th><th>n</th><th>mean</th><th>median</th><th>sd</th><th>change</th><th>%.4g %% interval</th><th>p</th><th>adjusted p</th><th>verdict</th></tr>\n",
		100 * (1 - a->plan.alpha));
	for (size_t v = 0; v < ds->n_variants; v++)
		if (kd_rep_n(a, i, v))
			write_row(out, ds, a, i, v);
	fputs("</table>\n", out);
	write_remarks(out, ds, a, i);
}

static void item(FILE *out, const char *label, const char *text)
{
	if (!text || !text[0])
		return;
	fprintf(out, "<li>%s", label);
	puts_escaped(out, text);
	fputs("</li>\n", out);
}

static void write_origin(FILE *out, const struct kd_dataset *ds,
			 const struct kd_analysis *a,
			 const struct kd_report_info *info)
{
	fputs("<h2>How</h2>\n<ul>\n", out);
	item(out, "Method: ", info->method);
	if (info->runs || info->failed)
		fprintf(out, "<li>Runs: %u, failed and not counted: %u</li>\n",
			info->runs, info->failed);
	fprintf(out, "<li>Tests: %zu primary%s, %zu exploratory; alpha %.4g</li>\n",
		a->n_primary, a->n_primary > 1 ? " (Holm)" : "",
		a->n_exploratory, a->plan.alpha);
	for (size_t i = 0; i < info->n_knobs; i++)
		item(out, "Variant: ", info->knobs[i]);
	item(out, "Device: ", info->machine);
	item(out, "Kernel: ", info->kernel);
	item(out, "Date: ", info->date);
	for (size_t i = 0; i < info->n_environment; i++)
		item(out, "Differs, unasked: ", info->environment[i]);
	for (size_t i = 0; i < ds->n_notes; i++)
		item(out, "Note: ", ds->notes[i]);
	fputs("</ul>\n", out);
	if (info->file) {
		/* lines stay lines here */
		fputs("<details><summary>Experiment file</summary><pre>", out);
		for (const char *p = info->file; *p;) {
			size_t len = strcspn(p, "\n");
			struct kd_buf line = { 0 };

			kd_buf_add(&line, p, len);
			puts_escaped(out, kd_buf_str(&line));
			kd_buf_fini(&line);
			fputc('\n', out);
			p += len + (p[len] == '\n');
		}
		fputs("</pre></details>\n", out);
	}
}

static void say(void *arg, const char *sentence)
{
	item(arg, "", sentence);
}

/* what all variants together say */
static int write_whole(FILE *out, const struct kd_dataset *ds,
		       const struct kd_analysis *a, struct kd_diag *d)
{
	struct kd_rep_sweep sweep;
	int r = kd_rep_sweep_init(&sweep, ds, a, d);

	if (!r) {
		kd_rep_sweep_best(&sweep, ds, a, say, out);
		kd_rep_sweep_fronts(&sweep, ds, say, out);
		r = kd_rep_energy_words(ds, a, say, out);
	}
	kd_rep_sweep_fini(&sweep);
	return r ? kd_fail(d, r, "out of memory") : 0;
}

static int write_html(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a,
		      const struct kd_report_info *info,
		      const struct kd_report_style *style, struct kd_diag *d)
{
	const char *title = ds->title && ds->title[0] ? ds->title : "kdelta";
	struct kd_buf b = { 0 };
	bool folded = false;
	int r;

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	      "<meta name=\"viewport\" content=\"width=device-width\">"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
	      "<title>", out);
	puts_escaped(out, title);
	fprintf(out, "</title><style>%s</style></head><body>\n<h1>",
		style_text);
	puts_escaped(out, title);
	fputs("</h1>\n<ul>\n", out);
	for (size_t v = 0; v < ds->n_variants; v++) {
		if (v == ds->baseline)
			continue;
		kd_buf_reset(&b);
		kd_rep_sentence(&b, ds, a, v);
		item(out, "", kd_buf_str(&b));
	}
	if (ds->n_variants < 2 || !ds->n_measures)
		fputs("<li>Nothing to compare.</li>\n", out);
	kd_buf_fini(&b);
	r = write_whole(out, ds, a, d);
	if (r)
		return r;
	fputs("</ul>\n", out);
	for (size_t i = 0; i < ds->n_measures; i++)
		if (kd_rep_is_shown(ds, i))
			write_measure(out, ds, a, i);
	for (size_t i = 0; i < ds->n_measures; i++) {
		if (kd_rep_is_shown(ds, i))
			continue;
		if (!folded)
			fputs("<details><summary>Exploratory: hints, not results</summary>\n",
			      out);
		folded = true;
		write_measure(out, ds, a, i);
	}
	fputs(folded ? "</details>\n" : "", out);
	write_origin(out, ds, a, info);
	fputs("</body></html>\n", out);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_html_ops = {
	.name = "html",
	.summary = "one page with plots that needs nothing else",
	.write = write_html,
};
