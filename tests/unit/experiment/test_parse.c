// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buf.h"
#include "base/clock.h"
#include "experiment/experiment.h"
#include "workloads/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define W "workloads: { tx: { tcp: { direction: tx } } }\n"
#define V "variants: { a: {}, b: {} }\n"

static void parse(const char *text, struct kd_experiment *exp)
{
	struct kd_diag d = { 0 };
	char words[1280] = "";

	if (kd_experiment_parse(text, strlen(text), "t.yaml", exp, &d)) {
		kd_diag_format(&d, words, sizeof(words));
		fail_msg("%s", words);
	}
}

static void reads_the_wilc1000_file(void **state)
{
	static const char text[] =
		"name: wilc1000-chip-sleep\n"
		"dut: { ssh: root@board }\n"
		"variants:\n"
		"  sleep:    { module-param: { wilc1000.enable_sleep: 1 } }\n"
		"  no-sleep: { module-param: { wilc1000.enable_sleep: 0 } }\n"
		"baseline: no-sleep\n"
		"workloads:\n"
		"  tx:   { tcp: { direction: tx, size: 16MiB } }\n"
		"  rx:   { tcp: { direction: rx, size: 16MiB } }\n"
		"  idle: { idle: { time: 10s } }\n"
		"observe: [cpu, { tasks: { top: 20 } }, power]\n"
		"plan: { rounds: 5 }\n";
	struct kd_experiment e = { 0 };
	struct kd_exp_run run = { 0 };
	struct kd_buf opts = { 0 };

	parse(text, &e);
	assert_string_equal(e.name, "wilc1000-chip-sleep");
	assert_string_equal(e.dut.transport, "ssh");
	assert_string_equal(e.dut.options, "host=root@board");
	assert_int_equal(e.n_variants, 2);
	assert_int_equal(e.baseline, 1);
	assert_string_equal(e.variants[0].knobs[0].knob,
			    "module-param:wilc1000.enable_sleep");
	assert_string_equal(e.variants[0].knobs[0].value, "1");
	assert_int_equal(e.variants[0].knobs[0].line, 4);
	assert_int_equal(e.n_workloads, 3);
	assert_string_equal(e.workloads[0].primary, "tcp.tx,power.mean");
	assert_string_equal(e.workloads[1].primary, "tcp.rx,power.mean");
	assert_string_equal(e.workloads[2].primary, "power.mean");
	assert_string_equal(e.observers[1].options, "top=20");
	assert_int_equal(e.plan.rounds, 5);
	assert_int_equal(kd_experiment_run(&e, 0, 0, &run, &opts, NULL), 0);
	assert_string_equal(kd_buf_str(&opts), "direction=tx,size=16MiB");
	assert_int_equal(run.time_ns, 0);
	assert_int_equal(run.deadline_ns, 600 * KD_NS_PER_SEC);
	kd_exp_run_fini(&run);
	assert_int_equal(kd_experiment_run(&e, 0, 2, &run, NULL, NULL), 0);
	assert_int_equal(run.time_ns, 10 * KD_NS_PER_SEC);
	assert_int_equal(run.warmup_ns, 0);
	assert_int_equal(run.deadline_ns, 40 * KD_NS_PER_SEC);
	kd_exp_run_fini(&run);
	kd_buf_fini(&opts);
	kd_experiment_fini(&e);
}

static void makes_the_cross_product(void **state)
{
	static const char text[] =
		"dut: netns\n"
		"sweep:\n"
		"  limit:   { sysctl: net.ipv4.tcp_limit_output_bytes, values: [262144, 2621440] }\n"
		"  streams: { workload: tx.streams, values: [1, 2, 3, 4, 5] }\n"
		"baseline: { limit: 2621440, streams: 1 }\n"
		"workloads: { tx: { tcp: tx }, rx: { tcp: rx } }\n";
	struct kd_experiment e = { 0 };
	struct kd_buf opts = { 0 };

	parse(text, &e);
	assert_string_equal(e.name, "t");
	assert_int_equal(e.n_factors, 2);
	assert_int_equal(e.n_variants, 10);
	assert_string_equal(e.variants[0].name, "limit=262144,streams=1");
	assert_string_equal(e.variants[9].name, "limit=2621440,streams=5");
	assert_string_equal(e.variants[7].levels[1], "3");
	assert_int_equal(e.baseline, 5);
	assert_int_equal(kd_experiment_run(&e, 7, 0, NULL, &opts, NULL), 0);
	assert_string_equal(kd_buf_str(&opts), "direction=tx,streams=3");
	kd_buf_reset(&opts);
	assert_int_equal(kd_experiment_run(&e, 7, 1, NULL, &opts, NULL), 0);
	assert_string_equal(kd_buf_str(&opts), "direction=rx");
	kd_buf_reset(&opts);
	assert_int_equal(kd_experiment_knobs_json(&e, 7, &opts), 0);
	assert_string_equal(kd_buf_str(&opts),
			    "{\"sysctl:net.ipv4.tcp_limit_output_bytes\":\"2621440\",\"workload:tx.streams\":\"3\"}");
	kd_buf_fini(&opts);
	kd_experiment_fini(&e);
}

