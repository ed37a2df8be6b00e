// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bulk TCP between device and peer, in one direction or both at once, each
 * direction on connections of its own.
 */
#include "workloads/workload.h"

#include "base/clock.h"
#include "base/opt.h"
#include "base/str.h"
#include "workloads/engine/bulk.h"
#include "workloads/engine/cpus.h"
#include "workloads/engine/flow.h"
#include "workloads/engine/gate.h"
#include "workloads/engine/nap.h"
#include "workloads/engine/pool.h"
#include "workloads/engine/sock.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_ZEROCOPY
#define SO_ZEROCOPY 60
#endif

#define MAX_STREAMS 1024

enum direction { DIR_TX, DIR_RX, DIR_BIDIR };
enum kind { KIND_TX, KIND_RX };

static const char *const directions[] = { "tx", "rx", "bidir", NULL };
static const char *const sources[] = { "write", "sendfile", "zerocopy", NULL };
static const char *const sinks[] = { "copy", "discard", NULL };

struct tcp_opts {
	int direction;
	int64_t streams;
	int64_t threads;
	uint64_t size;
	uint64_t block;
	int source;
	int sink;
	uint64_t nap_ns;
	char *cpus;
	char *peer_cpus;
	struct kd_sock_opts sock;
};

static const struct kd_opt tcp_opts[] = {
	{ "direction", KD_OPT_ENUM, offsetof(struct tcp_opts, direction),
	  .choices = directions, .def = "tx", .flags = KD_OPT_POSITIONAL,
	  .help = "which way, as seen by the device; bidir is both at once" },
	{ "streams", KD_OPT_INT, offsetof(struct tcp_opts, streams), .min = 1,
	  .max = MAX_STREAMS, .def = "1",
	  .help = "connections in each direction" },
	{ "threads", KD_OPT_INT, offsetof(struct tcp_opts, threads),
	  .max = 256, .def = "0",
	  .help = "threads at each end; 0 is one per direction" },
	{ "size", KD_OPT_SIZE, offsetof(struct tcp_opts, size), .min = 1,
	  .flags = KD_OPT_ENDS,
	  .help = "bytes in each direction, over all streams, instead of a time" },
	{ "block", KD_OPT_SIZE, offsetof(struct tcp_opts, block), .min = 1,
	  .max = 64 << 20, .def = "128k",
	  .help = "bytes per system call" },
	{ "source", KD_OPT_ENUM, offsetof(struct tcp_opts, source),
	  .choices = sources, .def = "write",
	  .help = "how the sender hands over its data" },
	{ "sink", KD_OPT_ENUM, offsetof(struct tcp_opts, sink),
	  .choices = sinks, .def = "copy",
	  .help = "whether the receiver copies the data out or drops it" },
	{ "nap", KD_OPT_TIME, offsetof(struct tcp_opts, nap_ns),
	  .max = 10 * KD_NS_PER_MS, .def = "100us",
	  .help = "above 4 Gbit/s a receiving thread looks once per nap; 0: it is always woken" },
	KD_SOCK_OPT_ROWS(struct tcp_opts, sock),
	{ "nodelay", KD_OPT_BOOL, offsetof(struct tcp_opts, sock.nodelay),
	  .help = "send small segments at once" },
	{ "cpus", KD_OPT_STR, offsetof(struct tcp_opts, cpus), .arg = "LIST",
	  .help = "CPUs of the device's threads" },
	{ "peer-cpus", KD_OPT_STR, offsetof(struct tcp_opts, peer_cpus),
	  .arg = "LIST", .help = "CPUs of the peer's threads" },
	{ 0 },
};

struct tcp {
	const struct kd_work_env *env;
	const struct tcp_opts *opts;
	struct kd_flow_conf conf;
	struct kd_bulk bulk;
	char **bufs;
	unsigned int thread_count;
	struct kd_pool pool;
	struct kd_gate gate;
	bool has_pool;
};

