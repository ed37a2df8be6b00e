// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A server of bodies of any length, out of one file in memory. Strangers, and
 * clients that stop in the middle of a request, hold a place for a few seconds
 * only; there is a fixed number of places.
 */
#include "workloads/engine/httpserve.h"

#include "base/clock.h"
#include "workloads/engine/httpmsg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MAX 4096
#define CONNS 4096
#define FILE_SIZE (4u << 20)
#define BODY_MAX (1ULL << 40)
#define STRANGER_NS (3 * KD_NS_PER_SEC)
#define SWEEP_NS KD_NS_PER_SEC

enum { FREE, READING, WRITING };

struct kd_http_conn {
	int fd;
	int state;
	bool known;	/* has shown the token */
	bool close;
	uint64_t since_ns;
	size_t in_len, out_len, out_at;
	uint64_t body_left;
	char in[REQUEST_MAX];
	char out[256];
};

void kd_http_token(const uint8_t token[16], char out[33])
{
	for (int i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", token[i]);
}

int kd_http_serve_init(struct kd_http_serve *s, const uint8_t token[16],
		       int listen_fd, unsigned int workers, bool from_memory,
		       struct kd_diag *d)
{
	void *map;

	memset(s, 0, sizeof(*s));
	s->token = token;
	s->listen_fd = listen_fd;
	s->workers = workers;
	s->from_memory = from_memory;
	s->block_len = FILE_SIZE;
	s->conns_per_worker = CONNS / workers;
	s->conns = calloc((size_t)workers * s->conns_per_worker,
			  sizeof(*s->conns));
	s->sent = aligned_alloc(KD_LINE, workers * KD_LINE);
	s->file_fd = memfd_create("kdelta", MFD_CLOEXEC);
	if (!s->conns || !s->sent || s->file_fd < 0 ||
	    ftruncate(s->file_fd, FILE_SIZE))
		return kd_fail(d, -ENOMEM, "out of memory for the server");
	memset(s->sent, 0, workers * KD_LINE);
	map = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		   s->file_fd, 0);
	if (map == MAP_FAILED)
		return kd_fail_errno(d, "cannot map the server's file");
	memset(map, 'k', FILE_SIZE);
	s->block = map;
	return 0;
}

void kd_http_serve_fini(struct kd_http_serve *s)
{
	if (!s->workers)
		return;
	for (unsigned int i = 0;
	     s->conns && i < s->workers * s->conns_per_worker; i++)
		if (s->conns[i].state != FREE)
			close(s->conns[i].fd);
	if (s->block)
		munmap((void *)s->block, FILE_SIZE);
	if (s->file_fd >= 0)
		close(s->file_fd);
	close(s->listen_fd);
	free(s->conns);
	free(s->sent);
	memset(s, 0, sizeof(*s));
}

uint64_t kd_http_serve_sent(const struct kd_http_serve *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->workers; i++)
		sum += __atomic_load_n(&s->sent[i * KD_LINE / sizeof(*s->sent)],
				       __ATOMIC_RELAXED);
	return sum;
}

static void drop(struct kd_http_conn *c)
{
	close(c->fd);
	c->state = FREE;
}

