// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every sample as a row (RFC 4180), for a spreadsheet or R. Figures have all
 * their digits.
 */
#include "reports/csv_field.h"
#include "reports/report.h"
#include "reports/words.h"

#include "stats/dataset.h"

static void write_sample(FILE *out, const struct kd_dataset *ds,
			 const struct kd_measure *m, const struct kd_sample *s)
{
	char number[32];

	kd_csv_field(out, m->workload);
	fputc(',', out);
	kd_csv_field(out, m->metric);
	fputc(',', out);
	kd_csv_field(out, m->unit);
	fprintf(out, ",%s,%s,", kd_better_name(m->better),
		m->primary ? "yes" : "no");
	kd_csv_field(out, ds->variants[s->variant]);
	/* people count from 1; an unpaired sample has no round */
	if (s->round >= 0)
		fprintf(out, ",%d", s->round + 1);
	else
		fputc(',', out);
	fprintf(out, ",%d,%s\n", s->seq, kd_csv_number(number, s->value));
}

static int write_csv(FILE *out, const struct kd_dataset *ds,
		     const struct kd_analysis *a,
		     const struct kd_report_info *info,
		     const struct kd_report_style *style, struct kd_diag *d)
{
	fputs("workload,metric,unit,better,primary,variant,round,seq,value\n",
	      out);
	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t k = 0; k < ds->measures[i].n_samples; k++)
			write_sample(out, ds, &ds->measures[i],
				     &ds->measures[i].samples[k]);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_csv_ops = {
	.name = "csv",
	.summary = "every sample as a row",
	.write = write_csv,
};