static int tcp_check(const void *opts, struct kd_diag *d)
{
	const struct tcp_opts *o = opts;
	int64_t flows = o->direction == DIR_BIDIR ? 2 * o->streams : o->streams;
	int r = 0;

	if (o->size && o->size < (uint64_t)o->streams)
		return kd_fail(d, -EINVAL,
			       "size: %llu bytes are too few for %lld streams",
			       (unsigned long long)o->size,
			       (long long)o->streams);
	if (o->threads > flows)
		return kd_fail(d, -EINVAL,
			       "threads: %lld threads for %lld connections",
			       (long long)o->threads, (long long)flows);
	if (o->cpus)
		r = kd_cpus_check(o->cpus, "cpus", d);
	if (!r && o->peer_cpus)
		r = kd_cpus_check(o->peer_cpus, "peer-cpus", d);
	return r;
}

static bool tcp_ends(const void *opts)
{
	const struct tcp_opts *o = opts;

	return o->size;
}

/* the flows of worker i are i, i + threads, i + 2 threads, ... */
static void tcp_body(struct kd_worker *w, void *arg)
{
	struct tcp *t = arg;
	struct epoll_event events[64];
	char *buf = t->bufs[w->index];
	bool sends = false;
	struct kd_nap nap;

	for (unsigned int i = w->index; i < t->bulk.count;
	     i += t->thread_count) {
		kd_flow_arm(&t->bulk.flows[i], w);
		sends |= t->bulk.flows[i].sends;
	}
	kd_nap_init(&nap, sends ? 0 : t->opts->nap_ns);
	while (!kd_pool_is_stopped(w->pool)) {
		int n = kd_worker_wait(w, events, 64, 0);
		bool more = false;

		for (int i = 0; i < n; i++) {
			struct kd_flow *f = events[i].data.ptr;
			uint64_t had = f->bytes;

			more |= kd_flow_ready(f, events[i].events, buf);
			nap.bytes += f->bytes - had;
		}
		kd_nap_take(&nap, more);
	}
}

static int admit(void *arg, unsigned int index, unsigned int kind, int fd)
{
	struct tcp *t = arg;
	struct kd_flow *f;

	if (index >= t->bulk.count)
		return -EINVAL;
	f = &t->bulk.flows[index];
	if (f->fd >= 0 || kind != (f->sends ? KIND_RX : KIND_TX))
		return -EINVAL;
	if (kd_sock_apply(fd, &t->opts->sock, NULL))
		return -EIO;
	f->fd = fd;
	return 0;
}

static int dial(struct tcp *t, struct kd_flow *f, struct kd_diag *d)
{
	uint8_t hello[KD_HELLO_SIZE];
	int r;

	f->fd = kd_sock_dial(t->env, &t->opts->sock, d);
	if (f->fd < 0)
		return f->fd;
	kd_hello_write(hello, t->env->token, f->index,
		       f->sends ? KIND_TX : KIND_RX);
	r = kd_sock_send_all(f->fd, hello, sizeof(hello), t->env->deadline_ns);
	if (r)
		return kd_fail(d, r, "the peer did not take stream %u: %s",
			       f->index, strerror(-r));
	return 0;
}

static int make_source(struct tcp *t, struct kd_diag *d)
{
	struct kd_flow_conf *c = &t->conf;

	c->file_fd = -1;
	if (c->source != KD_SOURCE_SENDFILE)
		return 0;
	c->file_fd = memfd_create("kdelta", MFD_CLOEXEC);
	if (c->file_fd < 0 || ftruncate(c->file_fd, (off_t)c->block))
		return kd_fail_errno(d, "cannot make the file to send");
	for (size_t done = 0; done < c->block;) {
		ssize_t n = pwrite(c->file_fd, t->bufs[0],
				   c->block - done, (off_t)done);

		if (n <= 0)
			return kd_fail_errno(d, "cannot fill the file to send");
		done += (size_t)n;
	}
	return 0;
}

