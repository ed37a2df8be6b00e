// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iperf3's parameters, results and datagrams. See iperf3.h.
 */
#include "iperf3/iperf3.h"

#include "base/clock.h"

#include <endian.h>
#include <string.h>

#define DEFAULT_TCP_BLOCK (128 << 10)
#define DEFAULT_UDP_BLOCK 1460
#define MAX_BLOCK (1 << 20)
#define MAX_UDP_BLOCK 65507
#define MIN_UDP_BLOCK 16
#define MAX_TIME 86400
#define MAX_OMIT 600

static double number(const json_t *json, const char *key)
{
	const json_t *v = json_object_get(json, key);

	return json_is_number(v) ? json_number_value(v) : 0;
}

static bool is_true(const json_t *json, const char *key)
{
	const json_t *v = json_object_get(json, key);

	return json_is_true(v) || (json_is_number(v) && json_number_value(v));
}

/* a member that must be within a range where it is there */
static int ranged(const json_t *json, const char *key, double min, double max,
		  double *out, struct kd_diag *d)
{
	double v = number(json, key);

	if (!json_object_get(json, key))
		return 0;
	if (!(v >= min && v <= max))
		return kd_fail(d, -ERANGE, "%s is %g, not %g to %g", key, v,
			       min, max);
	*out = v;
	return 0;
}

int kd_iperf3_params_read(const json_t *json, struct kd_iperf3_params *p,
			  struct kd_diag *d)
{
	double streams = 1, time = 0, omit = 0, bytes = 0, blocks = 0;
	double block = 0, rate = 0, window = 0, mss = 0, tos = 0;
	const char *congestion;
	int r = 0;

	if (!json_is_object(json))
		return kd_fail(d, -EINVAL, "the parameters are no object");
	if (is_true(json, "sctp"))
		return kd_fail(d, -EOPNOTSUPP, "SCTP is not served here");
	memset(p, 0, sizeof(*p));
	p->udp = is_true(json, "udp");
	p->reverse = is_true(json, "reverse");
	p->bidir = is_true(json, "bidirectional");
	p->nodelay = is_true(json, "nodelay");
	p->counters_64bit = is_true(json, "udp_counters_64bit");
	p->get_server_output = is_true(json, "get_server_output");
	r = r ?: ranged(json, "parallel", 1, KD_IPERF3_MAX_STREAMS, &streams, d);
	r = r ?: ranged(json, "time", 0, MAX_TIME, &time, d);
	r = r ?: ranged(json, "omit", 0, MAX_OMIT, &omit, d);
	r = r ?: ranged(json, "num", 0, 0x1p62, &bytes, d);
	r = r ?: ranged(json, "blockcount", 0, 0x1p62, &blocks, d);
	r = r ?: ranged(json, "len", p->udp ? MIN_UDP_BLOCK : 1,
			p->udp ? MAX_UDP_BLOCK : MAX_BLOCK, &block, d);
	r = r ?: ranged(json, "bandwidth", 0, 0x1p62, &rate, d);
	r = r ?: ranged(json, "window", 0, 1 << 30, &window, d);
	r = r ?: ranged(json, "MSS", 0, 32767, &mss, d);
	r = r ?: ranged(json, "TOS", 0, 255, &tos, d);
	if (r)
		return r;
	congestion = json_string_value(json_object_get(json, "congestion"));
	if (congestion && strlen(congestion) >= sizeof(p->congestion))
		return kd_fail(d, -ERANGE, "the congestion control's name is too long");
	if (congestion)
		strcpy(p->congestion, congestion);
	p->streams = (int)streams;
	p->time_s = time;
	p->omit_s = omit;
	p->bytes = (uint64_t)bytes;
	p->blocks = (uint64_t)blocks;
	p->rate_bps = (uint64_t)rate;
	p->window = (int)window;
	p->mss = (int)mss;
	p->tos = (int)tos;
	p->block = (size_t)block;
	if (!p->block)
		p->block = p->udp ? DEFAULT_UDP_BLOCK : DEFAULT_TCP_BLOCK;
	return 0;
}

