/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IPERF3_IPERF3_H
#define KD_IPERF3_IPERF3_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/*
 * The control protocol of iperf3, as iperf 3.12 to 3.21 speak it: a cookie,
 * then one byte a state, and JSON behind a 32-bit length. Read off runs of 3.12
 * and its published sources.
 */
#define KD_IPERF3_COOKIE 37
#define KD_IPERF3_MAX_STREAMS 128
#define KD_IPERF3_MAX_PARAMS 65536
#define KD_IPERF3_MAX_RESULTS (4u << 20)

enum kd_iperf3_state {
	KD_IPERF3_TEST_START = 1,
	KD_IPERF3_TEST_RUNNING = 2,
	KD_IPERF3_TEST_END = 4,
	KD_IPERF3_PARAM_EXCHANGE = 9,
	KD_IPERF3_CREATE_STREAMS = 10,
	KD_IPERF3_SERVER_TERMINATE = 11,
	KD_IPERF3_CLIENT_TERMINATE = 12,
	KD_IPERF3_EXCHANGE_RESULTS = 13,
	KD_IPERF3_DISPLAY_RESULTS = 14,
	KD_IPERF3_DONE = 16,
	KD_IPERF3_ACCESS_DENIED = -1,
	KD_IPERF3_SERVER_ERROR = -2,
};

/**
 * struct kd_iperf3_params - what a test is to be
 * @rate_bps: per stream, 0: no limit
 * @block:    bytes a write or datagram
 * @bytes, @blocks: ends of the test that are no time; 0: none
 */
struct kd_iperf3_params {
	bool udp;
	bool reverse;
	bool bidir;
	bool nodelay;
	bool counters_64bit;
	bool get_server_output;
	int streams;
	double omit_s;
	double time_s;
	uint64_t bytes;
	uint64_t blocks;
	uint64_t rate_bps;
	size_t block;
	int window;
	int mss;
	int tos;
	char congestion[32];
};

/**
 * kd_iperf3_params_read() - from the client's JSON; hostile until here
 * Return: 0, -EINVAL, -ERANGE or -EOPNOTSUPP (SCTP) with the reason.
 */
int kd_iperf3_params_read(const json_t *json, struct kd_iperf3_params *p,
			  struct kd_diag *d);

/** kd_iperf3_params_write() - as a client sends them; caller's reference */
json_t *kd_iperf3_params_write(const struct kd_iperf3_params *p);

/** kd_iperf3_stream_id() - of stream @index from 0: 1, 3, 4, 5... */
int kd_iperf3_stream_id(int index);

/**
 * struct kd_iperf3_stream - one data connection and its counts
 * @sender:  this end sends
 * @bytes:   since the omitted start
 * @packets, @lost: since the very start; what was omitted of them beside
 * @sequence: highest received, or last sent
 */
struct kd_iperf3_stream {
	int fd;
	int id;
	bool sender;
	uint64_t bytes;
	uint64_t packets;
	int64_t lost;
	uint64_t late;
	uint64_t sequence;
	uint64_t omitted_packets;
	int64_t omitted_lost;
	double jitter_s;
	double transit_s;
	int64_t retransmits;
	int64_t retransmits_omitted;
	uint64_t next_ns;
	uint64_t sent_bytes;
};

/** struct kd_iperf3_cpu - of this process, in % of one core */
struct kd_iperf3_cpu {
	double total, user, system;
};

/** kd_iperf3_results_write() - results as exchanged; caller's reference */
json_t *kd_iperf3_results_write(const struct kd_iperf3_params *p,
				const struct kd_iperf3_stream *streams,
				size_t n, const struct kd_iperf3_cpu *cpu,
				double seconds, const char *text);

/**
 * kd_iperf3_udp_count() - count one datagram of a stream that receives
 * @data, @len: as received; what is shorter than a header is not counted
 * @now_ns:     when
 *
 * Lost: what the sequence skips; a late one takes one back. Jitter: RFC 1889,
 * gain 1/16, of the sender's and the receiver's clocks.
 */
void kd_iperf3_udp_count(struct kd_iperf3_stream *s,
			 const struct kd_iperf3_params *p,
			 const unsigned char *data, size_t len,
			 uint64_t now_ns);

/** kd_iperf3_udp_head() - write a datagram's head; @data is at least 16 bytes */
void kd_iperf3_udp_head(const struct kd_iperf3_stream *s,
			const struct kd_iperf3_params *p, unsigned char *data,
			uint64_t now_ns);

/** struct kd_iperf3_run - the data phase */
struct kd_iperf3_run {
	const struct kd_iperf3_params *params;
	struct kd_iperf3_stream *streams;
	size_t n_streams;
	int control;		/* looked at for readability */
	int wake;		/* eventfd: end now; -1: none */
	bool keep;		/* leave the streams open at the end */
	uint64_t max_ns;	/* hard end; 0: none */
	uint64_t max_bytes;	/* of all streams; 0: none */
	uint64_t idle_ns;	/* end when nothing moved for it; 0: never */
	uint64_t t0_ns, t1_ns;	/* of the counted part; 0: not begun */
	uint64_t total_bytes;	/* with the omitted start */
	double cpu_user_s, cpu_system_s;
};

enum kd_iperf3_end {
	KD_IPERF3_END_CONTROL,	/* the control connection has something */
	KD_IPERF3_END_TIME,	/* @max_ns is over */
	KD_IPERF3_END_IDLE,	/* nothing moved for @idle_ns */
	KD_IPERF3_END_BYTES,	/* @max_bytes are through */
	KD_IPERF3_END_WAKE,
};

/**
 * kd_iperf3_run_streams() - move data until something ends it
 *
 * A size that was asked for is received to its end, for a second at most, after
 * the control connection spoke: @t1_ns is its last byte then.
 * Return: why, or -errno where the streams could not be watched.
 */
int kd_iperf3_run_streams(struct kd_iperf3_run *run, struct kd_diag *d);

#endif