static void accept_some(struct kd_http_serve *s, struct kd_worker *w)
{
	struct kd_http_conn *own = s->conns + w->index * s->conns_per_worker;
	unsigned int at = 0;

	for (int burst = 0; burst < 16; burst++) {
		int fd = accept4(s->listen_fd, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct kd_http_conn *c;

		if (fd < 0)
			return;
		while (at < s->conns_per_worker && own[at].state != FREE)
			at++;
		if (at == s->conns_per_worker) {
			close(fd);
			return;
		}
		c = &own[at];
		c->fd = fd;
		c->state = READING;
		c->known = false;
		c->in_len = 0;
		c->since_ns = kd_now();
		if (kd_worker_watch(w, fd, EPOLLIN, c))
			drop(c);
	}
}

/* an HTTP status, and what to send */
static int understand(const struct kd_http_serve *s, struct kd_http_conn *c,
		      size_t head_len, struct kd_http_request *q)
{
	int status = kd_http_request_parse(c->in, head_len, q);
	char token[33];

	if (status == 400)
		return status;
	kd_http_token(s->token, token);
	if (q->token_len != 32 || memcmp(q->token, token, 32))
		return 403;
	c->known = true;
	c->close = !q->keep_alive;
	return q->size > BODY_MAX ? 404 : status;
}

static void answer(const struct kd_http_serve *s, struct kd_http_conn *c,
		   size_t head_len)
{
	struct kd_http_request q;
	int status = understand(s, c, head_len, &q);
	uint64_t size = status == 200 ? q.size : 0;

	if (status != 200)
		c->close = true;
	c->out_len = (size_t)snprintf(c->out, sizeof(c->out),
		"HTTP/1.1 %d %s\r\nContent-Length: %llu\r\n"
		"Content-Type: application/octet-stream\r\n%s\r\n",
		status, status == 200 ? "OK" : "No",
		(unsigned long long)size, c->close ? "Connection: close\r\n" :
						     "");
	c->out_at = 0;
	c->body_left = q.is_head ? 0 : size;
	c->in_len -= head_len;
	memmove(c->in, c->in + head_len, c->in_len);
	c->state = WRITING;
}

static ssize_t send_piece(const struct kd_http_serve *s, struct kd_http_conn *c)
{
	size_t len = c->body_left < s->block_len ? (size_t)c->body_left :
						   s->block_len;
	off_t from = 0;

	if (c->out_at < c->out_len)
		return send(c->fd, c->out + c->out_at, c->out_len - c->out_at,
			    MSG_NOSIGNAL | (c->body_left ? MSG_MORE : 0));
	if (s->from_memory)
		return send(c->fd, s->block, len, MSG_NOSIGNAL);
	return sendfile(c->fd, s->file_fd, &from, len);
}

/* false when the connection is gone or must wait for room */
static bool send_answer(struct kd_http_serve *s, struct kd_worker *w,
			struct kd_http_conn *c)
{
	uint64_t *sent = &s->sent[w->index * KD_LINE / sizeof(*s->sent)];

	while (c->out_at < c->out_len || c->body_left) {
		bool body = c->out_at == c->out_len;
		ssize_t n = send_piece(s, c);

		if (n < 0 && errno == EAGAIN) {
			kd_worker_rewatch(w, c->fd, EPOLLOUT, c);
			return false;
		}
		if (n <= 0) {
			drop(c);
			return false;
		}
		if (body) {
			c->body_left -= (uint64_t)n;
			__atomic_store_n(sent, *sent + (uint64_t)n,
					 __ATOMIC_RELAXED);
		} else {
			c->out_at += (size_t)n;
		}
	}
	if (c->close) {
		shutdown(c->fd, SHUT_WR);
		drop(c);
		return false;
	}
	c->state = READING;
	c->since_ns = kd_now();
	return true;
}

/* false when the connection is gone or must wait for room */
static bool serve_buffered(struct kd_http_serve *s, struct kd_worker *w,
			   struct kd_http_conn *c)
{
	for (;;) {
		size_t head_len = kd_http_head_end(c->in, c->in_len);

		if (!head_len && c->in_len < sizeof(c->in))
			return true;
		if (!head_len) {
			drop(c);
			return false;
		}
		answer(s, c, head_len);
		if (!send_answer(s, w, c))
			return false;
	}
}

static void serve(struct kd_http_serve *s, struct kd_worker *w,
		  struct kd_http_conn *c)
{
	ssize_t n;

	if (c->state == WRITING) {
		if (!send_answer(s, w, c))
			return;
		kd_worker_rewatch(w, c->fd, EPOLLIN, c);
		/* what came behind the request that is answered now */
		if (!serve_buffered(s, w, c))
			return;
	}
	n = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len,
		 MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		drop(c);
		return;
	}
	c->in_len += (size_t)n;
	serve_buffered(s, w, c);
}

static void sweep(struct kd_http_serve *s, struct kd_worker *w, uint64_t now)
{
	struct kd_http_conn *own = s->conns + w->index * s->conns_per_worker;

	for (unsigned int i = 0; i < s->conns_per_worker; i++)
		if (own[i].state == READING &&
		    (!own[i].known || own[i].in_len) &&
		    now - own[i].since_ns > STRANGER_NS)
			drop(&own[i]);
}

void kd_http_serve_body(struct kd_http_serve *s, struct kd_worker *w)
{
	struct epoll_event ev[64];
	uint64_t next = kd_now() + SWEEP_NS;
	int r = kd_worker_watch(w, s->listen_fd, EPOLLIN | EPOLLEXCLUSIVE, s);

	if (r)
		kd_pool_fail(w->pool, r, "cannot watch the listener: %s",
			     strerror(-r));
	while (!kd_pool_is_stopped(w->pool)) {
		int n = kd_worker_wait(w, ev, 64, next);
		bool accepts = false;

		/* new ones last: a place that this round frees has no event
		 * of its old owner pending any more */
		for (int i = 0; i < n; i++) {
			if (ev[i].data.ptr == s)
				accepts = true;
			else
				serve(s, w, ev[i].data.ptr);
		}
		if (accepts)
			accept_some(s, w);
		if (kd_now() >= next) {
			next = kd_now() + SWEEP_NS;
			sweep(s, w, kd_now());
		}
	}
}
