// SPDX-License-Identifier: GPL-2.0-or-later
/* Bad experiment files and the words that they get. */
#include "base/diag.h"
#include "experiment/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define W "workloads: { tx: { tcp: tx } }\n"
#define V "variants: { a: {}, b: {} }\n"

static const struct {
	const char *text;
	const char *words;
} cases[] = {
	/* the file */
	{ "", "f:1:1: the file is empty" },
	{ "# nothing\n", "f:1:1: the file is empty" },
	{ "- a\n", "f:1:1: an experiment: expected a map of name, dut, variants, workloads, ..., found a list" },
	{ V "\tworkloads: {}\n", "f:2:1: a tab stands where YAML wants blanks" },
	{ "name: x\ndut: { netns\n", "f:3:1: not YAML: did not find expected ',' or '}' while parsing a flow mapping" },
	{ "name: \xff\n" V W, "f:1:7: not YAML: invalid leading UTF-8 octet (byte 0xff)" },
	{ "name: \"a\\0b\"\n" V W, "f:1:7: text with a NUL in it" },
	{ "name: a\x01\n" V W, "f:1:8: not YAML: control characters are not allowed (byte 0x01)" },
	{ "---\n" V W "---\nname: b\n", "f:4:1: a second document: an experiment is one" },
	{ "name: !!str x\n" V W, "f:1:7: tags (\"!...\") have no meaning here; quote the text if it starts with \"!\"" },
	{ "a: *x\n", "f:1:4: this alias names no anchor that is complete here" },
	{ "a: &x [ *x ]\n", "f:1:9: this alias names no anchor that is complete here" },
	{ "[a, b]: c\n", "f:1:1: a key must be a word" },
	/* names of keys */
	{ "name: x\nname: y\n" V W, "f:2:1: \"name\" stands here twice, first in line 1" },
	{ "variants: { a: {}, a: {} }\n" W, "f:1:20: \"a\" stands here twice, first in line 1" },
	{ "variantz: { a: {}, b: {} }\n" W, "f:1:1: there is no section \"variantz\" in an experiment; did you mean \"variants\"?" },
	{ V "workloads: { tx: { tcp: { stream: 4 } } }\n", "f:2:27: workload tx (tcp) has no option \"stream\"; did you mean \"streams\"?" },
	{ V "workloads: { tx: { tpc: { streams: 4 } } }\n", "f:2:20: workload tx: there is no kind of workload \"tpc\"; did you mean \"tcp\"?" },
	{ V W "observe: [cpu, taks]\n", "f:3:16: there is no observer \"taks\"; did you mean \"tasks\"?" },
	{ V W "observe: [cpu, { tasks: { tops: 4 } }]\n", "f:3:27: observer tasks has no option \"tops\"; did you mean \"top\"?" },
	{ V W "observe: [cpu, cpu]\n", "f:3:16: observer \"cpu\" stands here twice" },
	{ V W "plan: { round: 5 }\n", "f:3:9: the plan has no option \"round\"; did you mean \"rounds\"?" },
	{ V W "dut: { shh: root@board }\n", "f:3:8: dut: there is no transport \"shh\"; did you mean \"ssh\"?" },
	{ V W "dut: { ssh: { hots: board } }\n", "f:3:15: dut has no option \"hots\"; did you mean \"host\"?" },
	{ V W "dut: { ssh: board, netns: {} }\n", "f:3:20: dut: one transport, but both \"ssh\" and \"netns\" stand here" },
	{ V W "dut: ssh\n", "f:3:6: dut: ssh needs a host" },
	{ "variants: { a: { sysctrl: { net.x: 1 } }, b: {} }\n" W, "f:1:18: there is no kind of knob \"sysctrl\"; did you mean \"sysctl\"?" },
	{ "variants: { a: { sysctl: { netx: 1 } }, b: {} }\n" W, "f:1:28: sysctl: \"netx\" is no name of a sysctl" },
	{ "variants: { a: { command: { r: { sett: x } } }, b: {} }\n" W, "f:1:34: command r has no \"sett\"; did you mean \"set\"?" },
	{ "variants: { a: { command: { r: { get: x } } }, b: {} }\n" W, "f:1:32: command r: set is missing: a shell command" },
	{ V W "baseline: c\n", "f:3:11: baseline: there is no variant \"c\"; did you mean \"a\"?" },
	{ "variants: { sleep: {}, no-sleep: {} }\n" W "baseline: nosleep\n", "f:3:11: baseline: there is no variant \"nosleep\"; did you mean \"no-sleep\"?" },
	{ V W "plan: { primary: [tcp.tk] }\n", "f:3:19: primary: neither workload nor observers here measure \"tcp.tk\"; did you mean \"tcp.tx\"?" },
	{ V W "plan: { primary: [ty:tcp.tx] }\n", "f:3:19: primary: there is no workload \"ty\" in this experiment; did you mean \"tx\"?" },
	/* types, units, ranges */
	{ V "workloads: { tx: { tcp: { streams: four } } }\n", "f:2:36: streams: expected a whole number, from 1 to 1024, found \"four\"" },
	{ V "workloads: { tx: { tcp: { streams: 0 } } }\n", "f:2:36: streams: expected a whole number, from 1 to 1024, found \"0\"" },
	{ V "workloads: { tx: { tcp: { time: 5 parsec } } }\n", "f:2:33: time: expected a time such as 2s, from 1ms to 86400s, found \"5 parsec\"" },
	{ V "workloads: { tx: { tcp: { size: 16MB/s } } }\n", "f:2:33: size: expected a size such as 64KiB, from 1, found \"16MB/s\"" },
	{ V "workloads: { tx: { tcp: { direction: txx } } }\n", "f:2:38: direction: expected one of tx, rx, bidir, found \"txx\"; did you mean \"tx\"?" },
	{ V "workloads: { tx: { tcp: { streams: [1, 2] } } }\n", "f:2:36: streams: expected a whole number, from 1 to 1024, found a list" },
	{ V "workloads: { tx: { tcp: { streams: } } }\n", "f:2:36: streams: expected a whole number, from 1 to 1024, found nothing" },
	{ V "workloads: { tx: { tcp: { nodelay: maybe } } }\n", "f:2:36: nodelay: expected yes or no, found \"maybe\"" },
	{ V W "plan: { min-effect: two }\n", "f:3:21: min-effect: expected a percentage such as 2%, from 0% to 1000%, found \"two\"" },
	{ V W "plan: 5\n", "f:3:7: plan: expected a map of options: { rounds: 10 }, found text" },
	{ "variants: [a, b]\n" W, "f:1:11: variants: expected a map of names: { on: { sysctl: ... }, off: ... }, found a list" },
	{ "variants: { a: { sysctl: net.x }, b: {} }\n" W, "f:1:26: sysctl: expected a map of { name: value }, found text" },
	{ "variants: { a: { sysctl: { net.x: [1] } }, b: {} }\n" W, "f:1:35: sysctl:net.x: expected a value, found a list" },
	{ "variants: { a: { sysctl: { net.x: } }, b: {} }\n" W, "f:1:35: sysctl:net.x: expected a value, found nothing" },
	/* nothing to compare */
	{ V, "f:1:1: workloads are missing: what the device does while it is measured" },
	{ W, "f:1:1: variants are missing: what to compare (or a sweep)" },
	{ "variants: { a: {} }\n" W, "f:1:11: only one variant: nothing can be compared, at least two are needed" },
	{ "variants: {}\n" W, "f:1:11: no variant: nothing can be compared, at least two are needed" },
	{ V "workloads: {}\n", "f:2:12: workloads: there is none" },
	{ "sweep: {}\n" W, "f:1:8: sweep: it is empty" },
	{ "sweep: { s: { sysctl: net.x, values: [] } }\n" W, "f:1:38: sweep s: values are empty" },
	{ "sweep: { s: { sysctl: net.x, value: [1] } }\n" W, "f:1:30: sweep s: one knob, but both sysctl and value stand here; did you mean \"values\"?" },
	{ "sweep: { s: { values: [1, 2] } }\n" W, "f:1:13: sweep s: the knob is missing: sysctl: NAME or workload: NAME.OPTION" },
	{ "sweep: { s: { sysctl: net.x, values: [1] } }\n" W, "f:1:8: only one variant: nothing can be compared, at least two are needed" },
	{ "sweep: { s: { sysctl: net.x, values: [1, 1] } }\n" W, "f:1:42: sweep s: the value \"1\" stands here twice" },
	{ "sweep: { s: { workload: ty.streams, values: [1, 2] } }\n" W, "f:1:25: there is no workload \"ty\" in this experiment; did you mean \"tx\"?" },
	{ "sweep: { s: { workload: tx.streams, values: [1, many] } }\n" W, "f:1:49: streams: expected a whole number, from 1 to 1024, found \"many\"" },
	{ "sweep: { s: { workload: stream, values: [1, 2] } }\n" W, "f:1:25: the workload here has no option \"stream\"; did you mean \"streams\"?" },
	/* what does not go together */
	{ "variants: { a: { sysctl: { net.x: 1 } }, b: {} }\nsweep: { s: { sysctl: net.x, values: [1, 2] } }\n" W, "f:2:23: sysctl:net.x is set twice, first in line 1" },
	{ "variants: { a: { sysctl: { net.x: 1 }, sysctl:net.x: 2 }, b: {} }\n" W, "f:1:40: sysctl:net.x is set twice, first in line 1" },
	{ "variants: { a: { workload: { tx.streams: 1, streams: 2 } }, b: {} }\n" W, "f:1:45: tx.streams is set twice, first in line 1" },
	{ V "workloads: { tx: { tcp: { size: 1M, time: 5s } } }\n", "f:2:43: workload tx: either size or time ends it, not both" },
	{ V "workloads: { tx: { tcp: { time: 1s }, time: 2s } }\n", "f:2:39: workload tx (tcp): time stands here twice, first in line 2" },
	{ V "workloads: { tx: { tcp: {}, idle: {} } }\n", "f:2:29: workload tx: one kind, but both tcp and idle stand here" },
	{ V "workloads:\n  tx: { tcp: { nodelay: yes, pacing: 1mbit } }\n", "f:3:1: workload tx under variant a: nodelay and pacing do not go together" },
	{ V W "plan: { rounds: 50, until: decided, max-rounds: 40 }\n", "f:3:49: plan: rounds (50) are more than max-rounds (40)" },
	{ V W "plan: { max-rounds: 4 }\n", "f:3:21: plan: max-rounds has a meaning with until: decided only" },
	{ V "workloads: { tx: { tcp: tx, against: { iperf: host } } }\n", "f:2:40: against: there is no stock tool \"iperf\"; did you mean \"iperf3\"?" },
	{ V "workloads: { t.x: { tcp: tx } }\n", "f:2:14: \"t.x\": the name of a workload holds no '.'" },
};

