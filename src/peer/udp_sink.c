// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sink of UDP senders: iperf 2 (checked against 2.1.8), ttcp, others.
 *
 * One thread reads one socket. A sender is an address; it ends with iperf 2's
 * negative sequence number, which is answered with a report, with ttcp's
 * four-byte datagrams, or by silence. iperf 2's datagram: int32 sequence,
 * uint32 seconds, uint32 microseconds, int32 upper half of the sequence, all
 * big-endian; numbers begin at 1. Before 2.1 there are but twelve bytes, and
 * flags follow. Its report: sixteen zero bytes, then flags, bytes as two words,
 * seconds, microseconds, lost, out of order, datagrams, jitter as two words.
 */
#include "peer/udp_sink.h"

#include "base/clock.h"

#include <endian.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SENDERS 64
#define SILENCE_NS (3 * KD_NS_PER_SEC)
#define BATCH 256
#define BUFFER 65536
#define LOOK_NS (200 * KD_NS_PER_MS)
#define HEAD 16
#define TTCP_MARK 4
#define MAX_HIGH (1 << 20)
#define REPORT 128
#define REPORT_FLAGS 0x88000000u

struct sender {
	union kd_sockaddr from;
	bool used;
	bool ended;		/* reported; kept to answer repeats */
	const char *service;
	uint64_t first_ns, last_ns;	/* of its data */
	uint64_t seen_ns;		/* of anything */
	uint64_t bytes, datagrams;
	int64_t highest;
	int64_t lost, late;
	double jitter_s, transit_s;
	unsigned char report[REPORT];
};

struct kd_udp_sink {
	struct kd_peer *peer;
	int fd;
	uint64_t full_ns;
	struct sender senders[MAX_SENDERS];
};

static bool same(const union kd_sockaddr *a, const union kd_sockaddr *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return false;
	if (a->sa.sa_family == AF_INET)
		return a->in.sin_port == b->in.sin_port &&
		       a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
	return a->in6.sin6_port == b->in6.sin6_port &&
	       !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, 16);
}

static struct sender *find(struct kd_udp_sink *k,
			   const union kd_sockaddr *from)
{
	struct sender *room = NULL;

	for (size_t i = 0; i < MAX_SENDERS; i++) {
		struct sender *s = &k->senders[i];

		if (s->used && same(&s->from, from))
			return s;
		if (!s->used && !room)
			room = s;
	}
	if (room) {
		memset(room, 0, sizeof(*room));
		room->from = *from;
		room->used = true;
		room->service = "udp";
	}
	return room;
}

