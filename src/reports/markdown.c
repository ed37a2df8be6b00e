// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For a forge's issue or a wiki: GitHub's kind of tables. Names are escaped, so
 * that none can start a heading, a link or a tag.
 */
#include "reports/blocks.h"
#include "reports/energy.h"
#include "reports/report.h"
#include "reports/sweep.h"
#include "reports/words.h"

#include "base/buf.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void puts_escaped(FILE *out, const char *s)
{
	struct kd_buf b = { 0 };

	kd_rep_name(&b, s);
	for (const char *p = kd_buf_str(&b); *p; p++) {
		if (*p == '<')
			fputs("&lt;", out);
		else if (*p == '&')
			fputs("&amp;", out);
		else if (strchr("\\`*_{}[]#|~!>", *p))
			fprintf(out, "\\%c", *p);
		else
			fputc(*p, out);
	}
	kd_buf_fini(&b);
}

/* a cell whose text is made by the functions of words.h */
static void cell(FILE *out, struct kd_buf *b)
{
	fputc(' ', out);
	puts_escaped(out, kd_buf_str(b));
	fputs(" |", out);
	kd_buf_reset(b);
}

static void write_row(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a, size_t i, size_t v)
{
	const struct kd_measure *m = &ds->measures[i];
	const struct kd_summary *s = &a->measures[i].summaries[v];
	const struct kd_comparison *c = &a->measures[i].comparisons[v];
	int places = kd_rep_decimals(ds, a, i);
	struct kd_buf b = { 0 };

	fputs("| ", out);
	puts_escaped(out, ds->variants[v]);
	fprintf(out, " | %zu |", s->n);
	kd_rep_value(&b, s->mean, places);
	cell(out, &b);
	kd_rep_value(&b, s->median, places);
	cell(out, &b);
	kd_rep_value(&b, s->n > 1 ? s->sd : NAN, places);
	cell(out, &b);
	if (!kd_rep_is_tested(ds, a, i, v)) {
		fprintf(out, "%s\n", v == ds->baseline ?
			" baseline | | | | |" : " | | | | |");
		kd_buf_fini(&b);
		return;
	}
	kd_rep_change(&b, c, c->change, m->unit);
	cell(out, &b);
	kd_rep_interval(&b, c, m->unit);
	cell(out, &b);
	kd_rep_p(&b, c->p);
	cell(out, &b);
	kd_rep_p(&b, c->p_adj);
	cell(out, &b);
	fprintf(out, " %s%s%s |\n", m->primary ? "**" : "",
		kd_verdict_name(c->verdict), m->primary ? "**" : "");
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
		if (!s->n)
			continue;
		if (s->flags | c->flags) {
			kd_buf_puts(&b, b.len ? "; " : "");
			kd_rep_flags(&b, s->flags | c->flags);
		}
		if (!b.len)
			continue;
		fputs(any ? "* " : "\n* ", out);
		any = true;
		puts_escaped(out, ds->variants[v]);
		fputs(": ", out);
		puts_escaped(out, kd_buf_str(&b));
		fputc('\n', out);
	}
	kd_buf_fini(&b);
}

static void write_measure(FILE *out, const struct kd_dataset *ds,
			  const struct kd_analysis *a, size_t i)
{
	const struct kd_measure *m = &ds->measures[i];
	struct kd_buf b = { 0 };

	fputs("\n### ", out);
	kd_rep_measure(&b, m);
	kd_buf_printf(&b, "%s%s (%s%s)", m->unit[0] ? ", " : "", m->unit,
		      kd_rep_better(m), m->primary ? "" : ", exploratory");
	puts_escaped(out, kd_buf_str(&b));
	kd_buf_fini(&b);
	fprintf(out, "\n\n| variant | n | mean | median | sd | change | %.4g %% interval | p | adjusted p | verdict |\n"
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
		100 * (1 - a->plan.alpha));
	for (size_t v = 0; v < ds->n_variants; v++)
		if (kd_rep_n(a, i, v))
			write_row(out, ds, a, i, v);
	write_remarks(out, ds, a, i);
}

static void item(FILE *out, const char *label, const char *text)
{
	if (!text || !text[0])
		return;
	fprintf(out, "* %s", label);
	puts_escaped(out, text);
	fputc('\n', out);
}

static void write_origin(FILE *out, const struct kd_dataset *ds,
			 const struct kd_analysis *a,
			 const struct kd_report_info *info)
{
	fputs("\n### How\n\n", out);
	item(out, "Method: ", info->method);
	if (info->runs || info->failed)
		fprintf(out, "* Runs: %u, failed and not counted: %u\n",
			info->runs, info->failed);
	fprintf(out, "* Tests: %zu primary%s, %zu exploratory; alpha %.4g\n",
		a->n_primary, a->n_primary > 1 ? " (Holm)" : "",
		a->n_exploratory, a->plan.alpha);
	for (size_t i = 0; i < info->n_knobs; i++)
		item(out, "Variant: ", info->knobs[i]);
	item(out, "Device: ", info->machine);
	item(out, "Kernel: ", info->kernel);
	for (size_t i = 0; i < info->n_environment; i++)
		item(out, "Differs, unasked: ", info->environment[i]);
	for (size_t i = 0; i < ds->n_notes; i++)
		item(out, "Note: ", ds->notes[i]);
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

static int write_markdown(FILE *out, const struct kd_dataset *ds,
			  const struct kd_analysis *a,
			  const struct kd_report_info *info,
			  const struct kd_report_style *style,
			  struct kd_diag *d)
{
	struct kd_buf b = { 0 };
	bool folded = false;
	int r;

	fputs("## ", out);
	puts_escaped(out, ds->title && ds->title[0] ? ds->title : "kdelta");
	fputs("\n\n", out);
	for (size_t v = 0; v < ds->n_variants; v++) {
		if (v == ds->baseline)
			continue;
		kd_buf_reset(&b);
		kd_rep_sentence(&b, ds, a, v);
		item(out, "", kd_buf_str(&b));
	}
	if (ds->n_variants < 2 || !ds->n_measures)
		fputs("Nothing to compare.\n", out);
	kd_buf_fini(&b);
	r = write_whole(out, ds, a, d);
	if (r)
		return r;
	for (size_t i = 0; i < ds->n_measures; i++)
		if (kd_rep_is_shown(ds, i))
			write_measure(out, ds, a, i);
	for (size_t i = 0; i < ds->n_measures; i++) {
		if (kd_rep_is_shown(ds, i))
			continue;
		if (!folded)
			fputs("\n<details><summary>Exploratory</summary>\n",
			      out);
		folded = true;
		write_measure(out, ds, a, i);
	}
	if (folded)
		fputs("\n</details>\n", out);
	write_origin(out, ds, a, info);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_markdown_ops = {
	.name = "markdown",
	.summary = "for a forge or a wiki",
	.write = write_markdown,
};
