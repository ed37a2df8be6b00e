/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_STORED_H
#define KD_CLI_STORED_H

#include "base/diag.h"
#include "reports/report.h"
#include "stats/analysis.h"
#include "stats/dataset.h"
#include "store/store.h"

#include <stdio.h>

/**
 * struct kd_stored - an experiment out of the store, analysed
 * @info: for a report; its strings stand in this structure
 */
struct kd_stored {
	struct kd_store_exp exp;
	struct kd_dataset ds;
	struct kd_store_counts counts;
	struct kd_analysis analysis;
	struct kd_report_info info;
	char *method;
	char *kernel;
	char *machine;
	char *date;
	char *id;
	char **knobs;
	char **environment;
};

/** kd_stored_load() - read and analyse; caller frees with kd_stored_fini() */
int kd_stored_load(struct kd_store *store, int64_t exp_id,
		   struct kd_stored *out, struct kd_diag *d);
void kd_stored_fini(struct kd_stored *s);

/**
 * kd_stored_report() - print an experiment's report
 * @format: name of a report format; NULL: "text"
 * @width:  columns; 0: as @out's terminal has
 */
int kd_stored_report(struct kd_store *store, int64_t exp_id,
		     const char *format, int width, bool verbose, FILE *out,
		     struct kd_diag *d);

/** kd_stored_format() - find a report format; NULL with the nearest right word
 * in @d */
const struct kd_report_ops *kd_stored_format(const char *name,
					     struct kd_diag *d);

/** kd_stored_style() - colour where @out is a terminal that wants it */
struct kd_report_style kd_stored_style(FILE *out, int width, bool verbose);

/** kd_stored_date() - wall time as RFC 3339 in UTC; @out has 32 bytes */
const char *kd_stored_date(uint64_t wall_ns, char *out);

/**
 * kd_stored_differences() - what differed in the runs' environments and no knob
 * of the experiment asked for
 * @out: @n sentences, caller's to free()
 */
int kd_stored_differences(struct kd_store *store,
			  const struct kd_store_exp *exp, char ***out,
			  size_t *n, struct kd_diag *d);

#endif
