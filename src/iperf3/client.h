/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IPERF3_CLIENT_H
#define KD_IPERF3_CLIENT_H

#include "iperf3/iperf3.h"

#include <sys/socket.h>

/**
 * struct kd_iperf3_figures - what the server says of one stream
 * @seconds: that it counted over
 * @packets, @lost: without the omitted start
 */
struct kd_iperf3_figures {
	uint64_t bytes;
	double seconds;
	double jitter_s;
	int64_t packets;
	int64_t lost;
};

/**
 * struct kd_iperf3_client - one test against a server
 * @connect: a TCP connection to the server, with the caller's socket options;
 *           -errno with words
 * @params:  filled in by the caller
 * @theirs:  one for each of @streams, after kd_iperf3_client_finish()
 */
struct kd_iperf3_client {
	int (*connect)(void *arg, struct kd_diag *d);
	void *arg;
	struct sockaddr_storage to;
	socklen_t to_len;
	struct kd_iperf3_params params;
	int control;
	unsigned char cookie[KD_IPERF3_COOKIE];
	struct kd_iperf3_stream *streams;
	struct kd_iperf3_figures *theirs;
	size_t n_streams;
	uint64_t deadline_ns;
};

/** kd_iperf3_client_open() - connect and agree on the parameters */
int kd_iperf3_client_open(struct kd_iperf3_client *c, struct kd_diag *d);

/** kd_iperf3_client_start() - create the streams; the test has begun when it
 * returns, and kd_iperf3_run_streams() is to follow at once */
int kd_iperf3_client_start(struct kd_iperf3_client *c, struct kd_diag *d);

/** kd_iperf3_client_end() - tell the server that the test is over */
int kd_iperf3_client_end(struct kd_iperf3_client *c, struct kd_diag *d);

/** kd_iperf3_client_finish() - exchange the results
 * @run: of the data phase */
int kd_iperf3_client_finish(struct kd_iperf3_client *c,
			    const struct kd_iperf3_run *run,
			    struct kd_diag *d);

/** kd_iperf3_client_why() - -errno with words for what the server said in the
 * middle of a test */
int kd_iperf3_client_why(struct kd_iperf3_client *c, struct kd_diag *d);

/** kd_iperf3_client_close() - after open, whether it failed or not */
void kd_iperf3_client_close(struct kd_iperf3_client *c);

#endif
