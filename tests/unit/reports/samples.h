/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TESTS_REPORTS_SAMPLES_H
#define KD_TESTS_REPORTS_SAMPLES_H

#include "reports/report.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

/**
 * struct sample_set - a dataset to report on
 * @name: of its golden files
 * @make: fill it
 */
struct sample_set {
	const char *name;
	void (*make)(struct kd_dataset *ds, struct kd_report_info *info);
};

/* ends with a NULL name */
extern const struct sample_set sample_sets[];

/** sample_report() - a set's report in a format; caller's to free() */
char *sample_report(const struct sample_set *set, const char *format,
		    int width, bool verbose);

#endif
