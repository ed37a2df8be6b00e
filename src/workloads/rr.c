// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Request and response over TCP or UDP, or with a connection for each: how
 * many transactions a second, and how long each takes.
 */
#include "workloads/workload.h"

#include "base/clock.h"
#include "base/opt.h"
#include "workloads/engine/cpus.h"
#include "workloads/engine/crrserve.h"
#include "workloads/engine/gate.h"
#include "workloads/engine/pool.h"
#include "workloads/engine/rrflow.h"
#include "workloads/engine/sock.h"
#include "workloads/engine/ticks.h"
#include "workloads/engine/udpgate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_BUSY_POLL
#define SO_BUSY_POLL 46
#endif

#define MAX_FLOWS 1024
#define UDP_SEQ 8

static const char *const kinds[] = { "tcp", "udp", "crr", NULL };

struct rr_opts {
	int kind;
	uint64_t request;
	uint64_t response;
	int64_t concurrency;
	double rate;
	int64_t threads;
	bool spin;
	uint64_t busy_poll_ns;
	uint64_t timeout_ns;
	char *cpus;
	char *peer_cpus;
	struct kd_sock_opts sock;
};

static const struct kd_opt rr_opts[] = {
	{ "kind", KD_OPT_ENUM, offsetof(struct rr_opts, kind),
	  .choices = kinds, .def = "tcp", .flags = KD_OPT_POSITIONAL,
	  .help = "over TCP, over UDP, or TCP with a connection for each (crr)" },
	{ "request", KD_OPT_SIZE, offsetof(struct rr_opts, request),
	  .max = 1 << 20, .def = "0",
	  .help = "bytes of a request; 0 is 1, or 16 over UDP" },
	{ "response", KD_OPT_SIZE, offsetof(struct rr_opts, response),
	  .max = 1 << 20, .def = "0",
	  .help = "bytes of a response; 0 is 1, or 16 over UDP" },
	{ "concurrency", KD_OPT_INT, offsetof(struct rr_opts, concurrency),
	  .min = 1, .max = MAX_FLOWS, .def = "1",
	  .help = "flows, each with one transaction at a time" },
	{ "rate", KD_OPT_REAL, offsetof(struct rr_opts, rate), .def = "0",
	  .help = "transactions per second over all flows, latency from the intended times; 0 is one after the other" },
	{ "threads", KD_OPT_INT, offsetof(struct rr_opts, threads), .min = 1,
	  .max = 256, .def = "1", .help = "threads at each end" },
	{ "spin", KD_OPT_BOOL, offsetof(struct rr_opts, spin),
	  .help = "threads never sleep, they poll their sockets" },
	{ "busy-poll", KD_OPT_TIME, offsetof(struct rr_opts, busy_poll_ns),
	  .max = 1e9, .help = "time that the kernel polls the device's queue" },
	{ "timeout", KD_OPT_TIME, offsetof(struct rr_opts, timeout_ns),
	  .min = 1e6, .max = 60e9, .def = "200ms",
	  .help = "after this a UDP transaction counts as lost" },
	{ "cpus", KD_OPT_STR, offsetof(struct rr_opts, cpus), .arg = "LIST",
	  .help = "CPUs of the device's threads" },
	{ "peer-cpus", KD_OPT_STR, offsetof(struct rr_opts, peer_cpus),
	  .arg = "LIST", .help = "CPUs of the peer's threads" },
	KD_SOCK_OPT_ROWS(struct rr_opts, sock),
	{ "nodelay", KD_OPT_BOOL, offsetof(struct rr_opts, sock.nodelay),
	  .def = "yes", .help = "send small segments at once" },
	{ 0 },
};

enum metric { RR_TRANSACTIONS, RR_LOST, RR_SERVED, RR_LATENCY };

static const struct kd_metric_desc rr_metrics[] = {
	{ "rr.transactions", "1/s", KD_BETTER_HIGHER,
	  "transactions completed at the device" },
	{ "rr.lost", "", KD_BETTER_LOWER,
	  "UDP transactions without an answer in time" },
	{ "rr.served", "1/s", KD_BETTER_NONE, "answers that the peer gave" },
	KD_LATENCY_ROWS("rr", "time of a transaction"),
	{ 0 },
};

