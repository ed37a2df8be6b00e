// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One row per variant and measure, the samples side by side, then their
 * summary: "label,values...,Min,Max,Mean,Median,Stddev", with the unit in the
 * heading. A layout that people already send round; one block per unit.
 */
#include "reports/csv_field.h"
#include "reports/report.h"
#include "reports/words.h"

#include "base/buf.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <math.h>
#include <string.h>

/* most samples that a row of this unit has */
static size_t widest(const struct kd_dataset *ds, const struct kd_analysis *a,
		     const char *unit)
{
	size_t n = 1;

	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t v = 0; v < ds->n_variants; v++)
			if (!strcmp(ds->measures[i].unit, unit) &&
			    kd_rep_n(a, i, v) > n)
				n = kd_rep_n(a, i, v);
	return n;
}

static bool is_first_of_unit(const struct kd_dataset *ds, size_t measure)
{
	for (size_t i = 0; i < measure; i++)
		if (!strcmp(ds->measures[i].unit, ds->measures[measure].unit))
			return false;
	return true;
}

static void write_row(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a, size_t measure, size_t v,
		      size_t columns)
{
	const struct kd_measure *m = &ds->measures[measure];
	const struct kd_summary *s = &a->measures[measure].summaries[v];
	const double figures[] = { s->min, s->max, s->mean, s->median,
				   s->n > 1 ? s->sd : NAN };
	struct kd_buf label = { 0 };
	char number[32];
	size_t n = 0;

	if (!s->n)
		return;
	kd_buf_printf(&label, "%s: ", ds->variants[v]);
	kd_rep_measure(&label, m);
	kd_csv_field(out, kd_buf_str(&label));
	kd_buf_fini(&label);
	for (size_t i = 0; i < m->n_samples; i++) {
		if ((size_t)m->samples[i].variant != v)
			continue;
		fprintf(out, ",%s", kd_csv_number(number, m->samples[i].value));
		n++;
	}
	for (; n < columns; n++)
		fputc(',', out);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		snprintf(number, sizeof(number), "%.12g", figures[i]);
		fprintf(out, ",%s", isnan(figures[i]) ? "" : number);
	}
	fputc('\n', out);
}

static int write_summary(FILE *out, const struct kd_dataset *ds,
			 const struct kd_analysis *a,
			 const struct kd_report_info *info,
			 const struct kd_report_style *style, struct kd_diag *d)
{
	bool first = true;

	for (size_t u = 0; u < ds->n_measures; u++) {
		const char *unit = ds->measures[u].unit;
		size_t columns;

		if (!is_first_of_unit(ds, u))
			continue;
		columns = widest(ds, a, unit);
		fputs(first ? "," : "\n,", out);
		first = false;
		kd_csv_field(out, unit);
		for (size_t i = 0; i < columns; i++)
			fputc(',', out);
		fputs("Min,Max,Mean,Median,Stddev\n", out);
		for (size_t v = 0; v < ds->n_variants; v++)
			for (size_t m = u; m < ds->n_measures; m++)
				if (!strcmp(ds->measures[m].unit, unit))
					write_row(out, ds, a, m, v, columns);
	}
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_csv_summary_ops = {
	.name = "csv-summary",
	.summary = "a row per variant: values, Min, Max, Mean, Median, Stddev",
	.write = write_summary,
};
