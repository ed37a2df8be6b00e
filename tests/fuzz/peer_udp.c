// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any datagrams, as two bytes of length, of which the upper four bits say from
 * whom, and that many bytes: to the sink of iperf 2 and ttcp, as a stream of an
 * iperf3 test with 32 and with 64-bit numbers, and to the account that the
 * workload keeps of its own numbers.
 */
#include "iperf3/iperf3.h"
#include "peer/udp_sink.h"

#include "base/clock.h"
#include "workloads/engine/seqtrack.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
	struct kd_peer *peer;
	struct kd_udp_sink *sink;
	struct kd_iperf3_stream narrow, wide;
	struct kd_seqtrack track;
	uint64_t sent, logged;	/* bytes that could count; that did */
};

static void report(void *arg, const struct kd_peer_transfer *t)
{
	struct state *s = arg;

	s->logged += t->bytes;
	if (t->bytes > s->sent || s->logged > s->sent || t->seconds < 0 ||
	    t->datagrams < 0 || t->lost < -1 || t->lost > t->datagrams ||
	    !(t->jitter_s >= 0) || !isfinite(t->jitter_s))
		abort();
}

static void stream(struct kd_iperf3_stream *s, bool wide, const uint8_t *data,
		   size_t len, uint64_t now_ns)
{
	struct kd_iperf3_params p = { .udp = true, .counters_64bit = wide };

	kd_iperf3_udp_count(s, &p, data, len, now_ns);
	if (s->lost < 0 || (uint64_t)s->lost > s->packets ||
	    !(s->jitter_s >= 0) || !isfinite(s->jitter_s))
		abort();
}

static void workload(struct kd_seqtrack *t, const uint8_t *data, size_t len)
{
	uint64_t words[3];

	if (len < sizeof(words))
		return;
	memcpy(words, data, sizeof(words));
	/* what it is fed has passed a check of the number */
	kd_seqtrack_add(t, words[0] >> 8, words[1] >> 1, words[2] >> 1);
	if (t->unique > t->next || t->unique + t->duplicates != t->received ||
	    !isfinite(t->jitter_ns))
		abort();
}

static void datagram(struct state *s, unsigned int from, const uint8_t *data,
		     size_t len, uint64_t now_ns)
{
	union kd_sockaddr a = { .in = {
		.sin_family = AF_INET, .sin_port = htons(1000 + from),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };

	s->sent += len;
	kd_udp_sink_take(s->sink, &a, data, len, now_ns);
	stream(&s->narrow, false, data, len, now_ns);
	stream(&s->wide, true, data, len, now_ns);
	workload(&s->track, data, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kd_peer_options options = { .max_clients = 4,
							.bind = "127.0.0.1" };
	struct state s = { 0 };
	struct kd_diag d = { 0 };
	uint64_t now = KD_NS_PER_SEC;

	if (kd_peer_open(&options, report, &s, &s.peer, &d))
		abort();
	s.sink = kd_udp_sink_new(s.peer, -1);
	while (size >= 2) {
		size_t len = (size_t)(data[0] & 15) << 8 | data[1];
		unsigned int from = data[0] >> 4;
		uint8_t *copy;

		data += 2;
		size -= 2;
		len = len < size ? len : size;
		copy = malloc(len + !len);
		memcpy(copy, data, len);
		datagram(&s, from, copy, len, now);
		free(copy);
		data += len;
		size -= len;
		now += 1000 + len * 1000000;
		kd_udp_sink_sweep(s.sink, now);
	}
	kd_udp_sink_free(s.sink);
	kd_peer_close(s.peer, NULL);
	return 0;
}