struct rr {
	const struct kd_work_env *env;
	const struct rr_opts *opts;
	struct kd_rr_conf conf;
	struct kd_udp_opts udp;
	uint8_t hello[KD_HELLO_SIZE];
	struct kd_rr_flow *flows;
	struct kd_rr_io *ios;
	struct kd_crr_serve *serves;
	unsigned int flow_count, thread_count;
	int listen_fd;
	int recording;
	bool has_pool;
	struct kd_pool pool;
	struct kd_gate gate;
	struct kd_udpgate udpgate;
	uint64_t t0_ns, t1_ns, done0, done1, lost0, lost1;
	struct kd_ticks ticks;
};

static int rr_check(const void *opts, struct kd_diag *d)
{
	const struct rr_opts *o = opts;
	int r = 0;

	if (o->threads > o->concurrency)
		return kd_fail(d, -EINVAL, "threads: %lld threads for %lld flows",
			       (long long)o->threads,
			       (long long)o->concurrency);
	if (o->rate < 0)
		return kd_fail(d, -EINVAL, "rate: below zero");
	if (o->kind == KD_RR_UDP &&
	    ((o->request && o->request < UDP_SEQ) || o->request > 65000 ||
	     (o->response && o->response < UDP_SEQ) || o->response > 65000))
		return kd_fail(d, -EINVAL,
			       "request, response: over UDP from %d to 65000 bytes",
			       UDP_SEQ);
	if (o->kind == KD_RR_UDP && (o->sock.congestion || o->sock.mptcp))
		return kd_fail(d, -EINVAL, "congestion, mptcp: not over UDP");
	if (o->cpus)
		r = kd_cpus_check(o->cpus, "cpus", d);
	if (!r && o->peer_cpus)
		r = kd_cpus_check(o->peer_cpus, "peer-cpus", d);
	return r;
}

static void device_body(struct rr *t, struct kd_worker *w)
{
	struct kd_rr_io *io = &t->ios[w->index];
	double start = (double)kd_now();
	struct epoll_event ev[64];

	/* intended times of the flows are spread over one step */
	for (unsigned int i = w->index; i < t->flow_count; i += t->thread_count)
		kd_rr_device_start(&t->flows[i], io, w, start +
				   t->conf.step_ns * i / t->flow_count);
	while (!kd_pool_is_stopped(w->pool)) {
		uint64_t now = kd_now(), due = UINT64_MAX;
		int n;

		for (unsigned int i = w->index; i < t->flow_count;
		     i += t->thread_count) {
			uint64_t at = kd_rr_device_tick(&t->flows[i], io, now);

			due = at < due ? at : due;
		}
		if (t->conf.spin)
			due = 1;
		do {
			n = kd_worker_wait(w, ev, 64, due == UINT64_MAX ? 0 :
					   due);
			for (int i = 0; i < n; i++)
				kd_rr_device_ready(ev[i].data.ptr, io);
			/* without a schedule only a loss needs the clock */
		} while (n && !t->conf.step_ns && t->conf.kind != KD_RR_UDP &&
			 !kd_pool_is_stopped(w->pool));
	}
}

static void peer_body(struct rr *t, struct kd_worker *w)
{
	struct kd_rr_io *io = &t->ios[w->index];
	struct epoll_event ev[64];

	for (unsigned int i = w->index; i < t->flow_count; i += t->thread_count)
		kd_rr_peer_start(&t->flows[i], w);
	while (!kd_pool_is_stopped(w->pool)) {
		int n = kd_worker_wait(w, ev, 64, t->conf.spin ? 1 : 0);

		for (int i = 0; i < n; i++)
			kd_rr_peer_ready(ev[i].data.ptr, io);
	}
}