static uint32_t word(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static void put(unsigned char *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static void log_sender(struct kd_udp_sink *k, const struct sender *s,
		       const char *ended)
{
	char name[64];
	struct kd_peer_transfer t = {
		.service = s->service, .client = name,
		.direction = "received", .protocol = "udp", .streams = 1,
		.bytes = s->bytes,
		.seconds = (double)(s->last_ns - s->first_ns) / 1e9,
		.lost = s->lost, .datagrams = s->highest,
		.jitter_s = s->jitter_s, .ended = ended,
	};

	if (!s->highest) {
		t.lost = -1;
		t.datagrams = (int64_t)s->datagrams;
	}
	kd_peer_name(&s->from, name, sizeof(name));
	kd_peer_log(k->peer, &t);
}

static void make_report(struct sender *s)
{
	uint64_t us = (s->last_ns - s->first_ns) / 1000;
	uint64_t jitter_us = (uint64_t)(s->jitter_s * 1e6);
	unsigned char *p = s->report + HEAD;

	memset(s->report, 0, sizeof(s->report));
	put(p, REPORT_FLAGS);
	put(p + 4, (uint32_t)(s->bytes >> 32));
	put(p + 8, (uint32_t)s->bytes);
	put(p + 12, (uint32_t)(us / 1000000));
	put(p + 16, (uint32_t)(us % 1000000));
	put(p + 20, (uint32_t)s->lost);
	put(p + 24, (uint32_t)s->late);
	put(p + 28, (uint32_t)s->highest);
	put(p + 32, (uint32_t)(jitter_us / 1000000));
	put(p + 36, (uint32_t)(jitter_us % 1000000));
}

/* RFC 1889: the mean deviation of the spacing, gain 1/16 */
static void jitter(struct sender *s, const unsigned char *data, uint64_t now)
{
	double transit = (double)now / 1e9 -
			 (word(data + 4) + word(data + 8) / 1e6);
	double delta = transit - s->transit_s;

	if (s->transit_s != 0)
		s->jitter_s += ((delta < 0 ? -delta : delta) - s->jitter_s) / 16;
	s->transit_s = transit;
}

static void answer(struct kd_udp_sink *k, const struct sender *s)
{
	socklen_t len = s->from.sa.sa_family == AF_INET6 ?
				sizeof(s->from.in6) :
				sizeof(s->from.in);

	sendto(k->fd, s->report, sizeof(s->report),
	       MSG_DONTWAIT | MSG_NOSIGNAL, &s->from.sa, len);
}

static void sequence(struct sender *s, int64_t seq)
{
	/* a forged leap must not pass for a loss of ages */
	if (seq > s->highest && seq - s->highest < 1 << 30) {
		s->lost += seq - s->highest - 1;
		s->highest = seq;
	} else if (seq <= s->highest && seq) {
		s->late++;
		if (s->lost > 0)
			s->lost--;
	}
}

/*
 * The number of a datagram; the last one's is negative. The upper half is not
 * there before 2.1: what is no sign or a small number is something else.
 */
static int64_t number(const unsigned char *data)
{
	uint32_t low = word(data), high = word(data + 12);

	if (!high || (high > MAX_HIGH && high != UINT32_MAX))
		return (int32_t)low;
	return (int64_t)((uint64_t)high << 32 | low);
}

/* ttcp sends four bytes before its data, and some after it */
static void mark(struct kd_udp_sink *k, struct sender *s, size_t len)
{
	if (len != TTCP_MARK || !s->datagrams)
		return;
	s->service = "ttcp";
	log_sender(k, s, "");
	s->used = false;
}

static void end(struct kd_udp_sink *k, struct sender *s)
{
	log_sender(k, s, "");
	make_report(s);
	s->ended = true;
	answer(k, s);
}

static void count(struct kd_udp_sink *k, struct sender *s,
		  const unsigned char *data, size_t len, uint64_t now)
{
	const char *why;
	int64_t seq;

	s->seen_ns = now;
	if (s->ended) {
		answer(k, s);
		return;
	}
	if (len < HEAD) {
		mark(k, s, len);
		return;
	}
	seq = number(data);
	if (!s->datagrams++) {
		s->first_ns = now;
		if (seq == 0 || seq == 1)
			s->service = "iperf2";
	}
	s->last_ns = now;
	s->bytes += len;
	if (!strcmp(s->service, "iperf2")) {
		/* the last one counts as any other */
		sequence(s, seq < 0 ? -seq : seq);
		if (seq < 0) {
			end(k, s);
			return;
		}
		jitter(s, data, now);
	}
	why = kd_peer_limit(k->peer, s->first_ns, s->bytes);
	if (why) {
		/* what else it sends is not counted, and its end is answered */
		log_sender(k, s, why);
		make_report(s);
		s->ended = true;
	}
}

void kd_udp_sink_take(struct kd_udp_sink *k, const union kd_sockaddr *from,
		      const unsigned char *data, size_t len, uint64_t now_ns)
{
	struct sender *s = find(k, from);

	if (s)
		count(k, s, data, len, now_ns);
	else if (now_ns - k->full_ns > SILENCE_NS) {
		k->full_ns = now_ns;
		kd_peer_refuse(k->peer);
	}
}

void kd_udp_sink_sweep(struct kd_udp_sink *k, uint64_t now_ns)
{
	for (size_t i = 0; i < MAX_SENDERS; i++) {
		struct sender *s = &k->senders[i];

		if (!s->used || now_ns - s->seen_ns < SILENCE_NS)
			continue;
		if (!s->ended && s->datagrams)
			log_sender(k, s, "");
		s->used = false;
	}
}

struct kd_udp_sink *kd_udp_sink_new(struct kd_peer *peer, int fd)
{
	struct kd_udp_sink *k = calloc(1, sizeof(*k));

	if (k) {
		k->peer = peer;
		k->fd = fd;
	}
	return k;
}

void kd_udp_sink_free(struct kd_udp_sink *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < MAX_SENDERS; i++) {
		struct sender *s = &k->senders[i];

		if (s->used && !s->ended && s->datagrams)
			log_sender(k, s, "the peer was stopped");
	}
	free(k);
}

static void take_some(struct kd_udp_sink *k, unsigned char *buf)
{
	for (int i = 0; i < BATCH; i++) {
		union kd_sockaddr from;
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(k->fd, buf, BUFFER, MSG_DONTWAIT, &from.sa,
				     &len);

		if (n < 0)
			return;
		kd_udp_sink_take(k, &from, buf, (size_t)n, kd_now());
	}
}

static void *run(void *arg)
{
	struct kd_udp_sink *k = arg;
	struct kd_peer *peer = k->peer;
	unsigned char *buf = malloc(BUFFER);

	while (buf && !peer->stopping) {
		if (!kd_peer_await(peer, k->fd, POLLIN, kd_now() + LOOK_NS))
			take_some(k, buf);
		kd_udp_sink_sweep(k, kd_now());
	}
	free(buf);
	kd_udp_sink_free(k);
	kd_peer_thread_end(peer);
	return NULL;
}

int kd_peer_udp_open(struct kd_peer *peer, struct kd_diag *d)
{
	struct kd_udp_sink *k = kd_udp_sink_new(peer, peer->ttcp_udp);
	int r;

	if (!k)
		return kd_fail(d, -ENOMEM, "out of memory");
	r = kd_peer_thread(peer, run, k);
	if (r) {
		kd_udp_sink_free(k);
		kd_fail(d, r, "cannot start a thread");
	}
	return r;
}
