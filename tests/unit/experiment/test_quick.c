// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buf.h"
#include "base/clock.h"
#include "experiment/experiment.h"

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

static void reads_the_issue_s_example(void **state)
{
	struct kd_experiment e = { 0 }, again = { 0 };
	struct kd_exp_run run = { 0 };
	struct kd_buf opts = { 0 };

	quick(&(struct kd_exp_quick){
		.knobs = "sysctl:net.ipv4.tcp_limit_output_bytes=262144,1048576",
		.workloads = "tcp:tx,streams=4,time=2s",
		.plan = "rounds=8",
	}, &e);
	assert_string_equal(e.name, "tcp_limit_output_bytes");
	assert_int_equal(e.n_variants, 2);
	assert_string_equal(e.variants[0].name, "262144");
	assert_string_equal(e.variants[1].knobs[0].knob,
			    "sysctl:net.ipv4.tcp_limit_output_bytes");
	assert_string_equal(e.variants[1].knobs[0].value, "1048576");
	assert_string_equal(e.workloads[0].name, "tcp-tx");
	assert_int_equal(e.plan.rounds, 8);
	assert_int_equal(kd_experiment_run(&e, 0, 0, &run, &opts, NULL), 0);
	assert_string_equal(kd_buf_str(&opts), "direction=tx,streams=4");
	assert_int_equal(run.time_ns, 2 * KD_NS_PER_SEC);
	kd_exp_run_fini(&run);

	/* what is stored reads back to the same */
	assert_int_equal(kd_experiment_parse(e.text, e.text_len, e.file_name,
					     &again, NULL), 0);
	assert_string_equal(again.name, e.name);
	assert_string_equal(again.variants[1].name, "1048576");
	assert_int_equal(again.plan.rounds, 8);
	kd_experiment_fini(&again);
	kd_buf_fini(&opts);
	kd_experiment_fini(&e);
}

static void repeats_make_a_sweep(void **state)
{
	struct kd_experiment e = { 0 };

	quick(&(struct kd_exp_quick){
		.name = "two",
		.knobs = "ethtool:gro=on,off\nsysctl:net.ipv4.tcp_rmem=1 2 3;4,5 6\n"
			 "workload:tcp-tx.streams=1, 8",
		.workloads = "tcp:tx\ntcp:tx\ntcp\nup=tcp:rx,nodelay\nidle:time=1s",
		.observers = "cpu,power\ntasks:top=5",
		.dut = "netns:rate=200mbit",
		.peer = "exec:ssh -T 'a b',x=1",
		.plan = "rounds=3,min-effect=2%,primary=tcp-tx:tcp.tx,primary=cpu.busy",
	}, &e);
	assert_string_equal(e.name, "two");
	assert_int_equal(e.n_variants, 8);
	assert_string_equal(e.variants[7].name,
			    "gro=off,tcp_rmem=4,5 6,streams=8");
	assert_string_equal(e.variants[7].knobs[1].value, "4,5 6");
	assert_string_equal(e.workloads[1].name, "tcp-tx-2");
	assert_string_equal(e.workloads[2].name, "tcp");
	assert_string_equal(e.workloads[3].name, "up");
	assert_string_equal(e.workloads[3].pairs[1].key, "nodelay");
	assert_string_equal(e.workloads[0].primary, "tcp.tx,cpu.busy");
	assert_string_equal(e.workloads[4].primary, "cpu.busy");
	assert_int_equal(e.n_observers, 3);
	assert_string_equal(e.observers[2].options, "top=5");
	assert_string_equal(e.dut.options, "rate=200mbit");
	assert_string_equal(e.peer.options, "command=\"ssh -T 'a b',x=1\"");
	assert_true(e.plan.min_effect_pct == 2);
	kd_experiment_fini(&e);
}

static void keeps_quotes_and_blanks(void **state)
{
	struct kd_experiment e = { 0 };

	quick(&(struct kd_exp_quick){
		.knobs = "sysfs:/sys/a b/c=x\ty,\"z\\",
		.workloads = "exec:command=\"sh -c \\\"a, b\\\"\",metric=a,metric=\"b,c\"",
	}, &e);
	assert_string_equal(e.variants[0].knobs[0].knob, "sysfs:/sys/a b/c");
	assert_string_equal(e.variants[0].knobs[0].value, "x\ty");
	assert_string_equal(e.variants[1].knobs[0].value, "\"z\\");
	assert_string_equal(e.workloads[0].pairs[0].value, "sh -c \"a, b\"");
	assert_string_equal(e.workloads[0].pairs[1].value, "a");
	assert_string_equal(e.workloads[0].pairs[2].value, "b,c");
	kd_experiment_fini(&e);
}

