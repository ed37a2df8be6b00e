// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an end's bulk flows did in the window. Payload is counted where it is
 * received; TCP_INFO (struct tcp_info, linux/tcp.h) gives the sender's
 * retransmissions.
 */
#include "workloads/engine/bulk.h"

#include "base/clock.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SNAPSHOT_NS (100 * KD_NS_PER_US)
#define SNAPSHOT_TRIES 5

enum metric {
	TX_THROUGHPUT,
	RX_THROUGHPUT,
	TX_STREAM,
	RX_STREAM,
	TX_BYTES,
	RX_BYTES,
	TX_SENT,
	RX_SENT,
	TX_FAIRNESS,
	RX_FAIRNESS,
	TX_RETRANSMITS,
	RX_RETRANSMITS,
	ZC_COPIED,
	ZC_FELL_BACK,
};

const struct kd_metric_desc kd_bulk_metrics[] = {
	[TX_THROUGHPUT] = { "tcp.tx-throughput", "Mbit/s", KD_BETTER_HIGHER,
			    "payload that the peer received" },
	[RX_THROUGHPUT] = { "tcp.rx-throughput", "Mbit/s", KD_BETTER_HIGHER,
			    "payload that the device received" },
	[TX_STREAM] = { "tcp.tx-stream", "Mbit/s", KD_BETTER_HIGHER,
			"one stream's share of tcp.tx-throughput" },
	[RX_STREAM] = { "tcp.rx-stream", "Mbit/s", KD_BETTER_HIGHER,
			"one stream's share of tcp.rx-throughput" },
	[TX_BYTES] = { "tcp.tx-bytes", "B", KD_BETTER_NONE,
		       "payload that the peer received in the window" },
	[RX_BYTES] = { "tcp.rx-bytes", "B", KD_BETTER_NONE,
		       "payload that the device received in the window" },
	[TX_SENT] = { "tcp.tx-sent-bytes", "B", KD_BETTER_NONE,
		      "payload that the device handed to its kernel" },
	[RX_SENT] = { "tcp.rx-sent-bytes", "B", KD_BETTER_NONE,
		      "payload that the peer handed to its kernel" },
	[TX_FAIRNESS] = { "tcp.tx-fairness", "", KD_BETTER_HIGHER,
			  "Jain's index over the streams; 1 is equal shares" },
	[RX_FAIRNESS] = { "tcp.rx-fairness", "", KD_BETTER_HIGHER,
			  "Jain's index over the streams; 1 is equal shares" },
	[TX_RETRANSMITS] = { "tcp.tx-retransmits", "", KD_BETTER_LOWER,
			     "segments that the device sent again" },
	[RX_RETRANSMITS] = { "tcp.rx-retransmits", "", KD_BETTER_LOWER,
			     "segments that the peer sent again" },
	[ZC_COPIED] = { "tcp.zerocopy-copied", "%", KD_BETTER_LOWER,
			"zero-copy sends that the kernel copied after all" },
	[ZC_FELL_BACK] = { "tcp.zerocopy-fell-back", "", KD_BETTER_LOWER,
			   "sends made as copies, no room for a zero-copy one" },
	{ 0 },
};

int kd_bulk_init(struct kd_bulk *b, const struct kd_flow_conf *conf,
		 unsigned int count)
{
	b->conf = conf;
	b->count = count;
	b->flows = aligned_alloc(2 * KD_LINE, count * sizeof(*b->flows));
	b->at0 = calloc(count, sizeof(*b->at0));
	b->at1 = calloc(count, sizeof(*b->at1));
	if (!b->flows || !b->at0 || !b->at1) {
		free(b->flows);
		b->flows = NULL;
		return -ENOMEM;
	}
	memset(b->flows, 0, count * sizeof(*b->flows));
	for (unsigned int i = 0; i < count; i++) {
		b->flows[i].fd = -1;
		b->flows[i].index = i;
		b->flows[i].conf = conf;
	}
	return 0;
}

void kd_bulk_fini(struct kd_bulk *b)
{
	for (unsigned int i = 0; b->flows && i < b->count; i++)
		if (b->flows[i].fd >= 0)
			close(b->flows[i].fd);
	free(b->flows);
	free(b->at0);
	free(b->at1);
	memset(b, 0, sizeof(*b));
}

static uint64_t received(const struct kd_bulk *b)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < b->count; i++)
		if (!b->flows[i].sends)
			sum += kd_flow_bytes(&b->flows[i]);
	return sum;
}

static uint64_t received_at(const struct kd_bulk *b, const struct kd_bulk_mark *at)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < b->count; i++)
		if (!b->flows[i].sends)
			sum += at[i].bytes;
	return sum;
}

/* all counters at one time, which is returned: again where this thread was
 * interrupted in between */
