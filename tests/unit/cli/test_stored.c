// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a store to a report's origin: method, machine, and what differed.
 */
#include "base/str.h"
#include "cli/store_json.h"
#include "cli/stored.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const environments[] = {
	"{\"kernel\": \"6.1.0\", \"cpu_model\": \"J4125\", \"sysctl\": "
	"{\"net.ipv4.a\": \"1\"}, \"governor\": \"powersave\"}",
	"{\"kernel\": \"6.1.0\", \"cpu_model\": \"J4125\", \"sysctl\": "
	"{\"net.ipv4.a\": \"2\"}, \"governor\": \"performance\"}",
};

static int make(void **state)
{
	struct kd_store_variant variants[] = {
		{ (char *)"old", (char *)"{\"sysctl:net.ipv4.a\": \"1\"}", NULL },
		{ (char *)"new", (char *)"{\"sysctl:net.ipv4.a\": \"2\"}", NULL },
	};
	struct kd_store_workload work = { (char *)"tx", (char *)"tcp", NULL,
					  (char *)"throughput" };
	struct kd_store_exp e = {
		.name = (char *)"x", .seed = 7, .variants = variants,
		.n_variants = 2, .workloads = &work, .n_workloads = 1,
		.created_wall_ns = 1767323045000000000ULL,
		.plan = (char *)"{\"min_effect\": 0.02}",
	};
	char path[] = "/tmp/kd-stored-XXXXXX";
	struct kd_store *s;
	int fd = mkstemp(path);

	if (fd < 0 || close(fd) || kd_store_open(path, &s, NULL) ||
	    kd_store_begin(s, &e, NULL))
		return -1;
	for (int i = 0; i < 16; i++) {
		struct kd_run_metric m = {
			(char *)"throughput", NULL, (char *)"Mbit/s",
			KD_BETTER_HIGHER, KD_FROM_DEVICE,
			100 + i % 5 + 10 * (i & 1),
		};
		struct kd_store_run r = {
			.variant = i & 1, .round = i / 2, .seq = i,
			.attempt = 1, .metrics = &m, .n_metrics = 1,
			.environment = (char *)environments[i & 1],
		};

		if (kd_store_add_run(s, e.id, &r, NULL))
			return -1;
	}
	unlink(path);
	*state = s;
	return 0;
}

static int close_it(void **state)
{
	kd_store_close(*state);
	return 0;
}

static void says_where_it_comes_from(void **state)
{
	struct kd_stored s;

	assert_int_equal(kd_stored_load(*state, 1, &s, NULL), 0);
	assert_string_equal(s.info.method, "8 rounds, interleaved, random order inside each (seed 7)");
	assert_string_equal(s.info.kernel, "6.1.0");
	assert_string_equal(s.info.machine, "J4125");
	assert_string_equal(s.info.date, "2026-01-02T03:04:05Z");
	assert_int_equal(s.info.runs, 16);
	assert_int_equal(s.info.n_knobs, 2);
	assert_string_equal(s.info.knobs[1], "new: sysctl:net.ipv4.a=2");
	/* the knob was asked for, the governor was not */
	assert_int_equal(s.info.n_environment, 1);
	assert_string_equal(s.info.environment[0],
		"governor: powersave in old, performance in new");
	assert_true(s.analysis.plan.min_effect == 0.02);
	assert_int_equal(s.analysis.measures[0].comparisons[1].verdict,
			 KD_VERDICT_BETTER);
	kd_stored_fini(&s);
}

static double width(const struct kd_stored *s)
{
	const struct kd_comparison *c = &s->analysis.measures[0].comparisons[1];

	return c->hi - c->lo;
}

static void keeps_the_level_of_a_plan_that_looked_often(void **state)
{
	struct kd_stored once, often;

	assert_int_equal(kd_stored_load(*state, 1, &once, NULL), 0);
	assert_int_equal(kd_store_set_plan(*state, 1,
		"{\"until\": \"decided\", \"max_rounds\": 40}", NULL), 0);
	assert_int_equal(kd_stored_load(*state, 1, &often, NULL), 0);
	assert_int_equal(kd_store_set_plan(*state, 1,
		"{\"min_effect\": 0.02}", NULL), 0);
	assert_int_equal(often.analysis.plan.look, 8);
	assert_int_equal(often.analysis.plan.looks, 40);
	assert_true(width(&often) > width(&once) * 1.1);
	assert_non_null(strstr(often.info.method, ", until decided"));
	kd_stored_fini(&once);
	kd_stored_fini(&often);
}

static void prints_every_format(void **state)
{
	for (size_t i = 0; kd_report_table[i]; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		assert_int_equal(kd_stored_report(*state, 1,
			kd_report_table[i]->name, 80, false, f, NULL), 0);
		fclose(f);
		assert_true(size > 100);
		free(text);
	}
}

static void names_the_nearest_format(void **state)
{
	struct kd_diag d = { 0 };

	assert_null(kd_stored_format("jsn", &d));
	assert_string_equal(d.hint, "did you mean \"json\"?");
}

static void exports_all(void **state)
{
	struct kd_store_exp e;
	struct kd_store_run r;
	json_t *j, *m;

	assert_int_equal(kd_store_load_exp(*state, 1, &e, NULL), 0);
	assert_int_equal(kd_store_load_run(*state, 2, &r, NULL), 0);
	j = kd_store_run_json(&e, &r, true);
	assert_string_equal(json_string_value(json_object_get(j, "variant")),
			    "new");
	m = json_array_get(json_object_get(j, "metrics"), 0);
	assert_true(json_real_value(json_object_get(m, "value")) == 111);
	assert_string_equal(json_string_value(json_object_get(
		json_object_get(j, "environment"), "governor")), "performance");
	json_decref(j);
	kd_store_run_fini(&r);
	kd_store_exp_fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_where_it_comes_from),
		cmocka_unit_test(keeps_the_level_of_a_plan_that_looked_often),
		cmocka_unit_test(prints_every_format),
		cmocka_unit_test(names_the_nearest_format),
		cmocka_unit_test(exports_all),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make, close_it);
}
