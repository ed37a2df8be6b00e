// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real knobs in a network namespace of the test's own; nothing outside of it is
 * written. What is set here is looked at by iproute2, ethtool(8) and cat.
 */
#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/guardian.h"
#include "knobs/journal.h"
#include "knobs/knob.h"
#include "knobs/netns.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct kd_root *root;
static int outside;
static char dir[64] = "/tmp/kd-live-XXXXXX";

static struct kd_knob_env env(void)
{
	return (struct kd_knob_env){ .root = root, .ifname = "v0" };
}

/* the first line of what a command prints */
static const char *shell(const char *command)
{
	static char line[512];
	FILE *p = popen(command, "r");

	if (!fgets(line, sizeof(line), p))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	pclose(p);
	return line;
}

/* the same in the machine's own namespace, where nothing is written */
static const char *shell_outside(const char *command)
{
	int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	const char *line;

	assert_int_equal(setns(outside, CLONE_NEWNET), 0);
	line = shell(command);
	assert_int_equal(setns(own, CLONE_NEWNET), 0);
	close(own);
	return line;
}

static const char *ethtool(const char *option, const char *field)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "ethtool %s v0 2>/dev/null | sed -n 's/^[[:space:]]*%s:[[:space:]]*//p' | tail -n 1 | sed 's/ .*//'",
		 option, field);
	return shell(command);
}

static const char *get(const char *knob)
{
	static char text[512];
	struct kd_knob_env e = env();
	struct kd_buf b = { 0 };
	struct kd_diag d = { 0 };
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);
	int r = ops->get(&e, name, &b, &d);

	if (r)
		snprintf(text, sizeof(text), "error %d: %s", r, d.text);
	else
		snprintf(text, sizeof(text), "%s", kd_buf_str(&b));
	kd_buf_fini(&b);
	return text;
}

static int apply(const char *knob, const char *value, struct kd_diag *d)
{
	struct kd_knob_env e = env();
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	int r;

	memset(d, 0, sizeof(*d));
	r = kd_knob_apply(&e, knob, value, &seen, &match, d);
	kd_buf_fini(&seen);
	return r;
}

static void must_apply(const char *knob, const char *value)
{
	struct kd_diag d;

	if (apply(knob, value, &d))
		fail_msg("%s=%s: %s: %s", knob, value, d.subject, d.text);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" lacks \"%s\"", text, part);
}

static void sysctls(void **state)
{
	struct kd_diag d;

	must_apply("sysctl:net.ipv4.tcp_wmem", "4096 20000 300000");
	assert_string_equal(shell("tr '\\t' ' ' </proc/sys/net/ipv4/tcp_wmem"),
			    "4096 20000 300000");
	must_apply("sysctl:net.ipv4.conf.v0.forwarding", "1");
	assert_string_equal(shell("cat /proc/sys/net/ipv4/conf/v0/forwarding"),
			    "1");
	assert_int_equal(apply("sysctl:net.ipv4.tcp_ecn", "77", &d), -EINVAL);
	has(d.text, "refused");
	has(d.hint, "out of range");
	assert_int_equal(apply("sysctl:net.ipv4.tcp_congestion_control", "nosuch",
			       &d), -ENOENT);
	assert_int_equal(apply("sysctl:kernel.osrelease", "x", &d), -EACCES);
	has(d.text, "read-only");
}

static unsigned int flags(const char *knob)
{
	struct kd_knob_env e = env();
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);

	return kd_knob_flags(&e, ops, name);
}

/* as the kernel has it, not as the name looks */
static void scopes(void **state)
{
	assert_int_equal(flags("sysctl:net.ipv4.tcp_wmem"), KD_KNOB_NETNS);
	assert_int_equal(flags("sysctl:net.ipv4.conf.v0.forwarding"),
			 KD_KNOB_NETNS);
	assert_int_equal(flags("sysctl:net.core.netdev_max_backlog"), 0);
	assert_int_equal(flags("sysctl:net.ipv4.tcp_mem"), 0);
	assert_int_equal(flags("sysctl:kernel.pid_max"), 0);
	assert_int_equal(flags("ethtool:gro"), KD_KNOB_NETNS);
}

/* not in this namespace: it is the machine's, and read there */
static void machine_wide(void **state)
{
	assert_int_equal(access("/proc/sys/net/core/netdev_max_backlog", F_OK),
			 -1);
	assert_string_equal(get("sysctl:net.core.netdev_max_backlog"),
			    shell_outside("cat /proc/sys/net/core/netdev_max_backlog"));
}

