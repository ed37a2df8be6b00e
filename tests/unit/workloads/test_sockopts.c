// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an option says is what the kernel has on the sockets, in the middle of
 * the window.
 */
#include "pair.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SO_MAX_PACING_RATE
#define SO_MAX_PACING_RATE 47
#endif

struct seen {
	int n;
	int congestion, nodelay, mss, tos, lowat, sndbuf, rcvbuf, protocol;
	unsigned int pacing;
	char name[16];
	char local[INET6_ADDRSTRLEN];
	char device[16];
};

static int get(int fd, int level, int name)
{
	int v = -1;
	socklen_t len = sizeof(v);

	return getsockopt(fd, level, name, &v, &len) ? -1 : v;
}

static struct seen device, peer;

static void look(struct pair_end *e, bool opens)
{
	struct seen *s = e->env.role == KD_ROLE_DEVICE ? &device : &peer;
	socklen_t len = sizeof(s->name), pacing = sizeof(s->pacing);
	socklen_t device_len = sizeof(s->device);
	int fds[8];

	if (!opens)
		return;
	memset(s, 0, sizeof(*s));
	s->n = (int)e->ops->sockets(e->priv, fds, 8);
	if (!s->n)
		return;
	getsockopt(fds[0], IPPROTO_TCP, TCP_CONGESTION, s->name, &len);
	getsockopt(fds[0], SOL_SOCKET, SO_MAX_PACING_RATE, &s->pacing, &pacing);
	getsockopt(fds[0], SOL_SOCKET, SO_BINDTODEVICE, s->device, &device_len);
	s->nodelay = get(fds[0], IPPROTO_TCP, TCP_NODELAY);
	s->mss = get(fds[0], IPPROTO_TCP, TCP_MAXSEG);
	s->tos = get(fds[0], IPPROTO_IP, IP_TOS);
	s->lowat = get(fds[0], IPPROTO_TCP, TCP_NOTSENT_LOWAT);
	s->sndbuf = get(fds[0], SOL_SOCKET, SO_SNDBUF);
	s->rcvbuf = get(fds[0], SOL_SOCKET, SO_RCVBUF);
	s->protocol = get(fds[0], SOL_SOCKET, SO_PROTOCOL);
}

static void run(struct pair *p, const char *options)
{
	pair_init(p, "tcp", options, "127.0.0.1", 200 * KD_NS_PER_MS);
	p->device.window = p->peer.window = look;
	pair_run(p);
	if (p->device.result || p->peer.result)
		print_error("device: %s; peer: %s\n", p->device.diag.text,
			    p->peer.diag.text);
	assert_int_equal(p->device.result, 0);
	assert_int_equal(p->peer.result, 0);
	assert_int_equal(device.n, 1);
}

static void by_default_the_kernel_chooses(void **state)
{
	struct pair p;

	run(&p, "tx");
	assert_int_equal(device.nodelay, 0);
	assert_int_equal(device.tos, 0);
	assert_int_equal(device.pacing, ~0u);
	assert_int_equal(device.protocol, IPPROTO_TCP);
	assert_string_equal(device.device, "");
	pair_fini(&p);
}

static void options_are_on_the_sockets(void **state)
{
	struct pair p;

	run(&p, "tx,congestion=reno,nodelay,mss=1000,tos=16,notsent-lowat=32k,"
		"sndbuf=100k,rcvbuf=50k,pacing=80mbit,bind-device=lo");
	assert_string_equal(device.name, "reno");
	assert_string_equal(peer.name, "reno");
	assert_int_equal(device.nodelay, 1);
	assert_true(device.mss > 0 && device.mss <= 1000);
	assert_int_equal(device.tos, 16);
	assert_int_equal(device.lowat, 32 << 10);
	/* the kernel doubles both for its own use, socket(7) */
	assert_int_equal(device.sndbuf, 2 * (100 << 10));
	assert_int_equal(peer.rcvbuf, 2 * (50 << 10));
	assert_int_equal(device.pacing, 80000000 / 8);
	assert_string_equal(device.device, "lo");
	pair_fini(&p);
}

/* more than the pace cannot have come in the window: its whole plus what was
 * in flight when it opened */
static void pacing_holds(void **state)
{
	double span_s, most;
	struct pair p;

	run(&p, "tx,pacing=40mbit,sndbuf=64k,block=16k");
	span_s = (double)(p.peer.t1_ns - p.peer.t0_ns) / 1e9;
	most = 40e6 / 8 * span_s * 1.05 + (1 << 20);
	assert_true(pair_value(&p.peer, "tcp.tx-bytes") < most);
	assert_true(pair_value(&p.peer, "tcp.tx-bytes") > 0);
	pair_fini(&p);
}

static void multipath(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);
	struct pair p;

	if (fd >= 0) {
		close(fd);
		run(&p, "tx,mptcp");
		assert_int_equal(device.protocol, IPPROTO_MPTCP);
	} else {
		pair_init(&p, "tcp", "tx,mptcp", "127.0.0.1", KD_NS_PER_MS);
		pair_run(&p);
		assert_true(p.peer.result < 0);
		assert_non_null(strstr(p.peer.diag.text, "multipath"));
	}
	pair_fini(&p);
}

static void what_cannot_be_set_is_told(void **state)
{
	static const struct { const char *options, *words; } bad[] = {
		{ "tx,congestion=nosuch", "nosuch" },
		{ "tx,bind-device=nosuch0", "nosuch0" },
		{ "tx,bind=192.0.2.77", "192.0.2.77" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pair p;

		pair_init(&p, "tcp", bad[i].options, "127.0.0.1", KD_NS_PER_MS);
		p.device.env.deadline_ns = p.peer.env.deadline_ns =
			kd_now() + 2 * KD_NS_PER_SEC;
		pair_run(&p);
		if (!strstr(p.device.diag.text, bad[i].words) &&
		    !strstr(p.peer.diag.text, bad[i].words))
			fail_msg("%s: device \"%s\", peer \"%s\"",
				 bad[i].options, p.device.diag.text,
				 p.peer.diag.text);
		pair_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_default_the_kernel_chooses),
		cmocka_unit_test(options_are_on_the_sockets),
		cmocka_unit_test(pacing_holds),
		cmocka_unit_test(multipath),
		cmocka_unit_test(what_cannot_be_set_is_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
