// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of a dataset is compared, with what, and how. See select.h.
 */
#include "cli/select.h"

#include "base/str.h"
#include "stats/dataset.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool matches(const char *patterns, const struct kd_measure *m)
{
	while (*patterns) {
		size_t n = strcspn(patterns, "\n");
		char text[256], whole[400];

		snprintf(text, sizeof(text), "%.*s", (int)n, patterns);
		snprintf(whole, sizeof(whole), "%s %s", m->workload, m->metric);
		if (!fnmatch(text, m->metric, 0) ||
		    !fnmatch(text, m->workload, 0) || !fnmatch(text, whole, 0))
			return true;
		patterns += n + (patterns[n] == '\n');
	}
	return false;
}

int kd_select_metrics(struct kd_dataset *ds, const char *patterns,
		      struct kd_diag *d)
{
	char names[280] = "";
	size_t kept = 0, len = 0;

	if (!patterns)
		return 0;
	for (size_t i = 0; i < ds->n_measures; i++)
		kept += matches(patterns, &ds->measures[i]);
	if (!kept) {
		for (size_t i = 0; i < ds->n_measures && len < 200; i++)
			len += (size_t)snprintf(names + len,
				sizeof(names) - len, "%s%.30s%s%.30s",
				len ? ", " : "", ds->measures[i].workload,
				*ds->measures[i].workload ? " " : "",
				ds->measures[i].metric);
		kd_fail(d, -EINVAL, "no metric matches \"%.80s\"", patterns);
		kd_diag_hint(d, "there are: %s", names);
		return -EINVAL;
	}
	kept = 0;
	for (size_t i = 0; i < ds->n_measures; i++) {
		struct kd_measure x = ds->measures[i];

		if (matches(patterns, &x)) {
			x.primary = true;
			ds->measures[kept++] = x;
			continue;
		}
		free(x.workload);
		free(x.metric);
		free(x.unit);
		free(x.samples);
	}
	ds->n_measures = kept;
	return 0;
}

int kd_select_baseline(struct kd_dataset *ds, const char *name,
		       struct kd_diag *d)
{
	const char *near;

	if (!name)
		return 0;
	for (size_t i = 0; i < ds->n_variants; i++) {
		if (!strcmp(ds->variants[i], name)) {
			ds->baseline = i;
			return 0;
		}
	}
	near = kd_str_nearest(name, ds->variants, ds->n_variants,
			      sizeof(*ds->variants));
	kd_fail(d, -EINVAL, "there is no variant \"%.80s\"", name);
	if (near)
		kd_diag_hint(d, "did you mean \"%s\"?", near);
	else
		kd_diag_hint(d, "the first one is \"%s\"", ds->variants[0]);
	return -EINVAL;
}

int kd_select_pairs(struct kd_dataset *ds, struct kd_diag *d)
{
	int *next = calloc(ds->n_variants + 1, sizeof(*next));

	if (!next)
		return kd_fail(d, -ENOMEM, "out of memory");
	for (size_t m = 0; m < ds->n_measures; m++) {
		struct kd_measure *x = &ds->measures[m];
		int most = 0;

		memset(next, 0, ds->n_variants * sizeof(*next));
		for (size_t i = 0; i < x->n_samples; i++) {
			x->samples[i].round = next[x->samples[i].variant]++;
			if (next[x->samples[i].variant] > most)
				most = next[x->samples[i].variant];
		}
		for (size_t v = 0; v < ds->n_variants; v++) {
			if (!next[v] || next[v] == most)
				continue;
			kd_fail(d, -EINVAL,
				"--paired needs as many values of each variant; \"%s\" has %d of %s%s%s where another has %d",
				ds->variants[v], next[v], x->workload,
				*x->workload ? " " : "", x->metric, most);
			free(next);
			return -EINVAL;
		}
	}
	free(next);
	return 0;
}
