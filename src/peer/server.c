// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the services of one peer share. See server.h.
 */
#include "peer/server.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* threads beyond the clients: new connections, the service of UDP */
#define SPARE 64
#define UDP_ROOM (4 << 20)
/* jansson goes 2048 levels deep, which takes 200 KiB */
#define STACK (512 << 10)

bool kd_peer_enter(struct kd_peer *peer)
{
	bool room;

	pthread_mutex_lock(&peer->lock);
	room = !peer->stopping && peer->clients < peer->o->max_clients;
	if (room)
		peer->clients++;
	else
		peer->refused++;
	pthread_mutex_unlock(&peer->lock);
	return room;
}

void kd_peer_leave(struct kd_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	peer->clients--;
	pthread_mutex_unlock(&peer->lock);
}

void kd_peer_refuse(struct kd_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	peer->refused++;
	pthread_mutex_unlock(&peer->lock);
}

const char *kd_peer_limit(const struct kd_peer *peer, uint64_t started_ns,
			  uint64_t bytes)
{
	const struct kd_peer_options *o = peer->o;

	if (peer->stopping)
		return "the peer was stopped";
	if (o->max_time_ns && kd_now() - started_ns > o->max_time_ns)
		return "the limit of time was reached";
	if (o->max_bytes && bytes > o->max_bytes)
		return "the limit of bytes was reached";
	return NULL;
}

void kd_peer_log(struct kd_peer *peer, const struct kd_peer_transfer *t)
{
	pthread_mutex_lock(&peer->lock);
	peer->transfers++;
	peer->bytes += t->bytes;
	peer->report(peer->report_arg, t);
	pthread_mutex_unlock(&peer->lock);
}

void kd_peer_log_flush(struct kd_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	peer->report(peer->report_arg, NULL);
	pthread_mutex_unlock(&peer->lock);
}

static int start(void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	r = -pthread_create(&thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return r;
}

int kd_peer_thread(struct kd_peer *peer, void *(*run)(void *), void *arg)
{
	int r = -EAGAIN;

	pthread_mutex_lock(&peer->lock);
	if (!peer->stopping && peer->threads < peer->o->max_clients + SPARE) {
		r = start(run, arg);
		peer->threads += !r;
	}
	peer->refused += r != 0;
	pthread_mutex_unlock(&peer->lock);
	return r;
}

void kd_peer_thread_end(struct kd_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	peer->threads--;
	pthread_cond_broadcast(&peer->changed);
	pthread_mutex_unlock(&peer->lock);
}

void kd_peer_name(const union kd_sockaddr *a, char *out, size_t size)
{
	char host[INET6_ADDRSTRLEN] = "?";

	if (a->sa.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a->in6.sin6_addr, host, sizeof(host));
		snprintf(out, size, "[%s]:%u", host, ntohs(a->in6.sin6_port));
	} else {
		inet_ntop(AF_INET, &a->in.sin_addr, host, sizeof(host));
		snprintf(out, size, "%s:%u", host, ntohs(a->in.sin_port));
	}
}

int kd_peer_parse(const char *text, int port, union kd_sockaddr *out,
		  socklen_t *len)
{
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &out->in.sin_addr) == 1) {
		out->in.sin_family = AF_INET;
		out->in.sin_port = htons((uint16_t)port);
		*len = sizeof(out->in);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &out->in6.sin6_addr) == 1) {
		out->in6.sin6_family = AF_INET6;
		out->in6.sin6_port = htons((uint16_t)port);
		*len = sizeof(out->in6);
		return 0;
	}
	return -EINVAL;
}

int kd_peer_listen(const struct kd_peer_options *o, int type, int port,
		   struct kd_diag *d)
{
	union kd_sockaddr a;
	socklen_t len;
	int one = 1, room = UDP_ROOM, r, fd;

	if (kd_peer_parse(o->bind, port, &a, &len))
		return kd_fail(d, -EINVAL,
			       "\"%s\" is no numeric address to bind to",
			       o->bind);
	fd = socket(a.sa.sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return kd_fail_errno(d, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* what waits here while this end is not scheduled is not lost */
	if (type == SOCK_DGRAM &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(fd, &a.sa, len) ||
	    (type == SOCK_STREAM && listen(fd, 128))) {
		r = kd_fail_errno(d, "cannot listen on %s port %d", o->bind,
				  port);
		if (r == -EADDRINUSE)
			kd_diag_hint(d, "another server has it; choose another "
					"port, or 0 for none");
		close(fd);
		return r;
	}
	return fd;
}

int kd_peer_await(const struct kd_peer *peer, int fd, short events,
		  uint64_t deadline_ns)
{
	struct pollfd p[] = { { .fd = fd, .events = events },
			      { .fd = peer->wake, .events = POLLIN } };
	int left = kd_ms_left(deadline_ns);

	if (!left)
		return -ETIMEDOUT;
	if (poll(p, 2, left) < 0)
		return errno == EINTR ? 0 : -errno;
	return p[1].revents ? -ECANCELED : 0;
}

int kd_peer_read(const struct kd_peer *peer, int fd, void *data, size_t len,
		 uint64_t deadline_ns)
{
	char *p = data;
	int r = 0;

	while (len && !r) {
		ssize_t n = recv(fd, p, len, MSG_DONTWAIT);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (!n) {
			return -EPIPE;
		} else if (errno == EAGAIN || errno == EINTR) {
			r = kd_peer_await(peer, fd, POLLIN, deadline_ns);
		} else {
			return -errno;
		}
	}
	return r;
}

int kd_peer_write(const struct kd_peer *peer, int fd, const void *data,
		  size_t len, uint64_t deadline_ns)
{
	const char *p = data;
	int r = 0;

	while (len && !r) {
		ssize_t n = send(fd, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EINTR) {
			r = kd_peer_await(peer, fd, POLLOUT, deadline_ns);
		} else {
			return -errno;
		}
	}
	return r;
}
