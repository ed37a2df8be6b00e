// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Datagrams in one direction or both, paced or as fast as it goes. What is
 * lost, doubled, late or out of order is counted at the receiver; none of it
 * ends the run.
 */
#include "workloads/workload.h"

#include "base/clock.h"
#include "base/opt.h"
#include "workloads/engine/cpus.h"
#include "workloads/engine/pool.h"
#include "workloads/engine/ticks.h"
#include "workloads/engine/udpflow.h"
#include "workloads/engine/udpgate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define MAX_STREAMS 256
#define SNAPSHOT_NS (100 * KD_NS_PER_US)
#define SNAPSHOT_TRIES 5
/* a sleeping thread wakes up about this much too late */
#define SPIN_NS (70 * KD_NS_PER_US)
#define GO_NS (50 * KD_NS_PER_MS)

enum direction { DIR_TX, DIR_RX, DIR_BIDIR };
enum kind { KIND_TX, KIND_RX };

static const char *const directions[] = { "tx", "rx", "bidir", NULL };

struct udp_opts {
	int direction;
	int64_t streams;
	uint64_t size;
	uint64_t rate;
	bool gso;
	bool gro;
	bool spin;
	int64_t threads;
	char *cpus;
	char *peer_cpus;
	struct kd_udp_opts sock;
};

static const struct kd_opt udp_opts[] = {
	{ "direction", KD_OPT_ENUM, offsetof(struct udp_opts, direction),
	  .choices = directions, .def = "tx", .flags = KD_OPT_POSITIONAL,
	  .help = "which way, as seen by the device; bidir is both at once" },
	{ "streams", KD_OPT_INT, offsetof(struct udp_opts, streams), .min = 1,
	  .max = MAX_STREAMS, .def = "1", .help = "flows in each direction" },
	{ "size", KD_OPT_SIZE, offsetof(struct udp_opts, size),
	  .min = KD_UDP_HEADER, .max = 65000, .def = "1400",
	  .help = "payload of a datagram" },
	{ "rate", KD_OPT_RATE, offsetof(struct udp_opts, rate),
	  .help = "payload in each direction over all flows; 0 is as fast as it goes",
	  .def = "0" },
	{ "gso", KD_OPT_BOOL, offsetof(struct udp_opts, gso), .def = "yes",
	  .help = "hand the kernel many datagrams in one buffer" },
	{ "gro", KD_OPT_BOOL, offsetof(struct udp_opts, gro), .def = "yes",
	  .help = "take many datagrams in one buffer" },
	{ "spin", KD_OPT_BOOL, offsetof(struct udp_opts, spin), .def = "yes",
	  .help = "keep microseconds between datagrams by waiting busily" },
	{ "threads", KD_OPT_INT, offsetof(struct udp_opts, threads),
	  .max = 256, .def = "0",
	  .help = "threads at each end; 0 is one per direction" },
	{ "sndbuf", KD_OPT_SIZE, offsetof(struct udp_opts, sock.sndbuf),
	  .max = 1 << 30, .help = "send buffer" },
	{ "rcvbuf", KD_OPT_SIZE, offsetof(struct udp_opts, sock.rcvbuf),
	  .max = 1 << 30, .def = "4m", .help = "receive buffer" },
	{ "tos", KD_OPT_INT, offsetof(struct udp_opts, sock.tos), .max = 255,
	  .help = "type of service or traffic class byte" },
	{ "bind", KD_OPT_STR, offsetof(struct udp_opts, sock.bind),
	  .arg = "ADDRESS", .help = "address that the device sends from" },
	{ "bind-device", KD_OPT_STR, offsetof(struct udp_opts, sock.device),
	  .arg = "IFACE", .help = "interface that the device sends from" },
	{ "cpus", KD_OPT_STR, offsetof(struct udp_opts, cpus), .arg = "LIST",
	  .help = "CPUs of the device's threads" },
	{ "peer-cpus", KD_OPT_STR, offsetof(struct udp_opts, peer_cpus),
	  .arg = "LIST", .help = "CPUs of the peer's threads" },
	{ 0 },
};

/* one set for each direction, in this order */
enum metric {
	THROUGHPUT,
	PACKETS,
	LOSS,
	LOST,
	REORDERED,
	DUPLICATES,
	JITTER,
	FOREIGN,
	SENT_THROUGHPUT,
	SENT_PACKETS,
	DELAY,
	LATENESS = DELAY + KD_LATENCY_COUNT,
	DIR_METRICS = LATENESS + KD_LATENCY_COUNT,
};

