/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_STAT_H
#define KD_IMPORTS_STAT_H

#include <stdbool.h>
#include <stddef.h>

/* The figures that logs carry beside their values. They are recomputed to see
 * whether they agree, and never counted as values. */
enum kd_stat {
	KD_STAT_MIN,
	KD_STAT_MAX,
	KD_STAT_MEAN,
	KD_STAT_MEDIAN,
	KD_STAT_SD,
	KD_STAT_COUNT,
	KD_STAT_SUM,
	KD_STAT_OTHER,		/* derived, but not recomputed */
	KD_STAT_NONE,
};
#define KD_STAT_CHECKED KD_STAT_OTHER

/** kd_stat_find() - "Stddev" is KD_STAT_SD; KD_STAT_NONE for other words */
enum kd_stat kd_stat_find(const char *name);

/** kd_stat_name() - "Min", "Stddev" */
const char *kd_stat_name(enum kd_stat stat);

/** kd_stat_compute() - all of them; @values is sorted in place
 * @out: KD_STAT_CHECKED figures; the sd is the sample's, 0 for one value */
void kd_stat_compute(double *values, size_t n, double *out);

/** kd_stat_agrees() - is @printed what rounding @exact to its places gives */
bool kd_stat_agrees(const char *printed, double exact);

#endif
