// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sink of ttcp, iperf 2 and anything else that just sends, over TCP; and
 * the source for a listening `ttcp -r`.
 *
 * An iperf 2 client is told by its first word: a header flag and the header's
 * length, seen in runs of 2.1.8 (0x40010078, sent again and again as payload).
 * Its reverse and two-way tests would want answers that are not given here:
 * they end when the client gives up, and the log says what it was.
 */
#include "peer/server.h"

#include "base/clock.h"

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (128 << 10)
#define GREETING_NS (10 * KD_NS_PER_SEC)
#define IDLE_NS (120 * KD_NS_PER_SEC)
#define LOOK_NS (500 * KD_NS_PER_MS)
#define IPERF2_HEADER 0x40000000u

struct sink {
	struct kd_peer *peer;
	int fd;
	union kd_sockaddr from;
};

const char *kd_ttcp_who(const unsigned char *data, size_t len)
{
	uint32_t word;

	if (len < 4)
		return "discard";
	memcpy(&word, data, sizeof(word));
	word = be32toh(word);
	if ((word & 0xf0000000u) == IPERF2_HEADER && (word & 0xffff) <= 1024)
		return "iperf2";
	return "ttcp";
}

static void drain(struct kd_peer *peer, int fd, unsigned char *buf,
		  struct kd_peer_transfer *t)
{
	uint64_t first = 0, last = kd_now(), started = last;
	const char *why = NULL;

	while (!why) {
		ssize_t n = recv(fd, buf, BLOCK, MSG_DONTWAIT);
		uint64_t now = kd_now();

		if (!n)
			break;
		if (n > 0) {
			if (!first) {
				first = now;
				t->service = kd_ttcp_who(buf, (size_t)n);
			}
			last = now;
			t->bytes += (uint64_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			why = "the connection was reset";
		} else if (now - last > (first ? IDLE_NS : GREETING_NS)) {
			why = "nothing came for too long";
		} else {
			kd_peer_await(peer, fd, POLLIN, now + LOOK_NS);
		}
		if (!why)
			why = kd_peer_limit(peer, started, t->bytes);
	}
	if (why)
		t->ended = why;
	t->seconds = first ? (double)(last - first) / 1e9 : 0;
}

void kd_peer_ttcp_serve(struct kd_peer *peer, int fd,
			const union kd_sockaddr *from)
{
	unsigned char *buf = malloc(BLOCK);
	char name[64];
	struct kd_peer_transfer t = {
		.service = "discard", .client = name, .direction = "received",
		.protocol = "tcp", .streams = 1, .lost = -1, .ended = "",
	};

	kd_peer_name(from, name, sizeof(name));
	if (buf) {
		drain(peer, fd, buf, &t);
		kd_peer_log(peer, &t);
	}
	free(buf);
	close(fd);
}

static void *sink(void *arg)
{
	struct sink *s = arg;
	struct kd_peer *peer = s->peer;

	kd_peer_ttcp_serve(peer, s->fd, &s->from);
	free(s);
	kd_peer_leave(peer);
	kd_peer_thread_end(peer);
	return NULL;
}

void kd_peer_ttcp_accept(struct kd_peer *peer, int fd,
			 const union kd_sockaddr *from)
{
	struct sink *s = malloc(sizeof(*s));

	if (s && kd_peer_enter(peer)) {
		*s = (struct sink){ .peer = peer, .fd = fd, .from = *from };
		if (!kd_peer_thread(peer, sink, s))
			return;
		kd_peer_leave(peer);
	}
	free(s);
	close(fd);
}

static int connect_to(const struct kd_peer_options *o, struct kd_diag *d)
{
	int port = o->ttcp_port ? (int)o->ttcp_port : 5001;
	union kd_sockaddr to;
	socklen_t len;
	int fd, r;

	if (kd_peer_parse(o->ttcp_to, port, &to, &len))
		return kd_fail(d, -EINVAL, "\"%s\" is no numeric address",
			       o->ttcp_to);
	fd = socket(to.sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return kd_fail_errno(d, "cannot make a socket");
	if (!connect(fd, &to.sa, len))
		return fd;
	r = kd_fail_errno(d, "cannot connect to %s port %d", o->ttcp_to, port);
	kd_diag_hint(d, "is ttcp -r -s running there?");
	close(fd);
	return r;
}

/* what is left of @left bytes, or why it stopped, in @r */
static uint64_t send_all(struct kd_peer *peer, int fd, uint64_t left,
			 const volatile sig_atomic_t *stop, int *r)
{
	char *buf = calloc(1, BLOCK);
	uint64_t deadline = kd_now() + IDLE_NS;

	*r = buf ? 0 : -ENOMEM;
	while (!*r && left) {
		size_t len = left < BLOCK ? (size_t)left : BLOCK;
		ssize_t n = send(fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0) {
			left -= (uint64_t)n;
			deadline = kd_now() + IDLE_NS;
		} else if (errno == EAGAIN || errno == EINTR) {
			*r = kd_peer_await(peer, fd, POLLOUT, deadline);
		} else {
			*r = -errno;
		}
		if (*stop)
			*r = -ECANCELED;
	}
	free(buf);
	return left;
}

/* ttcp's receiver closes when it has all */
static void await_close(struct kd_peer *peer, int fd,
			const volatile sig_atomic_t *stop)
{
	uint64_t deadline = kd_now() + IDLE_NS;
	char buf[512];

	shutdown(fd, SHUT_WR);
	while (!*stop && !kd_peer_await(peer, fd, POLLIN, deadline)) {
		ssize_t n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

		if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
	}
}

int kd_peer_ttcp_source(struct kd_peer *peer,
			const volatile sig_atomic_t *stop, struct kd_diag *d)
{
	const struct kd_peer_options *o = peer->o;
	struct kd_peer_transfer t = {
		.service = "ttcp", .client = o->ttcp_to, .direction = "sent",
		.protocol = "tcp", .streams = 1, .lost = -1, .ended = "",
	};
	uint64_t t0;
	int r, fd = connect_to(o, d);

	if (fd < 0)
		return fd;
	t0 = kd_now();
	t.bytes = o->ttcp_size - send_all(peer, fd, o->ttcp_size, stop, &r);
	if (!r)
		await_close(peer, fd, stop);
	else if (r == -ECANCELED)
		kd_fail(d, r, "stopped before all was sent");
	else
		kd_fail(d, r, "%s stopped receiving: %s", o->ttcp_to,
			strerror(-r));
	t.seconds = (double)(kd_now() - t0) / 1e9;
	if (r)
		t.ended = d->text;
	kd_peer_log(peer, &t);
	close(fd);
	return r;
}
