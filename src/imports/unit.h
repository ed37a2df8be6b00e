/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_UNIT_H
#define KD_IMPORTS_UNIT_H

#include "base/sink.h"

#include <stdbool.h>

enum kd_dimension {
	KD_DIM_NONE,		/* unknown: never converted */
	KD_DIM_RATE,		/* bit/s */
	KD_DIM_OPS,		/* 1/s */
	KD_DIM_TIME,		/* s */
	KD_DIM_POWER,		/* W */
	KD_DIM_ENERGY,		/* J */
	KD_DIM_SIZE,		/* bytes */
	KD_DIM_SHARE,		/* % */
	KD_DIM_FREQUENCY,	/* Hz */
};

/**
 * struct kd_unit - a unit in its one spelling
 * @name:   "Mbit/s", "KB/s", "us", "%"; as given where not known
 * @dim:    what it measures
 * @factor: to the dimension's base unit
 */
struct kd_unit {
	char name[40];
	enum kd_dimension dim;
	double factor;
};

/**
 * kd_unit_parse() - "Mbits/sec", "Mbps", "mbit/s" are all Mbit/s
 * @binary: K, M and G before bytes are powers of 1024, as ttcp counts; without
 *          it only Ki, Mi and Gi are
 * Return: is it known; @out holds the given text where it is not.
 */
bool kd_unit_parse(const char *text, bool binary, struct kd_unit *out);

/** kd_unit_metric() - what is measured in this dimension: "throughput"; NULL
 * where the unit does not say */
const char *kd_unit_metric(enum kd_dimension dim);

/** kd_unit_better() - the good side, from the metric's name and the unit */
enum kd_better kd_unit_better(const char *metric, enum kd_dimension dim);

#endif
