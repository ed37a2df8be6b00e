// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Request and response, one outstanding on each flow.
 *
 * With a rate, a transaction has an intended time and its latency counts from
 * that, also where the one before it was late: what a queue of users would
 * have seen (no coordinated omission).
 *
 * A thread with a single flow and nothing else to wait for needs no epoll: it
 * sleeps in recv(), which saves a system call for each transaction. The
 * receive timeout lets it look for the stop.
 */
#include "workloads/engine/rrflow.h"

#include "base/clock.h"
#include "workloads/engine/gate.h"

#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define BLOCK_US 50000

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

int kd_rr_io_init(struct kd_rr_io *io, const struct kd_rr_conf *c)
{
	size_t most = c->request > c->response ? c->request : c->response;

	most += KD_HELLO_SIZE + 8;
	memset(io, 0, sizeof(*io));
	io->out = calloc(1, most);
	io->in = calloc(1, most);
	if (!io->out || !io->in)
		return -ENOMEM;
	if (c->kind == KD_RR_CRR && c->device)
		memcpy(io->out, c->hello, KD_HELLO_SIZE);
	return 0;
}

void kd_rr_io_fini(struct kd_rr_io *io)
{
	free(io->out);
	free(io->in);
}

static void broken(struct kd_rr_flow *f, int err)
{
	kd_pool_fail(f->worker->pool, err,
		     err == -EPIPE ? "flow %u: the %s closed after %llu transactions" :
		     "flow %u to the %s broke after %llu transactions: %s",
		     f->index, f->conf->device ? "peer" : "device",
		     (unsigned long long)f->done, strerror(-err));
	if (!f->conf->blocking && f->fd >= 0)
		epoll_ctl(f->worker->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL);
	f->state = KD_RR_PAUSE;
	f->due_ns = 9e18;
}

static void watch(struct kd_rr_flow *f, uint32_t events)
{
	if (f->watched == events)
		return;
	if (f->watched)
		kd_worker_rewatch(f->worker, f->fd, events, f);
	else
		kd_worker_watch(f->worker, f->fd, events, f);
	f->watched = events;
}

static size_t out_size(const struct kd_rr_conf *c)
{
	if (!c->device)
		return c->response;
	return c->request + (c->kind == KD_RR_CRR ? KD_HELLO_SIZE : 0);
}

static size_t in_size(const struct kd_rr_conf *c)
{
	return c->device ? c->response : c->request;
}

/* 1 all sent, 0 the socket is full, -errno */
static int send_rest(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	size_t len = out_size(f->conf);

	while (f->at < len) {
		ssize_t n = send(f->fd, io->out + f->at, len - f->at,
				 MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (kd_pool_is_stopped(f->worker->pool) ||
			    !f->conf->blocking)
				return 0;
			continue;
		}
		if (n < 0)
			return -errno;
		f->at += (size_t)n;
	}
	f->at = 0;
	return 1;
}