#define DIR_ROWS(p, receiver, sender) \
	{ p "-throughput", "Mbit/s", KD_BETTER_HIGHER, \
	  "payload that the " receiver " received" }, \
	{ p "-packets", "1/s", KD_BETTER_HIGHER, \
	  "datagrams that the " receiver " received" }, \
	{ p "-loss", "%", KD_BETTER_LOWER, "datagrams lost on the way" }, \
	{ p "-lost", "", KD_BETTER_LOWER, "datagrams lost on the way" }, \
	{ p "-reordered", "", KD_BETTER_LOWER, \
	  "datagrams that came after a later one" }, \
	{ p "-duplicates", "", KD_BETTER_LOWER, \
	  "datagrams that came again" }, \
	{ p "-jitter", "us", KD_BETTER_LOWER, \
	  "interarrival jitter of RFC 3550 at the end, mean of the flows" }, \
	{ p "-foreign", "", KD_BETTER_NONE, \
	  "datagrams on the run's sockets that were not the run's" }, \
	{ p "-sent-throughput", "Mbit/s", KD_BETTER_NONE, \
	  "payload that the " sender " handed to its kernel" }, \
	{ p "-sent-packets", "1/s", KD_BETTER_NONE, \
	  "datagrams that the " sender " handed to its kernel" }, \
	KD_LATENCY_ROWS(p "-delay", "one-way delay above the least"), \
	KD_LATENCY_ROWS(p "-late", "sending time after the pace's schedule")

static const struct kd_metric_desc udp_metrics[] = {
	DIR_ROWS("udp.tx", "peer", "device"),
	DIR_ROWS("udp.rx", "device", "peer"),
	{ 0 },
};

struct snapshot {
	uint64_t bytes, packets, next, unique, reordered, duplicates;
};

struct udp {
	const struct kd_work_env *env;
	const struct udp_opts *opts;
	struct kd_udpflow_conf conf;
	struct kd_udpflow *flows;
	struct kd_udpio *ios;
	struct snapshot *at0, *at1;
	unsigned int flow_count, thread_count;
	int recording;
	struct kd_udpgate gate;
	struct kd_pool pool;
	bool has_pool;
	uint64_t t0_ns, t1_ns;
	struct kd_ticks ticks;
};

static int udp_check(const void *opts, struct kd_diag *d)
{
	const struct udp_opts *o = opts;
	int64_t flows = o->direction == DIR_BIDIR ? 2 * o->streams : o->streams;
	int r = 0;

	if (o->threads > flows)
		return kd_fail(d, -EINVAL, "threads: %lld threads for %lld flows",
			       (long long)o->threads, (long long)flows);
	if (o->cpus)
		r = kd_cpus_check(o->cpus, "cpus", d);
	if (!r && o->peer_cpus)
		r = kd_cpus_check(o->peer_cpus, "peer-cpus", d);
	return r;
}

