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
#define IDLE_NS (120 * KD_NS_PER_SEC)
#define IPERF2_HEADER 0x40000000u

struct sink {
	struct kd_peer *peer;
	int fd;
	union kd_sockaddr from;
};

static const char *who(const unsigned char *data, size_t len)
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

/* why the transfer must end now, or NULL */
static const char *limit(const struct kd_peer *peer, uint64_t started_ns,
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

static void drain(struct sink *s, unsigned char *buf,
		  struct kd_peer_transfer *t)
{
	uint64_t first = 0, last = kd_now(), started = last;
	const char *why = NULL;

	while (!why) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };
		ssize_t n = recv(s->fd, buf, BLOCK, MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			why = "the connection was reset";
		if (!n)
			break;
		if (n > 0) {
			last = kd_now();
			if (!first) {
				first = last;
				t->service = who(buf, (size_t)n);
			}
			t->bytes += (uint64_t)n;
		} else if (!why) {
			poll(&p, 1, 500);
			if (kd_now() - last > IDLE_NS)
				why = "nothing came for too long";
		}
		if (!why)
			why = limit(s->peer, started, t->bytes);
	}
	if (why)
		t->ended = why;
	t->seconds = first ? (double)(last - first) / 1e9 : 0;
}

static void *sink(void *arg)
{
	struct sink *s = arg;
	unsigned char *buf = malloc(BLOCK);
	char name[64];
	struct kd_peer_transfer t = {
		.service = "discard", .client = name, .direction = "received",
		.protocol = "tcp", .streams = 1, .lost = -1, .ended = "",
	};

	kd_peer_name(&s->from, name, sizeof(name));
	if (buf) {
		drain(s, buf, &t);
		kd_peer_log(s->peer, &t);
	}
	free(buf);
	close(s->fd);
	kd_peer_leave(s->peer);
	free(s);
	return NULL;
}

void kd_peer_ttcp_accept(struct kd_peer *peer, int fd,
			 const union kd_sockaddr *from)
{
	struct sink *s = malloc(sizeof(*s));

	if (s && kd_peer_enter(peer)) {
		*s = (struct sink){ .peer = peer, .fd = fd, .from = *from };
		if (!kd_peer_thread(sink, s))
			return;
		kd_peer_leave(peer);
	}
	free(s);
	close(fd);
}

int kd_peer_ttcp_source(struct kd_peer *peer, struct kd_diag *d)
{
	const struct kd_peer_options *o = peer->o;
	int port = o->ttcp_port ? (int)o->ttcp_port : 5001;
	uint64_t t0, left = o->ttcp_size;
	struct kd_peer_transfer t = {
		.service = "ttcp", .client = o->ttcp_to, .direction = "sent",
		.protocol = "tcp", .streams = 1, .lost = -1, .ended = "",
	};
	union kd_sockaddr to;
	socklen_t len;
	char *buf;
	int fd, r = 0;

	if (kd_peer_parse(o->ttcp_to, port, &to, &len))
		return kd_fail(d, -EINVAL, "\"%s\" is no numeric address",
			       o->ttcp_to);
	fd = socket(to.sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	buf = calloc(1, BLOCK);
	if (fd < 0 || !buf || connect(fd, &to.sa, len)) {
		r = kd_fail_errno(d, "cannot connect to %s port %d", o->ttcp_to,
				  port);
		kd_diag_hint(d, "is ttcp -r -s running there?");
	}
	t0 = kd_now();
	while (!r && left) {
		size_t n = left < BLOCK ? (size_t)left : BLOCK;

		r = kd_peer_write(fd, buf, n, kd_now() + IDLE_NS);
		if (r)
			kd_fail(d, r, "%s stopped receiving: %s", o->ttcp_to,
				strerror(-r));
		else
			left -= n;
	}
	if (!r) {
		shutdown(fd, SHUT_WR);
		/* ttcp's receiver closes when it has all */
		while (recv(fd, buf, BLOCK, 0) > 0)
			;
	}
	t.bytes = o->ttcp_size - left;
	t.seconds = (double)(kd_now() - t0) / 1e9;
	if (r)
		t.ended = d->text;
	kd_peer_log(peer, &t);
	free(buf);
	if (fd >= 0)
		close(fd);
	return r;
}
