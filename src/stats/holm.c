// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Holm 1979: the k-th smallest of m gets max(previous, min(1, (m - k + 1) p)).
 */
#include "stats/holm.h"

#include <math.h>
#include <stdlib.h>

static int by_p(const void *a, const void *b, void *key)
{
	const double *p = key;
	double x = p[*(const size_t *)a], y = p[*(const size_t *)b];

	return (x > y) - (x < y);
}

size_t kd_holm(double *p, size_t n, size_t *order)
{
	double before = 0;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[m++] = i;
	qsort_r(order, m, sizeof(*order), by_p, p);
	for (size_t k = 0; k < m; k++) {
		before = fmax(before, fmin(1, (double)(m - k) * p[order[k]]));
		p[order[k]] = before;
	}
	return m;
}
