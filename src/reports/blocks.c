// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of a text report: a measure in full, and the exploratory ones in
 * short.
 */
#include "reports/blocks.h"

#include "reports/table.h"
#include "reports/words.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDENT 2
#define REMARKS_MAX 12
#define EXPLORATORY_MAX 12
#define NAME_MIN 8
#define LEVEL_MIN (-2)

static void cell(struct kd_table *t, struct kd_buf *b)
{
	kd_table_cell(t, kd_buf_str(b));
	kd_buf_reset(b);
}

bool kd_rep_is_shown(const struct kd_dataset *ds, size_t measure)
{
	if (ds->measures[measure].primary)
		return true;
	for (size_t i = 0; i < ds->n_measures; i++)
		if (ds->measures[i].primary)
			return false;
	return true;
}

/* one row per variant that has samples */
static void fill_figures(const struct kd_rep *r, size_t measure,
			 size_t name_max, int level, struct kd_table *t)
{
	static const char *const heads[] = { "", "n", "mean", "median", "sd",
					     "min", "max" };
	const struct kd_measure_result *res = &r->a->measures[measure];
	int places = kd_rep_decimals(r->ds, r->a, measure);
	struct kd_buf b = { 0 };

	t->columns = level > 0 ? 7 : 5;
	for (size_t c = 0; c < t->columns; c++)
		kd_table_cell(t, heads[c]);
	for (size_t v = 0; v < r->ds->n_variants; v++) {
		const struct kd_summary *s = &res->summaries[v];
		const double figures[] = { s->mean, s->median, s->sd, s->min,
					   s->max };

		if (!s->n)
			continue;
		kd_rep_fit(&b, r->ds->variants[v], name_max);
		cell(t, &b);
		kd_buf_printf(&b, "%zu", s->n);
		cell(t, &b);
		for (size_t i = 0; i + 2 < t->columns; i++) {
			bool sd = i == 2;

			/* one place more for a spread of less than 10 of the
			 * last one */
			kd_rep_value(&b, sd && s->n < 2 ? NAN : figures[i],
				     places + (sd && s->sd > 0 &&
					       s->sd < 10 * pow(10, -places)));
			cell(t, &b);
		}
	}
	kd_buf_fini(&b);
}

/* @level: 2 with all columns, 1 without p before the correction, 0 without the
 * change of the median, -1 with differences in the measure's unit without its
 * name, -2 without p */
static void fill_decisions(const struct kd_rep *r, size_t measure,
			   size_t name_max, int level, struct kd_table *t)
{
	const struct kd_measure *m = &r->ds->measures[measure];
	bool family = m->primary ? r->a->n_primary > 1 :
				   r->a->n_exploratory > 1;
	bool both = level > 1 && family;
	const char *unit = level < 0 ? "" : m->unit;
	struct kd_buf b = { 0 };

	t->columns = (level > 0 ? 6 : 5) + both - (level < -1);
	t->left = 1u << (t->columns - 1);
	kd_table_cell(t, "");
	kd_table_cell(t, "change");
	kd_buf_printf(&b, "%.4g %% interval", 100 * (1 - r->a->plan.alpha));
	cell(t, &b);
	if (level > 0)
		kd_table_cell(t, "by median");
	if (both)
		kd_table_cell(t, "p");
	if (level >= -1)
		kd_table_cell(t, family ? "adj. p" : "p");
	kd_table_cell(t, "verdict");
	for (size_t v = 0; v < r->ds->n_variants; v++) {
		const struct kd_comparison *c =
			&r->a->measures[measure].comparisons[v];

		if (!kd_rep_is_tested(r->ds, r->a, measure, v))
			continue;
		kd_rep_fit(&b, r->ds->variants[v], name_max);
		cell(t, &b);
		kd_rep_change(&b, c, c->change, unit);
		cell(t, &b);
		kd_rep_interval(&b, c, unit);
		cell(t, &b);
		if (level > 0) {
			kd_rep_change(&b, c, c->median_change, unit);
			cell(t, &b);
		}
		if (both) {
			kd_rep_p(&b, c->p);
			cell(t, &b);
		}
		if (level >= -1) {
			kd_rep_p(&b, family ? c->p_adj : c->p);
			cell(t, &b);
		}
		kd_table_cell(t, kd_verdict_name(c->verdict));
	}
	kd_buf_fini(&b);
}