static void features(void **state)
{
	static const struct {
		const char *knob, *field;
	} cases[] = {
		{ "ethtool:gro", "generic-receive-offload" },
		{ "ethtool:v0.generic-receive-offload",
		  "generic-receive-offload" },
		{ "ethtool:tso", "tcp-segmentation-offload" },
		{ "ethtool:gso", "generic-segmentation-offload" },
		{ "ethtool:tx-checksumming", "tx-checksumming" },
		{ "ethtool:rx", "rx-checksumming" },
		{ "ethtool:sg", "scatter-gather" },
		{ "ethtool:tx-udp-segmentation", "tx-udp-segmentation" },
		{ "ethtool:rx-gro-list", "rx-gro-list" },
	};
	static const char *const values[] = { "off", "on", "off", "on" };

	for (size_t i = 0; i < KD_ARRAY_SIZE(cases); i++) {
		for (size_t k = 0; k < KD_ARRAY_SIZE(values); k++) {
			must_apply(cases[i].knob, values[k]);
			assert_string_equal(ethtool("-k", cases[i].field),
					    values[k]);
			assert_string_equal(get(cases[i].knob), values[k]);
		}
	}
	/* what ethtool sets is seen */
	shell("ethtool -K v0 gro off");
	assert_string_equal(get("ethtool:gro"), "off");
}

/* an old name for bits that do not agree goes back bit by bit */
static void groups(void **state)
{
	char mixed[512];

	must_apply("ethtool:tso", "on");
	must_apply("ethtool:tx-tcp6-segmentation", "off");
	snprintf(mixed, sizeof(mixed), "%s", get("ethtool:tso"));
	has(mixed, "tx-tcp-segmentation=on");
	has(mixed, "tx-tcp6-segmentation=off");
	must_apply("ethtool:tso", "off");
	assert_string_equal(ethtool("-k", "tx-tcp-segmentation"), "off");
	must_apply("ethtool:tso", mixed);
	assert_string_equal(ethtool("-k", "tx-tcp-segmentation"), "on");
	assert_string_equal(ethtool("-k", "tx-tcp6-segmentation"), "off");
	must_apply("ethtool:tso", "on");
}

static void channels(void **state)
{
	struct kd_diag d;

	must_apply("ethtool:rx-channels", "2");
	assert_string_equal(ethtool("-l", "RX"), "2");
	must_apply("ethtool:rx-channels", "1");
	assert_string_equal(ethtool("-l", "RX"), "1");
	assert_int_equal(apply("ethtool:rx-channels", "4000", &d), -ERANGE);
	has(d.text, "out of range");
	has(d.text, "it is \"1\", wanted \"4000\"");
	assert_int_equal(apply("ethtool:rx-channels", "many", &d), -EINVAL);
	assert_int_equal(apply("ethtool:combined", "1", &d), -EOPNOTSUPP);
	assert_int_equal(apply("ethtool:rx-ring", "64", &d), -EOPNOTSUPP);
	has(d.text, "Operation not supported");
}

/* coalescing is what a tap device has of these */
static void coalescing(void **state)
{
	if (system("ip tuntap add t0 mode tap 2>/dev/null")) {
		print_message("# no tap device here\n");
		skip();
		return;
	}
	must_apply("ethtool:t0.rx-frames", "32");
	assert_string_equal(shell("ethtool -c t0 | sed -n 's/^rx-frames:[[:space:]]*//p'"),
			    "32");
	must_apply("ethtool:t0.rx-frames", "0");
	shell("ip link del t0");
}

/* read only: what the machine's own interface has, beside ethtool(8) */
static void rings_and_delays(void **state)
{
	static const struct {
		const char *word, *command;
	} cases[] = {
		{ "tx-ring", "ethtool -g eth0 2>/dev/null | sed -n 's/^TX:[[:space:]]*//p' | tail -n 1" },
		{ "rx-usecs", "ethtool -c eth0 2>/dev/null | sed -n 's/^rx-usecs:[[:space:]]*//p'" },
		{ "combined", "ethtool -l eth0 2>/dev/null | sed -n 's/^Combined:[[:space:]]*//p' | tail -n 1" },
	};
	struct kd_knob_env e = { .root = root, .ifname = "eth0" };
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find("ethtool", &name);
	int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	unsigned int compared = 0;

	for (size_t i = 0; i < KD_ARRAY_SIZE(cases); i++) {
		const char *expect = shell_outside(cases[i].command);
		struct kd_buf seen = { 0 };

		if (*expect < '0' || *expect > '9')
			continue;
		setns(outside, CLONE_NEWNET);
		ops->get(&e, cases[i].word, &seen, NULL);
		setns(own, CLONE_NEWNET);
		assert_string_equal(kd_buf_str(&seen), expect);
		kd_buf_fini(&seen);
		compared++;
	}
	close(own);
	if (!compared) {
		print_message("# no interface eth0 that has these\n");
		skip();
	}
}

