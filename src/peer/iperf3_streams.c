// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the streams of an iperf3 test come to it.
 *
 * A connection begins with a cookie. One that a waiting test knows is a data
 * stream of that test; any other is a new test's control connection. A UDP
 * stream begins with a datagram that carries no cookie, so it belongs to the
 * test of that address which waits for streams; there is one at a time.
 */
#include "peer/iperf3_session.h"

#include "base/clock.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* how long another test of the same address may be waited for */
#define QUEUE_NS (60 * KD_NS_PER_SEC)
/* how often a client that waits is looked at */
#define LOOK_NS (200 * KD_NS_PER_MS)
/* datagrams read in one turn: a flood must not keep the others waiting */
#define HELLOS 64

static void tune(int fd, const struct kd_iperf3_params *p, bool sender)
{
	int one = 1;

	if (p->window) {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &p->window, sizeof(int));
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &p->window, sizeof(int));
	}
	if (p->tos) {
		setsockopt(fd, IPPROTO_IP, IP_TOS, &p->tos, sizeof(int));
		setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &p->tos, sizeof(int));
	}
	if (p->udp)
		return;
	if (p->nodelay)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (p->mss)
		setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &p->mss, sizeof(int));
	if (sender && p->congestion[0])
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, p->congestion,
			   (socklen_t)strlen(p->congestion));
}

/* in both directions the first half of the connections carries the client's */
static bool stream_sends(const struct kd_iperf3_params *p, size_t index)
{
	if (p->bidir)
		return index >= (size_t)p->streams;
	return p->reverse;
}

/* under the peer's lock */
static void add_stream(struct kd_iperf3_session *s, int fd)
{
	struct kd_iperf3_stream *st = &s->streams[s->n_streams];

	*st = (struct kd_iperf3_stream){
		.fd = fd,
		.id = kd_iperf3_stream_id((int)s->n_streams),
		.sender = stream_sends(&s->params, s->n_streams),
		.retransmits = -1,
	};
	tune(fd, &s->params, st->sender);
	s->n_streams++;
	pthread_cond_broadcast(&s->peer->changed);
}

static bool same_host(const union kd_sockaddr *a, const union kd_sockaddr *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return false;
	if (a->sa.sa_family == AF_INET)
		return a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
	return !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, 16);
}

static struct kd_iperf3_session *find_waiting(struct kd_peer *peer, bool udp,
					      const unsigned char *cookie,
					      const union kd_sockaddr *from)
{
	struct kd_iperf3_session *found = NULL;

	for (struct kd_iperf3_session *s = peer->sessions; s; s = s->next) {
		if (!s->waiting || s->params.udp != udp ||
		    s->n_streams == s->n_expected)
			continue;
		if (udp ? same_host(&s->from, from) :
			  !memcmp(s->cookie, cookie, KD_IPERF3_COOKIE))
			found = s;	/* the list begins with the newest */
	}
	return found;
}

bool kd_iperf3_join(struct kd_peer *peer, int fd, const unsigned char *cookie)
{
	struct kd_iperf3_session *s;

	pthread_mutex_lock(&peer->lock);
	s = find_waiting(peer, false, cookie, NULL);
	if (s)
		add_stream(s, fd);
	pthread_mutex_unlock(&peer->lock);
	return s;
}

/* whether a datagram opens a stream, and what answers it; -1: there is none */
static int take_hello(int fd, union kd_sockaddr *from, socklen_t *from_len,
		      uint32_t *answer)
{
	const uint32_t hello_old = 123456789, answer_old = 987654321;
	unsigned char data[64];
	ssize_t n;

	*from_len = sizeof(*from);
	n = recvfrom(fd, data, sizeof(data), MSG_DONTWAIT, &from->sa, from_len);
	if (n < 0)
		return -1;
	if (n == 4 && !memcmp(data, "9876", 4))
		memcpy(answer, "6789", 4);
	else if (n == 4 && !memcmp(data, &hello_old, 4))
		*answer = answer_old;
	else
		return 0;
	return 1;
}

