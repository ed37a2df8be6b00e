// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LAVA: the signals that lava-test-case prints, one per variant and primary
 * measure, with the mean as measurement. Ids and units hold neither blanks nor
 * slashes, for the parser splits at these.
 */
#include "reports/blocks.h"
#include "reports/report.h"
#include "reports/words.h"

#include "base/buf.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *result_of(enum kd_verdict v)
{
	switch (v) {
	case KD_VERDICT_WORSE:
		return "fail";
	case KD_VERDICT_BETTER:
	case KD_VERDICT_SAME:
		return "pass";
	default:
		return "unknown";
	}
}

static void add_unit(struct kd_buf *b, const char *unit)
{
	for (; *unit; unit++) {
		const char one[] = { *unit, '\0' };

		if (*unit == '/')
			kd_buf_puts(b, "_per_");
		else if (*unit == '%')
			kd_buf_puts(b, "percent");
		else
			kd_rep_id(b, one, "");
	}
}

/* two names may become one id: the measure's number tells them apart */
static void write_case(FILE *out, const struct kd_dataset *ds,
		       const struct kd_analysis *a, size_t i, size_t v)
{
	const struct kd_measure *m = &ds->measures[i];
	const struct kd_summary *s = &a->measures[i].summaries[v];
	struct kd_buf id = { 0 }, unit = { 0 };

	kd_buf_printf(&id, "%zu-%zu-", i + 1, v + 1);
	if (m->workload[0]) {
		kd_rep_id(&id, m->workload, "._+-");
		kd_buf_puts(&id, "-");
	}
	kd_rep_id(&id, m->metric, "._+-");
	kd_buf_puts(&id, "-");
	kd_rep_id(&id, ds->variants[v], "._+-");
	add_unit(&unit, m->unit);
	fprintf(out, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s RESULT=%s",
		kd_buf_str(&id), !kd_rep_is_tested(ds, a, i, v) ? "pass" :
		result_of(a->measures[i].comparisons[v].verdict));
	if (isfinite(s->mean)) {
		struct kd_buf mean = { 0 };

		/* a decimal, never 1e-09 */
		kd_buf_printf(&mean, "%.*f", fabs(s->mean) >= 1e15 ? 0 :
			      kd_rep_decimals(ds, a, i), s->mean);
		fprintf(out, "%s%s MEASUREMENT=%s", unit.len ? " UNITS=" : "",
			kd_buf_str(&unit), kd_buf_str(&mean));
		kd_buf_fini(&mean);
	}
	fputs(">\n", out);
	kd_buf_fini(&id);
	kd_buf_fini(&unit);
}

static int write_lava(FILE *out, const struct kd_dataset *ds,
		      const struct kd_analysis *a,
		      const struct kd_report_info *info,
		      const struct kd_report_style *style, struct kd_diag *d)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		for (size_t v = 0; v < ds->n_variants; v++)
			if (kd_rep_is_shown(ds, i) && kd_rep_n(a, i, v))
				write_case(out, ds, a, i, v);
	return kd_rep_done(out, d);
}

const struct kd_report_ops kd_report_lava_ops = {
	.name = "lava",
	.summary = "signals of lava-test-case with measurements",
	.write = write_lava,
};
