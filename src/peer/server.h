/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PEER_SERVER_H
#define KD_PEER_SERVER_H

#include "peer/peer.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
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

struct http;
struct kd_iperf3_session;

struct kd_peer {
	const struct kd_peer_options *o;
	void (*report)(void *arg, const struct kd_peer_transfer *t);
	void *report_arg;
	pthread_mutex_t lock;
	pthread_cond_t changed;	/* a thread ended, a stream came or is due */
	unsigned int threads;
	unsigned int clients;
	uint64_t transfers, bytes, refused;
	struct kd_iperf3_session *sessions;
	struct http *http;
	int wake;		/* eventfd: readable when the peer is to stop */
	int iperf3_tcp, iperf3_udp;
	int ttcp_tcp, ttcp_udp;
	atomic_bool stopping;
};

/** kd_peer_enter() - may one more client be served; kd_peer_leave() ends it */
bool kd_peer_enter(struct kd_peer *peer);
void kd_peer_leave(struct kd_peer *peer);

/** kd_peer_log() - hand a finished transfer to the report */
void kd_peer_log(struct kd_peer *peer, const struct kd_peer_transfer *t);

/** kd_peer_log_flush() - tell the report to write out what it has kept */
void kd_peer_log_flush(struct kd_peer *peer);

/**
 * kd_peer_thread() - start a detached thread that @peer waits for when it stops
 *
 * The thread calls kd_peer_thread_end() last.
 * Return: 0, -EAGAIN where there are too many, or -errno.
 */
int kd_peer_thread(struct kd_peer *peer, void *(*run)(void *), void *arg);
void kd_peer_thread_end(struct kd_peer *peer);

/** kd_peer_refuse() - count a client that was turned away */
void kd_peer_refuse(struct kd_peer *peer);

/** kd_peer_limit() - why a transfer must end now, or NULL */
const char *kd_peer_limit(const struct kd_peer *peer, uint64_t started_ns,
			  uint64_t bytes);

/** kd_peer_name() - address:port as text into @out */
void kd_peer_name(const union kd_sockaddr *a, char *out, size_t size);

/** kd_peer_listen() - a listening (or bound UDP) socket, or -errno */
int kd_peer_listen(const struct kd_peer_options *o, int type, int port,
		   struct kd_diag *d);

/** kd_peer_parse() - a numeric address; -EINVAL */
int kd_peer_parse(const char *text, int port, union kd_sockaddr *out,
		  socklen_t *len);

/** kd_peer_read() - exactly @len bytes before @deadline_ns; 0, -EPIPE,
 * -ETIMEDOUT, -ECANCELED when the peer stops, or -errno */
int kd_peer_read(const struct kd_peer *peer, int fd, void *data, size_t len,
		 uint64_t deadline_ns);

/** kd_peer_write() - likewise */
int kd_peer_write(const struct kd_peer *peer, int fd, const void *data,
		  size_t len, uint64_t deadline_ns);

/** kd_peer_await() - until @fd is ready; as kd_peer_read() */
int kd_peer_await(const struct kd_peer *peer, int fd, short events,
		  uint64_t deadline_ns);

/* the services; each takes over a new connection (or datagram) */
void kd_peer_iperf3_accept(struct kd_peer *peer, int fd,
			   const union kd_sockaddr *from);
void kd_peer_iperf3_datagram(struct kd_peer *peer);
void kd_peer_ttcp_accept(struct kd_peer *peer, int fd,
			 const union kd_sockaddr *from);
int kd_peer_udp_open(struct kd_peer *peer, struct kd_diag *d);

/** kd_peer_iperf3_serve() - one connection, from its cookie to its end; @fd is
 * closed, or is a stream of a test now */
void kd_peer_iperf3_serve(struct kd_peer *peer, int fd,
			  const union kd_sockaddr *from);

/** kd_ttcp_who() - the service that a connection's first bytes are of */
const char *kd_ttcp_who(const unsigned char *data, size_t len);

/** kd_peer_ttcp_serve() - one connection, from its first byte; closes @fd */
void kd_peer_ttcp_serve(struct kd_peer *peer, int fd,
			const union kd_sockaddr *from);

int kd_peer_http_open(struct kd_peer *peer, struct kd_diag *d);
void kd_peer_http_close(struct kd_peer *peer);

/** kd_peer_http_expire() - end the requests that are over the limit of time */
void kd_peer_http_expire(struct kd_peer *peer);

#endif
