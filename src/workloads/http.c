// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HTTP: the device gets /fixed/SIZE from the peer, or any URL from any server,
 * over and over, on one or many connections. A body that is not as long as was
 * said, and any answer but 2xx, is a failure, never a number.
 */
#include "workloads/workload.h"

#include "base/clock.h"
#include "base/opt.h"
#include "workloads/engine/cpus.h"
#include "workloads/engine/histo.h"
#include "workloads/engine/httpmsg.h"
#include "workloads/engine/httpserve.h"
#include "workloads/engine/pool.h"
#include "workloads/engine/sock.h"
#include "workloads/engine/ticks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BUF_SIZE (256 << 10)

static const char *const sources[] = { "sendfile", "write", NULL };

struct http_opts {
	uint64_t size;
	int64_t connections;
	bool keep_alive;
	char *url;
	int source;
	int64_t threads;
	char *cpus;
	char *peer_cpus;
	struct kd_sock_opts sock;
};

static const struct kd_opt http_opts[] = {
	{ "size", KD_OPT_SIZE, offsetof(struct http_opts, size),
	  .max = (double)(1ULL << 40), .def = "1m",
	  .help = "length of the body of each answer" },
	{ "connections", KD_OPT_INT, offsetof(struct http_opts, connections),
	  .min = 1, .max = 1024, .def = "1", .help = "connections at once" },
	{ "keep-alive", KD_OPT_BOOL, offsetof(struct http_opts, keep_alive),
	  .def = "yes", .help = "many requests on one connection" },
	{ "url", KD_OPT_STR, offsetof(struct http_opts, url), .arg = "URL",
	  .help = "get this from any server (numeric host), instead of the peer" },
	{ "source", KD_OPT_ENUM, offsetof(struct http_opts, source),
	  .choices = sources, .def = "sendfile",
	  .help = "how the peer sends its answers" },
	{ "threads", KD_OPT_INT, offsetof(struct http_opts, threads), .min = 1,
	  .max = 256, .def = "1", .help = "threads at each end" },
	{ "cpus", KD_OPT_STR, offsetof(struct http_opts, cpus), .arg = "LIST",
	  .help = "CPUs of the device's threads" },
	{ "peer-cpus", KD_OPT_STR, offsetof(struct http_opts, peer_cpus),
	  .arg = "LIST", .help = "CPUs of the peer's threads" },
	KD_SOCK_OPT_ROWS(struct http_opts, sock),
	{ "nodelay", KD_OPT_BOOL, offsetof(struct http_opts, sock.nodelay),
	  .def = "yes", .help = "send small segments at once" },
	{ 0 },
};

enum metric { HTTP_THROUGHPUT, HTTP_REQUESTS, HTTP_BYTES, HTTP_SENT,
	      HTTP_LATENCY };

static const struct kd_metric_desc http_metrics[] = {
	{ "http.rx-throughput", "Mbit/s", KD_BETTER_HIGHER,
	  "bodies that the device received" },
	{ "http.requests", "1/s", KD_BETTER_HIGHER, "complete answers" },
	{ "http.rx-bytes", "B", KD_BETTER_NONE,
	  "bodies that the device received in the window" },
	{ "http.rx-sent-bytes", "B", KD_BETTER_NONE,
	  "bodies that the peer handed to its kernel" },
	KD_LATENCY_ROWS("http", "time from a request to its whole answer"),
	{ 0 },
};

enum conn_state { CONN_CONNECTING, CONN_SENDING, CONN_READING };

struct conn {
	int fd;
	enum conn_state state;
	size_t sent;
	uint64_t from_ns;
	struct kd_http_reader reader;
};

struct client {
	uint64_t bytes;
	uint64_t requests;
	struct kd_histo histo;
	char buf[BUF_SIZE];
} __attribute__((aligned(KD_LINE)));

struct http {
	const struct kd_work_env *env;
	const struct http_opts *opts;
	struct kd_addr to;
	char *request;
	size_t request_len;
	struct conn *conns;
	struct client *clients;
	unsigned int threads;
	struct kd_http_serve serve;
	bool has_pool;
	int recording;
	uint64_t t0_ns, t1_ns;
	uint64_t bytes0, bytes1, requests0, requests1;
	struct kd_pool pool;
	struct kd_ticks ticks;
};

