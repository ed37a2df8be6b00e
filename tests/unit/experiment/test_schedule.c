// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "experiment/experiment.h"
#include "experiment/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NV 4
#define NW 3
#define SIZE (NV * NW)

static struct kd_experiment four_by_three(void)
{
	return (struct kd_experiment){ .n_variants = NV, .n_workloads = NW };
}

/* the orders that schedule-reference.py prints */
static void orders_as_the_reference(void **state)
{
	static const struct {
		uint64_t seed;
		int round;
		const char *order;
	} cases[] = {
		{ 1, 0, "01 00 02 21 20 22 11 10 12 31 30 32" },
		{ 1, 1, "20 22 21 10 12 11 00 02 01 30 32 31" },
		{ 1, -1, "00 02 01 10 12 11 20 22 21 30 32 31" },
		{ 1ULL << 63, 7, "21 22 20 31 32 30 11 12 10 01 02 00" },
	};
	struct kd_experiment e = four_by_three();
	struct kd_slot slots[SIZE];

	assert_int_equal(kd_schedule_size(&e), SIZE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[3 * SIZE + 1], *p = text;

		memset(slots, 0xaa, sizeof(slots));
		kd_schedule_round(&e, cases[i].seed, cases[i].round, slots);
		for (int s = 0; s < SIZE; s++) {
			p += sprintf(p, "%s%zu%zu", s ? " " : "",
				     slots[s].variant, slots[s].workload);
			assert_int_equal(slots[s].seq, s);
			assert_int_equal(slots[s].round, cases[i].round);
		}
		assert_string_equal(text, cases[i].order);
	}
}

/* how often each variant stands at each place: chi-squared, 9 degrees of
 * freedom, against its 99.9 % point */
static void favours_no_place(void **state)
{
	struct kd_experiment e = four_by_three();
	double counts[NV][NV] = { { 0 } }, chi2 = 0;
	struct kd_slot slots[SIZE];
	int rounds = 20000;

	for (int round = 0; round < rounds; round++) {
		kd_schedule_round(&e, 42, round, slots);
		for (int place = 0; place < NV; place++)
			counts[slots[place * NW].variant][place]++;
	}
	for (int v = 0; v < NV; v++)
		for (int place = 0; place < NV; place++) {
			double want = rounds / (double)NV;
			double off = counts[v][place] - want;

			chi2 += off * off / want;
		}
	assert_true(chi2 < 27.88);
	assert_true(chi2 > 0.5);
}

static void knows_what_is_missing(void **state)
{
	struct kd_experiment e = four_by_three();
	struct kd_slot stored[2 * SIZE], out[3 * SIZE];
	size_t n;

	kd_schedule_round(&e, 9, 0, stored);
	kd_schedule_round(&e, 9, 1, stored + SIZE);
	assert_int_equal(kd_schedule_next(&e, stored, 0), 0);
	assert_int_equal(kd_schedule_next(&e, stored, SIZE - 1), 0);
	assert_int_equal(kd_schedule_next(&e, stored, SIZE), 1);
	assert_int_equal(kd_schedule_next(&e, stored, 2 * SIZE), 2);
	e.plan.warmup_round = true;
	assert_int_equal(kd_schedule_next(&e, stored, 2 * SIZE), -1);
	assert_true(kd_schedule_is_whole(&e, 1, stored, 2 * SIZE));
	assert_false(kd_schedule_is_whole(&e, 1, stored, 2 * SIZE - 1));

	stored[3].round = 77;
	n = kd_schedule_missing(&e, 9, 3, stored, 2 * SIZE, out);
	assert_int_equal(n, SIZE + 1);
	assert_int_equal(out[0].round, 0);
	assert_int_equal(out[0].seq, 3);
	assert_int_equal(out[0].variant, stored[3].variant);
	assert_int_equal(out[0].workload, stored[3].workload);
	for (int s = 0; s < SIZE; s++) {
		assert_int_equal(out[s + 1].round, 2);
		assert_int_equal(out[s + 1].seq, s);
	}
	assert_int_equal(kd_schedule_missing(&e, 9, 0, NULL, 0, out), 0);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void gives_each_run_its_seed(void **state)
{
	static uint64_t seeds[201 * SIZE];
	size_t n = 0;

	for (int round = -1; round < 200; round++)
		for (size_t v = 0; v < NV; v++)
			for (size_t w = 0; w < NW; w++)
				seeds[n++] = kd_schedule_run_seed(5,
					&(struct kd_slot){ round, 0, v, w });
	qsort(seeds, n, sizeof(seeds[0]), compare);
	for (size_t i = 1; i < n; i++)
		assert_int_not_equal(seeds[i], seeds[i - 1]);
}

static void expects_a_duration(void **state)
{
	static const char text[] =
		"variants: { a: {}, b: {} }\n"
		"workloads:\n"
		"  x: { tcp: { time: 4s, warm-up: 1s, cool-down: 500ms } }\n"
		"  y: { idle: { time: 10s } }\n"
		"  z: { tcp: { size: 1M } }\n"
		"plan: { rounds: 3, pause: 2s, until: decided, max-rounds: 8 }\n";
	struct kd_experiment e = { 0 };

	assert_int_equal(kd_experiment_parse(text, sizeof(text) - 1, "f", &e,
					     NULL), 0);
	/* a round: 2 variants x (5.5 + 10 + 5 s), and 6 x (2 + 0.1) s */
	assert_int_equal(kd_schedule_round_ns(&e, 100 * KD_NS_PER_MS),
			 53600 * KD_NS_PER_MS);
	assert_int_equal(kd_schedule_last(&e), 8);
	kd_experiment_fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_as_the_reference),
		cmocka_unit_test(favours_no_place),
		cmocka_unit_test(knows_what_is_missing),
		cmocka_unit_test(gives_each_run_its_seed),
		cmocka_unit_test(expects_a_duration),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
