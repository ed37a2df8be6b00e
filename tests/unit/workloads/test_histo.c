// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/engine/cpus.h"
#include "workloads/engine/histo.h"
#include "workloads/engine/ticks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N 200000

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void percentiles_match_a_sort(void **state)
{
	static const double pcts[] = { 1, 10, 50, 90, 99, 99.9, 99.99 };
	struct kd_histo *h = calloc(1, sizeof(*h));
	struct kd_histo *a = calloc(1, sizeof(*a));
	uint64_t *v = malloc(N * sizeof(*v));
	double sum = 0;

	srandom(1);
	for (int i = 0; i < N; i++) {
		double u = ((double)random() + 1) / 2147483649.0;

		/* from a few ns to many s */
		v[i] = (uint64_t)(exp(u * 24) * (double)(1 + random() % 7));
		kd_histo_add(i % 3 ? h : a, v[i]);
		sum += (double)v[i];
	}
	kd_histo_merge(h, a);
	qsort(v, N, sizeof(*v), compare);
	assert_int_equal(h->count, N);
	assert_int_equal(h->min, v[0]);
	assert_int_equal(h->max, v[N - 1]);
	assert_true(fabs((double)h->sum / sum - 1) < 1e-9);
	for (size_t i = 0; i < 7; i++) {
		size_t rank = (size_t)ceil(pcts[i] / 100 * N - 1e-9);
		double exact = (double)v[rank - 1], low, high;
		double got = kd_histo_percentile(h, pcts[i]);

		assert_true(fabs(got - exact) <= exact * 0.004 + 0.5);
		kd_histo_interval(h, pcts[i], &low, &high);
		assert_true(low <= got && got <= high);
	}
	free(v);
	free(h);
	free(a);
}

static void small_values_are_exact(void **state)
{
	struct kd_histo *h = calloc(1, sizeof(*h));

	for (uint64_t i = 1; i <= 100; i++)
		kd_histo_add(h, i);
	assert_true(kd_histo_percentile(h, 50) == 50);
	assert_true(kd_histo_percentile(h, 99) == 99);
	assert_true(kd_histo_percentile(h, 100) == 100);
	kd_histo_add(h, UINT64_MAX);
	assert_true(kd_histo_percentile(h, 100) == (double)UINT64_MAX);
	free(h);
}

/* 95 % intervals of the median cover the true one in about 95 % of samples */
static void intervals_cover(void **state)
{
	struct kd_histo *h = calloc(1, sizeof(*h));
	int covered = 0;

	srandom(2);
	for (int k = 0; k < 400; k++) {
		double low, high;

		memset(h, 0, sizeof(*h));
		for (int i = 0; i < 500; i++)
			kd_histo_add(h, (uint64_t)(random() % 1000000));
		kd_histo_interval(h, 90, &low, &high);
		covered += low <= 900000 && high >= 900000;
	}
	assert_in_range(covered, 370, 398);
	free(h);
}

struct series {
	struct kd_sink sink;
	double sum;
	size_t n;
	uint64_t end;
};

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
	struct series *x = (struct series *)s;
	uint64_t from = 0;

	for (size_t i = 0; i < n; i++) {
		assert_true(t_ns[i] > from);
		x->sum += values[i] * (double)(t_ns[i] - from) / 1e9;
		from = t_ns[i];
	}
	x->n = n;
	x->end = from;
}

static void ticks_keep_the_total(void **state)
{
	struct kd_ticks *t = calloc(1, sizeof(*t));
	struct series s = { .sink = { .series = on_series } };
	uint64_t now = 5000000000, count = 77;

	kd_ticks_begin(t, now, count);
	srandom(3);
	for (int i = 0; i < 3 * KD_TICKS_MAX; i++) {
		now += 100000000 + (uint64_t)random() % 1000000;
		count += (uint64_t)random() % 10000;
		kd_ticks_add(t, now, count);
	}
	kd_ticks_result(t, &s.sink, NULL, 1);
	assert_true(s.n <= KD_TICKS_MAX);
	assert_int_equal(s.end, now - 5000000000);
	assert_true(fabs(s.sum - (double)(count - 77)) < 1);
	free(t);
}

static void cpu_lists(void **state)
{
	static const char *const bad[] = { "x", "1-", "-1", "3-1", "1,", "1,,2",
					   "99999", "1 2" };

	assert_int_equal(kd_cpus_nth("0,2-3", 0), 0);
	assert_int_equal(kd_cpus_nth("0,2-3", 2), 3);
	assert_int_equal(kd_cpus_nth("0,2-3", 3), 0);
	assert_int_equal(kd_cpus_nth(NULL, 3), -1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(kd_cpus_nth(bad[i], 1), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_match_a_sort),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(intervals_cover),
		cmocka_unit_test(ticks_keep_the_total),
		cmocka_unit_test(cpu_lists),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