static bool http_needs_peer(const void *opts)
{
	const struct http_opts *o = opts;

	return !o->url;
}

static int http_check(const void *opts, struct kd_diag *d)
{
	const struct http_opts *o = opts;
	struct kd_http_url url;
	struct kd_addr a;
	int r = 0;

	if (o->threads > o->connections)
		return kd_fail(d, -EINVAL,
			       "threads: %lld threads for %lld connections",
			       (long long)o->threads,
			       (long long)o->connections);
	if (o->url) {
		r = kd_http_url_parse(o->url, &url, d);
		/* an interface's name is known on the device only */
		if (!r && !strchr(url.host, '%'))
			r = kd_addr_parse(url.host, url.port, &a, d);
	}
	if (!r && o->cpus)
		r = kd_cpus_check(o->cpus, "cpus", d);
	if (!r && o->peer_cpus)
		r = kd_cpus_check(o->peer_cpus, "peer-cpus", d);
	return r;
}

static void conn_open(struct http *h, struct kd_worker *w, struct conn *c)
{
	struct kd_diag why = { 0 };
	int r;

	c->from_ns = kd_now();
	c->state = CONN_CONNECTING;
	c->sent = 0;
	kd_http_reader_reset(&c->reader);
	c->fd = kd_sock_dial_start(&h->to, &h->opts->sock, &why);
	if (c->fd < 0) {
		kd_pool_fail(w->pool, why.err, "%s", why.text);
		return;
	}
	r = kd_worker_watch(w, c->fd, EPOLLOUT, c);
	if (r)
		kd_pool_fail(w->pool, r, "cannot watch a connection: %s",
			     strerror(-r));
}

static void conn_close(struct conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static void conn_broken(struct kd_worker *w, struct conn *c, int err,
			const char *what)
{
	kd_pool_fail(w->pool, err, "HTTP: %s: %s", what, strerror(-err));
	conn_close(c);
}

static void send_request(struct http *h, struct kd_worker *w, struct conn *c)
{
	while (c->sent < h->request_len) {
		ssize_t n = send(c->fd, h->request + c->sent,
				 h->request_len - c->sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			conn_broken(w, c, -errno, c->state == CONN_CONNECTING ?
				    "cannot connect" : "cannot send a request");
			return;
		}
		c->state = CONN_SENDING;
		c->sent += (size_t)n;
	}
	c->state = CONN_READING;
}

/* the answer is whole: the next request */
static void next_request(struct http *h, struct kd_worker *w, struct conn *c)
{
	struct client *me = &h->clients[w->index];
	uint64_t now = kd_now();

	if (c->reader.status / 100 != 2 ||
	    (!h->opts->url && c->reader.body != h->opts->size)) {
		kd_pool_fail(w->pool, -EPROTO,
			     "HTTP: the server answered %d with %llu bytes",
			     c->reader.status,
			     (unsigned long long)c->reader.body);
		conn_close(c);
		return;
	}
	if (__atomic_load_n(&h->recording, __ATOMIC_RELAXED))
		kd_histo_add(&me->histo, now - c->from_ns);
	__atomic_store_n(&me->requests, me->requests + 1, __ATOMIC_RELAXED);
	if (!h->opts->keep_alive || !c->reader.keep_alive) {
		conn_close(c);
		conn_open(h, w, c);
		return;
	}
	c->from_ns = now;
	c->sent = 0;
	c->state = CONN_SENDING;
	kd_http_reader_reset(&c->reader);
	send_request(h, w, c);
	if (c->state == CONN_SENDING && c->fd >= 0)
		kd_worker_rewatch(w, c->fd, EPOLLOUT, c);
}

static void read_answer(struct http *h, struct kd_worker *w, struct conn *c)
{
	struct client *me = &h->clients[w->index];

	for (int i = 0; i < 16; i++) {
		uint64_t before = c->reader.body;
		ssize_t n = recv(c->fd, me->buf, sizeof(me->buf), MSG_DONTWAIT);
		int r;

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			conn_broken(w, c, -errno, "cannot read an answer");
			return;
		}
		r = n ? kd_http_reader_eat(&c->reader, me->buf, (size_t)n) :
			kd_http_reader_eof(&c->reader);
		__atomic_store_n(&me->bytes,
				 me->bytes + c->reader.body - before,
				 __ATOMIC_RELAXED);
		if (r < 0) {
			conn_broken(w, c, r, n ? "this is no HTTP/1.1 answer" :
				    "the server closed in the middle");
			return;
		}
		if (r) {
			next_request(h, w, c);
			return;
		}
		if (kd_pool_is_stopped(w->pool))
			return;
	}
}

