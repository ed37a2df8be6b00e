// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recomputing what a log says of its own values. See stat.h.
 */
#include "imports/stat.h"

#include "imports/doc.h"

#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	enum kd_stat stat;
} names[] = {
	{ "min", KD_STAT_MIN }, { "minimum", KD_STAT_MIN },
	{ "max", KD_STAT_MAX }, { "maximum", KD_STAT_MAX },
	{ "mean", KD_STAT_MEAN }, { "avg", KD_STAT_MEAN },
	{ "average", KD_STAT_MEAN },
	{ "median", KD_STAT_MEDIAN }, { "med", KD_STAT_MEDIAN },
	{ "p50", KD_STAT_MEDIAN },
	{ "stddev", KD_STAT_SD }, { "sd", KD_STAT_SD },
	{ "std", KD_STAT_SD }, { "stdev", KD_STAT_SD },
	{ "std dev", KD_STAT_SD }, { "std. dev.", KD_STAT_SD },
	{ "count", KD_STAT_COUNT }, { "n", KD_STAT_COUNT },
	{ "sum", KD_STAT_SUM }, { "total", KD_STAT_SUM },
	{ "var", KD_STAT_OTHER }, { "variance", KD_STAT_OTHER },
	{ "cv", KD_STAT_OTHER }, { "range", KD_STAT_OTHER },
	{ "p90", KD_STAT_OTHER }, { "p95", KD_STAT_OTHER },
	{ "p99", KD_STAT_OTHER }, { "stderr", KD_STAT_OTHER },
};

enum kd_stat kd_stat_find(const char *name)
{
	for (size_t i = 0; i < KD_ARRAY_SIZE(names); i++)
		if (!strcasecmp(name, names[i].name))
			return names[i].stat;
	return KD_STAT_NONE;
}

const char *kd_stat_name(enum kd_stat stat)
{
	static const char *const words[] = {
		"Min", "Max", "Mean", "Median", "Stddev", "Count", "Sum",
	};

	return stat < KD_STAT_CHECKED ? words[stat] : "";
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void kd_stat_compute(double *values, size_t n, double *out)
{
	double sum = 0, squares = 0, mean;

	qsort(values, n, sizeof(*values), compare);
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	out[KD_STAT_MIN] = values[0];
	out[KD_STAT_MAX] = values[n - 1];
	out[KD_STAT_MEAN] = mean;
	out[KD_STAT_MEDIAN] = (values[(n - 1) / 2] + values[n / 2]) / 2;
	out[KD_STAT_SD] = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	out[KD_STAT_COUNT] = (double)n;
	out[KD_STAT_SUM] = sum;
}

bool kd_stat_agrees(const char *printed, double exact)
{
	const char *point = strchr(printed, '.');
	int places = 0;
	double v;

	if (!kd_number_scan(printed, false, &v, NULL))
		return false;
	for (; point && isdigit((unsigned char)point[1 + places]);)
		places++;
	/* half a unit of the last place; a place more for cut digits */
	return fabs(v - exact) <= 0.51 * pow(10, -places) +
		1e-9 * fabs(exact) ||
	       (places && fabs(v - exact) < pow(10, -places));
}