json_t *kd_iperf3_params_write(const struct kd_iperf3_params *p)
{
	json_t *o = json_object();

	json_object_set_new(o, p->udp ? "udp" : "tcp", json_true());
	json_object_set_new(o, "omit", json_integer((json_int_t)p->omit_s));
	json_object_set_new(o, "time", json_integer((json_int_t)p->time_s));
	json_object_set_new(o, "num", json_integer((json_int_t)p->bytes));
	json_object_set_new(o, "blockcount",
			    json_integer((json_int_t)p->blocks));
	json_object_set_new(o, "parallel", json_integer(p->streams));
	json_object_set_new(o, "len", json_integer((json_int_t)p->block));
	if (p->reverse)
		json_object_set_new(o, "reverse", json_true());
	if (p->bidir)
		json_object_set_new(o, "bidirectional", json_true());
	if (p->nodelay)
		json_object_set_new(o, "nodelay", json_true());
	if (p->rate_bps)
		json_object_set_new(o, "bandwidth",
				    json_integer((json_int_t)p->rate_bps));
	if (p->window)
		json_object_set_new(o, "window", json_integer(p->window));
	if (p->mss)
		json_object_set_new(o, "MSS", json_integer(p->mss));
	if (p->tos)
		json_object_set_new(o, "TOS", json_integer(p->tos));
	if (p->congestion[0])
		json_object_set_new(o, "congestion", json_string(p->congestion));
	if (p->counters_64bit)
		json_object_set_new(o, "udp_counters_64bit", json_integer(1));
	json_object_set_new(o, "pacing_timer", json_integer(1000));
	json_object_set_new(o, "client_version", json_string("3.12"));
	return o;
}

int kd_iperf3_stream_id(int index)
{
	return index ? index + 2 : 1;
}

json_t *kd_iperf3_results_write(const struct kd_iperf3_params *p,
				const struct kd_iperf3_stream *streams,
				size_t n, const struct kd_iperf3_cpu *cpu,
				double seconds, const char *text)
{
	bool sends = false;
	json_t *list = json_array();
	json_t *o;

	for (size_t i = 0; i < n; i++) {
		const struct kd_iperf3_stream *s = &streams[i];

		sends |= s->sender;
		json_array_append_new(list, json_pack(
			"{s:i,s:I,s:I,s:f,s:I,s:I,s:I,s:I,s:f,s:f}", "id",
			s->id, "bytes", (json_int_t)s->bytes, "retransmits",
			(json_int_t)(s->sender && !p->udp ? s->retransmits : -1),
			"jitter", s->jitter_s, "errors", (json_int_t)s->lost,
			"omitted_errors", (json_int_t)s->omitted_lost,
			"packets", (json_int_t)s->packets, "omitted_packets",
			(json_int_t)s->omitted_packets, "start_time", 0.0,
			"end_time", seconds));
	}
	o = json_pack("{s:f,s:f,s:f,s:i,s:o}", "cpu_util_total", cpu->total,
		      "cpu_util_user", cpu->user, "cpu_util_system",
		      cpu->system, "sender_has_retransmits",
		      sends ? !p->udp : -1, "streams", list);
	if (p->congestion[0])
		json_object_set_new(o, "congestion_used",
				    json_string(p->congestion));
	if (text)
		json_object_set_new(o, "server_output_text", json_string(text));
	return o;
}

static uint32_t get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static void put32(unsigned char *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

void kd_iperf3_udp_count(struct kd_iperf3_stream *s,
			 const struct kd_iperf3_params *p,
			 const unsigned char *data, size_t len, uint64_t now_ns)
{
	size_t head = p->counters_64bit ? 16 : 12;
	double sent_s, transit_s, delta;
	uint64_t seq;

	if (len < head)
		return;
	s->bytes += len;
	sent_s = get32(data) + get32(data + 4) / 1e6;
	seq = get32(data + 8);
	if (p->counters_64bit)
		seq = seq << 32 | get32(data + 12);
	if (seq > s->sequence) {
		/* a forged leap must not pass for a loss of ages */
		uint64_t gap = seq - s->sequence - 1;

		if (gap > 1u << 30)
			return;
		s->lost += (int64_t)gap;
		s->sequence = seq;
	} else {
		s->late++;
		if (s->lost > 0)
			s->lost--;
	}
	s->packets = s->sequence;
	transit_s = (double)now_ns / 1e9 - sent_s;
	delta = transit_s - s->transit_s;
	if (delta < 0)
		delta = -delta;
	if (s->transit_s != 0)
		s->jitter_s += (delta - s->jitter_s) / 16;
	s->transit_s = transit_s;
}

void kd_iperf3_udp_head(const struct kd_iperf3_stream *s,
			const struct kd_iperf3_params *p, unsigned char *data,
			uint64_t now_ns)
{
	put32(data, (uint32_t)(now_ns / KD_NS_PER_SEC));
	put32(data + 4, (uint32_t)(now_ns % KD_NS_PER_SEC / 1000));
	if (p->counters_64bit) {
		put32(data + 8, (uint32_t)(s->sequence >> 32));
		put32(data + 12, (uint32_t)s->sequence);
	} else {
		put32(data + 8, (uint32_t)s->sequence);
	}
}
