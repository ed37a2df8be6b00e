/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PEER_IPERF3_SESSION_H
#define KD_PEER_IPERF3_SESSION_H

#include "iperf3/iperf3.h"
#include "peer/server.h"

/* one answer of the client, and one wait for its streams */
#define KD_IPERF3_STEP_NS 10000000000ULL
#define KD_IPERF3_STREAMS_NS 30000000000ULL

/**
 * struct kd_iperf3_session - the server's side of one test
 * @next:      in the peer's list, newest first
 * @waiting:   for streams: CREATE_STREAMS was sent
 * @n_streams: how many came; with @streams and @waiting under the peer's lock
 *             while @waiting
 * @ended:     why it did not end as it should, or ""
 */
struct kd_iperf3_session {
	struct kd_peer *peer;
	struct kd_iperf3_session *next;
	int control;
	union kd_sockaddr from;
	char name[64];
	unsigned char cookie[KD_IPERF3_COOKIE];
	struct kd_iperf3_params params;
	struct kd_iperf3_stream *streams;
	size_t n_expected;
	size_t n_streams;
	bool waiting;
	const char *ended;
};

/* the control connection; 0 or as kd_peer_write() and kd_peer_read() */
int kd_iperf3_send_state(struct kd_iperf3_session *s, int state);

/** kd_iperf3_send_error() - SERVER_ERROR, iperf3's number @code and an errno */
void kd_iperf3_send_error(struct kd_iperf3_session *s, int code, int err);

/** kd_iperf3_read_json() - a frame of at most @max bytes; -EMSGSIZE, -EPROTO;
 * the caller's reference */
int kd_iperf3_read_json(struct kd_iperf3_session *s, uint32_t max,
			json_t **out);

/** kd_iperf3_write_json() - a frame; steals @json */
int kd_iperf3_write_json(struct kd_iperf3_session *s, json_t *json);

/**
 * kd_iperf3_create_streams() - ask for the streams and wait until all are there
 *
 * A datagram that opens a stream carries no cookie, so UDP tests of one address
 * do this one after another.
 * Return: 0, -ETIMEDOUT, -EPIPE where the client left or spoke out of turn,
 * -ECANCELED, -ENOMEM.
 */
int kd_iperf3_create_streams(struct kd_iperf3_session *s);

/** kd_iperf3_join() - whether @fd was a stream of a test that waits, and is its
 * own now */
bool kd_iperf3_join(struct kd_peer *peer, int fd, const unsigned char *cookie);

#endif
