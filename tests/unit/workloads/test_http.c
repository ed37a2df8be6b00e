// SPDX-License-Identifier: GPL-2.0-or-later
#include "pair.h"

#include "base/clock.h"
#include "workloads/engine/httpmsg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* the same bytes in pieces of every size */
static int feed(const char *text, struct kd_http_reader *r, size_t piece)
{
	size_t len = strlen(text);
	int got = 0;

	kd_http_reader_reset(r);
	for (size_t i = 0; i < len && got >= 0; i += piece)
		got = kd_http_reader_eat(r, text + i,
					 len - i < piece ? len - i : piece);
	return got;
}

static void reads_answers(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t body;
		bool keep;
	} cases[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 1, 5,
		  true },
		{ "HTTP/1.1 200 OK\r\ncontent-length:  0 \r\nConnection: Close\r\n\r\n",
		  1, 0, false },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0A\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
		  1, 15, true },
		{ "HTTP/1.0 200 OK\r\nServer: none\r\n\r\nabc", 0, 3, false },
		{ "HTTP/1.1 204 No Content\r\nServer: n\r\n\r\n", 1, 0, true },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!", -EPROTO,
		  5, true },
		{ "SSH-2.0-OpenSSH_9.2 and a line\r\n\r\n", -EPROTO, 0, false },
		{ "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", -EPROTO, 0,
		  true },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
		  -EPROTO, 0, true },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
		  -EPROTO, 0, true },
	};
	static struct kd_http_reader r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t piece = 1; piece < 90; piece++) {
			assert_int_equal(feed(cases[i].text, &r, piece),
					 cases[i].result);
			assert_int_equal(r.body, cases[i].body);
			assert_int_equal(r.keep_alive, cases[i].keep);
		}
	feed("HTTP/1.0 200 OK\r\nServer: none\r\n\r\nabc", &r, 100);
	assert_int_equal(kd_http_reader_eof(&r), 1);
	feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", &r, 100);
	assert_int_equal(kd_http_reader_eof(&r), -EPIPE);
}

static void reads_urls(void **state)
{
	struct kd_http_url u;

	assert_int_equal(kd_http_url_parse("http://10.0.0.1:8080/a?b", &u,
					   NULL), 0);
	assert_string_equal(u.host, "10.0.0.1");
	assert_string_equal(u.authority, "10.0.0.1:8080");
	assert_int_equal(u.port, 8080);
	assert_string_equal(u.path, "/a?b");
	assert_int_equal(kd_http_url_parse("http://[fe80::1%eth0]", &u, NULL),
			 0);
	assert_string_equal(u.host, "fe80::1%eth0");
	assert_string_equal(u.path, "/");
	assert_int_equal(u.port, 80);
	assert_int_equal(kd_http_url_parse("https://1.2.3.4/", &u, NULL),
			 -EINVAL);
	assert_int_equal(kd_http_url_parse("http://1.2.3.4:0/", &u, NULL),
			 -EINVAL);
	assert_int_equal(kd_http_url_parse("http://[::1/", &u, NULL), -EINVAL);
}

static void run(const char *options, const char *addr, double size)
{
	double bytes, requests, length;
	struct pair p;

	pair_init(&p, "http", options, addr, 200 * KD_NS_PER_MS);
	p.device.env.warmup_ns = p.peer.env.warmup_ns = 20 * KD_NS_PER_MS;
	if (pair_run(&p))
		print_error("%s: %s / %s\n", options, p.device.diag.text,
			    p.peer.diag.text);
	assert_int_equal(p.device.result, 0);
	assert_int_equal(p.peer.result, 0);
	length = (double)(p.device.t1_ns - p.device.t0_ns) / 1e9;
	bytes = pair_value(&p.device, "http.rx-bytes");
	requests = pair_value(&p.device, "http.requests") * length;
	assert_true(requests > 0.9);
	/* each body has @size bytes; those cut by the window's ends are whole
	 * on neither side */
	assert_true(bytes >= (requests - 32) * size - 1);
	assert_true(bytes <= (requests + 32) * size + 1);
	assert_true(pair_value(&p.device, "http.p50") > 0);
	assert_true(pair_value(&p.peer, "http.rx-sent-bytes") >= 0);
	assert_true((double)p.device.sink.hist_count > 0);
	pair_fini(&p);
}

static void gets_bodies(void **state)
{
	run("size=100000", "127.0.0.1", 100000);
	run("size=5m,connections=4,threads=2,source=write", "::1", 5 << 20);
	run("size=1,connections=16", "127.0.0.1", 1);
	run("size=0,keep-alive=no,connections=3", "127.0.0.1", 0);
	run("size=70000,keep-alive=no", "::1", 70000);
}

static void wrong_token_is_refused(void **state)
{
	struct pair p;

	pair_init(&p, "http", "size=10", "127.0.0.1", 100 * KD_NS_PER_MS);
	p.device.env.token[15] ^= 0x80;
	pair_run(&p);
	assert_int_equal(p.device.result, -EPROTO);
	assert_non_null(strstr(p.device.diag.text, "403"));
	pair_fini(&p);
}

static void no_server_is_told(void **state)
{
	char options[64];
	struct pair p;

	snprintf(options, sizeof(options), "url=http://127.0.0.1:%u/x",
		 pair_port());
	pair_init(&p, "http", options, "", 100 * KD_NS_PER_MS);
	assert_false(kd_work_has_peer(p.device.ops, p.device.opts));
	p.device.alone = true;
	assert_int_equal(pair_end_prepare(&p.device), 0);
	assert_int_equal(pair_end_run(&p.device), -ECONNREFUSED);
	pair_fini(&p);
	pair_init(&p, "http", "url=http://example.com/", "", 0);
	assert_int_equal(p.device.result, -EINVAL);
	pair_fini(&p);
}

/* strangers beside a run: the run goes on */
static void *stranger(void *arg)
{
	static const char *const lines[] = {
		"", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01garbage\r\n\r\n",
		"GET /fixed/9 HTTP/1.1\r\nKdelta-Token: 1\r\n\r\n", "GET /fixed"
	};
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons(*(uint16_t *)arg),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fds[200];

	for (int i = 0; i < 200; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(fds[i], (struct sockaddr *)&a, sizeof(a)))
			continue;
		send(fds[i], lines[i % 5], strlen(lines[i % 5]), MSG_NOSIGNAL);
	}
	for (int i = 0; i < 200; i++)
		close(fds[i]);
	return NULL;
}

static void survives_strangers(void **state)
{
	pthread_t thread;
	struct pair p;

	pair_init(&p, "http", "size=1000", "127.0.0.1", 300 * KD_NS_PER_MS);
	assert_int_equal(pair_prepare(&p), 0);
	pthread_create(&thread, NULL, stranger, &p.peer.env.port);
	pair_go(&p);
	pthread_join(thread, NULL);
	assert_int_equal(p.device.result, 0);
	assert_int_equal(p.peer.result, 0);
	assert_true(pair_value(&p.device, "http.requests") > 10);
	pair_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_answers),
		cmocka_unit_test(reads_urls),
		cmocka_unit_test(gets_bodies),
		cmocka_unit_test(wrong_token_is_refused),
		cmocka_unit_test(no_server_is_told),
		cmocka_unit_test(survives_strangers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