static void names_what_is_wrong_and_where(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kd_experiment e = { 0 }, zero = { 0 };
		struct kd_diag d = { 0 };
		char words[1280];
		int r;

		r = kd_experiment_parse(cases[i].text, strlen(cases[i].text),
					"f", &e, &d);
		if (r != -EINVAL)
			fail_msg("accepted: %s", cases[i].text);
		kd_diag_format(&d, words, sizeof(words));
		if (strcmp(words, cases[i].words)) {
			print_error("%s\n%s\n", words, cases[i].words);
			wrong++;
		}
		assert_memory_equal(&e, &zero, sizeof(e));
	}
	assert_int_equal(wrong, 0);
}

static void bounded(const char *text, size_t len, const char *words)
{
	struct kd_experiment e = { 0 };
	struct kd_diag d = { 0 };

	assert_int_equal(kd_experiment_parse(text, len, "f", &e, &d), -EINVAL);
	assert_string_equal(d.text, words);
}

static void has_bounds(void **state)
{
	size_t size = (1 << 20) + 1;
	char *text = malloc(size + 1), *p = text;

	memset(text, '[', size);
	bounded(text, 1000, "nested too deeply");
	memset(text, '#', size);
	bounded(text, size, "larger than 1 MiB: not an experiment file");
	bounded("name: x\0y\n", 10, "a NUL byte: not a text file");
	p += sprintf(p, "a: &a [x, x, x, x, x, x, x, x, x, x]\n");
	for (char c = 'b'; c < 'h'; c++)
		p += sprintf(p, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n",
			     c, c, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1,
			     c - 1, c - 1);
	bounded(text, (size_t)(p - text),
		"too much for an experiment: more than 50000 nodes");
	p = text + sprintf(text, W "sweep:\n");
	for (int f = 0; f < 3; f++)
		p += sprintf(p, "  f%d: { sysctl: net.%d, values: [1,2,3,4,5,6,7,8,9] }\n",
			     f, f);
	bounded(text, (size_t)(p - text),
		"sweep: more than 512 combinations");
	free(text);
}

