/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_REPORTS_BLOCKS_H
#define KD_REPORTS_BLOCKS_H

#include "reports/report.h"

struct kd_buf;

/**
 * struct kd_rep - what the parts of a text report share
 * @width: columns, at least 60
 */
struct kd_rep {
	FILE *out;
	const struct kd_dataset *ds;
	const struct kd_analysis *a;
	size_t width;
	bool colour;
	bool verbose;
};

/** kd_rep_block() - one measure in full: figures, decisions, remarks */
int kd_rep_block(const struct kd_rep *r, size_t measure);

/** kd_rep_exploratory() - the measures outside of the plan's family, the
 * surest changes first; the top ones unless verbose */
int kd_rep_exploratory(const struct kd_rep *r);

/** kd_rep_is_shown() - is it a measure for a block of its own: primary ones,
 * or all where the plan names none */
bool kd_rep_is_shown(const struct kd_dataset *ds, size_t measure);

/**
 * kd_rep_sentence() - append what came out for one variant over the measures
 * that kd_rep_is_shown(): "b against a: better in tx rate (+3.1 %); unclear in
 * rx rate"
 */
void kd_rep_sentence(struct kd_buf *out, const struct kd_dataset *ds,
		     const struct kd_analysis *a, size_t variant);

#endif
