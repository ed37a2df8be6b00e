/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_DATASET_H
#define KD_STATS_DATASET_H

#include "base/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct kd_sample - one run's figure
 * @variant: index into the dataset's variants
 * @round:   which round it was measured in, from 0; -1: unpaired
 * @seq:     order in time over the whole experiment, from 0 (drift)
 * @value:   in the measure's unit
 */
struct kd_sample {
	int variant;
	int round;
	int seq;
	double value;
};

/**
 * struct kd_measure - one metric of one workload over all variants
 * @workload: name, "" where there is none (log files)
 * @metric:   name
 * @unit:     as printed
 * @better:   which way is good
 * @primary:  belongs to the plan's family of tests
 * @samples:  all variants', in the order of time
 */
struct kd_measure {
	char *workload;
	char *metric;
	char *unit;
	enum kd_better better;
	bool primary;
	struct kd_sample *samples;
	size_t n_samples;
	size_t cap_samples;
};

/**
 * struct kd_dataset - all that a comparison needs, wherever it came from
 * @title:    experiment's name or the file's
 * @variants: names
 * @factors:  for sweeps: @n_factors names; @levels[v * n_factors + f] is the
 *            value of factor f in variant v as text; NULL/0 otherwise
 * @baseline: index of the variant that the others are compared with
 * @n_boots:  per variant, boots or device resets behind its samples; NULL where
 *            a run is the unit of sampling
 * @notes:    sentences for the reader: rows left out, derived rows checked,
 *            failed runs; one per line in the order found
 */
struct kd_dataset {
	char *title;
	char **variants;
	size_t n_variants;
	char **factors;
	size_t n_factors;
	char **levels;
	size_t baseline;
	int *n_boots;
	struct kd_measure *measures;
	size_t n_measures;
	char **notes;
	size_t n_notes;
};

/* Builders; all return 0 or -ENOMEM, and copy their text. */

/** kd_dataset_variant() - index of variant @name, added where new; -ENOMEM */
int kd_dataset_variant(struct kd_dataset *ds, const char *name);

/** kd_dataset_measure() - the measure with these names, added where new; NULL
 * when memory is out. The pointer is good until the next call. */
struct kd_measure *kd_dataset_measure(struct kd_dataset *ds,
				      const char *workload, const char *metric,
				      const char *unit, enum kd_better better);

int kd_measure_add(struct kd_measure *m, int variant, int round, int seq,
		   double value);

int kd_dataset_note(struct kd_dataset *ds, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void kd_dataset_fini(struct kd_dataset *ds);

#endif