static void crosses_variants_with_a_sweep(void **state)
{
	static const char text[] =
		"variants:\n"
		"  gro:    { ethtool: { gro: on } }\n"
		"  no gro: { ethtool: { gro: off } }\n"
		"sweep: { mem: { sysctl: net.core.rmem_max, values: { small: 4096, big: 65536 } } }\n"
		"baseline: { variant: no gro, mem: big }\n" W;
	struct kd_experiment e = { 0 };

	parse(text, &e);
	assert_int_equal(e.n_variants, 4);
	assert_string_equal(e.factors[0], "variant");
	assert_string_equal(e.variants[3].name, "no gro,mem=big");
	assert_int_equal(e.baseline, 3);
	assert_string_equal(e.variants[3].knobs[0].value, "off");
	assert_string_equal(e.variants[3].knobs[1].value, "65536");
	kd_experiment_fini(&e);
}

/* YAML's words for truth and numbers are text here */
static void keeps_scalars_as_text(void **state)
{
	static const char text[] =
		"variants:\n"
		"  a: { ethtool: { gro: off, gso: on, tso: yes, lro: 0x10, rx: 007, x: 1e3 } }\n"
		"  b: { sysctl: { net.ipv4.tcp_rmem: 4096 131072 6291456 }, sysfs: { /sys/x: '' } }\n"
		"  c: ~\n" W;
	static const char *const want[] = { "off", "on", "yes", "0x10", "007",
					    "1e3" };
	struct kd_experiment e = { 0 };

	parse(text, &e);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(e.variants[0].knobs[i].value, want[i]);
	assert_string_equal(e.variants[1].knobs[0].value,
			    "4096 131072 6291456");
	assert_string_equal(e.variants[1].knobs[1].knob, "sysfs:/sys/x");
	assert_string_equal(e.variants[1].knobs[1].value, "");
	assert_int_equal(e.variants[2].n_knobs, 0);
	kd_experiment_fini(&e);
}

static void reads_commands(void **state)
{
	static const char text[] =
		"variants:\n"
		"  a: { command: { reg: { get: 'peek 4', set: 'poke 4 1', restore: 'poke 4 0' } } }\n"
		"  b: { command: { reg: { set: 'poke 4 $KD_VALUE', value: 2 } } }\n" W;
	static const char sweep[] =
		"sweep: { reg: { command: { set: 'poke 4 $KD_VALUE', get: peek 4 }, values: [1, 2] } }\n" W;
	struct kd_experiment e = { 0 };
	struct kd_buf b = { 0 };

	parse(text, &e);
	assert_string_equal(e.variants[0].knobs[0].knob, "command:reg");
	assert_string_equal(e.variants[0].knobs[0].restore, "poke 4 0");
	assert_string_equal(e.variants[0].knobs[0].value, "");
	assert_null(e.variants[1].knobs[0].get);
	assert_string_equal(e.variants[1].knobs[0].value, "2");
	assert_int_equal(kd_experiment_knobs_json(&e, 0, &b), 0);
	assert_string_equal(kd_buf_str(&b), "{\"command:reg\":\"poke 4 1\"}");
	kd_experiment_fini(&e);
	parse(sweep, &e);
	assert_string_equal(e.variants[1].knobs[0].knob, "command:reg");
	assert_string_equal(e.variants[1].knobs[0].value, "2");
	assert_string_equal(e.variants[1].knobs[0].set, "poke 4 $KD_VALUE");
	kd_experiment_fini(&e);
	kd_buf_fini(&b);
}