typedef void fill_fn(const struct kd_rep *r, size_t measure, size_t name_max,
		     int level, struct kd_table *t);

/* print a table with all its columns, else with fewer, else with names cut */
static int print_fitted(const struct kd_rep *r, size_t measure, fill_fn *fill)
{
	size_t name_max = r->width / 3;
	int level = 2;

	for (;;) {
		struct kd_table t = { 0 };
		size_t width;
		int err;

		fill(r, measure, name_max, level, &t);
		width = kd_table_width(&t, INDENT);
		if (width <= r->width ||
		    (level == LEVEL_MIN && name_max <= NAME_MIN)) {
			if (!t.err && t.n_cells > t.columns)
				kd_table_print(r->out, &t, INDENT, r->colour);
			err = t.err;
			kd_table_fini(&t);
			return err;
		}
		kd_table_fini(&t);
		if (level > 0 && name_max <= r->width / 5) {
			level--;
			name_max = r->width / 3;
		} else if (name_max > NAME_MIN) {
			name_max--;
		} else {
			level--;
		}
	}
}

/* two digits, however small */
static void add_perm(struct kd_buf *b, const struct kd_comparison *c)
{
	int places = c->p_perm > 0 && c->p_perm < 1 ?
		1 - (int)floor(log10(c->p_perm)) : 2;

	kd_buf_printf(b, "permutation check p %.*f (%s%llu%s)",
		      places > 12 ? 12 : places, c->p_perm,
		      c->perm_exact ? "exact, " : "",
		      (unsigned long long)c->perm_count,
		      c->perm_exact ? "" : " draws");
}

static void add_outliers(struct kd_buf *b, const struct kd_summary *s,
			 int places)
{
	size_t listed = s->n_outliers < 4 ? s->n_outliers : 4;

	kd_buf_printf(b, " (%zu of %zu: ", s->n_outliers, s->n);
	for (size_t i = 0; i < listed; i++) {
		kd_buf_puts(b, i ? ", " : "");
		kd_rep_value(b, s->outliers[i], places);
	}
	kd_buf_puts(b, s->n_outliers > listed ? ", ...)" : ")");
}

static void add_part(struct kd_buf *b, const char *text)
{
	if (text[0])
		kd_buf_printf(b, "%s%s", b->len ? "; " : "", text);
}

/* what there is to say beside a variant's figures */
static void add_remarks(const struct kd_rep *r, size_t measure, size_t v,
			struct kd_buf *b)
{
	const struct kd_summary *s = &r->a->measures[measure].summaries[v];
	const struct kd_comparison *c =
		&r->a->measures[measure].comparisons[v];
	int places = kd_rep_decimals(r->ds, r->a, measure);
	struct kd_buf part = { 0 };

	if (kd_rep_is_tested(r->ds, r->a, measure, v)) {
		add_part(b, c->why);
		if (c->verdict == KD_VERDICT_UNCLEAR &&
		    !strstr(c->why, "needs")) {
			kd_rep_needed(&part, r->a, c);
			add_part(b, kd_buf_str(&part));
			kd_buf_reset(&part);
		}
		kd_rep_median(&part, c);
		add_part(b, kd_buf_str(&part));
		kd_buf_reset(&part);
		if (!isnan(c->p_perm) && c->perm_count &&
		    (r->verbose || c->verdict != KD_VERDICT_UNCLEAR)) {
			add_perm(&part, c);
			add_part(b, kd_buf_str(&part));
			kd_buf_reset(&part);
		}
		kd_rep_flags(&part, c->flags & ~s->flags);
		add_part(b, kd_buf_str(&part));
		kd_buf_reset(&part);
	}
	for (int i = 0; i < KD_FLAG_COUNT; i++) {
		if (!(s->flags & 1u << i))
			continue;
		kd_buf_puts(&part, kd_flag_text((enum kd_flag)(1u << i)));
		if (1u << i == KD_FLAG_OUTLIERS && s->n_outliers)
			add_outliers(&part, s, places);
		add_part(b, kd_buf_str(&part));
		kd_buf_reset(&part);
	}
	kd_buf_fini(&part);
}