/* send what is due; when is the next due: 0 for now, UINT64_MAX for never */
static uint64_t pump(struct udp *u, struct kd_worker *w)
{
	uint64_t now = kd_now(), next = UINT64_MAX;

	for (unsigned int i = w->index; i < u->flow_count;
	     i += u->thread_count) {
		struct kd_udpflow *f = &u->flows[i];
		uint64_t due = 0;

		if (!f->sends) {
			if (!f->ready && u->conf.device && next > now + GO_NS)
				next = now + GO_NS;
			continue;
		}
		if (!f->ready)
			continue;
		kd_udpflow_send(f, &u->ios[w->index], now);
		if (u->conf.interval_ns > 0)
			due = (uint64_t)f->due_ns;
		if (due < next)
			next = due;
	}
	return next;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void say_go(struct udp *u, struct kd_worker *w)
{
	for (unsigned int i = w->index; u->conf.device && i < u->flow_count;
	     i += u->thread_count)
		if (!u->flows[i].sends && !u->flows[i].ready)
			kd_udpflow_go(&u->flows[i]);
}

static void udp_body(struct kd_worker *w, void *arg)
{
	struct udp *u = arg;
	uint64_t margin = u->opts->spin ? SPIN_NS : 0, go_ns = kd_now();
	struct epoll_event ev[64];
	bool receives = false;

	for (unsigned int i = w->index; i < u->flow_count;
	     i += u->thread_count) {
		kd_udpflow_arm(&u->flows[i], w);
		receives = receives || !u->flows[i].sends ||
			   !u->flows[i].ready;
	}
	while (!kd_pool_is_stopped(w->pool)) {
		uint64_t next = pump(u, w), now = kd_now(), until = 0;
		int n;

		if (now - go_ns > GO_NS) {
			say_go(u, w);
			go_ns = now;
		}
		/* a sender with no reader beside it needs no system call to
		 * wait for less than a sleep takes */
		if (!receives && next != UINT64_MAX && next <= now + margin) {
			while (kd_now() < next)
				relax();
			continue;
		}
		if (next != UINT64_MAX)
			until = next > now + margin ? next - margin : now;
		n = kd_worker_wait(w, ev, 64, until);
		for (int i = 0; i < n; i++)
			kd_udpflow_receive(ev[i].data.ptr, &u->ios[w->index]);
		/* the go has come: from here on it only sends */
		receives = false;
		for (unsigned int i = w->index; i < u->flow_count;
		     i += u->thread_count)
			receives = receives || !u->flows[i].sends ||
				   !u->flows[i].ready;
	}
}

static void udp_fini(void *priv)
{
	struct udp *u = priv;

	if (u->has_pool)
		kd_pool_fini(&u->pool);
	for (unsigned int i = 0; u->flows && i < u->flow_count; i++)
		if (u->flows[i].fd >= 0 && u->env->role == KD_ROLE_DEVICE)
			close(u->flows[i].fd);
	kd_udpgate_fini(&u->gate);
	for (unsigned int i = 0; u->ios && i < u->thread_count; i++)
		kd_udpio_fini(&u->ios[i]);
	free(u->flows);
	free(u->ios);
	free(u->at0);
	free(u->at1);
	memset(u, 0, sizeof(*u));
}

static int make_flows(struct udp *u)
{
	const struct udp_opts *o = u->opts;
	bool both = o->direction == DIR_BIDIR, device = u->conf.device;

	u->flow_count = (unsigned int)o->streams * (both ? 2 : 1);
	u->thread_count = o->threads ? (unsigned int)o->threads :
				       (both ? 2 : 1);
	u->flows = aligned_alloc(2 * KD_LINE,
				 u->flow_count * sizeof(*u->flows));
	u->ios = calloc(u->thread_count, sizeof(*u->ios));
	u->at0 = calloc(u->flow_count, sizeof(*u->at0));
	u->at1 = calloc(u->flow_count, sizeof(*u->at1));
	if (!u->flows || !u->ios || !u->at0 || !u->at1)
		return -ENOMEM;
	memset(u->flows, 0, u->flow_count * sizeof(*u->flows));
	for (unsigned int i = 0; i < u->flow_count; i++) {
		bool tx = both ? i % 2 == 0 : o->direction == DIR_TX;

		u->flows[i].fd = -1;
		u->flows[i].index = i;
		u->flows[i].conf = &u->conf;
		u->flows[i].sends = tx == device;
	}
	for (unsigned int i = 0; i < u->thread_count; i++)
		if (kd_udpio_init(&u->ios[i], &u->conf, true, true))
			return -ENOMEM;
	return 0;
}

static int connect_ends(struct udp *u, struct kd_diag *d)
{
	if (u->env->role == KD_ROLE_PEER)
		return kd_udpgate_open(&u->gate, u->env, &u->opts->sock,
				       u->flow_count, d);
	for (unsigned int i = 0; i < u->flow_count; i++) {
		struct kd_udpflow *f = &u->flows[i];
		int fd = kd_udp_dial(u->env, &u->opts->sock, i,
				     f->sends ? KIND_TX : KIND_RX, d);

		if (fd < 0)
			return fd;
		f->fd = fd;
	}
	return 0;
}

static int udp_prepare(void *priv, const struct kd_work_env *env,
		       const void *opts, struct kd_diag *d)
{
	struct udp *u = priv;
	const struct udp_opts *o = opts;
	bool device = env->role == KD_ROLE_DEVICE;
	const char *cpus = device ? o->cpus : o->peer_cpus;
	int r;

	u->env = env;
	u->opts = o;
	u->conf = (struct kd_udpflow_conf){
		.size = o->size, .gso = o->gso, .gro = o->gro,
		.device = device, .recording = &u->recording,
		.interval_ns = o->rate ? (double)o->size * 8e9 *
			       (double)o->streams / (double)o->rate : 0,
	};
	memcpy(u->conf.token, env->token, sizeof(u->conf.token));
	r = make_flows(u) ? kd_fail(d, -ENOMEM, "out of memory for the flows") :
			    0;
	if (!r) {
		u->has_pool = true;
		r = kd_pool_init(&u->pool, env, u->thread_count,
				 cpus ? cpus : env->cpus, udp_body, u, d);
	}
	if (!r)
		r = connect_ends(u, d);
	if (r)
		udp_fini(u);
	return r;
}

static int udp_start(void *priv, struct kd_diag *d)
{
	struct udp *u = priv;
	int r = 0;

	if (u->env->role == KD_ROLE_PEER) {
		r = kd_udpgate_wait(&u->gate, d);
		kd_udpgate_close(&u->gate);
		for (unsigned int i = 0; !r && i < u->flow_count; i++) {
			u->flows[i].fd = u->gate.fds[i];
			if (u->gate.kinds[i] != (u->flows[i].sends ? KIND_RX :
								     KIND_TX))
				r = kd_fail(d, -EPROTO, "the device has other "
					    "options than the peer");
		}
	}
	if (!r)
		kd_pool_go(&u->pool);
	return r;
}

static uint64_t received(const struct udp *u)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < u->flow_count; i++)
		if (!u->flows[i].sends)
			sum += __atomic_load_n(&u->flows[i].bytes,
					       __ATOMIC_RELAXED);
	return sum;
}