static void passes_any_text_through(void **state)
{
	static const char text[] = V
		"workloads:\n"
		"  x:\n"
		"    exec:\n"
		"      command: [sh, -c, 'echo \"a,b\" \\d']\n"
		"      metric: ['one=(\\d+),\"x\"', 'two=\\\\']\n"
		"    time: 3s\n"
		"  y:\n"
		"    exec: { command: 'a', metric: { n: 'v=(.*)' } }\n";
	struct kd_experiment e = { 0 };
	struct kd_exp_run run = { 0 };
	struct kd_buf opts = { 0 };
	struct { char *command; char *metric; } o = { 0 };
	const struct kd_opt table[] = {
		{ "command", KD_OPT_STR, 0 },
		{ "metric", KD_OPT_STR, sizeof(char *), .flags = KD_OPT_REPEAT },
		{ 0 },
	};

	parse(text, &e);
	assert_int_equal(kd_experiment_run(&e, 0, 0, &run, &opts, NULL), 0);
	assert_int_equal(run.time_ns, 3 * KD_NS_PER_SEC);
	assert_int_equal(kd_opt_set_list(table, &o, kd_buf_str(&opts), NULL), 0);
	assert_string_equal(o.command, "sh -c 'echo \"a,b\" \\d'");
	assert_string_equal(o.metric, "one=(\\d+),\"x\"\ntwo=\\\\");
	kd_opt_fini(table, &o);
	kd_exp_run_fini(&run);
	assert_int_equal(kd_experiment_run(&e, 0, 1, &run, NULL, NULL), 0);
	assert_int_equal(run.time_ns, 0);
	assert_string_equal(e.workloads[1].pairs[1].value, "n=v=(.*)");
	kd_exp_run_fini(&run);
	kd_buf_fini(&opts);
	kd_experiment_fini(&e);
}

static void reads_plan_and_ends(void **state)
{
	static const char text[] = V
		"dut: { netns: { rate: 200mbit }, cpus: 0 }\n"
		"peer: { exec: [sh, -c, 'kdelta-agent 2>/dev/null'], cpus: 1 }\n"
		"workloads:\n"
		"  tx: { tcp: { direction: bidir, cpus: 0-1 }, peer-cpus: 3, warm-up: 2s, against: { iperf3: 10.0.0.1 } }\n"
		"plan: { until: decided, min-effect: 2%, max-rounds: 30, rounds: 4, seed: 7,\n"
		"        primary: [tx:tcp.rx, cpu.busy], warm-up-round: yes, pause: 1s }\n"
		"observe: cpu\n";
	struct kd_experiment e = { 0 };
	struct kd_exp_run run = { 0 };
	struct kd_buf b = { 0 };

	parse(text, &e);
	assert_string_equal(e.dut.options, "rate=200mbit");
	assert_string_equal(e.dut.cpus, "0");
	assert_string_equal(e.peer.options,
			    "command=sh -c 'kdelta-agent 2>/dev/null'");
	assert_string_equal(e.workloads[0].ops->name, "iperf3");
	assert_string_equal(e.workloads[0].primary, "tcp.rx,cpu.busy");
	assert_int_equal(kd_experiment_run(&e, 0, 0, &run, &b, NULL), 0);
	assert_string_equal(kd_buf_str(&b),
			    "protocol=tcp,server=10.0.0.1,direction=bidir");
	kd_buf_reset(&b);
	assert_false(run.has_peer);
	assert_int_equal(run.time_ns, 5 * KD_NS_PER_SEC);
	assert_int_equal(run.warmup_ns, 2 * KD_NS_PER_SEC);
	assert_string_equal(run.cpus, "0-1");
	assert_string_equal(run.peer_cpus, "3");
	assert_int_equal(kd_experiment_plan_json(&e, &b), 0);
	assert_non_null(strstr(kd_buf_str(&b), "\"min_effect\":0.02"));
	assert_non_null(strstr(kd_buf_str(&b), "\"max_rounds\":30"));
	assert_non_null(strstr(kd_buf_str(&b), "\"until\":\"decided\""));
	assert_non_null(strstr(kd_buf_str(&b), "\"unit\":\"run\""));
	kd_exp_run_fini(&run);
	kd_buf_fini(&b);
	kd_experiment_fini(&e);
}

static void knows_knobs_that_reset(void **state)
{
	static const char text[] =
		"variants: { a: { kernel: { boot: old } }, b: { kernel:boot: new } }\n" W;
	struct kd_experiment e = { 0 };

	parse(text, &e);
	assert_true(kd_experiment_resets(&e));
	assert_string_equal(e.variants[1].knobs[0].knob, "kernel:boot");
	kd_experiment_fini(&e);
}

static void copies_what_aliases_name(void **state)
{
	static const char text[] =
		"variants:\n"
		"  a: &base { sysctl: { net.x: 1 } }\n"
		"  b: *base\n" W;
	struct kd_experiment e = { 0 };

	parse(text, &e);
	assert_string_equal(e.variants[1].knobs[0].value, "1");
	kd_experiment_fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_wilc1000_file),
		cmocka_unit_test(makes_the_cross_product),
		cmocka_unit_test(crosses_variants_with_a_sweep),
		cmocka_unit_test(keeps_scalars_as_text),
		cmocka_unit_test(reads_commands),
		cmocka_unit_test(passes_any_text_through),
		cmocka_unit_test(reads_plan_and_ends),
		cmocka_unit_test(knows_knobs_that_reset),
		cmocka_unit_test(copies_what_aliases_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
