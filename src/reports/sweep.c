// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a sweep says as a whole. See sweep.h.
 */
#include "reports/sweep.h"

#include "base/buf.h"
#include "base/str.h"
#include "reports/blocks.h"
#include "reports/words.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 6
#define NAME_COLUMNS 40

/* what a measure is traded for */
static const char *const costs[] = { "cpu.busy", "power.mean" };

static size_t find_cost(const struct kd_dataset *ds, size_t measure,
			const char *name)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		if (i != measure && !strcmp(ds->measures[i].metric, name) &&
		    !strcmp(ds->measures[i].workload,
			    ds->measures[measure].workload) &&
		    ds->measures[i].better != KD_BETTER_NONE)
			return i;
	return KD_SWEEP_NONE;
}

static int add_best(struct kd_rep_sweep *s, const struct kd_dataset *ds,
		    const struct kd_analysis *a, size_t measure,
		    struct kd_diag *d)
{
	struct kd_rep_best *b = &s->best[s->n_best];
	int r = kd_sweep_best(ds, measure, a->plan.alpha, &b->sweep, d);

	if (r)
		return r;
	s->n_best++;
	b->measure = measure;
	b->knees = calloc(ds->n_factors, sizeof(*b->knees));
	if (!b->knees)
		return kd_fail(d, -ENOMEM, "out of memory");
	for (size_t f = 0; f < ds->n_factors; f++)
		b->knees[f] = kd_sweep_knee(ds, &b->sweep, measure, f);
	return 0;
}

static int add_fronts(struct kd_rep_sweep *s, const struct kd_dataset *ds,
		      size_t measure, struct kd_diag *d)
{
	int r = 0;

	for (size_t i = 0; !r && i < KD_ARRAY_SIZE(costs); i++) {
		struct kd_rep_front *f = &s->fronts[s->n_fronts];

		f->measures[0] = measure;
		f->measures[1] = find_cost(ds, measure, costs[i]);
		if (f->measures[1] == KD_SWEEP_NONE)
			continue;
		s->n_fronts++;
		f->in = calloc(ds->n_variants, sizeof(*f->in));
		r = f->in ? kd_sweep_pareto(ds, f->measures, 2, f->in, d) :
			    kd_fail(d, -ENOMEM, "out of memory");
	}
	return r;
}

int kd_rep_sweep_init(struct kd_rep_sweep *s, const struct kd_dataset *ds,
		      const struct kd_analysis *a, struct kd_diag *d)
{
	int r = 0;

	memset(s, 0, sizeof(*s));
	if (!ds->n_factors || !ds->levels || ds->n_variants < 3)
		return 0;
	s->best = calloc(KD_REP_SWEEP_MAX, sizeof(*s->best));
	s->fronts = calloc(KD_REP_SWEEP_MAX * KD_ARRAY_SIZE(costs),
			   sizeof(*s->fronts));
	if (!s->best || !s->fronts)
		return kd_fail(d, -ENOMEM, "out of memory");
	for (size_t i = 0; !r && i < ds->n_measures; i++) {
		if (!kd_rep_is_shown(ds, i) ||
		    ds->measures[i].better == KD_BETTER_NONE)
			continue;
		if (s->n_best == KD_REP_SWEEP_MAX)
			break;
		r = add_best(s, ds, a, i, d);
		if (!r)
			r = add_fronts(s, ds, i, d);
	}
	return r;
}

void kd_rep_sweep_fini(struct kd_rep_sweep *s)
{
	for (size_t i = 0; i < s->n_best; i++) {
		kd_sweep_fini(&s->best[i].sweep);
		free(s->best[i].knees);
	}
	for (size_t i = 0; i < s->n_fronts; i++)
		free(s->fronts[i].in);
	free(s->best);
	free(s->fronts);
	memset(s, 0, sizeof(*s));
}

