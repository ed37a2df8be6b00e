/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_SELECT_H
#define KD_CLI_SELECT_H

#include "base/diag.h"

struct kd_dataset;

/**
 * kd_select_metrics() - keep the metrics that match, and make them primary
 * @patterns: shell patterns joined by '\n', of a metric, a workload, or both
 *            with a blank between; NULL: keep all as they are
 * Return: 0, or -EINVAL with the metrics that there are.
 */
int kd_select_metrics(struct kd_dataset *ds, const char *patterns,
		      struct kd_diag *d);

/** kd_select_baseline() - by name; NULL: leave it; -EINVAL with the nearest */
int kd_select_baseline(struct kd_dataset *ds, const char *name,
		       struct kd_diag *d);

/** kd_select_pairs() - the n-th value of each variant is of round n; -EINVAL
 * where there are not as many values of each */
int kd_select_pairs(struct kd_dataset *ds, struct kd_diag *d);

#endif
