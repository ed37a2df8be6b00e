/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PEER_SERVER_H
#define KD_PEER_SERVER_H

#include "peer/peer.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

/*
 * What the services of one peer share: limits, the log, the list of transfers
 * that run. Each transfer is a thread; the threads meet only here.
 */

/** union kd_sockaddr - an IPv4 or IPv6 address */
union kd_sockaddr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage storage;
};

struct kd_iperf3_session;

struct kd_peer {
	const struct kd_peer_options *o;
	void (*report)(void *arg, const struct kd_peer_transfer *t);
	void *report_arg;
	pthread_mutex_t lock;
	pthread_cond_t idle;
	unsigned int running;
	struct kd_iperf3_session *sessions;
	void *http;
	int wake;		/* eventfd: readable when the peer is to stop */
	int iperf3_tcp, iperf3_udp;
	int ttcp_tcp, ttcp_udp;
	volatile int stopping;
};

/** kd_peer_enter() - may one more transfer run; kd_peer_leave() ends it */
bool kd_peer_enter(struct kd_peer *peer);
void kd_peer_leave(struct kd_peer *peer);

/** kd_peer_log() - hand a finished transfer to the report */
void kd_peer_log(struct kd_peer *peer, const struct kd_peer_transfer *t);

/** kd_peer_thread() - start a detached thread; 0 or -errno */
int kd_peer_thread(void *(*run)(void *), void *arg);

/** kd_peer_name() - address:port as text into @out */
void kd_peer_name(const union kd_sockaddr *a, char *out, size_t size);

/** kd_peer_listen() - a listening (or bound UDP) socket, or -errno */
int kd_peer_listen(const struct kd_peer_options *o, int type, int port,
		   struct kd_diag *d);

/** kd_peer_parse() - a numeric address; -EINVAL */
int kd_peer_parse(const char *text, int port, union kd_sockaddr *out,
		  socklen_t *len);

/** kd_peer_read() - exactly @len bytes before @deadline_ns; 0, -EPIPE,
 * -ETIMEDOUT or -errno */
int kd_peer_read(int fd, void *data, size_t len, uint64_t deadline_ns);

/** kd_peer_write() - likewise */
int kd_peer_write(int fd, const void *data, size_t len, uint64_t deadline_ns);

/* the services; each takes over a new connection (or datagram) */
void kd_peer_iperf3_accept(struct kd_peer *peer, int fd,
			   const union kd_sockaddr *from);
void kd_peer_iperf3_datagram(struct kd_peer *peer);
void kd_peer_ttcp_accept(struct kd_peer *peer, int fd,
			 const union kd_sockaddr *from);
int kd_peer_udp_sink(struct kd_peer *peer, struct kd_diag *d);
int kd_peer_http_open(struct kd_peer *peer, struct kd_diag *d);
void kd_peer_http_close(struct kd_peer *peer);

#endif