/* every prefix of a file either is read or says where it ends */
static void survives_any_cut(void **state)
{
	static const char text[] =
		"name: x\ndut: { netns: { rate: 1gbit } }\n"
		"variants:\n  a: &k { sysctl: { net.x: \"1\\n\" } }\n  b: *k\n"
		"sweep: { s: { workload: tx.streams, values: [1, 2] } }\n"
		"baseline: { s: 2 }\n"
		"workloads: { tx: { tcp: { direction: tx, size: 1M } } }\n"
		"observe: { cpu: , tasks: { top: 3 } }\n"
		"plan: { rounds: 5, primary: [tx:tcp.tx] }\n";
	size_t good = 0;

	for (size_t len = 0; len < sizeof(text); len++) {
		struct kd_experiment e = { 0 };
		struct kd_diag d = { 0 };
		char *cut = malloc(len ? len : 1);

		memcpy(cut, text, len);
		if (kd_experiment_parse(cut, len, "f", &e, &d) == 0) {
			good++;
			kd_experiment_fini(&e);
		} else {
			assert_int_not_equal(d.line, 0);
			assert_true(d.text[0]);
		}
		free(cut);
	}
	assert_in_range(good, 3, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_is_wrong_and_where),
		cmocka_unit_test(has_bounds),
		cmocka_unit_test(survives_any_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
