// SPDX-License-Identifier: GPL-2.0-or-later
#include "pair.h"

#include "base/clock.h"
#include "workloads/engine/seqtrack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void counts_order(void **state)
{
	static const uint64_t seqs[] = { 0, 1, 3, 2, 2, 6, 5, 6, 10, 5000, 4999,
					 10, 5000 };
	struct kd_seqtrack t = { 0 };

	for (size_t i = 0; i < sizeof(seqs) / sizeof(*seqs); i++)
		kd_seqtrack_add(&t, seqs[i], 0, 0);
	assert_int_equal(t.next, 5001);
	assert_int_equal(t.received, 13);
	/* 2, 6 and 5000 again; the second 10 is out of the window */
	assert_int_equal(t.duplicates, 3);
	assert_int_equal(t.unique, 10);
	assert_int_equal(t.reordered, 4);
}

/* against a plain set, with losses, copies and swaps */
static void counts_like_a_set(void **state)
{
	enum { N = 100000 };
	static uint8_t seen[N];
	struct kd_seqtrack t = { 0 };
	uint64_t unique = 0, dup = 0, high = 0;

	srandom(4);
	for (uint64_t i = 0; i < N - 200; i++) {
		uint64_t s = i + (uint64_t)(random() % 100);

		kd_seqtrack_add(&t, s, 0, 0);
		if (seen[s])
			dup++;
		else
			unique++;
		seen[s] = 1;
		high = s > high ? s : high;
	}
	assert_int_equal(t.unique, unique);
	assert_int_equal(t.duplicates, dup);
	assert_int_equal(t.next, high + 1);
}

/* the recursion of RFC 3550, 6.4.1, written out over stored times */
static void jitter_is_rfc3550(void **state)
{
	enum { N = 5000 };
	static double s[N], r[N];
	struct kd_seqtrack t = { 0 };
	double j = 0, least = 1e30;

	srandom(5);
	for (int i = 0; i < N; i++) {
		uint64_t d;

		s[i] = i * 1e6;
		r[i] = s[i] + 7e9 + (double)(random() % 300000);
		d = kd_seqtrack_add(&t, (uint64_t)i, (uint64_t)s[i],
				    (uint64_t)r[i]);
		least = fmin(least, r[i] - s[i]);
		assert_true((double)d == r[i] - s[i] - least);
		if (i) {
			double diff = (r[i] - r[i - 1]) - (s[i] - s[i - 1]);

			j = j + (fabs(diff) - j) / 16;
		}
	}
	assert_true(fabs(t.jitter_ns - j) < 1e-3);
	assert_true(j > 50000 && j < 200000);
}

static void check(struct pair *p)
{
	if (p->device.result || p->peer.result)
		print_error("device: %s; peer: %s\n", p->device.diag.text,
			    p->peer.diag.text);
	assert_int_equal(p->device.result, 0);
	assert_int_equal(p->peer.result, 0);
}

/* not faster than told; a busy machine may be slower, and the smooth pace is
 * measured elsewhere */
static void paced_flow_arrives(void **state)
{
	static const char *const options[] = {
		"tx,rate=20mbit,size=1000", "rx,rate=20mbit,size=1000,streams=3",
		"bidir,rate=20mbit,size=1000,gso=no,gro=no",
		"bidir,rate=20mbit,size=1000,threads=1,spin=no"
	};

	for (int i = 0; i < 4; i++) {
		struct pair p;
		double got;

		pair_init(&p, "udp", options[i], i & 1 ? "::1" : "127.0.0.1",
			  250 * KD_NS_PER_MS);
		p.device.env.warmup_ns = p.peer.env.warmup_ns = 50000000;
		pair_run(&p);
		check(&p);
		if (i != 1) {
			got = pair_value(&p.device, "udp.tx-sent-throughput");
			assert_true(got > 0.5 && got < 30);
			got = pair_value(&p.peer, "udp.tx-throughput");
			assert_true(got > 0.5 && got < 30);
			assert_true(pair_value(&p.peer, "udp.tx-loss") < 0.5);
			assert_true(pair_value(&p.peer, "udp.tx-duplicates") ==
				    0);
			assert_true(pair_value(&p.peer, "udp.tx-jitter") >= 0);
			assert_true(pair_value(&p.device, "udp.tx-late.p50") >=
				    0);
		}
		if (i != 0) {
			got = pair_value(&p.device, "udp.rx-throughput");
			assert_true(got > 0.5 && got < 30);
			assert_true(pair_value(&p.device, "udp.rx-loss") < 0.5);
		}
		pair_fini(&p);
	}
}

static void unlimited_loss_is_data(void **state)
{
	struct pair p;

	/* a receive buffer of a few datagrams */
	pair_init(&p, "udp", "tx,size=1400,rcvbuf=4k,gso=no,gro=no",
		  "127.0.0.1", 300 * KD_NS_PER_MS);
	pair_run(&p);
	check(&p);
	assert_true(pair_value(&p.peer, "udp.tx-packets") > 0);
	assert_true(pair_value(&p.device, "udp.tx-sent-packets") >=
		    pair_value(&p.peer, "udp.tx-packets"));
	assert_true(pair_value(&p.peer, "udp.tx-loss") >= 0);
	pair_fini(&p);
}

/*
 * A socket in the middle that drops each tenth and doubles each seventeenth
 * datagram, and holds one back now and then.
 */