static void print_remarks(const struct kd_rep *r, size_t measure)
{
	struct kd_buf b = { 0 }, line = { 0 };
	size_t shown = 0, more = 0;

	for (size_t v = 0; v < r->ds->n_variants; v++) {
		if (!kd_rep_n(r->a, measure, v))
			continue;
		kd_buf_reset(&b);
		add_remarks(r, measure, v, &b);
		if (!b.len)
			continue;
		if (shown == REMARKS_MAX && !r->verbose) {
			more++;
			continue;
		}
		shown++;
		kd_buf_reset(&line);
		kd_rep_fit(&line, r->ds->variants[v], r->width / 3);
		kd_buf_printf(&line, ": %s", kd_buf_str(&b));
		kd_rep_wrap(r->out, kd_buf_str(&line), (int)r->width, "  ",
			    "    ");
	}
	if (more)
		fprintf(r->out, "  remarks on %zu more: --verbose\n", more);
	kd_buf_fini(&b);
	kd_buf_fini(&line);
}

int kd_rep_block(const struct kd_rep *r, size_t measure)
{
	const struct kd_measure *m = &r->ds->measures[measure];
	struct kd_buf b = { 0 };
	bool any = false;
	int err;

	kd_rep_measure(&b, m);
	kd_buf_printf(&b, "%s%s (%s)", m->unit[0] ? ", " : "", m->unit,
		      kd_rep_better(m));
	fputs(r->colour ? "\n\033[1m" : "\n", r->out);
	kd_rep_wrap(r->out, kd_buf_str(&b), (int)r->width, "", "  ");
	fputs(r->colour ? "\033[0m" : "", r->out);
	err = b.err;
	kd_buf_fini(&b);
	for (size_t v = 0; v < r->ds->n_variants; v++)
		any |= kd_rep_n(r->a, measure, v) > 0;
	if (!any)
		fputs("  no samples\n", r->out);
	if (!err)
		err = print_fitted(r, measure, fill_figures);
	if (!err)
		err = print_fitted(r, measure, fill_decisions);
	print_remarks(r, measure);
	return err;
}

/* one row of the exploratory table */
struct row {
	size_t measure, variant;
	double p;
};

static int by_p(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	if (x->measure != y->measure)
		return x->measure < y->measure ? -1 : 1;
	return (x->variant > y->variant) - (x->variant < y->variant);
}

static struct row *list_rows(const struct kd_rep *r, size_t *n)
{
	struct row *rows = calloc(r->ds->n_measures * r->ds->n_variants + 1,
				  sizeof(*rows));

	*n = 0;
	for (size_t m = 0; rows && m < r->ds->n_measures; m++) {
		if (kd_rep_is_shown(r->ds, m))
			continue;
		for (size_t v = 0; v < r->ds->n_variants; v++) {
			double p = r->a->measures[m].comparisons[v].p;

			if (kd_rep_is_tested(r->ds, r->a, m, v))
				rows[(*n)++] = (struct row){
					m, v, isnan(p) ? 2 : p };
		}
	}
	if (rows)
		qsort(rows, *n, sizeof(*rows), by_p);
	return rows;
}

/* @level: 0 all columns, 1 without the baseline's mean, 2 without p either */
static void fill_rows(const struct kd_rep *r, const struct row *rows, size_t n,
		      size_t name_max, int level, struct kd_table *t)
{
	struct kd_buf b = { 0 }, name = { 0 };
	bool many = r->ds->n_variants > 2;

	kd_table_cell(t, "");
	t->columns = 1;
	if (many) {
		kd_table_cell(t, "variant");
		t->left |= 1u << t->columns++;
	}
	if (level < 1) {
		kd_table_cell(t, "baseline");
		t->columns++;
	}
	kd_table_cell(t, "mean");
	kd_table_cell(t, "change");
	t->columns += 2;
	if (level < 2) {
		kd_table_cell(t, "adj. p");
		t->columns++;
	}
	kd_table_cell(t, "verdict");
	t->left |= 1u << t->columns++;
	for (size_t i = 0; i < n; i++) {
		const struct kd_measure *m = &r->ds->measures[rows[i].measure];
		const struct kd_measure_result *res =
			&r->a->measures[rows[i].measure];
		const struct kd_comparison *c =
			&res->comparisons[rows[i].variant];
		int places = kd_rep_decimals(r->ds, r->a, rows[i].measure);

		kd_buf_reset(&name);
		kd_rep_measure(&name, m);
		kd_buf_printf(&name, "%s%s", m->unit[0] ? ", " : "", m->unit);
		kd_rep_fit(&b, kd_buf_str(&name), name_max);
		cell(t, &b);
		if (many) {
			kd_rep_fit(&b, r->ds->variants[rows[i].variant],
				   name_max / 2 + 2);
			cell(t, &b);
		}
		if (level < 1) {
			kd_rep_value(&b, res->summaries[r->ds->baseline].mean,
				     places);
			cell(t, &b);
		}
		kd_rep_value(&b, res->summaries[rows[i].variant].mean, places);
		cell(t, &b);
		kd_rep_change(&b, c, c->change, "");
		cell(t, &b);
		if (level < 2) {
			kd_rep_p(&b, c->p_adj);
			cell(t, &b);
		}
		kd_table_cell(t, kd_verdict_name(c->verdict));
	}
	kd_buf_fini(&b);
	kd_buf_fini(&name);
}