/* append "a, b and 3 more": those of @in, but not @but */
static void add_names(struct kd_buf *b, const struct kd_dataset *ds,
		      const bool *in, size_t but)
{
	size_t n = 0;

	for (size_t v = 0; v < ds->n_variants; v++) {
		if (!in[v] || v == but || n++ >= NAMES_MAX)
			continue;
		kd_buf_puts(b, n > 1 ? ", " : "");
		kd_rep_fit(b, ds->variants[v], NAME_COLUMNS);
	}
	if (n > NAMES_MAX)
		kd_buf_printf(b, " and %zu more", n - NAMES_MAX);
}

static size_t count(const struct kd_dataset *ds, const bool *in)
{
	size_t n = 0;

	for (size_t v = 0; v < ds->n_variants; v++)
		n += in[v];
	return n;
}

static void add_best_sentence(struct kd_buf *b, const struct kd_rep_best *best,
			      const struct kd_dataset *ds,
			      const struct kd_analysis *a)
{
	const struct kd_measure *m = &ds->measures[best->measure];
	const struct kd_sweep *s = &best->sweep;

	kd_buf_puts(b, "Best ");
	kd_rep_measure(b, m);
	kd_buf_puts(b, ": ");
	kd_rep_fit(b, ds->variants[s->best], NAME_COLUMNS);
	kd_buf_puts(b, ", ");
	kd_rep_value(b, s->mean[s->best],
		     kd_rep_decimals(ds, a, best->measure));
	kd_buf_printf(b, "%s%s; ", m->unit[0] ? " " : "", m->unit);
	if (count(ds, s->in_best) == 1) {
		kd_buf_puts(b, "each other one is shown to be worse.");
	} else {
		kd_buf_puts(b, "not shown to be worse: ");
		add_names(b, ds, s->in_best, s->best);
		kd_buf_puts(b, ".");
	}
}

static void add_knee(struct kd_buf *b, const struct kd_rep_best *best,
		     const struct kd_dataset *ds, size_t factor)
{
	kd_buf_puts(b, "Knee of ");
	kd_rep_fit(b, ds->factors[factor], NAME_COLUMNS);
	kd_buf_puts(b, " in ");
	kd_rep_measure(b, &ds->measures[best->measure]);
	kd_buf_puts(b, ": ");
	kd_rep_fit(b, ds->levels[best->knees[factor] * ds->n_factors + factor],
		   NAME_COLUMNS);
	kd_buf_puts(b, "; beyond it more of it stops to pay");
	kd_buf_puts(b, ds->n_factors > 1 ? " (the rest as in the best)." : ".");
}

void kd_rep_sweep_best(const struct kd_rep_sweep *s,
		       const struct kd_dataset *ds, const struct kd_analysis *a,
		       kd_rep_say *say, void *arg)
{
	struct kd_buf b = { 0 };

	for (size_t i = 0; i < s->n_best; i++) {
		const struct kd_rep_best *best = &s->best[i];

		if (best->sweep.best == KD_SWEEP_NONE)
			continue;
		kd_buf_reset(&b);
		add_best_sentence(&b, best, ds, a);
		say(arg, kd_buf_str(&b));
		for (size_t f = 0; f < ds->n_factors; f++) {
			if (best->knees[f] == KD_SWEEP_NONE)
				continue;
			kd_buf_reset(&b);
			add_knee(&b, best, ds, f);
			say(arg, kd_buf_str(&b));
		}
	}
	kd_buf_fini(&b);
}

void kd_rep_sweep_fronts(const struct kd_rep_sweep *s,
			 const struct kd_dataset *ds, kd_rep_say *say,
			 void *arg)
{
	struct kd_buf b = { 0 };

	for (size_t i = 0; i < s->n_fronts; i++) {
		const struct kd_rep_front *f = &s->fronts[i];

		if (!count(ds, f->in))
			continue;
		kd_buf_reset(&b);
		kd_buf_puts(&b, "Trade-offs of ");
		kd_rep_measure(&b, &ds->measures[f->measures[0]]);
		kd_buf_printf(&b, " and %s that none beats in both, by the means: ",
			      ds->measures[f->measures[1]].metric);
		add_names(&b, ds, f->in, KD_SWEEP_NONE);
		kd_buf_puts(&b, ".");
		say(arg, kd_buf_str(&b));
	}
	kd_buf_fini(&b);
}