static void read_counters(const struct udp *u, struct snapshot *at)
{
	for (unsigned int i = 0; i < u->flow_count; i++) {
		const struct kd_udpflow *f = &u->flows[i];
		const struct kd_seqtrack *t = &f->track;

		at[i].bytes = __atomic_load_n(&f->bytes, __ATOMIC_RELAXED);
		at[i].packets = __atomic_load_n(&f->packets, __ATOMIC_RELAXED);
		/* one that comes between the two reads hides a lost one, and
		 * shows it in the next snapshot */
		at[i].next = __atomic_load_n(&t->next, __ATOMIC_RELAXED);
		at[i].unique = __atomic_load_n(&t->unique, __ATOMIC_RELAXED);
		at[i].reordered = __atomic_load_n(&t->reordered,
						  __ATOMIC_RELAXED);
		at[i].duplicates = __atomic_load_n(&t->duplicates,
						   __ATOMIC_RELAXED);
	}
}

/* all counters at one time, which is returned: again where this thread was
 * interrupted in between */
static uint64_t snapshot(const struct udp *u, struct snapshot *at)
{
	uint64_t before, after;
	int tries = 0;

	do {
		before = kd_now();
		read_counters(u, at);
		after = kd_now();
	} while (after - before > SNAPSHOT_NS && ++tries < SNAPSHOT_TRIES);
	return before + (after - before) / 2;
}

static uint64_t received_at(const struct udp *u, const struct snapshot *at)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < u->flow_count; i++)
		if (!u->flows[i].sends)
			sum += at[i].bytes;
	return sum;
}

static int udp_begin(void *priv, uint64_t *t0_ns, struct kd_diag *d)
{
	struct udp *u = priv;

	*t0_ns = u->t0_ns = snapshot(u, u->at0);
	__atomic_store_n(&u->recording, 1, __ATOMIC_RELAXED);
	kd_ticks_begin(&u->ticks, u->t0_ns, received_at(u, u->at0));
	return 0;
}

static int udp_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	struct udp *u = priv;
	int r;

	while ((r = kd_pool_wait(&u->pool, until_ns, kd_ticks_due(&u->ticks),
				 d)) == -EAGAIN)
		kd_ticks_add(&u->ticks, kd_now(), received(u));
	return r;
}

static int udp_end(void *priv, uint64_t *t1_ns, struct kd_diag *d)
{
	struct udp *u = priv;

	*t1_ns = u->t1_ns = snapshot(u, u->at1);
	__atomic_store_n(&u->recording, 0, __ATOMIC_RELAXED);
	kd_ticks_add(&u->ticks, u->t1_ns, received_at(u, u->at1));
	return 0;
}

static void udp_stop(void *priv)
{
	struct udp *u = priv;

	kd_udpgate_close(&u->gate);
	kd_pool_stop(&u->pool);
}

