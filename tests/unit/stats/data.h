/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TEST_STATS_DATA_H
#define KD_TEST_STATS_DATA_H

#include "stats/dataset.h"

/* datasets for tests: one call a variant */

static inline struct kd_measure *data_measure(struct kd_dataset *ds,
					      const char *metric)
{
	return kd_dataset_measure(ds, "", metric, "u", KD_BETTER_HIGHER);
}

/* @round: of the first value, then counting up; -1 for unpaired */
static inline void data_add(struct kd_dataset *ds, const char *metric,
			    const char *variant, const double *x, size_t n,
			    int round)
{
	int v = kd_dataset_variant(ds, variant);
	struct kd_measure *m = data_measure(ds, metric);

	for (size_t i = 0; i < n; i++)
		kd_measure_add(m, v, round < 0 ? -1 : round + (int)i,
			       (int)m->n_samples, x[i]);
}

#endif
