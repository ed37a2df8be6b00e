// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bulk TCP or UDP against a stock iperf3 server. What the device sends, the
 * server counts; what it receives, the device counts. Warm-up is iperf3's
 * "omit", which has whole seconds: a broken one is rounded up.
 */
#include "workloads/workload.h"

#include "base/clock.h"
#include "base/opt.h"
#include "base/str.h"
#include "iperf3/client.h"
#include "workloads/engine/cpus.h"
#include "workloads/engine/sock.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TCP_BLOCK (128 << 10)
#define UDP_BLOCK 1460
#define NAP_NS (20 * KD_NS_PER_MS)

enum direction { DIR_TX, DIR_RX, DIR_BIDIR };
enum protocol { PROTO_TCP, PROTO_UDP };

static const char *const directions[] = { "tx", "rx", "bidir", NULL };
static const char *const protocols[] = { "tcp", "udp", NULL };

struct iperf3_opts {
	int direction;
	int protocol;
	char *server;
	int64_t port;
	int64_t streams;
	uint64_t block;
	uint64_t rate;
	uint64_t window;
	struct kd_sock_opts sock;
};

static const struct kd_opt iperf3_opts[] = {
	{ "direction", KD_OPT_ENUM, offsetof(struct iperf3_opts, direction),
	  .choices = directions, .def = "tx", .flags = KD_OPT_POSITIONAL,
	  .help = "which way, as seen by the device; bidir is both at once" },
	{ "protocol", KD_OPT_ENUM, offsetof(struct iperf3_opts, protocol),
	  .choices = protocols, .def = "tcp", .help = "TCP or UDP" },
	{ "server", KD_OPT_STR, offsetof(struct iperf3_opts, server),
	  .arg = "ADDRESS", .help = "numeric address of the iperf3 server" },
	{ "port", KD_OPT_INT, offsetof(struct iperf3_opts, port), .min = 1,
	  .max = 65535, .def = "5201", .help = "its port" },
	{ "streams", KD_OPT_INT, offsetof(struct iperf3_opts, streams),
	  .min = 1, .max = KD_IPERF3_MAX_STREAMS, .def = "1",
	  .help = "connections or flows in each direction" },
	{ "block", KD_OPT_SIZE, offsetof(struct iperf3_opts, block),
	  .max = 1 << 20,
	  .help = "bytes per write, or payload of a datagram; 128k, 1460" },
	{ "rate", KD_OPT_RATE, offsetof(struct iperf3_opts, rate), .def = "0",
	  .help = "in each direction over all streams; 0 is as fast as it goes" },
	{ "window", KD_OPT_SIZE, offsetof(struct iperf3_opts, window),
	  .max = 1 << 30, .help = "socket buffers of both ends" },
	KD_SOCK_OPT_ROWS(struct iperf3_opts, sock),
	{ "nodelay", KD_OPT_BOOL, offsetof(struct iperf3_opts, sock.nodelay),
	  .help = "send small segments at once" },
	{ 0 },
};

/* one set for each direction, in this order, of each protocol */
enum metric {
	THROUGHPUT,
	BYTES,
	SENT,
	RETRANSMITS,
	PACKETS = RETRANSMITS,
	TCP_METRICS,
	LOSS = TCP_METRICS,
	LOST,
	JITTER,
	UDP_METRICS,
};

#define SHARED_ROWS(p, receiver, sender) \
	{ p "-throughput", "Mbit/s", KD_BETTER_HIGHER, \
	  "payload that the " receiver " received" }, \
	{ p "-bytes", "B", KD_BETTER_NONE, \
	  "payload that the " receiver " received in the window" }, \
	{ p "-sent-bytes", "B", KD_BETTER_NONE, \
	  "payload that the " sender " handed to its kernel" }
#define TCP_ROWS(p, receiver, sender) \
	SHARED_ROWS(p, receiver, sender), \
	{ p "-retransmits", "", KD_BETTER_LOWER, \
	  "segments that the " sender " sent again" }