struct sums {
	double bytes, packets, advance, unique, reordered, duplicates;
	double jitter, foreign;
	unsigned int flows;
};

static struct sums sum_up(const struct udp *u, bool sends)
{
	struct sums s = { 0 };

	for (unsigned int i = 0; i < u->flow_count; i++) {
		const struct kd_udpflow *f = &u->flows[i];
		const struct snapshot *a = &u->at0[i], *b = &u->at1[i];

		if (f->sends != sends)
			continue;
		s.bytes += (double)(b->bytes - a->bytes);
		s.packets += (double)(b->packets - a->packets);
		s.advance += (double)(b->next - a->next);
		s.unique += (double)(b->unique - a->unique);
		s.reordered += (double)(b->reordered - a->reordered);
		s.duplicates += (double)(b->duplicates - a->duplicates);
		s.jitter += f->track.jitter_ns / 1e3;
		s.foreign += (double)f->foreign;
		s.flows++;
	}
	return s;
}

static void merge(struct udp *u)
{
	for (unsigned int i = 1; i < u->thread_count; i++) {
		kd_histo_merge(&u->ios[0].delay, &u->ios[i].delay);
		kd_histo_merge(&u->ios[0].lateness, &u->ios[i].lateness);
	}
}

static void report_received(struct udp *u, struct kd_sink *s,
			    const struct kd_metric_desc *m)
{
	struct sums x = sum_up(u, false);
	double length = (double)(u->t1_ns - u->t0_ns) / 1e9;
	double lost = x.advance - x.unique;

	/* late ones of before the window can outnumber the window's losses */
	if (lost < 0)
		lost = 0;
	s->metric(s, &m[THROUGHPUT], NULL, x.bytes * 8 / 1e6 / length);
	kd_ticks_result(&u->ticks, s, &m[THROUGHPUT], 8 / 1e6);
	s->metric(s, &m[PACKETS], NULL, x.packets / length);
	if (x.advance > 0)
		s->metric(s, &m[LOSS], NULL, 100 * lost / x.advance);
	s->metric(s, &m[LOST], NULL, lost);
	s->metric(s, &m[REORDERED], NULL, x.reordered);
	s->metric(s, &m[DUPLICATES], NULL, x.duplicates);
	s->metric(s, &m[JITTER], NULL, x.jitter / x.flows);
	if (x.foreign > 0)
		s->metric(s, &m[FOREIGN], NULL, x.foreign);
	kd_histo_report(&u->ios[0].delay, s, &m[DELAY]);
}

static void report_sent(struct udp *u, struct kd_sink *s,
			const struct kd_metric_desc *m)
{
	struct sums x = sum_up(u, true);
	double length = (double)(u->t1_ns - u->t0_ns) / 1e9;

	s->metric(s, &m[SENT_THROUGHPUT], NULL, x.bytes * 8 / 1e6 / length);
	s->metric(s, &m[SENT_PACKETS], NULL, x.packets / length);
	kd_histo_report(&u->ios[0].lateness, s, &m[LATENESS]);
}

static void udp_result(void *priv, struct kd_sink *s)
{
	struct udp *u = priv;
	const struct kd_metric_desc *tx = udp_metrics;
	const struct kd_metric_desc *rx = udp_metrics + DIR_METRICS;
	bool device = u->conf.device;
	int dir = u->opts->direction;

	if (u->t1_ns <= u->t0_ns)
		return;
	merge(u);
	if (dir == DIR_BIDIR || dir == (device ? DIR_RX : DIR_TX))
		report_received(u, s, device ? rx : tx);
	if (dir == DIR_BIDIR || dir == (device ? DIR_TX : DIR_RX))
		report_sent(u, s, device ? tx : rx);
}

const struct kd_work_ops kd_work_udp_ops = {
	.name = "udp",
	.summary = "datagrams at a pace: loss, jitter, order, packets per second",
	.opts = udp_opts,
	.opts_size = sizeof(struct udp_opts),
	.priv_size = sizeof(struct udp),
	.flags = KD_WORK_NEEDS_PEER,
	.metrics = udp_metrics,
	.check = udp_check,
	.prepare = udp_prepare,
	.start = udp_start,
	.begin = udp_begin,
	.wait = udp_wait,
	.end = udp_end,
	.stop = udp_stop,
	.result = udp_result,
	.fini = udp_fini,
};
