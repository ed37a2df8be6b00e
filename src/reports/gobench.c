// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Go's benchmark format, for benchstat: a line per sample. The metric stands in
 * the name, for two metrics of a run may have one unit; variants are told apart
 * by "benchstat -col /variant". The "-1" at a name's end keeps a number at the
 * end of a variant's name from being taken for GOMAXPROCS.
 */
#include "reports/csv_field.h"
#include "reports/report.h"
#include "reports/words.h"

#include "base/buf.h"
#include "stats/dataset.h"

#include <math.h>
#include <string.h>

/* what may not stand in a name or unit: blanks, and what is not printable */
static void add_word(struct kd_buf *b, const char *s)
{
	kd_rep_id(b, s, "._+-%=,:@()[]*/^");
}

static void write_units(FILE *out, const struct kd_dataset *ds)
{
	struct kd_buf b = { 0 };

	for (size_t i = 0; i < ds->n_measures; i++) {
		const struct kd_measure *m = &ds->measures[i];
		bool seen = m->better == KD_BETTER_NONE;

		/* a unit has one good side in this format: the first wins */
		for (size_t k = 0; !seen && k < i; k++)
			seen = !strcmp(ds->measures[k].unit, m->unit) &&
			       ds->measures[k].better != KD_BETTER_NONE;
		if (seen)
			continue;
		kd_buf_reset(&b);
		add_word(&b, m->unit[0] ? m->unit : "count");
		fprintf(out, "Unit %s better=%s\n", kd_buf_str(&b),
			kd_better_name(m->better));
	}
	kd_buf_fini(&b);
}

static void write_sample(FILE *out, const struct kd_dataset *ds,
			 const struct kd_measure *m, const struct kd_sample *s)
{
	struct kd_buf b = { 0 };
	char number[32];

	if (!isfinite(s->value))
		return;
	kd_buf_puts(&b, "Benchmark_");
	add_word(&b, m->workload[0] ? m->workload : "log");
	kd_buf_puts(&b, "/metric=");
	add_word(&b, m->metric);
	kd_buf_puts(&b, "/variant=");
	add_word(&b, ds->variants[s->variant]);
	kd_buf_printf(&b, "-1 1 %s ", kd_csv_number(number, s->value));
	add_word(&b, m->unit[0] ? m->unit : "count");
	fprintf(out, "%s\n", kd_buf_str(&b));
	kd_buf_fini(&b);
}

static int write_gobench(FILE *out, const struct kd_dataset *ds,
			 const struct kd_analysis *a,
			 const struct kd_report_info *info,
			 const struct kd_report_style *style,
			 struct kd_diag *d)
{
	struct kd_buf b = { 0 };

	kd_rep_name(&b, ds->title ? ds->title : "");
	fprintf(out, "experiment: %s\n", kd_buf_str(&b));
	kd_buf_reset(&b);
	if (info->kernel) {
		kd_rep_name(&b, info->kernel);
		fprintf(out, "kernel: %s\n", kd_buf_str(&b));
	}
	kd_buf_fini(&b);
	write_units(out, ds);
	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t k = 0; k < ds->measures[i].n_samples; k++)
			write_sample(out, ds, &ds->measures[i],
				     &ds->measures[i].samples[k]);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_gobench_ops = {
	.name = "gobench",
	.summary = "Go's benchmark lines, for benchstat",
	.write = write_gobench,
};