#define UDP_ROWS(p, receiver, sender) \
	SHARED_ROWS(p, receiver, sender), \
	{ p "-packets", "1/s", KD_BETTER_HIGHER, \
	  "datagrams that the " receiver " received" }, \
	{ p "-loss", "%", KD_BETTER_LOWER, "datagrams lost on the way" }, \
	{ p "-lost", "", KD_BETTER_LOWER, "datagrams lost on the way" }, \
	{ p "-jitter", "us", KD_BETTER_LOWER, \
	  "interarrival jitter at the end, mean of the flows" }

static const struct kd_metric_desc iperf3_metrics[] = {
	TCP_ROWS("tcp.tx", "server", "device"),
	TCP_ROWS("tcp.rx", "device", "server"),
	UDP_ROWS("udp.tx", "server", "device"),
	UDP_ROWS("udp.rx", "device", "server"),
	{ 0 },
};

struct iperf3 {
	const struct kd_work_env *env;
	const struct iperf3_opts *opts;
	struct kd_work_env dial;
	struct kd_iperf3_client client;
	struct kd_iperf3_run run;
	struct kd_diag data_diag;
	pthread_t thread;
	bool running;
	int over;
	int why;
	uint64_t t0_ns, t1_ns;
};

static int iperf3_check(const void *opts, struct kd_diag *d)
{
	const struct iperf3_opts *o = opts;
	struct kd_addr a;

	if (!o->server || !*o->server)
		return kd_fail(d, -EINVAL, "iperf3 needs the server's address");
	if (o->protocol == PROTO_UDP && o->block > 65507)
		return kd_fail(d, -ERANGE,
			       "block: a datagram carries at most 65507 bytes");
	return kd_addr_parse(o->server, (uint16_t)o->port, &a, d);
}


static int dial(void *arg, struct kd_diag *d)
{
	struct iperf3 *x = arg;

	return kd_sock_dial(&x->dial, &x->opts->sock, d);
}

static void fill_params(struct iperf3 *x)
{
	const struct iperf3_opts *o = x->opts;
	struct kd_iperf3_params *p = &x->client.params;

	*p = (struct kd_iperf3_params){
		.udp = o->protocol == PROTO_UDP,
		.reverse = o->direction == DIR_RX,
		.bidir = o->direction == DIR_BIDIR,
		.nodelay = o->sock.nodelay,
		.counters_64bit = true,
		.streams = (int)o->streams,
		.omit_s = ceil((double)x->env->warmup_ns / 1e9),
		.rate_bps = o->rate / (uint64_t)o->streams,
		.block = o->block ? o->block :
			 o->protocol == PROTO_UDP ? UDP_BLOCK : TCP_BLOCK,
		.window = (int)o->window,
		.mss = (int)o->sock.mss,
		.tos = (int)o->sock.tos,
	};
	/* the end is told; this is when the server would lose patience */
	p->time_s = ceil((double)x->env->length_ns / 1e9) + 1;
	if (o->sock.congestion)
		snprintf(p->congestion, sizeof(p->congestion), "%s",
			 o->sock.congestion);
}

static int iperf3_prepare(void *priv, const struct kd_work_env *env,
			  const void *opts, struct kd_diag *d)
{
	struct iperf3 *x = priv;
	struct kd_addr a;
	int r;

	x->env = env;
	x->opts = opts;
	x->client.control = x->run.wake = -1;
	if (!env->length_ns)
		return kd_fail(d, -EINVAL, "iperf3 needs a time");
	r = kd_addr_parse(x->opts->server, (uint16_t)x->opts->port, &a, d);
	if (r)
		return r;
	x->dial = *env;
	x->dial.addr = x->opts->server;
	x->dial.port = (uint16_t)x->opts->port;
	x->client.connect = dial;
	x->client.arg = x;
	x->client.to = a.ss;
	x->client.to_len = a.len;
	x->client.deadline_ns = env->deadline_ns;
	fill_params(x);
	x->run.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (x->run.wake < 0)
		return kd_fail_errno(d, "cannot make an event descriptor");
	r = kd_iperf3_client_open(&x->client, d);
	if (r) {
		kd_iperf3_client_close(&x->client);
		close(x->run.wake);
	}
	return r;
}

