// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report for a terminal: the answer in a sentence, the plan's measures in
 * full, the others in short, then where it all comes from.
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

#define SENTENCES_MAX 6
#define WIDTH_MIN 60

static void line(const struct kd_rep *r, const char *label, const char *text)
{
	struct kd_buf b = { 0 };

	if (!text || !text[0])
		return;
	kd_buf_printf(&b, "%s%s", label, text);
	kd_rep_wrap(r->out, kd_buf_str(&b), (int)r->width, "", "  ");
	kd_buf_fini(&b);
}

static void print_answer(const struct kd_rep *r)
{
	struct kd_buf b = { 0 };
	size_t n = 0;

	for (size_t v = 0; v < r->ds->n_variants; v++) {
		if (v == r->ds->baseline)
			continue;
		if (n++ >= SENTENCES_MAX && !r->verbose)
			continue;
		kd_buf_reset(&b);
		kd_rep_sentence(&b, r->ds, r->a, v);
		kd_rep_wrap(r->out, kd_buf_str(&b), (int)r->width, "", "  ");
	}
	if (n > SENTENCES_MAX && !r->verbose)
		fprintf(r->out, "and %zu more variants, below.\n",
			n - SENTENCES_MAX);
	if (!n && r->ds->n_variants)
		line(r, "", "There is one variant only: nothing to compare.");
	if (!r->ds->n_variants || !r->ds->n_measures)
		line(r, "", "There are no results.");
	kd_buf_fini(&b);
}

static void say(void *arg, const char *sentence)
{
	const struct kd_rep *r = arg;

	line(r, "", sentence);
}

/* what all variants together say */
static int print_whole(const struct kd_rep *r)
{
	struct kd_rep_sweep sweep;
	int err = kd_rep_sweep_init(&sweep, r->ds, r->a, NULL);

	if (!err) {
		kd_rep_sweep_best(&sweep, r->ds, r->a, say, (void *)r);
		kd_rep_sweep_fronts(&sweep, r->ds, say, (void *)r);
		err = kd_rep_energy_words(r->ds, r->a, say, (void *)r);
	}
	kd_rep_sweep_fini(&sweep);
	return err;
}

static void print_tests(const struct kd_rep *r)
{
	const struct kd_analysis *a = r->a;
	struct kd_buf b = { 0 };

	kd_buf_printf(&b, "%zu primary test%s", a->n_primary,
		      a->n_primary == 1 ? "" : "s");
	if (a->n_primary > 1)
		kd_buf_puts(&b, " (Holm)");
	if (a->n_exploratory)
		kd_buf_printf(&b, ", %zu exploratory", a->n_exploratory);
	kd_buf_printf(&b, "; alpha %.4g", a->plan.alpha);
	if (a->plan.min_effect > 0)
		kd_buf_printf(&b, "; smallest effect of interest %.4g %%",
			      a->plan.min_effect * 100);
	else
		kd_buf_puts(&b, "; no smallest effect of interest given, so nothing can be called the same");
	line(r, "Tests: ", kd_buf_str(&b));
	kd_buf_fini(&b);
}

static void print_origin(const struct kd_rep *r,
			 const struct kd_report_info *info)
{
	struct kd_buf b = { 0 };

	fputc('\n', r->out);
	for (size_t i = 0; i < r->ds->n_notes; i++)
		line(r, "Note: ", r->ds->notes[i]);
	for (size_t i = 0; i < info->n_environment; i++)
		line(r, "Differs, unasked: ", info->environment[i]);
	line(r, "Method: ", info->method);
	if (info->runs || info->failed) {
		kd_buf_printf(&b, "%u", info->runs);
		if (info->failed)
			kd_buf_printf(&b, ", and %u that failed (not counted)",
				      info->failed);
		line(r, "Runs: ", kd_buf_str(&b));
	}
	print_tests(r);
	for (size_t i = 0; i < info->n_knobs; i++)
		line(r, "Variant: ", info->knobs[i]);
	line(r, "Device: ", info->machine);
	line(r, "Kernel: ", info->kernel);
	line(r, "Date: ", info->date);
	kd_buf_reset(&b);
	if (info->where)
		kd_buf_printf(&b, "%s%s%s", info->where,
			      info->id ? ", experiment " : "",
			      info->id ? info->id : "");
	line(r, "Stored: ", kd_buf_str(&b));
	kd_buf_fini(&b);
}

static int write_text(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a,
		      const struct kd_report_info *info,
		      const struct kd_report_style *style, struct kd_diag *d)
{
	struct kd_rep r = {
		.out = out,
		.ds = ds,
		.a = a,
		.width = style->width ? (size_t)style->width : 80,
		.colour = style->colour,
		.verbose = style->verbose,
	};
	int err = 0;

	if (r.width < WIDTH_MIN)
		r.width = WIDTH_MIN;
	if (ds->title && ds->title[0])
		line(&r, "", ds->title);
	print_answer(&r);
	err = print_whole(&r);
	for (size_t i = 0; !err && i < ds->n_measures; i++)
		if (kd_rep_is_shown(ds, i))
			err = kd_rep_block(&r, i);
	if (!err)
		err = kd_rep_exploratory(&r);
	if (err)
		return kd_fail(d, err, "out of memory");
	print_origin(&r, info);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_text_ops = {
	.name = "text",
	.summary = "for a terminal",
	.write = write_text,
};