static void tells_why_not(void **state)
{
	struct kd_diag d;

	assert_int_equal(apply("ethtool:v1x.gro", "on", &d), -ENOENT);
	has(d.text, "no interface v1x");
	has(d.hint, "v1");
	assert_int_equal(apply("ethtool:rx-grol-ist", "on", &d), -ENOENT);
	has(d.hint, "rx-gro-list");
	assert_int_equal(apply("ethtool:rx-usecss", "1", &d), -ENOENT);
	has(d.hint, "rx-usecs");
	assert_int_equal(apply("ethtool:highdma", "maybe", &d), -EINVAL);
	assert_int_equal(apply("ethtool:rx-all", "on", &d), -EACCES);
	has(d.text, "read-only");
}

/* tc(8)'s words for the root of v0 */
static const char *tc(void)
{
	return shell("tc qdisc show dev v0 | sed 's/^qdisc //; s/ [0-9a-f]*: root refcnt [0-9]*//; s/ *$//'");
}

static void queueing(void **state)
{
	char before[512];
	struct kd_diag d;

	assert_string_equal(get("qdisc:"), "default noqueue");
	must_apply("qdisc:v0", "pfifo limit 77");
	assert_string_equal(tc(), "pfifo limit 77p");
	must_apply("qdisc:", "pfifo");
	assert_int_equal(apply("qdisc:", "nosuch", &d), -ENOENT);
	has(d.hint, "no nosuch");
	/* that left the default: what was there is put back by the journal */
	must_apply("qdisc:", "tbf rate 100mbit burst 32KiB limit 128KiB");
	has(tc(), "tbf rate 100Mbit burst 32Kb");
	/* made by another tool, put back to the bit */
	must_apply("qdisc:", "default");
	shell("tc qdisc add dev v0 root tbf rate 12345kbit burst 5k latency 70ms");
	snprintf(before, sizeof(before), "%s", get("qdisc:"));
	has(before, "tbf rate 12345000bit");
	must_apply("qdisc:", "bfifo limit 64KiB");
	must_apply("qdisc:", before);
	assert_string_equal(get("qdisc:"), before);
	has(tc(), "rate 12345Kbit");
	/* what cannot be put back is not touched */
	must_apply("qdisc:", "default");
	shell("tc qdisc add dev v0 root handle 1: htb; tc class add dev v0 parent 1: classid 1:1 htb rate 1mbit");
	assert_int_equal(apply("qdisc:", "pfifo", &d), -EBUSY);
	has(d.text, "htb with classes");
	has(tc(), "htb");
	shell("tc qdisc del dev v0 root");
	assert_int_equal(apply("qdisc:", "tbf rate 1mbit", &d), -EINVAL);
	assert_int_equal(apply("qdisc:", "pfifo raw=0x", &d), -EINVAL);
	assert_int_equal(apply("qdisc:nosuch0", "pfifo", &d), -ENOENT);
	assert_string_equal(get("qdisc:"), "default noqueue");
}

/* a refused one leaves the old one, not the default */
static void queueing_undone(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	struct kd_journal *j;

	must_apply("qdisc:", "pfifo limit 55");
	assert_int_equal(kd_journal_open(dir, "x", &e, NULL, NULL, &j, NULL), 0);
	assert_int_equal(kd_journal_set(j, &e, "qdisc:", "nosuch", &seen,
					&match, NULL), -ENOENT);
	assert_string_equal(tc(), "pfifo limit 55p");
	assert_int_equal(kd_journal_set(j, &e, "qdisc:", "pfifo limit 66",
					&seen, &match, NULL), 0);
	assert_string_equal(tc(), "pfifo limit 66p");
	assert_int_equal(kd_journal_restore(j, &e, NULL, NULL), 0);
	assert_string_equal(tc(), "pfifo limit 55p");
	kd_journal_close(j);
	must_apply("qdisc:", "default");
	kd_buf_fini(&seen);
}

struct count {
	unsigned int n, machine;
	bool gro, wmem, backlog;
};

static void counting(void *arg, const char *name, const char *value,
		     unsigned int knob_flags)
{
	struct count *c = arg;

	c->n++;
	c->machine += !(knob_flags & KD_KNOB_NETNS);
	c->gro |= !strcmp(name, "v0.gro");
	c->wmem |= !strcmp(name, "net.ipv4.tcp_wmem") &&
		   (knob_flags & KD_KNOB_NETNS);
	c->backlog |= !strcmp(name, "net.core.netdev_max_backlog") &&
		      !(knob_flags & KD_KNOB_NETNS);
}

static void lists(void **state)
{
	struct kd_knob_env e = env();
	struct count c = { 0 };
	const char *name;

	kd_knob_find("ethtool", &name)->list(&e, NULL, counting, &c, NULL);
	assert_true(c.gro);
	assert_int_equal(c.machine, 0);
	kd_knob_find("sysctl", &name)->list(&e, NULL, counting, &c, NULL);
	assert_true(c.wmem);
	assert_true(c.backlog);
	assert_true(c.n > 200);
}