struct middle {
	int front, back;
	int stop;
	uint64_t passed, dropped, doubled, swapped;
};

static void pass(struct middle *m, const char *data, size_t len)
{
	send(m->back, data, len, MSG_NOSIGNAL);
}

static void from_front(struct middle *m, struct sockaddr_in *client)
{
	static char held[2048];
	static size_t held_len;
	char data[2048];
	socklen_t len = sizeof(*client);
	ssize_t n = recvfrom(m->front, data, sizeof(data), 0,
			     (struct sockaddr *)client, &len);

	if (n <= 0)
		return;
	if (n < 100) {
		pass(m, data, (size_t)n);
		return;
	}
	m->passed++;
	if (m->passed % 10 == 3) {
		m->dropped++;
	} else if (m->passed % 25 == 6) {
		memcpy(held, data, (size_t)n);
		held_len = (size_t)n;
	} else {
		pass(m, data, (size_t)n);
		if (m->passed % 17 == 4) {
			pass(m, data, (size_t)n);
			m->doubled++;
		}
		if (held_len) {
			pass(m, held, held_len);
			m->swapped++;
			held_len = 0;
		}
	}
}

static void *middle_thread(void *arg)
{
	struct middle *m = arg;
	struct sockaddr_in client = { 0 };
	char data[2048];

	while (!__atomic_load_n(&m->stop, __ATOMIC_ACQUIRE)) {
		struct pollfd pfd[2] = { { .fd = m->front, .events = POLLIN },
					 { .fd = m->back, .events = POLLIN } };

		if (poll(pfd, 2, 20) <= 0)
			continue;
		if (pfd[0].revents)
			from_front(m, &client);
		if (pfd[1].revents) {
			ssize_t n = recv(m->back, data, sizeof(data), 0);

			if (n > 0)
				sendto(m->front, data, (size_t)n, 0,
				       (struct sockaddr *)&client,
				       sizeof(client));
		}
	}
	return NULL;
}

static void counts_what_the_middle_did(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct middle m = { 0 };
	socklen_t len = sizeof(a);
	double lost, came;
	pthread_t thread;
	struct pair p;

	pair_init(&p, "udp", "tx,rate=8mbit,size=1000", "127.0.0.1",
		  700 * KD_NS_PER_MS);
	/* the peer's window has all that the device sends */
	p.device.env.length_ns = 400 * KD_NS_PER_MS;
	p.device.alone = true;
	m.front = socket(AF_INET, SOCK_DGRAM, 0);
	m.back = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(m.front, (struct sockaddr *)&a, sizeof(a)), 0);
	getsockname(m.front, (struct sockaddr *)&a, &len);
	p.device.env.port = ntohs(a.sin_port);
	a.sin_port = htons(p.peer.env.port);
	assert_int_equal(connect(m.back, (struct sockaddr *)&a, sizeof(a)), 0);
	pthread_create(&thread, NULL, middle_thread, &m);
	pair_run(&p);
	__atomic_store_n(&m.stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	check(&p);
	lost = pair_value(&p.peer, "udp.tx-lost");
	came = pair_value(&p.peer, "udp.tx-packets") *
	       (double)(p.peer.t1_ns - p.peer.t0_ns) / 1e9;
	/* so busy a machine that the window closed before all had come */
	if (came < (double)(m.passed - m.dropped + m.doubled) - 1.5) {
		pair_fini(&p);
		close(m.front);
		close(m.back);
		skip();
	}
	/* one may still be held, and losses after the last that came are not
	 * seen */
	assert_true(lost >= (double)m.dropped - 2);
	assert_true(lost <= (double)m.dropped + 1);
	assert_true(pair_value(&p.peer, "udp.tx-duplicates") ==
		    (double)m.doubled);
	assert_true(pair_value(&p.peer, "udp.tx-reordered") ==
		    (double)m.swapped);
	assert_true(m.dropped > 2 && m.doubled > 1 && m.swapped > 0);
	pair_fini(&p);
	close(m.front);
	close(m.back);
}

static void wrong_token_gets_no_answer(void **state)
{
	struct pair p;

	pair_init(&p, "udp", "tx", "127.0.0.1", 100 * KD_NS_PER_MS);
	p.device.env.token[0] ^= 1;
	p.device.env.deadline_ns = kd_now() + 300 * KD_NS_PER_MS;
	assert_int_equal(pair_prepare(&p), -ETIMEDOUT);
	assert_non_null(strstr(p.device.diag.text, "nobody answers"));
	pair_fini(&p);
}

static void lost_peer_is_noticed(void **state)
{
	uint64_t t = kd_now();
	struct pair p;

	pair_init(&p, "udp", "tx,rate=50mbit", "127.0.0.1",
		  10 * KD_NS_PER_SEC);
	p.peer.env.length_ns = 100 * KD_NS_PER_MS;
	p.peer.alone = true;
	pair_run(&p);
	assert_int_equal(p.device.result, -ECONNREFUSED);
	assert_true(kd_now() - t < 2 * KD_NS_PER_SEC);
	pair_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_order),
		cmocka_unit_test(counts_like_a_set),
		cmocka_unit_test(jitter_is_rfc3550),
		cmocka_unit_test(paced_flow_arrives),
		cmocka_unit_test(unlimited_loss_is_data),
		cmocka_unit_test(counts_what_the_middle_did),
		cmocka_unit_test(wrong_token_gets_no_answer),
		cmocka_unit_test(lost_peer_is_noticed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
