/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PEER_PEER_H
#define KD_PEER_PEER_H

#include "base/diag.h"
#include "base/opt.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct kd_peer_options - what `kdelta peer` serves, and to whom
 * @bind:     numeric address; loopback by default
 * @iperf3_port, @ttcp_port, @http_port: 0: this service is off
 * @ttcp_to:  be a source for a listening `ttcp -r` there, then leave
 * @max_clients: transfers at once, over all services
 * @max_time_ns, @max_bytes: of one transfer
 */
struct kd_peer_options {
	char *bind;
	int64_t iperf3_port;
	int64_t ttcp_port;
	int64_t http_port;
	char *ttcp_to;
	uint64_t ttcp_size;
	int64_t max_clients;
	uint64_t max_time_ns;
	uint64_t max_bytes;
	bool json;
};

extern const struct kd_opt kd_peer_opts[];

/** struct kd_peer_transfer - one finished transfer, for the log */
struct kd_peer_transfer {
	const char *service;	/* "iperf3", "ttcp", "iperf2-udp", ... */
	const char *client;	/* address:port */
	const char *direction;	/* as seen here: "received", "sent", "both" */
	const char *protocol;	/* "tcp", "udp" */
	unsigned int streams;
	uint64_t bytes;
	double seconds;
	int64_t lost;		/* -1: does not apply */
	int64_t datagrams;
	double jitter_s;
	const char *ended;	/* "", or why it did not end as it should */
};

/**
 * struct kd_peer - one process with all services
 * @report: called for each transfer, from any thread, one at a time; with NULL
 *          some times a second, to write out what it has kept
 * @stop:   becomes non-zero when it is time to go
 */
struct kd_peer;

int kd_peer_open(const struct kd_peer_options *o,
		 void (*report)(void *arg, const struct kd_peer_transfer *t),
		 void *arg, struct kd_peer **out, struct kd_diag *d);

/** kd_peer_serve() - until *@stop; ends what runs before it returns */
int kd_peer_serve(struct kd_peer *peer, const volatile sig_atomic_t *stop,
		  struct kd_diag *d);

/** struct kd_peer_totals - of all services; @refused: clients turned away */
struct kd_peer_totals {
	uint64_t transfers, bytes, refused;
};

/** kd_peer_close() - end what runs and report it; @totals may be NULL */
void kd_peer_close(struct kd_peer *peer, struct kd_peer_totals *totals);

/** kd_peer_ttcp_source() - send @o->ttcp_size to the ttcp -r at @o->ttcp_to,
 * until *@stop; -ECANCELED then */
int kd_peer_ttcp_source(struct kd_peer *peer,
			const volatile sig_atomic_t *stop, struct kd_diag *d);

#endif
