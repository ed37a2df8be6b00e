// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KTAP version 1: each primary comparison is a test. Worse is "not ok"; what
 * cannot be told is skipped, for it is neither.
 */
#include "reports/blocks.h"
#include "reports/report.h"
#include "reports/words.h"

#include "base/buf.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <stdlib.h>

/* "tx rate: b against a", without the '#' that starts a directive */
static void add_name(struct kd_buf *b, const struct kd_dataset *ds, size_t i,
		     size_t v)
{
	struct kd_buf name = { 0 }, clean = { 0 };

	kd_rep_measure(&name, &ds->measures[i]);
	kd_buf_printf(&name, ": %s against %s", ds->variants[v],
		      ds->variants[ds->baseline]);
	kd_rep_name(&clean, kd_buf_str(&name));
	for (char *p = clean.data; p && *p; p++)
		if (*p == '#')
			*p = '_';
	kd_buf_puts(b, kd_buf_str(&clean));
	kd_buf_fini(&name);
	kd_buf_fini(&clean);
}

static void write_test(FILE *out, const struct kd_dataset *ds,
		       const struct kd_analysis *a, size_t i, size_t v,
		       size_t number)
{
	const struct kd_comparison *c = &a->measures[i].comparisons[v];
	const char *unit = ds->measures[i].unit;
	struct kd_buf b = { 0 }, clean = { 0 };

	kd_buf_puts(&b, kd_verdict_name(c->verdict));
	kd_buf_puts(&b, ": ");
	kd_rep_change(&b, c, c->change, unit);
	kd_buf_puts(&b, ", interval ");
	kd_rep_interval(&b, c, unit);
	kd_buf_puts(&b, ", adjusted p ");
	kd_rep_p(&b, c->p_adj);
	kd_buf_printf(&b, ", n %zu and %zu", kd_rep_n(a, i, ds->baseline),
		      kd_rep_n(a, i, v));
	kd_rep_name(&clean, kd_buf_str(&b));
	fprintf(out, "# %s\n", kd_buf_str(&clean));
	kd_buf_reset(&b);
	add_name(&b, ds, i, v);
	fprintf(out, "%s %zu %s", c->verdict == KD_VERDICT_WORSE ? "not ok" :
		"ok", number, kd_buf_str(&b));
	if (c->verdict == KD_VERDICT_UNCLEAR)
		fputs(" # SKIP unclear", out);
	else if (c->verdict == KD_VERDICT_NONE)
		fputs(" # SKIP no test possible", out);
	fputc('\n', out);
	kd_buf_fini(&b);
	kd_buf_fini(&clean);
}

static int write_ktap(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a,
		      const struct kd_report_info *info,
		      const struct kd_report_style *style, struct kd_diag *d)
{
	size_t n = 0;

	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t v = 0; v < ds->n_variants; v++)
			n += kd_rep_is_shown(ds, i) &&
			     kd_rep_is_tested(ds, a, i, v);
	fputs("KTAP version 1\n", out);
	fprintf(out, n ? "1..%zu\n" : "1..0 # SKIP nothing to compare\n", n);
	n = 0;
	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t v = 0; v < ds->n_variants; v++)
			if (kd_rep_is_shown(ds, i) &&
			    kd_rep_is_tested(ds, a, i, v))
				write_test(out, ds, a, i, v, ++n);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_ktap_ops = {
	.name = "ktap",
	.summary = "primary comparisons as tests, worse is \"not ok\"",
	.write = write_ktap,
};