static void rr_body(struct kd_worker *w, void *arg)
{
	struct rr *t = arg;
	struct kd_rr_flow *f = &t->flows[w->index];

	f->worker = w;
	if (t->serves)
		kd_crr_serve_body(&t->serves[w->index], w);
	else if (t->conf.blocking && t->conf.device)
		kd_rr_device_block(f, &t->ios[w->index]);
	else if (t->conf.blocking)
		kd_rr_peer_block(f, &t->ios[w->index]);
	else if (t->conf.device)
		device_body(t, w);
	else
		peer_body(t, w);
}

static int set_busy_poll(const struct rr *t, int fd, struct kd_diag *d)
{
	int us = (int)(t->opts->busy_poll_ns / KD_NS_PER_US);

	if (us && setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &us, sizeof(us)))
		return kd_fail_errno(d, "cannot set busy-poll to %d us", us);
	return 0;
}

static int admit(void *arg, unsigned int index, unsigned int kind, int fd)
{
	struct rr *t = arg;

	if (index >= t->flow_count || t->flows[index].fd >= 0 ||
	    kind != t->conf.kind || kd_sock_apply(fd, &t->opts->sock, NULL) ||
	    set_busy_poll(t, fd, NULL))
		return -EINVAL;
	t->flows[index].fd = fd;
	return 0;
}

static int dial(struct rr *t, struct kd_rr_flow *f, struct kd_diag *d)
{
	uint8_t hello[KD_HELLO_SIZE];
	int r;

	if (t->conf.kind == KD_RR_UDP) {
		f->fd = kd_udp_dial(t->env, &t->udp, f->index, KD_RR_UDP, d);
		return f->fd < 0 ? f->fd : set_busy_poll(t, f->fd, d);
	}
	f->fd = kd_sock_dial(t->env, &t->opts->sock, d);
	if (f->fd < 0)
		return f->fd;
	kd_hello_write(hello, t->env->token, f->index, t->conf.kind);
	r = kd_sock_send_all(f->fd, hello, sizeof(hello), t->env->deadline_ns);
	if (r)
		return kd_fail(d, r, "the peer did not take flow %u: %s",
			       f->index, strerror(-r));
	return set_busy_poll(t, f->fd, d);
}

static int listen_for_all(struct rr *t, struct kd_diag *d)
{
	int fd;

	if (t->conf.kind == KD_RR_UDP)
		return kd_udpgate_open(&t->udpgate, t->env, &t->udp,
				       t->flow_count, d);
	fd = kd_sock_listen(t->env, &t->opts->sock, d);
	if (fd < 0)
		return fd;
	if (t->conf.kind == KD_RR_TCP)
		return kd_gate_open(&t->gate, t->env, fd, t->flow_count, admit,
				    t, d);
	t->listen_fd = fd;
	t->serves = aligned_alloc(KD_LINE, t->thread_count *
				  ((sizeof(*t->serves) + KD_LINE - 1) &
				   ~(size_t)(KD_LINE - 1)));
	if (!t->serves)
		return kd_fail(d, -ENOMEM, "out of memory");
	memset(t->serves, 0, t->thread_count * sizeof(*t->serves));
	for (unsigned int i = 0; i < t->thread_count; i++) {
		struct kd_crr_serve *s = &t->serves[i];

		s->token = t->env->token;
		s->listen_fd = fd;
		s->request = t->conf.request;
		s->response = t->conf.response;
		s->buf = t->ios[i].in;
	}
	return 0;
}

static int connect_ends(struct rr *t, struct kd_diag *d)
{
	int r = 0;

	if (!t->conf.device)
		return listen_for_all(t, d);
	if (t->conf.kind == KD_RR_CRR)
		return kd_addr_parse(t->env->addr, t->env->port, &t->conf.to,
				     d);
	for (unsigned int i = 0; i < t->flow_count && !r; i++)
		r = dial(t, &t->flows[i], d);
	return r;
}

