// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Energy per payload. See energy.h.
 */
#include "reports/energy.h"

#include "base/buf.h"
#include "base/str.h"
#include "reports/words.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 30

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

static bool is_energy(const struct kd_measure *m)
{
	return !strcmp(m->metric, "power.energy");
}

/* what the receiver counted of the workload's payload */
static bool is_payload(const struct kd_measure *m)
{
	return !strcmp(m->unit, "B") &&
	       !kd_str_has_prefix(m->metric, "peer.") &&
	       !kd_str_has_prefix(m->metric, "link.") &&
	       !ends_with(m->metric, "sent-bytes") &&
	       (ends_with(m->metric, "-bytes") ||
		ends_with(m->metric, ".bytes"));
}

bool kd_rep_has_energy(const struct kd_dataset *ds, const char *workload)
{
	bool energy = false, payload = false;

	for (size_t i = 0; i < ds->n_measures; i++) {
		if (strcmp(ds->measures[i].workload, workload))
			continue;
		energy |= is_energy(&ds->measures[i]);
		payload |= is_payload(&ds->measures[i]);
	}
	return energy && payload;
}

/* add to @sum what @m has for the runs in @seq; all are in the order of time */
static void add_up(const struct kd_measure *m, size_t variant, const int *seq,
		   size_t n, double *sum)
{
	size_t k = 0;

	for (size_t i = 0; i < m->n_samples && k < n; i++) {
		const struct kd_sample *s = &m->samples[i];

		if ((size_t)s->variant != variant)
			continue;
		while (k < n && seq[k] < s->seq)
			k++;
		if (k < n && seq[k] == s->seq)
			sum[k] += s->value;
	}
}

struct rows {
	int *seq;
	double *joule, *gb;
	size_t n;
};

static int take_rows(const struct kd_dataset *ds, const char *workload,
		     size_t variant, struct rows *r)
{
	const struct kd_measure *energy = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ds->n_measures; i++)
		if (!strcmp(ds->measures[i].workload, workload) &&
		    is_energy(&ds->measures[i]))
			energy = &ds->measures[i];
	if (!energy)
		return -ENODATA;
	r->seq = calloc(energy->n_samples + 1, sizeof(*r->seq));
	r->joule = calloc(energy->n_samples + 1, sizeof(*r->joule));
	r->gb = calloc(energy->n_samples + 1, sizeof(*r->gb));
	if (!r->seq || !r->joule || !r->gb)
		return -ENOMEM;
	for (size_t i = 0; i < energy->n_samples; i++) {
		if ((size_t)energy->samples[i].variant != variant)
			continue;
		r->seq[n] = energy->samples[i].seq;
		r->joule[n++] = energy->samples[i].value;
	}
	for (size_t i = 0; i < ds->n_measures; i++)
		if (!strcmp(ds->measures[i].workload, workload) &&
		    is_payload(&ds->measures[i]))
			add_up(&ds->measures[i], variant, r->seq, n, r->gb);
	for (size_t i = 0; i < n; i++) {
		if (!(r->gb[i] > 0) || !isfinite(r->joule[i]))
			continue;
		r->gb[r->n] = r->gb[i] / 1e9;
		r->joule[r->n++] = r->joule[i];
	}
	return r->n ? 0 : -ENODATA;
}

int kd_rep_energy(const struct kd_dataset *ds, const struct kd_analysis *a,
		  const char *workload, size_t variant,
		  struct kd_rep_energy *out)
{
	struct rows rows = { 0 };
	double joule = 0, gb = 0;
	int r = take_rows(ds, workload, variant, &rows);

	if (!r) {
		*out = (struct kd_rep_energy){ .variant = variant,
					       .n = rows.n };
		r = kd_boot_ratio(rows.gb, rows.joule, rows.n, a->plan.alpha,
				  a->plan.seed + variant, &out->gb);
		for (size_t i = 0; i < rows.n; i++) {
			joule += rows.joule[i];
			gb += rows.gb[i];
		}
		if (r && r != -ENOMEM) {
			out->gb = (struct kd_boot){ .lo = NAN, .hi = NAN };
			r = 0;
		}
		out->gb.est = joule / gb;
	}
	free(rows.seq);
	free(rows.joule);
	free(rows.gb);
	return r;
}

static void add_variant(struct kd_buf *b, const struct kd_dataset *ds,
			const struct kd_rep_energy *e, bool first)
{
	int places = e->gb.est > 0 ? 2 - (int)floor(log10(e->gb.est)) : 2;

	places = places < 0 ? 0 : places > 9 ? 9 : places;
	kd_buf_puts(b, first ? "" : ", ");
	kd_rep_fit(b, ds->variants[e->variant], NAME_COLUMNS);
	kd_buf_printf(b, " %.*f", places, e->gb.est);
	if (isfinite(e->gb.lo) && isfinite(e->gb.hi))
		kd_buf_printf(b, " [%.*f..%.*f]", places, e->gb.lo, places,
			      e->gb.hi);
}

int kd_rep_energy_words(const struct kd_dataset *ds,
			const struct kd_analysis *a,
			void (*say)(void *arg, const char *sentence),
			void *arg)
{
	struct kd_buf b = { 0 };
	int r = 0;

	for (size_t i = 0; !r && i < ds->n_measures; i++) {
		const char *workload = ds->measures[i].workload;
		bool any = false;

		if (!is_energy(&ds->measures[i]) ||
		    !kd_rep_has_energy(ds, workload))
			continue;
		kd_buf_reset(&b);
		kd_buf_puts(&b, "Energy in ");
		kd_rep_fit(&b, workload, NAME_COLUMNS);
		kd_buf_printf(&b, ", J/GB [%.4g %% interval]: ",
			      100 * (1 - a->plan.alpha));
		for (size_t v = 0; !r && v < ds->n_variants; v++) {
			struct kd_rep_energy e;

			r = kd_rep_energy(ds, a, workload, v, &e);
			if (!r) {
				add_variant(&b, ds, &e, !any);
				any = true;
			}
			r = r == -ENODATA ? 0 : r;
		}
		kd_buf_puts(&b, ".");
		if (!r && any)
			say(arg, kd_buf_str(&b));
	}
	kd_buf_fini(&b);
	return r;
}