static void *move(void *arg)
{
	struct iperf3 *x = arg;

	x->why = kd_iperf3_run_streams(&x->run, &x->data_diag);
	__atomic_store_n(&x->over, 1, __ATOMIC_RELEASE);
	return NULL;
}

static int iperf3_start(void *priv, struct kd_diag *d)
{
	struct iperf3 *x = priv;
	int r = kd_iperf3_client_start(&x->client, d);

	if (r)
		return r;
	x->run.params = &x->client.params;
	x->run.streams = x->client.streams;
	x->run.n_streams = x->client.n_streams;
	x->run.control = x->client.control;
	x->run.keep = true;
	r = -pthread_create(&x->thread, NULL, move, x);
	if (r)
		return kd_fail(d, r, "cannot start a thread");
	x->running = true;
	return 0;
}

static bool is_cancelled(const struct iperf3 *x)
{
	return x->env->cancelled && *x->env->cancelled;
}

static int iperf3_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	struct iperf3 *x = priv;
	uint64_t end = until_ns < x->env->deadline_ns ? until_ns :
							x->env->deadline_ns;
	uint64_t now;

	while ((now = kd_now()) < end && !is_cancelled(x)) {
		if (x->running && __atomic_load_n(&x->over, __ATOMIC_ACQUIRE))
			return x->why == KD_IPERF3_END_CONTROL ?
				kd_iperf3_client_why(&x->client, d) :
				kd_fail(d, x->data_diag.err ?: -EPIPE, "%s",
					x->data_diag.err ? x->data_diag.text :
					"the streams ended too early");
		kd_sleep_until(end - now > NAP_NS ? now + NAP_NS : end);
	}
	return 0;
}

/* the window opens when the omitted start is over, which the streams' thread
 * sees first */
static int iperf3_begin(void *priv, uint64_t *t0_ns, struct kd_diag *d)
{
	struct iperf3 *x = priv;
	int r = 0;

	while (!r && !is_cancelled(x)) {
		x->t0_ns = __atomic_load_n(&x->run.t0_ns, __ATOMIC_ACQUIRE);
		if (x->t0_ns)
			break;
		if (kd_now() >= x->env->deadline_ns)
			return kd_fail(d, -ETIMEDOUT,
				       "the omitted start did not end");
		r = iperf3_wait(x, kd_now() + KD_NS_PER_MS, d);
	}
	*t0_ns = x->t0_ns ? x->t0_ns : kd_now();
	return r;
}

static void join(struct iperf3 *x)
{
	uint64_t one = 1;

	if (!x->running)
		return;
	if (write(x->run.wake, &one, sizeof(one)) != sizeof(one))
		pthread_cancel(x->thread);
	pthread_join(x->thread, NULL);
	x->running = false;
}

static int iperf3_end(void *priv, uint64_t *t1_ns, struct kd_diag *d)
{
	struct iperf3 *x = priv;
	int r = kd_iperf3_client_end(&x->client, d);

	join(x);
	*t1_ns = x->t1_ns = x->run.t1_ns;
	return r ? r : kd_iperf3_client_finish(&x->client, &x->run, d);
}

static void iperf3_stop(void *priv)
{
	join(priv);
}

/* sums over the streams of one direction */
struct sums {
	double bytes, sent, seconds, packets, lost, jitter_s, retransmits;
	unsigned int n;
};

static void add_received(struct sums *s, double bytes, double seconds,
			 double packets, double lost, double jitter_s)
{
	s->bytes += bytes;
	s->packets += packets;
	s->lost += lost;
	s->jitter_s += jitter_s;
	s->seconds = fmax(s->seconds, seconds);
	s->n++;
}