static void take_hellos(struct kd_peer *peer, int fd);

/*
 * A socket of the stream's own, at the same port. Until it is connected it may
 * get what others send to that port.
 */
static void open_stream(struct kd_peer *peer, const union kd_sockaddr *from,
			socklen_t from_len, uint32_t answer)
{
	struct kd_iperf3_session *s = find_waiting(peer, true, NULL, from);
	struct kd_diag d = { 0 };
	int fd;

	if (!s)
		return;
	fd = kd_peer_listen(peer->o, SOCK_DGRAM, (int)peer->o->iperf3_port, &d);
	if (fd < 0)
		return;
	if (connect(fd, &from->sa, from_len) ||
	    send(fd, &answer, sizeof(answer), MSG_NOSIGNAL) < 0) {
		close(fd);
		return;
	}
	add_stream(s, fd);
	take_hellos(peer, fd);
}

static void take_hellos(struct kd_peer *peer, int fd)
{
	for (int i = 0; i < HELLOS; i++) {
		union kd_sockaddr from;
		socklen_t len;
		uint32_t answer;
		int n = take_hello(fd, &from, &len, &answer);

		if (n < 0)
			break;
		if (n)
			open_stream(peer, &from, len, answer);
	}
}

void kd_peer_iperf3_datagram(struct kd_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	take_hellos(peer, peer->iperf3_udp);
	pthread_mutex_unlock(&peer->lock);
}

/* the control connection is silent while streams are made */
static bool has_left(const struct kd_iperf3_session *s)
{
	struct pollfd p = { .fd = s->control, .events = POLLIN | POLLRDHUP };

	return poll(&p, 1, 0) > 0;
}

/* under the peer's lock: until something changed, or it is time to look */
static int wait_a_little(struct kd_iperf3_session *s, uint64_t deadline_ns)
{
	uint64_t until_ns = kd_now() + LOOK_NS;
	struct timespec until;

	if (s->peer->stopping)
		return -ECANCELED;
	if (has_left(s))
		return -EPIPE;
	if (kd_now() >= deadline_ns)
		return -ETIMEDOUT;
	until.tv_sec = (time_t)(until_ns / KD_NS_PER_SEC);
	until.tv_nsec = (long)(until_ns % KD_NS_PER_SEC);
	pthread_cond_timedwait(&s->peer->changed, &s->peer->lock, &until);
	return 0;
}

static bool is_others_turn(const struct kd_iperf3_session *s)
{
	if (!s->params.udp)
		return false;
	for (const struct kd_iperf3_session *o = s->peer->sessions; o;
	     o = o->next)
		if (o != s && o->waiting && o->params.udp &&
		    same_host(&o->from, &s->from))
			return true;
	return false;
}

int kd_iperf3_create_streams(struct kd_iperf3_session *s)
{
	struct kd_peer *peer = s->peer;
	uint64_t deadline = kd_now() + QUEUE_NS;
	int r = 0;

	s->n_expected = (size_t)s->params.streams * (s->params.bidir ? 2 : 1);
	s->streams = calloc(s->n_expected, sizeof(*s->streams));
	if (!s->streams)
		return -ENOMEM;
	pthread_mutex_lock(&peer->lock);
	while (!r && is_others_turn(s))
		r = wait_a_little(s, deadline);
	s->waiting = !r;
	pthread_mutex_unlock(&peer->lock);
	if (!r)
		r = kd_iperf3_send_state(s, KD_IPERF3_CREATE_STREAMS);
	deadline = kd_now() + KD_IPERF3_STREAMS_NS;
	pthread_mutex_lock(&peer->lock);
	while (!r && s->n_streams < s->n_expected)
		r = wait_a_little(s, deadline);
	s->waiting = false;
	pthread_cond_broadcast(&peer->changed);
	pthread_mutex_unlock(&peer->lock);
	return r;
}
