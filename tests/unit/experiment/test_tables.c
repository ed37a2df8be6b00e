// SPDX-License-Identifier: GPL-2.0-or-later
/* The program's own tables, each row of them, through the experiment file. */
#include "base/buf.h"
#include "base/clock.h"
#include "experiment/experiment.h"
#include "knobs/knob.h"
#include "observers/observer.h"
#include "transports/transport.h"
#include "workloads/workload.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void quick(const struct kd_exp_quick *q, struct kd_experiment *e)
{
	struct kd_diag d = { 0 };
	char words[1280] = "";

	if (kd_experiment_quick(q, e, &d)) {
		kd_diag_format(&d, words, sizeof(words));
		fail_msg("%s", words);
	}
}

/* each kind runs as it is: it ends in time and has a figure to judge by */
static void workloads_run_by_default(void **state)
{
	for (size_t i = 0; kd_work_table[i]; i++) {
		const struct kd_work_ops *ops = kd_work_table[i];
		struct kd_experiment e = { 0 };
		struct kd_exp_run run = { 0 };
		char word[64];

		snprintf(word, sizeof(word), "%s%s", ops->name,
			 kd_opt_find(ops->opts, "command") ?
			 ":command=true" :
			 kd_opt_find(ops->opts, "server") ?
			 ":server=127.0.0.1" : "");
		quick(&(struct kd_exp_quick){ .workloads = word,
					      .identical = 2 }, &e);
		assert_int_equal(kd_experiment_run(&e, 0, 0, &run, NULL, NULL),
				 0);
		assert_int_equal(!run.time_ns, !!(ops->flags & KD_WORK_ENDS));
		if (ops->flags & KD_WORK_NEEDS_PEER)
			assert_true(run.warmup_ns > 0);
		if (ops->metrics && ops->metrics->name)
			assert_string_not_equal(e.workloads[0].primary, "");
		kd_exp_run_fini(&run);
		kd_experiment_fini(&e);
	}
}

static void size_ends_a_bulk_transfer(void **state)
{
	struct kd_experiment e = { 0 };
	struct kd_exp_run run = { 0 };

	quick(&(struct kd_exp_quick){ .workloads = "tcp:rx,size=1M",
				      .identical = 2 }, &e);
	assert_int_equal(kd_experiment_run(&e, 0, 0, &run, NULL, NULL), 0);
	assert_int_equal(run.time_ns, 0);
	assert_string_equal(e.workloads[0].primary, "tcp.rx-throughput");
	kd_exp_run_fini(&run);
	kd_experiment_fini(&e);
}

static void check_rows(const char *owner, const struct kd_opt *opts,
		       size_t size)
{
	void *base = calloc(1, size ? size : 1);

	assert_int_equal(kd_opt_init(opts, base), 0);
	for (const struct kd_opt *o = opts; o && o->name; o++) {
		if (!o->help || o->offset >= size)
			fail_msg("%s: %s", owner, o->name);
		for (const struct kd_opt *p = opts; p != o; p++)
			assert_string_not_equal(p->name, o->name);
	}
	kd_opt_fini(opts, base);
	free(base);
}

/* each row is explained, inside its structure, and its default fits it */
static void tables_are_sound(void **state)
{
	for (size_t i = 0; kd_work_table[i]; i++)
		check_rows(kd_work_table[i]->name, kd_work_table[i]->opts,
			   kd_work_table[i]->opts_size);
	for (size_t i = 0; kd_obs_table[i]; i++)
		check_rows(kd_obs_table[i]->name, kd_obs_table[i]->opts,
			   kd_obs_table[i]->opts_size);
	for (size_t i = 0; kd_transport_table[i]; i++)
		check_rows(kd_transport_table[i]->name,
			   kd_transport_table[i]->opts,
			   kd_transport_table[i]->opts_size);
	check_rows("plan", kd_exp_plan_opts, sizeof(struct kd_exp_plan));
	check_rows("run", kd_exp_run_opts, sizeof(struct kd_exp_run));
	for (size_t i = 0; kd_knob_table[i]; i++) {
		const char *name;

		assert_ptr_equal(kd_knob_find(kd_knob_table[i]->name, &name),
				 kd_knob_table[i]);
		assert_string_equal(name, "");
	}
}

static void reads_the_project_s_experiments(void **state)
{
	glob_t files;

	assert_int_equal(glob(KD_SOURCE "/experiments/*.yaml", 0, NULL, &files),
			 0);
	assert_true(files.gl_pathc >= 3);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct kd_experiment e = { 0 };
		struct kd_diag d = { 0 };
		char words[1280] = "";

		if (kd_experiment_load(files.gl_pathv[i], &e, &d)) {
			kd_diag_format(&d, words, sizeof(words));
			fail_msg("%s", words);
		}
		kd_experiment_fini(&e);
	}
	globfree(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_run_by_default),
		cmocka_unit_test(size_ends_a_bulk_transfer),
		cmocka_unit_test(tables_are_sound),
		cmocka_unit_test(reads_the_project_s_experiments),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