static void rr_fini(void *priv)
{
	struct rr *t = priv;

	kd_gate_close(&t->gate);
	if (t->has_pool)
		kd_pool_fini(&t->pool);
	for (unsigned int i = 0; t->flows && i < t->flow_count; i++)
		if (t->flows[i].fd >= 0 &&
		    (t->conf.device || t->conf.kind != KD_RR_UDP))
			close(t->flows[i].fd);
	kd_udpgate_fini(&t->udpgate);
	for (unsigned int i = 0; t->serves && i < t->thread_count; i++)
		kd_crr_serve_fini(&t->serves[i]);
	for (unsigned int i = 0; t->ios && i < t->thread_count; i++)
		kd_rr_io_fini(&t->ios[i]);
	if (t->listen_fd >= 0)
		close(t->listen_fd);
	free(t->serves);
	free(t->flows);
	free(t->ios);
	memset(t, 0, sizeof(*t));
	t->listen_fd = -1;
}

static int make_flows(struct rr *t)
{
	t->flow_count = (unsigned int)t->opts->concurrency;
	t->thread_count = (unsigned int)t->opts->threads;
	t->flows = aligned_alloc(KD_LINE, t->flow_count * sizeof(*t->flows));
	t->ios = calloc(t->thread_count, sizeof(*t->ios));
	if (!t->flows || !t->ios)
		return -ENOMEM;
	memset(t->flows, 0, t->flow_count * sizeof(*t->flows));
	for (unsigned int i = 0; i < t->flow_count; i++) {
		t->flows[i].fd = -1;
		t->flows[i].index = i;
		t->flows[i].conf = &t->conf;
	}
	for (unsigned int i = 0; i < t->thread_count; i++)
		if (kd_rr_io_init(&t->ios[i], &t->conf))
			return -ENOMEM;
	return 0;
}

static void configure(struct rr *t)
{
	const struct rr_opts *o = t->opts;
	size_t least = o->kind == KD_RR_UDP ? 16 : 1;

	kd_hello_write(t->hello, t->env->token, 0, KD_RR_CRR);
	t->udp = (struct kd_udp_opts){
		.sndbuf = o->sock.sndbuf, .rcvbuf = o->sock.rcvbuf,
		.tos = o->sock.tos, .bind = o->sock.bind,
		.device = o->sock.device,
	};
	t->conf = (struct kd_rr_conf){
		.kind = (enum kd_rr_kind)o->kind,
		.device = t->env->role == KD_ROLE_DEVICE,
		.blocking = o->threads == o->concurrency && o->rate <= 0 &&
			    !o->spin && o->kind != KD_RR_CRR,
		.spin = o->spin,
		.request = o->request ? o->request : least,
		.response = o->response ? o->response : least,
		.step_ns = o->rate > 0 ? 1e9 * (double)o->concurrency /
					 o->rate : 0,
		.timeout_ns = o->timeout_ns,
		.recording = &t->recording,
		.sock = &o->sock,
		.hello = t->hello,
	};
}

static int rr_prepare(void *priv, const struct kd_work_env *env,
		      const void *opts, struct kd_diag *d)
{
	struct rr *t = priv;
	const char *cpus;
	int r;

	t->env = env;
	t->opts = opts;
	t->listen_fd = -1;
	configure(t);
	cpus = t->conf.device ? t->opts->cpus : t->opts->peer_cpus;
	r = make_flows(t) ? kd_fail(d, -ENOMEM, "out of memory for the flows") :
			    0;
	if (!r) {
		t->has_pool = true;
		r = kd_pool_init(&t->pool, env, t->thread_count,
				 cpus ? cpus : env->cpus, rr_body, t, d);
	}
	if (!r)
		r = connect_ends(t, d);
	if (r)
		rr_fini(t);
	return r;
}

static int rr_start(void *priv, struct kd_diag *d)
{
	struct rr *t = priv;
	int r = 0;

	if (!t->conf.device && t->conf.kind == KD_RR_TCP)
		r = kd_gate_wait(&t->gate, d);
	if (!t->conf.device && t->conf.kind == KD_RR_UDP) {
		r = kd_udpgate_wait(&t->udpgate, d);
		kd_udpgate_close(&t->udpgate);
		for (unsigned int i = 0; !r && i < t->flow_count; i++) {
			t->flows[i].fd = t->udpgate.fds[i];
			r = set_busy_poll(t, t->flows[i].fd, d);
		}
	}
	if (!r)
		kd_pool_go(&t->pool);
	return r;
}