static void report(const struct iperf3 *x, struct kd_sink *s, bool tx,
		   const struct sums *sums)
{
	bool udp = x->client.params.udp;
	const struct kd_metric_desc *m = iperf3_metrics;
	double all = sums->packets;

	m += udp ? 2 * TCP_METRICS + (tx ? 0 : UDP_METRICS) :
		   (tx ? 0 : TCP_METRICS);
	if (sums->seconds > 0)
		s->metric(s, &m[THROUGHPUT], NULL,
			  sums->bytes * 8 / 1e6 / sums->seconds);
	s->metric(s, &m[BYTES], NULL, sums->bytes);
	if (tx)
		s->metric(s, &m[SENT], NULL, sums->sent);
	if (!udp && tx && sums->retransmits >= 0)
		s->metric(s, &m[RETRANSMITS], NULL, sums->retransmits);
	if (!udp)
		return;
	if (sums->seconds > 0)
		s->metric(s, &m[PACKETS], NULL,
			  (all - sums->lost) / sums->seconds);
	if (all > 0)
		s->metric(s, &m[LOSS], NULL, 100 * sums->lost / all);
	s->metric(s, &m[LOST], NULL, sums->lost);
	if (sums->n)
		s->metric(s, &m[JITTER], NULL, sums->jitter_s / sums->n * 1e6);
}

static void iperf3_result(void *priv, struct kd_sink *s)
{
	struct iperf3 *x = priv;
	const struct kd_iperf3_client *c = &x->client;
	double window = (double)(x->t1_ns - x->t0_ns) / 1e9;
	struct sums tx = { 0 }, rx = { 0 };

	for (size_t i = 0; i < c->n_streams; i++) {
		const struct kd_iperf3_stream *mine = &c->streams[i];
		const struct kd_iperf3_figures *their = &c->theirs[i];

		if (mine->sender) {
			tx.sent += (double)mine->bytes;
			tx.retransmits += (double)mine->retransmits;
			add_received(&tx, (double)their->bytes,
				     their->seconds > 0 ? their->seconds :
							  window,
				     (double)their->packets,
				     (double)their->lost, their->jitter_s);
		} else {
			add_received(&rx, (double)mine->bytes, window,
				     (double)(mine->packets -
					      mine->omitted_packets),
				     (double)(mine->lost - mine->omitted_lost),
				     mine->jitter_s);
		}
	}
	if (tx.n)
		report(x, s, true, &tx);
	if (rx.n)
		report(x, s, false, &rx);
	if (tx.n && fabs(tx.seconds - window) > 0.01 * window)
		s->event(s, "window", 0, 0,
			 "the windows of device and server differ by more than 1 %");
}

static size_t iperf3_sockets(void *priv, int *fds, size_t max)
{
	struct iperf3 *x = priv;
	size_t n = 0;

	for (size_t i = 0; x->client.streams && i < x->client.n_streams &&
			   n < max; i++)
		if (x->client.streams[i].fd >= 0)
			fds[n++] = x->client.streams[i].fd;
	return n;
}

static void iperf3_fini(void *priv)
{
	struct iperf3 *x = priv;

	join(x);
	kd_iperf3_client_close(&x->client);
	if (x->run.wake >= 0)
		close(x->run.wake);
	memset(x, 0, sizeof(*x));
	x->client.control = x->run.wake = -1;
}

const struct kd_work_ops kd_work_iperf3_ops = {
	.name = "iperf3",
	.summary = "bulk TCP or UDP against a stock iperf3 server",
	.opts = iperf3_opts,
	.opts_size = sizeof(struct iperf3_opts),
	.priv_size = sizeof(struct iperf3),
	.flags = KD_WORK_WARMS_UP,
	.metrics = iperf3_metrics,
	.check = iperf3_check,
	.prepare = iperf3_prepare,
	.start = iperf3_start,
	.begin = iperf3_begin,
	.wait = iperf3_wait,
	.end = iperf3_end,
	.stop = iperf3_stop,
	.result = iperf3_result,
	.sockets = iperf3_sockets,
	.fini = iperf3_fini,
};