/* an owner that is killed with its guardian, in a namespace that others hold:
 * put back from outside; in one that nobody holds: dropped */
static void other_namespaces(void **state)
{
	int before = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	struct kd_knob_env e = env();
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	struct kd_journal *j;
	char command[128];
	pid_t holder, pid;
	int there;

	assert_int_equal(unshare(CLONE_NEWNET), 0);
	there = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	holder = fork();
	if (!holder) {
		execl("/bin/sleep", "sleep", "100", (char *)NULL);
		_exit(127);
	}
	pid = fork();
	if (!pid) {
		if (kd_journal_open(dir, "x", &e, NULL, NULL, &j, NULL) ||
		    kd_journal_set(j, &e, "sysctl:net.ipv4.tcp_sack", "0",
				   &seen, &match, NULL))
			_exit(1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	close(there);
	setns(before, CLONE_NEWNET);
	snprintf(command, sizeof(command),
		 "nsenter -t %d -n cat /proc/sys/net/ipv4/tcp_sack", holder);
	assert_string_equal(shell(command), "0");
	assert_string_equal(get("sysctl:net.ipv4.tcp_sack"), "1");
	assert_int_equal(kd_journal_recover(dir, &e, NULL, NULL, NULL), 0);
	assert_string_equal(shell(command), "1");
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
	close(before);
}

/* the interface was made anew under its name: it is another one */
static void another_device(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	struct kd_journal *j;

	must_apply("ethtool:gro", "off");
	assert_int_equal(kd_journal_open(dir, "x", &e, NULL, NULL, &j, NULL), 0);
	assert_int_equal(kd_journal_set(j, &e, "ethtool:gro", "on", &seen,
					&match, NULL), 0);
	shell("ip link del v0; ip link add v0 type veth peer name v1; ethtool -K v0 gro on");
	assert_int_equal(kd_journal_restore(j, &e, NULL, NULL), 0);
	assert_string_equal(ethtool("-k", "generic-receive-offload"), "on");
	kd_journal_close(j);
	kd_buf_fini(&seen);
}

/* 20 agents that are killed in this namespace, with real knobs */
static void killed_agents(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	struct kd_journal *j;
	struct kd_diag d;

	must_apply("ethtool:gro", "off");
	must_apply("sysctl:net.ipv4.tcp_sack", "1");
	srand(2);
	for (int i = 0; i < 20; i++) {
		struct kd_guardian *g;
		pid_t pid = fork();

		if (!pid) {
			if (kd_journal_open(dir, "x", &e, NULL, NULL, &j,
					    NULL) ||
			    kd_guardian_start(j, &e, &g, NULL))
				_exit(1);
			for (;;) {
				kd_journal_set(j, &e, "ethtool:gro", "on",
					       &seen, &match, NULL);
				kd_journal_set(j, &e,
					       "sysctl:net.ipv4.tcp_sack", "0",
					       &seen, &match, NULL);
				kd_journal_set(j, &e, "ethtool:gro", "off",
					       &seen, &match, NULL);
			}
		}
		usleep((useconds_t)(10000 + rand() % 20000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		/* waits for the guardian */
		memset(&d, 0, sizeof(d));
		if (kd_journal_open(dir, "y", &e, NULL, NULL, &j, &d))
			fail_msg("%s", d.text);
		kd_journal_close(j);
		assert_string_equal(ethtool("-k", "generic-receive-offload"),
				    "off");
		assert_string_equal(shell("cat /proc/sys/net/ipv4/tcp_sack"),
				    "1");
	}
	kd_buf_fini(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sysctls),
		cmocka_unit_test(scopes),
		cmocka_unit_test(machine_wide),
		cmocka_unit_test(features),
		cmocka_unit_test(groups),
		cmocka_unit_test(channels),
		cmocka_unit_test(coalescing),
		cmocka_unit_test(rings_and_delays),
		cmocka_unit_test(tells_why_not),
		cmocka_unit_test(queueing),
		cmocka_unit_test(queueing_undone),
		cmocka_unit_test(lists),
		cmocka_unit_test(other_namespaces),
		cmocka_unit_test(another_device),
		cmocka_unit_test(killed_agents),
	};
	int r;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	outside = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (unshare(CLONE_NEWNET)) {
		printf("1..0 # SKIP needs root for a network namespace\n");
		return 0;
	}
	if (system("ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set lo up") ||
	    !mkdtemp(dir) || kd_root_open("/", &root, NULL)) {
		printf("1..1\nnot ok 1 - cannot make a veth pair\n");
		return 1;
	}
	r = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return r;
}