static void conn_ready(struct http *h, struct kd_worker *w, struct conn *c)
{
	if (c->fd < 0)
		return;
	if (c->state == CONN_READING) {
		read_answer(h, w, c);
		return;
	}
	send_request(h, w, c);
	if (c->state == CONN_READING && c->fd >= 0)
		kd_worker_rewatch(w, c->fd, EPOLLIN, c);
}

static void http_body(struct kd_worker *w, void *arg)
{
	struct http *h = arg;
	struct epoll_event ev[64];

	if (h->env->role == KD_ROLE_PEER) {
		kd_http_serve_body(&h->serve, w);
		return;
	}
	for (int64_t i = w->index; i < h->opts->connections; i += h->threads)
		conn_open(h, w, &h->conns[i]);
	while (!kd_pool_is_stopped(w->pool)) {
		int n = kd_worker_wait(w, ev, 64, 0);

		for (int i = 0; i < n; i++)
			conn_ready(h, w, ev[i].data.ptr);
	}
}

static void http_fini(void *priv)
{
	struct http *h = priv;

	if (h->has_pool)
		kd_pool_fini(&h->pool);
	for (int64_t i = 0; h->conns && i < h->opts->connections; i++)
		conn_close(&h->conns[i]);
	kd_http_serve_fini(&h->serve);
	free(h->conns);
	free(h->clients);
	free(h->request);
}

static int prepare_client(struct http *h, struct kd_diag *d)
{
	const struct http_opts *o = h->opts;
	struct kd_http_url url = { .path = "" };
	char token[33], path[64];
	int r;

	h->conns = calloc((size_t)o->connections, sizeof(*h->conns));
	h->clients = aligned_alloc(KD_LINE, h->threads * sizeof(*h->clients));
	if (!h->conns || !h->clients)
		return kd_fail(d, -ENOMEM, "out of memory for the connections");
	memset(h->clients, 0, h->threads * sizeof(*h->clients));
	for (int64_t i = 0; i < o->connections; i++)
		h->conns[i].fd = -1;
	kd_http_token(h->env->token, token);
	if (o->url) {
		r = kd_http_url_parse(o->url, &url, d);
		if (!r)
			r = kd_addr_parse(url.host, url.port, &h->to, d);
	} else {
		r = kd_addr_parse(h->env->addr, h->env->port, &h->to, d);
		snprintf(path, sizeof(path), "/fixed/%llu",
			 (unsigned long long)o->size);
		url.path = path;
		kd_addr_format(&h->to, url.authority, sizeof(url.authority));
	}
	if (r)
		return r;
	r = asprintf(&h->request, "GET %s HTTP/1.1\r\nHost: %s\r\n"
		     "User-Agent: kdelta\r\n%s%s%s%s\r\n", url.path,
		     url.authority, o->url ? "" : "Kdelta-Token: ",
		     o->url ? "" : token, o->url ? "" : "\r\n",
		     o->keep_alive ? "" : "Connection: close\r\n");
	if (r < 0) {
		h->request = NULL;
		return kd_fail(d, -ENOMEM, "out of memory");
	}
	h->request_len = (size_t)r;
	return 0;
}

static int prepare_server(struct http *h, struct kd_diag *d)
{
	int fd = kd_sock_listen(h->env, &h->opts->sock, d);

	if (fd < 0)
		return fd;
	return kd_http_serve_init(&h->serve, h->env->token, fd, h->threads,
				  h->opts->source == 1, d);
}

