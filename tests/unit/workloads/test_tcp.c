// SPDX-License-Identifier: GPL-2.0-or-later
#include "pair.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cmocka.h>

#define HELLO 20

static void check(struct pair *p)
{
	if (p->device.result || p->peer.result)
		print_error("device: %s; peer: %s\n", p->device.diag.text,
			    p->peer.diag.text);
	assert_int_equal(p->device.result, 0);
	assert_int_equal(p->peer.result, 0);
}

/* has the other end's FIN, which counts as a byte in bytes_received */
static bool has_fin(const struct tcp_info *info)
{
	/* include/net/tcp_states.h; linux/tcp.h has no names for them */
	enum { TIME_WAIT = 6, CLOSE, CLOSE_WAIT, LAST_ACK, CLOSING = 11 };

	return (info->tcpi_state >= TIME_WAIT &&
		info->tcpi_state <= LAST_ACK) || info->tcpi_state == CLOSING;
}

/* bytes that applications took out of the workload's sockets, by the kernel's
 * own count */
static void count_received(struct pair_end *e, void *arg)
{
	uint64_t *sum = arg;
	int fds[64];
	size_t n = e->ops->sockets(e->priv, fds, 64);

	for (size_t i = 0; i < n; i++) {
		struct tcp_info info = { 0 };
		socklen_t len = sizeof(info);
		int queued = 0;

		getsockopt(fds[i], IPPROTO_TCP, TCP_INFO, &info, &len);
		/* of a closed socket there is no queue */
		ioctl(fds[i], SIOCINQ, &queued);
		*sum += info.tcpi_bytes_received - (has_fin(&info) ? 1 : 0) -
			(uint64_t)queued;
	}
	__atomic_store_n(&e->counted, 1, __ATOMIC_RELEASE);
}

static void run_size(const char *options, const char *addr, uint64_t size,
		     unsigned int streams, bool tx, bool rx)
{
	uint64_t at_peer = 0, at_device = 0;
	struct pair p;

	pair_init(&p, "tcp", options, addr, 0);
	p.device.stopped = p.peer.stopped = count_received;
	p.device.stopped_arg = &at_device;
	p.peer.stopped_arg = &at_peer;
	pair_run(&p);
	check(&p);
	assert_true(pair_value(&p.peer, "tcp.tx-bytes") ==
		    (tx ? (double)size : -1));
	assert_true(pair_value(&p.device, "tcp.tx-sent-bytes") ==
		    (tx ? (double)size : -1));
	assert_true(pair_value(&p.device, "tcp.rx-bytes") ==
		    (rx ? (double)size : -1));
	/* the device says hello on each connection, and "go" on each that it
	 * receives on */
	assert_int_equal(at_peer, (tx ? size : 0) +
			 (uint64_t)streams * HELLO * (tx && rx ? 2 : 1) +
			 (rx ? streams : 0));
	assert_int_equal(at_device, rx ? size : 0);
	if (tx)
		assert_true(pair_value(&p.peer, "tcp.tx-throughput") > 1);
	pair_fini(&p);
}

static void size_is_exact(void **state)
{
	run_size("tx,size=10000001,streams=3", "127.0.0.1", 10000001, 3, true,
		 false);
	run_size("rx,size=4m", "::1", 4 << 20, 1, false, true);
	run_size("bidir,size=3m,streams=2,threads=4", "::1", 3 << 20, 2, true,
		 true);
	run_size("tx,size=7m,source=sendfile,sink=discard", "127.0.0.1",
		 7 << 20, 1, true, false);
	run_size("tx,size=9m,source=zerocopy,block=64k", "127.0.0.1", 9 << 20,
		 1, true, false);
	run_size("tx,size=5", "127.0.0.1", 5, 1, true, false);
}

/*
 * The linker puts this in place of recv(): one byte too many is said of one
 * call in a hundred. The count must then differ from the kernel's, or the
 * comparison shows nothing.
 */
ssize_t __real_recv(int fd, void *buf, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags);
static int miscounts;
static unsigned int calls;

ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags)
{
	ssize_t n = __real_recv(fd, buf, len, flags);

	if (__atomic_load_n(&miscounts, __ATOMIC_RELAXED) && n > 64 &&
	    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 100 == 7)
		n++;
	return n;
}

/* The device's connections stay open until the peer was looked at: their end
 * would wake it up to read what its low-water mark left queued. */
static void wait_for_peer(struct pair_end *e, void *arg)
{
	while (!__atomic_load_n(&e->other->counted, __ATOMIC_ACQUIRE) &&
	       kd_now() < e->env.deadline_ns)
		kd_sleep_until(kd_now() + KD_NS_PER_MS);
}

/* the kernel's count less the workload's; the peer's window opens before and
 * closes after all that the device sends */
static double time_difference(const char *options)
{
	uint64_t at_peer = 0;
	double counted;
	struct pair p;

	pair_init(&p, "tcp", options, "127.0.0.1", 600 * KD_NS_PER_MS);
	p.device.env.length_ns = 100 * KD_NS_PER_MS;
	p.device.delay_ns = 100 * KD_NS_PER_MS;
	p.device.alone = true;
	p.device.stopped = wait_for_peer;
	p.peer.stopped = count_received;
	p.peer.stopped_arg = &at_peer;
	pair_run(&p);
	check(&p);
	counted = pair_value(&p.peer, "tcp.tx-bytes");
	assert_true(counted > 0);
	pair_fini(&p);
	return (double)at_peer - 2 * HELLO - counted;
}