static int print_rows(const struct kd_rep *r, const struct row *rows, size_t n)
{
	size_t name_max = r->width * 2 / 5;
	int level = 0, err;

	for (;;) {
		struct kd_table t = { 0 };

		fill_rows(r, rows, n, name_max, level, &t);
		if (kd_table_width(&t, INDENT) <= r->width ||
		    (level == 2 && name_max <= NAME_MIN)) {
			err = t.err;
			if (!err)
				kd_table_print(r->out, &t, INDENT, r->colour);
			kd_table_fini(&t);
			return err;
		}
		kd_table_fini(&t);
		if (name_max > r->width / 4 || (level == 2 &&
						name_max > NAME_MIN))
			name_max--;
		else
			level++;
	}
}

int kd_rep_exploratory(const struct kd_rep *r)
{
	struct kd_buf b = { 0 };
	size_t n, shown;
	struct row *rows = list_rows(r, &n);
	int err = 0;

	if (!rows)
		return -ENOMEM;
	shown = r->verbose || n <= EXPLORATORY_MAX ? n : EXPLORATORY_MAX;
	if (n) {
		kd_buf_printf(&b, "Exploratory: %zu comparisons outside of the plan, corrected among themselves; hints for the next experiment, not results. The surest first.",
			      n);
		fputc('\n', r->out);
		kd_rep_wrap(r->out, kd_buf_str(&b), (int)r->width, "", "");
		err = print_rows(r, rows, shown);
	}
	if (n > shown)
		fprintf(r->out, "  and %zu more: --verbose\n", n - shown);
	kd_buf_fini(&b);
	free(rows);
	return err;
}

/* append "better in A (+3 %), B (+4 %) and 2 more"; true where there was one */
static bool add_verdict(struct kd_buf *out, const struct kd_dataset *ds,
			const struct kd_analysis *a, size_t variant,
			enum kd_verdict verdict, bool first)
{
	size_t n = 0;

	for (size_t i = 0; i < ds->n_measures; i++) {
		const struct kd_comparison *c =
			&a->measures[i].comparisons[variant];

		if (!kd_rep_is_shown(ds, i) || c->verdict != verdict ||
		    !kd_rep_is_tested(ds, a, i, variant))
			continue;
		if (n++ >= 4)
			continue;
		kd_buf_printf(out, "%s%s", n > 1 ? ", " : first ? "" : "; ",
			      n > 1 ? "" : verdict == KD_VERDICT_NONE ?
			      "no test possible" : kd_verdict_name(verdict));
		kd_buf_puts(out, n > 1 ? "" : " in ");
		kd_rep_measure(out, &ds->measures[i]);
		kd_buf_puts(out, " (");
		kd_rep_change(out, c, c->change, ds->measures[i].unit);
		kd_buf_puts(out, ")");
	}
	if (n > 4)
		kd_buf_printf(out, " and %zu more", n - 4);
	return n > 0;
}

void kd_rep_sentence(struct kd_buf *out, const struct kd_dataset *ds,
		     const struct kd_analysis *a, size_t variant)
{
	static const enum kd_verdict order[] = {
		KD_VERDICT_WORSE, KD_VERDICT_BETTER, KD_VERDICT_CHANGED,
		KD_VERDICT_SAME, KD_VERDICT_UNCLEAR, KD_VERDICT_NONE,
	};
	bool any = false;

	kd_rep_fit(out, ds->variants[variant], 40);
	kd_buf_puts(out, " against ");
	kd_rep_fit(out, ds->variants[ds->baseline], 40);
	kd_buf_puts(out, ": ");
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		any |= add_verdict(out, ds, a, variant, order[i], !any);
	kd_buf_puts(out, any ? "." : "nothing to compare.");
}