/* 1 all received, 0 not yet, -errno */
static int receive_rest(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	size_t len = in_size(f->conf);
	ssize_t n = recv(f->fd, io->in, len - f->at, 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -EPIPE;
	f->at += (size_t)n;
	if (f->at < len)
		return 0;
	f->at = 0;
	return 1;
}

static bool is_udp(const struct kd_rr_flow *f)
{
	return f->conf->kind == KD_RR_UDP;
}

static void put_seq(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	uint64_t seq = htobe64(f->seq);

	memcpy(io->out, &seq, sizeof(seq));
}

/* a datagram that is the answer to this request: 1; another: 0 */
static int receive_udp(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	size_t len = in_size(f->conf);
	ssize_t n = recv(f->fd, io->in, len, MSG_TRUNC);
	uint64_t seq;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ||
		       errno == ECONNREFUSED ? 0 : -errno;
	if ((size_t)n != len)
		return 0;
	memcpy(&seq, io->in, sizeof(seq));
	return be64toh(seq) == f->seq;
}

static int receive(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	return is_udp(f) ? receive_udp(f, io) : receive_rest(f, io);
}

static void record(struct kd_rr_flow *f, struct kd_rr_io *io, uint64_t now)
{
	uint64_t from = f->from_ns;

	if (f->conf->step_ns > 0 && f->due_ns < (double)from)
		from = (uint64_t)f->due_ns;
	if (__atomic_load_n(f->conf->recording, __ATOMIC_RELAXED))
		kd_histo_add(&io->latency, now - from);
	add(&f->done, 1);
}

static int connect_again(struct kd_rr_flow *f)
{
	struct kd_diag why = { 0 };

	f->watched = 0;
	f->fd = kd_sock_dial_start(&f->conf->to, f->conf->sock, &why);
	if (f->fd < 0) {
		kd_pool_fail(f->worker->pool, why.err, "%s", why.text);
		return why.err;
	}
	f->state = KD_RR_CONNECTING;
	watch(f, EPOLLOUT);
	return 0;
}

static void push_request(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	int r = send_rest(f, io);

	if (r < 0) {
		broken(f, r);
	} else if (!r) {
		f->state = KD_RR_SENDING;
		watch(f, EPOLLOUT);
	} else {
		f->state = KD_RR_RECEIVING;
		watch(f, EPOLLIN);
	}
}

/* the next transaction begins now */
static void issue(struct kd_rr_flow *f, struct kd_rr_io *io, uint64_t now)
{
	f->from_ns = now;
	f->at = 0;
	if (f->conf->kind == KD_RR_CRR) {
		if (connect_again(f)) {
			f->state = KD_RR_PAUSE;
			f->due_ns = 9e18;
		}
		return;
	}
	if (is_udp(f)) {
		f->seq++;
		put_seq(f, io);
		/* a refused or dropped datagram is a loss like any other */
		if (send(f->fd, io->out, f->conf->request, MSG_NOSIGNAL) < 0 &&
		    errno == EMSGSIZE) {
			broken(f, -errno);
			return;
		}
		f->state = KD_RR_RECEIVING;
		watch(f, EPOLLIN);
		return;
	}
	push_request(f, io);
}

static void next(struct kd_rr_flow *f, struct kd_rr_io *io, uint64_t now)
{
	f->due_ns += f->conf->step_ns;
	if (f->conf->step_ns > 0 && f->due_ns > (double)now)
		f->state = KD_RR_PAUSE;
	else
		issue(f, io, now);
}

void kd_rr_device_start(struct kd_rr_flow *f, struct kd_rr_io *io,
			struct kd_worker *w, double first_due_ns)
{
	f->worker = w;
	f->due_ns = first_due_ns;
	f->state = KD_RR_PAUSE;
	if (f->conf->kind != KD_RR_CRR)
		watch(f, EPOLLIN);
}

void kd_rr_device_ready(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	uint64_t now;
	int r;

	if (f->state == KD_RR_CONNECTING || f->state == KD_RR_SENDING) {
		push_request(f, io);
		return;
	}
	r = receive(f, io);
	if (r < 0) {
		broken(f, r);
		return;
	}
	/* an answer that was given up, or more than was asked for */
	if (!r || f->state == KD_RR_PAUSE)
		return;
	now = kd_now();
	record(f, io, now);
	if (f->conf->kind == KD_RR_CRR) {
		close(f->fd);
		f->fd = -1;
		f->watched = 0;
	}
	next(f, io, now);
}

uint64_t kd_rr_device_tick(struct kd_rr_flow *f, struct kd_rr_io *io,
			   uint64_t now)
{
	if (f->state == KD_RR_PAUSE && (double)now >= f->due_ns)
		issue(f, io, now);
	if (is_udp(f) && f->state == KD_RR_RECEIVING &&
	    now - f->from_ns >= f->conf->timeout_ns) {
		add(&f->lost, 1);
		next(f, io, now);
	}
	if (f->state == KD_RR_PAUSE)
		return (uint64_t)f->due_ns;
	if (is_udp(f))
		return f->from_ns + f->conf->timeout_ns;
	return UINT64_MAX;
}

static void make_blocking(int fd)
{
	struct timeval tv = { .tv_usec = BLOCK_US };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

void kd_rr_device_block(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	struct kd_pool *p = f->worker->pool;
	uint64_t now = kd_now();

	make_blocking(f->fd);
	while (!kd_pool_is_stopped(p)) {
		int r = 1;

		f->from_ns = now;
		f->at = 0;
		if (is_udp(f)) {
			f->seq++;
			put_seq(f, io);
		}
		r = send_rest(f, io);
		/* the error of an earlier datagram; this one was not sent */
		if (r == -ECONNREFUSED && is_udp(f))
			r = 1;
		f->at = 0;
		while (r > 0 && !kd_pool_is_stopped(p)) {
			r = receive(f, io);
			now = kd_now();
			if (r)
				break;
			r = 1;
			if (is_udp(f) &&
			    now - f->from_ns >= f->conf->timeout_ns) {
				add(&f->lost, 1);
				f->from_ns = 0;
				break;
			}
		}
		if (r < 0) {
			broken(f, r);
			return;
		}
		if (f->from_ns && !kd_pool_is_stopped(p))
			record(f, io, now);
	}
}

void kd_rr_peer_start(struct kd_rr_flow *f, struct kd_worker *w)
{
	f->worker = w;
	f->state = KD_RR_RECEIVING;
	watch(f, EPOLLIN);
}

/* a request came whole: 1 */
static int request_came(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	ssize_t n;

	if (!is_udp(f))
		return receive_rest(f, io);
	n = recv(f->fd, io->in, f->conf->request, MSG_TRUNC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ||
		       errno == ECONNREFUSED ? 0 : -errno;
	if ((size_t)n != f->conf->request)
		return 0;
	memcpy(io->out, io->in, 8);
	return 1;
}

static void answer(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	int r;

	if (is_udp(f)) {
		if (send(f->fd, io->out, f->conf->response, MSG_NOSIGNAL) >= 0)
			add(&f->done, 1);
		return;
	}
	r = send_rest(f, io);
	if (r < 0) {
		broken(f, r);
	} else if (!r) {
		f->state = KD_RR_SENDING;
		watch(f, EPOLLOUT);
	} else {
		add(&f->done, 1);
		f->state = KD_RR_RECEIVING;
		if (!f->conf->blocking)
			watch(f, EPOLLIN);
	}
}

void kd_rr_peer_ready(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	int r;

	if (f->state == KD_RR_SENDING) {
		answer(f, io);
		return;
	}
	r = request_came(f, io);
	if (r < 0)
		broken(f, r);
	else if (r)
		answer(f, io);
}

void kd_rr_peer_block(struct kd_rr_flow *f, struct kd_rr_io *io)
{
	make_blocking(f->fd);
	f->state = KD_RR_RECEIVING;
	while (!kd_pool_is_stopped(f->worker->pool)) {
		int r = request_came(f, io);

		if (r < 0) {
			broken(f, r);
			return;
		}
		if (r)
			answer(f, io);
	}
}
