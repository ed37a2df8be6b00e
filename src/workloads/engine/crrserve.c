// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The peer of connect, request, response, close. The server closes first, so
 * that TIME_WAIT stays here and the device's ports are free again.
 */
#include "workloads/engine/crrserve.h"

#include "base/clock.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define STRANGER_NS (3 * KD_NS_PER_SEC)
#define SWEEP_NS KD_NS_PER_SEC

static void drop(struct kd_crr_conn *c)
{
	close(c->fd);
	c->fd = 0;
}

static void answer(struct kd_crr_serve *s, struct kd_worker *w,
		   struct kd_crr_conn *c)
{
	while (c->sent < s->response) {
		ssize_t n = send(c->fd, s->buf, s->response - c->sent,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			kd_worker_rewatch(w, c->fd, EPOLLOUT, c);
			return;
		}
		if (n < 0) {
			drop(c);
			return;
		}
		c->sent += (size_t)n;
	}
	__atomic_store_n(&s->done, s->done + 1, __ATOMIC_RELAXED);
	drop(c);
}

static void receive(struct kd_crr_serve *s, struct kd_worker *w,
		    struct kd_crr_conn *c)
{
	size_t whole = KD_HELLO_SIZE + s->request;
	unsigned int index, kind;
	size_t from = c->got;
	ssize_t n = recv(c->fd, s->buf, whole - c->got, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		drop(c);
		return;
	}
	if (from < KD_HELLO_SIZE) {
		size_t room = KD_HELLO_SIZE - from;

		memcpy(c->hello + from, s->buf,
		       (size_t)n < room ? (size_t)n : room);
	}
	c->got += (size_t)n;
	if (from < KD_HELLO_SIZE && c->got >= KD_HELLO_SIZE &&
	    kd_hello_read(c->hello, s->token, &index, &kind)) {
		drop(c);
		return;
	}
	if (c->got == whole)
		answer(s, w, c);
}

static void accept_some(struct kd_crr_serve *s, struct kd_worker *w)
{
	unsigned int at = 0;

	for (int burst = 0; burst < 64; burst++) {
		int fd = accept4(s->listen_fd, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct kd_crr_conn *c;

		if (fd < 0)
			return;
		while (at < KD_CRR_CONNS && s->conns[at].fd)
			at++;
		if (at == KD_CRR_CONNS) {
			close(fd);
			return;
		}
		c = &s->conns[at];
		c->fd = fd;
		c->got = c->sent = 0;
		c->since_ns = kd_now();
		if (kd_worker_watch(w, fd, EPOLLIN, c))
			drop(c);
	}
}

void kd_crr_serve_body(struct kd_crr_serve *s, struct kd_worker *w)
{
	struct epoll_event ev[64];
	uint64_t next = kd_now() + SWEEP_NS;

	kd_worker_watch(w, s->listen_fd, EPOLLIN | EPOLLEXCLUSIVE, s);
	while (!kd_pool_is_stopped(w->pool)) {
		int n = kd_worker_wait(w, ev, 64, next);
		bool accepts = false;

		for (int i = 0; i < n; i++) {
			struct kd_crr_conn *c = ev[i].data.ptr;

			if (ev[i].data.ptr == s)
				accepts = true;
			else if (c->got == KD_HELLO_SIZE + s->request)
				answer(s, w, c);
			else
				receive(s, w, c);
		}
		/* last: no event of a place's old owner is pending then */
		if (accepts)
			accept_some(s, w);
		if (kd_now() < next)
			continue;
		next = kd_now() + SWEEP_NS;
		for (unsigned int i = 0; i < KD_CRR_CONNS; i++)
			if (s->conns[i].fd &&
			    kd_now() - s->conns[i].since_ns > STRANGER_NS)
				drop(&s->conns[i]);
	}
}

void kd_crr_serve_fini(struct kd_crr_serve *s)
{
	for (unsigned int i = 0; i < KD_CRR_CONNS; i++)
		if (s->conns[i].fd)
			drop(&s->conns[i]);
}
