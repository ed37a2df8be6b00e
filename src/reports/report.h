/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_REPORTS_REPORT_H
#define KD_REPORTS_REPORT_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct kd_analysis;
struct kd_dataset;

/**
 * struct kd_report_info - what a report says of its origin; all may be NULL/0
 * @id:        in the store
 * @method:    "8 rounds, interleaved, random order inside each (seed 7)"
 * @kernel, @machine, @version, @date: of the device, of kdelta, RFC 3339
 * @knobs:     what differed between the variants, one line each
 * @environment: what differed and nobody asked for, one line each
 * @where:     where the results are stored
 * @runs, @failed: counts
 * @file:      experiment file's text
 */
struct kd_report_info {
	const char *id;
	const char *method;
	const char *kernel;
	const char *machine;
	const char *version;
	const char *date;
	char *const *knobs;
	size_t n_knobs;
	char *const *environment;
	size_t n_environment;
	const char *where;
	unsigned int runs;
	unsigned int failed;
	const char *file;
};

struct kd_report_style {
	int width;		/* columns; 0: 80 */
	bool colour;
	bool verbose;		/* exploratory metrics in full */
};

/**
 * struct kd_report_ops - one output format
 * @name:    "text", "commit", ...
 * @summary: one line
 * @write:   the whole report to @out
 */
struct kd_report_ops {
	const char *name;
	const char *summary;
	int (*write)(FILE *out, const struct kd_dataset *ds,
		     const struct kd_analysis *a,
		     const struct kd_report_info *info,
		     const struct kd_report_style *style, struct kd_diag *d);
};

extern const struct kd_report_ops *const kd_report_table[];

const struct kd_report_ops *kd_report_find(const char *name);

#endif