static void time_is_exact(void **state)
{
	assert_true(time_difference("tx,streams=2") == 0);
	assert_true(time_difference("tx,streams=2,sink=discard") == 0);
}

static void a_miscount_is_seen(void **state)
{
	__atomic_store_n(&miscounts, 1, __ATOMIC_RELAXED);
	assert_true(time_difference("tx,streams=2") < 0);
	__atomic_store_n(&miscounts, 0, __ATOMIC_RELAXED);
}

static void window_counts_at_the_receiver(void **state)
{
	static const char *const options[] = {
		"tx,streams=4", "rx,streams=4", "bidir,streams=2"
	};

	for (int i = 0; i < 3; i++) {
		struct pair p;
		double mbit, bytes;

		pair_init(&p, "tcp", options[i], "127.0.0.1",
			  250 * KD_NS_PER_MS);
		p.device.env.warmup_ns = p.peer.env.warmup_ns = 50000000;
		pair_run(&p);
		check(&p);
		if (i != 1) {
			mbit = pair_value(&p.peer, "tcp.tx-throughput");
			bytes = pair_value(&p.peer, "tcp.tx-bytes");
			assert_true(mbit > 10);
			assert_true(bytes * 8 / 1e6 /
				    ((double)(p.peer.t1_ns - p.peer.t0_ns) /
				     1e9) / mbit > 0.9999);
			/* the intervals add up to the window */
			assert_true(p.peer.sink.series_integral / 8 * 1e6 /
				    bytes > 0.9999);
			assert_true(p.peer.sink.series_integral / 8 * 1e6 /
				    bytes < 1.0001);
			assert_true(pair_value(&p.device,
					       "tcp.tx-throughput") == -1);
		}
		if (i != 0) {
			assert_true(pair_value(&p.device,
					       "tcp.rx-throughput") > 10);
			assert_true(pair_value(&p.peer,
					       "tcp.rx-throughput") == -1);
		}
		pair_fini(&p);
	}
}

static void wrong_token_is_dropped(void **state)
{
	struct pair p;

	pair_init(&p, "tcp", "tx", "127.0.0.1", 100 * KD_NS_PER_MS);
	p.device.env.token[3] ^= 1;
	p.peer.env.deadline_ns = kd_now() + 400 * KD_NS_PER_MS;
	pair_run(&p);
	assert_true(p.device.result == -EPIPE ||
		    p.device.result == -ECONNRESET);
	assert_int_equal(p.peer.result, -ETIMEDOUT);
	assert_non_null(strstr(p.peer.diag.text, "0 of 1"));
	pair_fini(&p);
}

static void nobody_listens(void **state)
{
	struct pair p;

	pair_init(&p, "tcp", "tx", "127.0.0.1", 100 * KD_NS_PER_MS);
	assert_int_equal(pair_end_prepare(&p.device), -ECONNREFUSED);
	assert_non_null(strstr(p.device.diag.text, "127.0.0.1:"));
	pair_fini(&p);
}

static void checks_options(void **state)
{
	static const char *const bad[] = {
		"size=3,streams=4", "threads=2,streams=1", "cpus=1-", "block=0",
		"direction=sideways", "streams=0",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pair p;

		pair_init(&p, "tcp", bad[i], "127.0.0.1", 0);
		assert_true(p.device.result < 0);
		assert_true(p.device.diag.text[0]);
		pair_fini(&p);
	}
}

static void *cancel_soon(void *arg)
{
	struct pair *p = arg;

	kd_sleep_until(kd_now() + 100 * KD_NS_PER_MS);
	p->device.cancelled = p->peer.cancelled = 1;
	return NULL;
}

static void cancel_ends_at_once(void **state)
{
	uint64_t t = kd_now();
	pthread_t thread;
	struct pair p;

	pair_init(&p, "tcp", "bidir", "127.0.0.1", 10 * KD_NS_PER_SEC);
	assert_int_equal(pair_prepare(&p), 0);
	pthread_create(&thread, NULL, cancel_soon, &p);
	pair_go(&p);
	pthread_join(thread, NULL);
	assert_true(kd_now() - t < KD_NS_PER_SEC);
	pair_fini(&p);
}

static void lost_peer_is_noticed(void **state)
{
	uint64_t t = kd_now();
	struct pair p;

	pair_init(&p, "tcp", "tx,streams=2", "127.0.0.1",
		  10 * KD_NS_PER_SEC);
	p.peer.env.length_ns = 100 * KD_NS_PER_MS;
	p.peer.alone = true;
	pair_run(&p);
	assert_int_equal(p.peer.result, 0);
	assert_true(p.device.result < 0);
	assert_non_null(strstr(p.device.diag.text, "stream"));
	assert_true(kd_now() - t < KD_NS_PER_SEC);
	pair_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_exact),
		cmocka_unit_test(time_is_exact),
		cmocka_unit_test(a_miscount_is_seen),
		cmocka_unit_test(window_counts_at_the_receiver),
		cmocka_unit_test(wrong_token_is_dropped),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(checks_options),
		cmocka_unit_test(cancel_ends_at_once),
		cmocka_unit_test(lost_peer_is_noticed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
