// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The evidence for a commit message: at most 20 lines of 72 columns, plain
 * text, no line that git would take for a comment.
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
#include <stdlib.h>
#include <string.h>

#define WIDTH 72
#define LINES 20
#define SWEEP_LINES 6
#define ENERGY_LINES 4
#define CPU_LINES 3
#define CPU_VARIANTS 4

/* wrap @text onto the end of @out, a line's first '#' put behind a blank */
static int add(struct kd_buf *out, const char *text, const char *first)
{
	char *wrapped = NULL;
	size_t size = 0;
	FILE *f;

	if (!text || !text[0])
		return 0;
	f = open_memstream(&wrapped, &size);
	if (!f)
		return -ENOMEM;
	kd_rep_wrap(f, text, WIDTH, first, "  ");
	if (fclose(f)) {
		free(wrapped);
		return -ENOMEM;
	}
	if (wrapped[0] == '#')
		kd_buf_puts(out, ".");
	kd_buf_puts(out, wrapped);
	free(wrapped);
	return out->err;
}

static size_t count_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

/* "tx throughput: 398.85 -> 1499.19 KB/s, +275.9 % [..], p <0.0001, better" */
static void add_comparison(struct kd_buf *b, const struct kd_dataset *ds,
			   const struct kd_analysis *a, size_t i, size_t v)
{
	const struct kd_measure *m = &ds->measures[i];
	const struct kd_measure_result *r = &a->measures[i];
	const struct kd_comparison *c = &r->comparisons[v];
	int places = kd_rep_decimals(ds, a, i);

	kd_rep_measure(b, m);
	if (ds->n_variants > 2) {
		kd_buf_puts(b, ", ");
		kd_rep_fit(b, ds->variants[v], 30);
	}
	kd_buf_puts(b, ": ");
	kd_rep_value(b, r->summaries[ds->baseline].mean, places);
	kd_buf_puts(b, " -> ");
	kd_rep_value(b, r->summaries[v].mean, places);
	kd_buf_printf(b, "%s%s, ", m->unit[0] ? " " : "", m->unit);
	kd_rep_change(b, c, c->change, m->unit);
	kd_buf_puts(b, " [");
	kd_rep_interval(b, c, m->unit);
	kd_buf_puts(b, "], p ");
	kd_rep_p(b, c->p_adj);
	if (c->paired)
		kd_buf_printf(b, ", n %zu: ", c->n);
	else
		kd_buf_printf(b, ", n %zu and %zu: ",
			      r->summaries[ds->baseline].n, r->summaries[v].n);
	kd_buf_puts(b, kd_verdict_name(c->verdict));
	if (c->flags & KD_FLAG_SMALL)
		kd_buf_printf(b, ", but under %.4g %%",
			      100 * a->plan.min_effect);
}

/* "power.mean[board]" beside a "power.mean" that is the same: the only part of
 * a sum says nothing new */
static bool is_only_part(const struct kd_dataset *ds,
			 const struct kd_analysis *a, size_t i)
{
	const struct kd_measure *part = &ds->measures[i];
	const char *bracket = strchr(part->metric, '[');
	size_t n = bracket ? (size_t)(bracket - part->metric) : 0;

	for (size_t k = 0; n && k < ds->n_measures; k++) {
		const struct kd_measure *m = &ds->measures[k];
		bool same = true;

		if (strcmp(m->workload, part->workload) ||
		    strncmp(m->metric, part->metric, n) || m->metric[n])
			continue;
		for (size_t v = 0; same && v < ds->n_variants; v++)
			same = a->measures[k].summaries[v].mean ==
			       a->measures[i].summaries[v].mean;
		return same;
	}
	return false;
}

static int add_results(struct kd_buf *out, const struct kd_dataset *ds,
		       const struct kd_analysis *a, size_t room)
{
	struct kd_buf b = { 0 };
	size_t left = 0, used = 0;
	int r = 0;

	for (size_t i = 0; !r && i < ds->n_measures; i++) {
		for (size_t v = 0; !r && v < ds->n_variants; v++) {
			struct kd_buf one = { 0 };
			size_t n;

			if (!kd_rep_is_shown(ds, i) ||
			    is_only_part(ds, a, i) ||
			    !kd_rep_is_tested(ds, a, i, v))
				continue;
			kd_buf_reset(&b);
			add_comparison(&b, ds, a, i, v);
			r = add(&one, kd_buf_str(&b), "");
			n = count_lines(kd_buf_str(&one));
			if (left || used + n + 1 > room) {
				left++;
			} else {
				used += n;
				kd_buf_puts(out, kd_buf_str(&one));
			}
			kd_buf_fini(&one);
		}
	}
	if (left)
		kd_buf_printf(out, "and %zu more results: kdelta report\n",
			      left);
	kd_buf_fini(&b);
	return r;
}

/* shortened, so that a name of 10 000 characters leaves room for the figures */
static int add_short(struct kd_buf *out, const char *label, const char *text,
		     size_t columns)
{
	struct kd_buf b = { 0 };
	int r;

	if (!text || !text[0])
		return 0;
	kd_buf_puts(&b, label);
	kd_rep_fit(&b, text, columns);
	r = add(out, kd_buf_str(&b), "");
	kd_buf_fini(&b);
	return r;
}

/* sentences, as many as fit in @room lines */
struct sentences {
	struct kd_buf *out;
	size_t room;
	int err;
};

