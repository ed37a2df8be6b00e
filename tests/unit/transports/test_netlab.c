// SPDX-License-Identifier: GPL-2.0-or-later
#include "transports/netlab.h"

#include <arpa/inet.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static ino_t own_netns(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	return st.st_ino;
}

/* the other test of reality: iproute2, run inside the namespace */
static int in_ns(int ns, const char *command)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (setns(ns, CLONE_NEWNET))
			_exit(99);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(98);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void joins_two_namespaces(void **state)
{
	struct kd_netlab_options o = { .burst_bytes = 65536 };
	struct kd_netlab lab;
	struct kd_diag d = { 0 };
	ino_t before = own_netns();

	if (geteuid()) {
		skip();
		return;
	}
	assert_int_equal(kd_netlab_open(&o, &lab, &d), 0);
	assert_int_equal(own_netns(), before);
	assert_int_equal(in_ns(lab.dut_ns, "ip -4 addr show dev dut0 | grep -q 'inet 10.77.0.1/24'"), 0);
	assert_int_equal(in_ns(lab.peer_ns, "ip -6 addr show dev peer0 | grep -q 'inet6 fd77::2/64'"), 0);
	assert_int_equal(in_ns(lab.dut_ns, "ip link show dev dut0 | grep -q 'state UP'"), 0);
	assert_int_equal(in_ns(lab.dut_ns, "ip link show dev lo | grep -q UP"), 0);
	assert_int_equal(in_ns(lab.dut_ns, "! ip link show dev eth0 2>/dev/null"), 0);
	kd_netlab_close(&lab);
}

static void shapes(void **state)
{
	struct kd_netlab_options o = { .rate_bps = 200000000,
				       .burst_bytes = 65536,
				       .queue_bytes = 262144 };
	struct kd_netlab lab;
	struct kd_diag d = { 0 };
	int r;

	if (geteuid()) {
		skip();
		return;
	}
	r = kd_netlab_open(&o, &lab, &d);
	if (r == -EOPNOTSUPP) {
		skip();
		return;
	}
	assert_int_equal(r, 0);
	assert_int_equal(in_ns(lab.dut_ns, "tc qdisc show dev dut0 | grep -q 'tbf .*rate 200Mbit burst 64Kb.*'"), 0);
	kd_netlab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_two_namespaces),
		cmocka_unit_test(shapes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