static int http_prepare(void *priv, const struct kd_work_env *env,
			const void *opts, struct kd_diag *d)
{
	struct http *h = priv;
	bool device = env->role == KD_ROLE_DEVICE;
	const char *cpus;
	int r;

	h->env = env;
	h->opts = opts;
	h->threads = (unsigned int)h->opts->threads;
	cpus = device ? h->opts->cpus : h->opts->peer_cpus;
	r = device ? prepare_client(h, d) : prepare_server(h, d);
	if (!r) {
		h->has_pool = true;
		r = kd_pool_init(&h->pool, env, h->threads,
				 cpus ? cpus : env->cpus, http_body, h, d);
	}
	if (r)
		http_fini(h);
	return r;
}

static int http_start(void *priv, struct kd_diag *d)
{
	struct http *h = priv;

	kd_pool_go(&h->pool);
	return 0;
}

static uint64_t moved(const struct http *h)
{
	uint64_t sum = 0;

	if (h->env->role == KD_ROLE_PEER)
		return kd_http_serve_sent(&h->serve);
	for (unsigned int i = 0; i < h->threads; i++)
		sum += __atomic_load_n(&h->clients[i].bytes, __ATOMIC_RELAXED);
	return sum;
}

static uint64_t requests(const struct http *h)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; h->clients && i < h->threads; i++)
		sum += __atomic_load_n(&h->clients[i].requests,
				       __ATOMIC_RELAXED);
	return sum;
}

static int http_begin(void *priv, uint64_t *t0_ns, struct kd_diag *d)
{
	struct http *h = priv;

	*t0_ns = h->t0_ns = kd_now();
	h->bytes0 = moved(h);
	h->requests0 = requests(h);
	__atomic_store_n(&h->recording, 1, __ATOMIC_RELAXED);
	kd_ticks_begin(&h->ticks, h->t0_ns, h->bytes0);
	return 0;
}

static int http_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	struct http *h = priv;
	int r;

	while ((r = kd_pool_wait(&h->pool, until_ns, kd_ticks_due(&h->ticks),
				 d)) == -EAGAIN)
		kd_ticks_add(&h->ticks, kd_now(), moved(h));
	return r;
}

static int http_end(void *priv, uint64_t *t1_ns, struct kd_diag *d)
{
	struct http *h = priv;

	__atomic_store_n(&h->recording, 0, __ATOMIC_RELAXED);
	*t1_ns = h->t1_ns = kd_now();
	h->bytes1 = moved(h);
	h->requests1 = requests(h);
	kd_ticks_add(&h->ticks, h->t1_ns, h->bytes1);
	return 0;
}

static void http_stop(void *priv)
{
	struct http *h = priv;

	kd_pool_stop(&h->pool);
}

static void http_result(void *priv, struct kd_sink *s)
{
	struct http *h = priv;
	double length = (double)(h->t1_ns - h->t0_ns) / 1e9;
	double bytes = (double)(h->bytes1 - h->bytes0);

	if (h->env->role == KD_ROLE_PEER) {
		s->metric(s, &http_metrics[HTTP_SENT], NULL, bytes);
		return;
	}
	s->metric(s, &http_metrics[HTTP_BYTES], NULL, bytes);
	if (length <= 0)
		return;
	s->metric(s, &http_metrics[HTTP_THROUGHPUT], NULL,
		  bytes * 8 / 1e6 / length);
	s->metric(s, &http_metrics[HTTP_REQUESTS], NULL,
		  (double)(h->requests1 - h->requests0) / length);
	kd_ticks_result(&h->ticks, s, &http_metrics[HTTP_THROUGHPUT], 8 / 1e6);
	for (unsigned int i = 1; i < h->threads; i++)
		kd_histo_merge(&h->clients[0].histo, &h->clients[i].histo);
	kd_histo_report(&h->clients[0].histo, s, &http_metrics[HTTP_LATENCY]);
}

const struct kd_work_ops kd_work_http_ops = {
	.name = "http",
	.summary = "GET of /fixed/SIZE from the peer, or of any URL",
	.opts = http_opts,
	.opts_size = sizeof(struct http_opts),
	.priv_size = sizeof(struct http),
	.flags = KD_WORK_NEEDS_PEER,
	.metrics = http_metrics,
	.check = http_check,
	.needs_peer = http_needs_peer,
	.prepare = http_prepare,
	.start = http_start,
	.begin = http_begin,
	.wait = http_wait,
	.end = http_end,
	.stop = http_stop,
	.result = http_result,
	.fini = http_fini,
};