static uint64_t snapshot(struct kd_bulk *b, struct kd_bulk_mark *at)
{
	uint64_t before, after;
	int tries = 0;

	do {
		before = kd_now();
		for (unsigned int i = 0; i < b->count; i++)
			at[i].bytes = kd_flow_bytes(&b->flows[i]);
		after = kd_now();
	} while (after - before > SNAPSHOT_NS && ++tries < SNAPSHOT_TRIES);
	for (unsigned int i = 0; i < b->count; i++) {
		struct tcp_info info = { 0 };
		socklen_t len = sizeof(info);

		if (b->flows[i].sends &&
		    !getsockopt(b->flows[i].fd, IPPROTO_TCP, TCP_INFO, &info,
				&len))
			at[i].retransmits = info.tcpi_total_retrans;
	}
	return before + (after - before) / 2;
}

uint64_t kd_bulk_begin(struct kd_bulk *b)
{
	/* with a size the window is the whole transfer, begun or not */
	b->t0_ns = b->conf->size_mode ? kd_now() : snapshot(b, b->at0);
	kd_ticks_begin(&b->ticks, b->t0_ns, received_at(b, b->at0));
	return b->t0_ns;
}

void kd_bulk_tick(struct kd_bulk *b)
{
	kd_ticks_add(&b->ticks, kd_now(), received(b));
}

/* with a size: from the first byte received to the last */
static void narrow(struct kd_bulk *b)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (unsigned int i = 0; i < b->count; i++) {
		const struct kd_flow *f = &b->flows[i];

		if (f->sends || !f->first_ns)
			continue;
		first = f->first_ns < first ? f->first_ns : first;
		last = f->last_ns > last ? f->last_ns : last;
	}
	if (last) {
		b->t0_ns = first;
		b->t1_ns = last;
	}
}

uint64_t kd_bulk_end(struct kd_bulk *b)
{
	uint64_t now = b->t1_ns = snapshot(b, b->at1);

	kd_ticks_add(&b->ticks, now, received_at(b, b->at1));
	if (b->conf->size_mode)
		narrow(b);
	return now;
}

void kd_bulk_report_received(struct kd_bulk *b, struct kd_sink *s, bool tx)
{
	double length = (double)(b->t1_ns - b->t0_ns) / 1e9;
	double sum = 0, squares = 0;
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->count; i++) {
		double x = (double)(b->at1[i].bytes - b->at0[i].bytes);

		if (b->flows[i].sends)
			continue;
		sum += x;
		squares += x * x;
		n++;
	}
	s->metric(s, &kd_bulk_metrics[tx ? TX_BYTES : RX_BYTES], NULL, sum);
	if (length <= 0)
		return;
	s->metric(s, &kd_bulk_metrics[tx ? TX_THROUGHPUT : RX_THROUGHPUT], NULL,
		  sum * 8 / 1e6 / length);
	kd_ticks_result(&b->ticks, s,
			&kd_bulk_metrics[tx ? TX_THROUGHPUT : RX_THROUGHPUT],
			8 / 1e6);
	if (n < 2)
		return;
	if (squares > 0)
		s->metric(s, &kd_bulk_metrics[tx ? TX_FAIRNESS : RX_FAIRNESS],
			  NULL, sum * sum / (n * squares));
	n = 0;
	for (unsigned int i = 0; i < b->count; i++) {
		double x = (double)(b->at1[i].bytes - b->at0[i].bytes);
		char name[16];

		if (b->flows[i].sends)
			continue;
		snprintf(name, sizeof(name), "%u", n++);
		s->metric(s, &kd_bulk_metrics[tx ? TX_STREAM : RX_STREAM], name,
			  x * 8 / 1e6 / length);
	}
}

void kd_bulk_report_sent(const struct kd_bulk *b, struct kd_sink *s, bool tx)
{
	uint64_t bytes = 0, retransmits = 0, done = 0, copied = 0, fell = 0;

	for (unsigned int i = 0; i < b->count; i++) {
		const struct kd_flow *f = &b->flows[i];

		if (!f->sends)
			continue;
		bytes += b->at1[i].bytes - b->at0[i].bytes;
		retransmits += b->at1[i].retransmits - b->at0[i].retransmits;
		done += f->completed;
		copied += f->copied;
		fell += f->fell_back;
	}
	s->metric(s, &kd_bulk_metrics[tx ? TX_SENT : RX_SENT], NULL, (double)bytes);
	s->metric(s, &kd_bulk_metrics[tx ? TX_RETRANSMITS : RX_RETRANSMITS], NULL,
		  (double)retransmits);
	if (b->conf->source != KD_SOURCE_ZEROCOPY)
		return;
	if (done)
		s->metric(s, &kd_bulk_metrics[ZC_COPIED], NULL,
			  100.0 * (double)copied / (double)done);
	s->metric(s, &kd_bulk_metrics[ZC_FELL_BACK], NULL, (double)fell);
}