/* blocks are touched now, so that no page is first seen in the window */
static int make_bufs(struct tcp *t)
{
	t->bufs = calloc(t->thread_count, sizeof(*t->bufs));
	if (!t->bufs)
		return -ENOMEM;
	for (unsigned int i = 0; i < t->thread_count; i++) {
		t->bufs[i] = aligned_alloc(4096, (t->conf.block + 4095) &
						 ~(size_t)4095);
		if (!t->bufs[i])
			return -ENOMEM;
		for (size_t j = 0; j < t->conf.block; j++)
			t->bufs[i][j] = (char)(j * 31 + (j >> 8));
	}
	return 0;
}

static int make_flows(struct tcp *t)
{
	const struct tcp_opts *o = t->opts;
	unsigned int streams = (unsigned int)o->streams;
	bool both = o->direction == DIR_BIDIR;

	t->thread_count = o->threads ? (unsigned int)o->threads :
				       (both ? 2 : 1);
	if (kd_bulk_init(&t->bulk, &t->conf, both ? 2 * streams : streams))
		return -ENOMEM;
	for (unsigned int i = 0; i < t->bulk.count; i++) {
		struct kd_flow *f = &t->bulk.flows[i];
		unsigned int in_dir = both ? i / 2 : i;
		bool tx = both ? i % 2 == 0 : o->direction == DIR_TX;

		f->sends = tx == (t->env->role == KD_ROLE_DEVICE);
		f->left = o->size / streams +
			  (in_dir < o->size % streams ? 1 : 0);
	}
	return 0;
}

static const char *own_cpus(const struct tcp *t)
{
	const char *cpus = t->env->role == KD_ROLE_DEVICE ? t->opts->cpus :
							    t->opts->peer_cpus;

	return cpus ? cpus : t->env->cpus;
}

static int set_zerocopy(struct tcp *t, struct kd_diag *d)
{
	int one = 1;

	for (unsigned int i = 0; i < t->bulk.count; i++)
		if (t->conf.source == KD_SOURCE_ZEROCOPY && t->bulk.flows[i].sends &&
		    setsockopt(t->bulk.flows[i].fd, SOL_SOCKET, SO_ZEROCOPY, &one,
			       sizeof(one))) {
			kd_fail_errno(d, "this kernel has no zero-copy sending");
			kd_diag_hint(d, "use source=write or source=sendfile");
			return d ? d->err : -EOPNOTSUPP;
		}
	return 0;
}

static void tcp_fini(void *priv)
{
	struct tcp *t = priv;

	kd_gate_close(&t->gate);
	if (t->has_pool)
		kd_pool_fini(&t->pool);
	kd_bulk_fini(&t->bulk);
	for (unsigned int i = 0; t->bufs && i < t->thread_count; i++)
		free(t->bufs[i]);
	if (t->conf.file_fd > 0)
		close(t->conf.file_fd);
	free(t->bufs);
	memset(t, 0, sizeof(*t));
}

static int connect_ends(struct tcp *t, struct kd_diag *d)
{
	int fd;

	if (t->env->role == KD_ROLE_PEER) {
		fd = kd_sock_listen(t->env, &t->opts->sock, d);
		if (fd < 0)
			return fd;
		return kd_gate_open(&t->gate, t->env, fd, t->bulk.count, admit,
				    t, d);
	}
	for (unsigned int i = 0; i < t->bulk.count; i++) {
		int r = dial(t, &t->bulk.flows[i], d);

		if (r)
			return r;
	}
	return 0;
}

static int tcp_prepare(void *priv, const struct kd_work_env *env,
		       const void *opts, struct kd_diag *d)
{
	struct tcp *t = priv;
	int r;

	t->env = env;
	t->opts = opts;
	t->conf = (struct kd_flow_conf){
		.source = (enum kd_flow_source)t->opts->source,
		.sink = (enum kd_flow_sink)t->opts->sink,
		.size_mode = t->opts->size,
		.device = env->role == KD_ROLE_DEVICE,
		.block = t->opts->block,
		.file_fd = -1,
	};
	if (make_flows(t) || make_bufs(t)) {
		r = kd_fail(d, -ENOMEM, "out of memory for %lld streams",
			    (long long)t->opts->streams);
		goto fail;
	}
	t->conf.quantum = t->bulk.count > t->thread_count ? 2 : 64;
	r = make_source(t, d);
	if (r)
		goto fail;
	t->has_pool = true;
	r = kd_pool_init(&t->pool, env, t->thread_count, own_cpus(t), tcp_body,
			 t, d);
	if (r)
		goto fail;
	t->pool.finish_at = t->bulk.count;
	r = connect_ends(t, d);
	if (!r)
		return 0;
fail:
	tcp_fini(t);
	return r;
}

