// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a command printed, read by the log formats. See output.h.
 */
#include "run/output.h"

#include "base/buf.h"
#include "experiment/experiment.h"
#include "imports/import.h"
#include "run/record.h"
#include "stats/dataset.h"
#include "store/store.h"

#include <string.h>

static const char *find_text(const struct kd_store_run *run)
{
	for (size_t i = 0; i < run->n_events; i++)
		if (!strcmp(run->events[i].kind, "output"))
			return run->events[i].text;
	return NULL;
}

/* "WORKLOAD/VARIANT" as far as the log has the metric for several, or "" */
static void name_group(const struct kd_dataset *ds, const struct kd_measure *m,
		       size_t variant, struct kd_buf *out)
{
	size_t same = 0;

	for (size_t i = 0; i < ds->n_measures; i++)
		same += !strcmp(ds->measures[i].metric, m->metric);
	if (same > 1)
		kd_buf_puts(out, m->workload);
	if (ds->n_variants > 1)
		kd_buf_printf(out, "%s%s", out->len ? "/" : "",
			      ds->variants[variant]);
}

static int add_figure(struct kd_record *rec, const struct kd_dataset *ds,
		      const struct kd_measure *m, size_t variant)
{
	struct kd_buf name = { 0 }, group = { 0 };
	struct kd_metric_desc desc = { .unit = m->unit, .better = m->better };
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->n_samples; i++)
		if (m->samples[i].variant == (int)variant) {
			sum += m->samples[i].value;
			n++;
		}
	if (!n)
		return 0;
	kd_buf_printf(&name, "exec.%s", m->metric);
	name_group(ds, m, variant, &group);
	desc.name = kd_buf_str(&name);
	rec->from = KD_FROM_DEVICE;
	rec->sink.metric(&rec->sink, &desc,
			 group.len ? kd_buf_str(&group) : NULL,
			 sum / (double)n);
	if (name.err || group.err)
		rec->err = -ENOMEM;
	kd_buf_fini(&name);
	kd_buf_fini(&group);
	return 1;
}

int kd_output_check(const struct kd_experiment *exp, struct kd_diag *d)
{
	for (size_t v = 0; v < exp->n_variants; v++)
		for (size_t w = 0; w < exp->n_workloads; w++) {
			const struct kd_exp_pair *pair;
			struct kd_buf names = { 0 };

			pair = kd_experiment_option(exp, v, w, "parse");
			if (!pair || kd_import_find(pair->value))
				continue;
			kd_fail_at(d, -EINVAL, exp->file_name, pair->line,
				   pair->column,
				   "workload %s: there is no log format \"%.60s\"",
				   exp->workloads[w].name, pair->value);
			for (size_t i = 0; kd_import_table[i]; i++)
				kd_buf_printf(&names, "%s%s", i ? ", " : "",
					      kd_import_table[i]->name);
			kd_diag_hint(d, "known are: %s", kd_buf_str(&names));
			kd_buf_fini(&names);
			return -EINVAL;
		}
	return 0;
}

int kd_output_read(struct kd_store_run *run, const char *format,
		   struct kd_diag *d)
{
	const char *text = find_text(run);
	struct kd_import_file file = {
		.name = "the command's output",
		.label = "output",
		.data = text ? text : "",
		.len = text ? strlen(text) : 0,
	};
	struct kd_dataset ds = { 0 };
	struct kd_record rec;
	int found = 0;
	int r = kd_import_read(&file, format, &ds, d);

	kd_record_init(&rec, run);
	for (size_t i = 0; !r && i < ds.n_measures; i++)
		for (size_t v = 0; v < ds.n_variants; v++)
			found += add_figure(&rec, &ds, &ds.measures[i], v);
	kd_dataset_fini(&ds);
	if (r)
		return r;
	if (rec.err)
		return kd_fail(d, rec.err, "out of memory");
	return found ? 0 : kd_fail(d, -ENODATA,
				   "the command's output holds no figure of format \"%s\"",
				   format);
}