static void makes_identical_variants(void **state)
{
	struct kd_experiment e = { 0 };

	quick(&(struct kd_exp_quick){ .workloads = "tcp", .identical = 2 }, &e);
	assert_int_equal(e.n_variants, 2);
	assert_string_equal(e.variants[0].name, "A1");
	assert_int_equal(e.variants[1].n_knobs, 0);
	kd_experiment_fini(&e);
}

static void names_the_argument(void **state)
{
	static const struct {
		struct kd_exp_quick q;
		const char *words;
	} cases[] = {
		{ { .knobs = "ethtool:gro=on,off" },
		  "no workload: -w KIND[:OPTION=VALUE,...] such as -w tcp:tx,time=2s" },
		{ { .workloads = "tcp" },
		  "nothing to compare: -k KNOB=VALUE,VALUE such as -k sysctl:net.ipv4.tcp_sack=0,1" },
		{ { .knobs = "ethtool:gro", .workloads = "tcp" },
		  "-k ethtool:gro: expected KNOB=VALUE,VALUE such as sysctl:net.ipv4.tcp_sack=0,1" },
		{ { .knobs = "ethtool:gro=on,off", .workloads = "tpc:tx" },
		  "-w tpc:tx: workload tpc-tx: there is no kind of workload \"tpc\"; did you mean \"tcp\"?" },
		{ { .knobs = "ethtool:gro=on,off", .workloads = "tcp:tx,stream=4" },
		  "-w tcp:tx,stream=4: workload tcp-tx (tcp) has no option \"stream\"; did you mean \"streams\"?" },
		{ { .knobs = "ethtool:gro=on,off", .workloads = "tcp:up" },
		  "-w tcp:up: workload tcp-up (tcp) has no option \"up\"; known are: direction, streams, size, nodelay, congestion, pacing, time, warm-up, cool-down, deadline, cpus, peer-cpus" },
		{ { .knobs = "ethtol:gro=on,off", .workloads = "tcp" },
		  "-k ethtol:gro=on,off: there is no kind of knob \"ethtol\"; did you mean \"ethtool\"?" },
		{ { .knobs = "ethtool:gro=on,", .workloads = "tcp" }, NULL },
		{ { .knobs = "ethtool:gro=on", .workloads = "tcp" },
		  "-k ethtool:gro=on: only one variant: nothing can be compared, at least two are needed" },
		{ { .knobs = "streams=1,2000", .workloads = "tcp" },
		  "-k streams=1,2000: streams: expected a whole number, from 1 to 1024, found \"2000\"" },
		{ { .knobs = "ethtool:gro=on,off", .workloads = "tcp", .plan = "rounds=none" },
		  "rounds=none: rounds: expected a whole number, from 1 to 100000, found \"none\"" },
		{ { .knobs = "ethtool:gro=on,off", .workloads = "tcp", .dut = "nets" },
		  "--dut nets: dut: there is no transport \"nets\"; did you mean \"netns\"?" },
		{ { .knobs = "ethtool:gro=on,off", .workloads = "tcp", .observers = "cpu,powr" },
		  "-o cpu,powr: there is no observer \"powr\"; did you mean \"power\"?" },
		{ { .knobs = "ethtool:gro=on,\xff", .workloads = "tcp" },
		  "-k ethtool:gro=on,\xff: not YAML: invalid leading UTF-8 octet (byte 0xff)" },
	};
	int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kd_experiment e = { 0 };
		struct kd_diag d = { 0 };
		char words[1280];
		int r = kd_experiment_quick(&cases[i].q, &e, &d);

		if (!cases[i].words) {
			/* an empty value is a value: "" */
			assert_int_equal(r, 0);
			assert_string_equal(e.variants[1].knobs[0].value, "");
			kd_experiment_fini(&e);
			continue;
		}
		assert_int_equal(r, -EINVAL);
		kd_diag_format(&d, words, sizeof(words));
		if (strcmp(words, cases[i].words)) {
			print_error("%s\n%s\n", words, cases[i].words);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_issue_s_example),
		cmocka_unit_test(repeats_make_a_sweep),
		cmocka_unit_test(keeps_quotes_and_blanks),
		cmocka_unit_test(makes_identical_variants),
		cmocka_unit_test(names_the_argument),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