static int tcp_start(void *priv, struct kd_diag *d)
{
	struct tcp *t = priv;
	int r = 0;

	if (t->env->role == KD_ROLE_PEER)
		r = kd_gate_wait(&t->gate, d);
	if (!r)
		r = set_zerocopy(t, d);
	if (!r)
		kd_pool_go(&t->pool);
	return r;
}

static int tcp_begin(void *priv, uint64_t *t0_ns, struct kd_diag *d)
{
	struct tcp *t = priv;

	*t0_ns = kd_bulk_begin(&t->bulk);
	return 0;
}

static int tcp_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	struct tcp *t = priv;
	int r;

	if (t->conf.size_mode && t->bulk.t0_ns)
		until_ns = t->env->deadline_ns;
	while ((r = kd_pool_wait(&t->pool, until_ns, kd_ticks_due(&t->bulk.ticks),
				 d)) == -EAGAIN)
		kd_bulk_tick(&t->bulk);
	if (r || !t->conf.size_mode || !t->bulk.t0_ns ||
	    kd_pool_is_finished(&t->pool) ||
	    (t->env->cancelled && *t->env->cancelled))
		return r;
	return kd_fail(d, -ETIMEDOUT,
		       "%u of %u streams were complete at the deadline",
		       __atomic_load_n(&t->pool.finished, __ATOMIC_ACQUIRE),
		       t->bulk.count);
}

static int tcp_end(void *priv, uint64_t *t1_ns, struct kd_diag *d)
{
	struct tcp *t = priv;

	*t1_ns = kd_bulk_end(&t->bulk);
	return 0;
}

static void tcp_stop(void *priv)
{
	struct tcp *t = priv;

	kd_gate_close(&t->gate);
	kd_pool_stop(&t->pool);
}

static void tcp_result(void *priv, struct kd_sink *s)
{
	struct tcp *t = priv;
	bool device = t->env->role == KD_ROLE_DEVICE;
	int direction = t->opts->direction;

	if (direction == DIR_BIDIR ||
	    direction == (device ? DIR_RX : DIR_TX))
		kd_bulk_report_received(&t->bulk, s, !device);
	if (direction == DIR_BIDIR ||
	    direction == (device ? DIR_TX : DIR_RX))
		kd_bulk_report_sent(&t->bulk, s, device);
}

static size_t tcp_sockets(void *priv, int *fds, size_t max)
{
	struct tcp *t = priv;
	size_t n = 0;

	for (unsigned int i = 0; i < t->bulk.count && n < max; i++)
		if (t->bulk.flows[i].fd >= 0)
			fds[n++] = t->bulk.flows[i].fd;
	return n;
}

const struct kd_work_ops kd_work_tcp_ops = {
	.name = "tcp",
	.summary = "bulk TCP, tx, rx or both, one or many streams",
	.opts = tcp_opts,
	.opts_size = sizeof(struct tcp_opts),
	.priv_size = sizeof(struct tcp),
	.flags = KD_WORK_NEEDS_PEER,
	.metrics = kd_bulk_metrics,
	.check = tcp_check,
	.ends = tcp_ends,
	.prepare = tcp_prepare,
	.start = tcp_start,
	.begin = tcp_begin,
	.wait = tcp_wait,
	.end = tcp_end,
	.stop = tcp_stop,
	.result = tcp_result,
	.sockets = tcp_sockets,
	.fini = tcp_fini,
};