static void say(void *arg, const char *sentence)
{
	struct sentences *s = arg;
	struct kd_buf one = { 0 };
	size_t n;

	s->err = s->err ? s->err : add(&one, sentence, "");
	n = count_lines(kd_buf_str(&one));
	if (!s->err && n <= s->room) {
		s->room -= n;
		kd_buf_puts(s->out, kd_buf_str(&one));
	}
	kd_buf_fini(&one);
}

static int add_sweep(struct kd_buf *out, const struct kd_dataset *ds,
		     const struct kd_analysis *a)
{
	struct sentences lines = { .out = out, .room = SWEEP_LINES };
	struct kd_rep_sweep sweep;
	int r = kd_rep_sweep_init(&sweep, ds, a, NULL);

	if (!r)
		kd_rep_sweep_best(&sweep, ds, a, say, &lines);
	kd_rep_sweep_fini(&sweep);
	return r ? r : lines.err;
}

/* is it a workload of which more is better: traffic, not an idle wait */
static bool is_work(const struct kd_dataset *ds, const char *workload)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		if (!strcmp(ds->measures[i].workload, workload) &&
		    kd_rep_is_shown(ds, i) &&
		    ds->measures[i].better == KD_BETTER_HIGHER)
			return true;
	return false;
}

/* "CPU busy in tx: 12.3 % (sleep), 45.6 % (no-sleep)." where it was measured
 * beside what is asked for */
static int add_cpu(struct kd_buf *out, const struct kd_dataset *ds,
		   const struct kd_analysis *a)
{
	struct sentences lines = { .out = out, .room = CPU_LINES };
	struct kd_buf b = { 0 };

	if (ds->n_variants < 2 || ds->n_variants > CPU_VARIANTS)
		return 0;
	for (size_t i = 0; i < ds->n_measures; i++) {
		const struct kd_measure *m = &ds->measures[i];

		if (strcmp(m->metric, "cpu.busy") || kd_rep_is_shown(ds, i) ||
		    !is_work(ds, m->workload))
			continue;
		kd_buf_reset(&b);
		kd_buf_puts(&b, "CPU busy in ");
		kd_rep_fit(&b, m->workload, 20);
		for (size_t v = 0; v < ds->n_variants; v++) {
			kd_buf_puts(&b, v ? ", " : ": ");
			kd_rep_value(&b, a->measures[i].summaries[v].mean, 1);
			kd_buf_puts(&b, " % (");
			kd_rep_fit(&b, ds->variants[v], 20);
			kd_buf_puts(&b, ")");
		}
		kd_buf_puts(&b, ".");
		say(&lines, kd_buf_str(&b));
	}
	kd_buf_fini(&b);
	return lines.err;
}

static int add_energy(struct kd_buf *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a)
{
	struct sentences lines = { .out = out, .room = ENERGY_LINES };
	int r = 0;

	if (ds->n_variants <= CPU_VARIANTS)
		r = kd_rep_energy_words(ds, a, say, &lines);
	return r ? r : lines.err;
}

static int write_commit(FILE *out, const struct kd_dataset *ds,
			const struct kd_analysis *a,
			const struct kd_report_info *info,
			const struct kd_report_style *style, struct kd_diag *d)
{
	struct kd_buf head = { 0 }, tail = { 0 }, body = { 0 }, b = { 0 };
	int r;

	r = add_short(&head, "", info->method ? info->method :
		      "Means of all samples, unpaired", 140);
	if (!r && ds->n_variants > 1) {
		kd_buf_printf(&b, "Change of the mean against ");
		kd_rep_fit(&b, ds->variants[ds->baseline], 30);
		if (ds->n_variants == 2) {
			kd_buf_puts(&b, " with ");
			kd_rep_fit(&b, ds->variants[1 - ds->baseline], 30);
		}
		kd_buf_printf(&b, "; [%.4g %% interval], p by Student's t%s:",
			      100 * (1 - a->plan.alpha),
			      a->n_primary > 1 ? ", Holm" : "");
		r = add(&head, kd_buf_str(&b), "");
	}
	if (!r)
		r = add_energy(&tail, ds, a);
	if (!r)
		r = add_cpu(&tail, ds, a);
	if (!r)
		r = add_sweep(&tail, ds, a);
	if (!r && info->failed) {
		kd_buf_reset(&b);
		kd_buf_printf(&b, "Failed runs, not counted: %u",
			      info->failed);
		r = add(&tail, kd_buf_str(&b), "");
	}
	if (!r)
		r = add_short(&tail, "Device: ", info->machine, 63);
	if (!r)
		r = add_short(&tail, "Kernel: ", info->kernel, 63);
	if (!r)
		r = add_results(&body, ds, a, LINES -
				count_lines(kd_buf_str(&head)) -
				count_lines(kd_buf_str(&tail)));
	if (!r)
		r = head.err ? head.err : tail.err ? tail.err : body.err;
	fprintf(out, "%s%s%s", kd_buf_str(&head), kd_buf_str(&body),
		kd_buf_str(&tail));
	kd_buf_fini(&head);
	kd_buf_fini(&tail);
	kd_buf_fini(&body);
	kd_buf_fini(&b);
	return r ? kd_fail(d, r, "out of memory") : kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_commit_ops = {
	.name = "commit",
	.summary = "for a commit message: 20 lines of 72 columns at most",
	.write = write_commit,
};