static uint64_t done(const struct rr *t)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < t->flow_count; i++)
		sum += __atomic_load_n(&t->flows[i].done, __ATOMIC_RELAXED);
	for (unsigned int i = 0; t->serves && i < t->thread_count; i++)
		sum += __atomic_load_n(&t->serves[i].done, __ATOMIC_RELAXED);
	return sum;
}

static uint64_t lost(const struct rr *t)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < t->flow_count; i++)
		sum += __atomic_load_n(&t->flows[i].lost, __ATOMIC_RELAXED);
	return sum;
}

static int rr_begin(void *priv, uint64_t *t0_ns, struct kd_diag *d)
{
	struct rr *t = priv;

	*t0_ns = t->t0_ns = kd_now();
	t->done0 = done(t);
	t->lost0 = lost(t);
	__atomic_store_n(&t->recording, 1, __ATOMIC_RELAXED);
	kd_ticks_begin(&t->ticks, t->t0_ns, t->done0);
	return 0;
}

static int rr_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	struct rr *t = priv;
	int r;

	while ((r = kd_pool_wait(&t->pool, until_ns, kd_ticks_due(&t->ticks),
				 d)) == -EAGAIN)
		kd_ticks_add(&t->ticks, kd_now(), done(t));
	return r;
}

static int rr_end(void *priv, uint64_t *t1_ns, struct kd_diag *d)
{
	struct rr *t = priv;

	__atomic_store_n(&t->recording, 0, __ATOMIC_RELAXED);
	*t1_ns = t->t1_ns = kd_now();
	t->done1 = done(t);
	t->lost1 = lost(t);
	kd_ticks_add(&t->ticks, t->t1_ns, t->done1);
	return 0;
}

static void rr_stop(void *priv)
{
	struct rr *t = priv;

	kd_gate_close(&t->gate);
	kd_udpgate_close(&t->udpgate);
	kd_pool_stop(&t->pool);
}

static void rr_result(void *priv, struct kd_sink *s)
{
	struct rr *t = priv;
	double length = (double)(t->t1_ns - t->t0_ns) / 1e9;
	double rate = (double)(t->done1 - t->done0) / length;

	if (length <= 0)
		return;
	if (!t->conf.device) {
		s->metric(s, &rr_metrics[RR_SERVED], NULL, rate);
		return;
	}
	s->metric(s, &rr_metrics[RR_TRANSACTIONS], NULL, rate);
	kd_ticks_result(&t->ticks, s, &rr_metrics[RR_TRANSACTIONS], 1);
	if (t->conf.kind == KD_RR_UDP)
		s->metric(s, &rr_metrics[RR_LOST], NULL,
			  (double)(t->lost1 - t->lost0));
	for (unsigned int i = 1; i < t->thread_count; i++)
		kd_histo_merge(&t->ios[0].latency, &t->ios[i].latency);
	kd_histo_report(&t->ios[0].latency, s, &rr_metrics[RR_LATENCY]);
}

static size_t rr_sockets(void *priv, int *fds, size_t max)
{
	struct rr *t = priv;
	size_t n = 0;

	if (t->conf.kind != KD_RR_TCP)
		return 0;
	for (unsigned int i = 0; i < t->flow_count && n < max; i++)
		if (t->flows[i].fd >= 0)
			fds[n++] = t->flows[i].fd;
	return n;
}

const struct kd_work_ops kd_work_rr_ops = {
	.name = "rr",
	.summary = "request and response: transactions per second, latency",
	.opts = rr_opts,
	.opts_size = sizeof(struct rr_opts),
	.priv_size = sizeof(struct rr),
	.flags = KD_WORK_NEEDS_PEER,
	.metrics = rr_metrics,
	.check = rr_check,
	.prepare = rr_prepare,
	.start = rr_start,
	.begin = rr_begin,
	.wait = rr_wait,
	.end = rr_end,
	.stop = rr_stop,
	.result = rr_result,
	.sockets = rr_sockets,
	.fini = rr_fini,
};
