// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The other end for devices that have no agent: one process, many services.
 * The main thread accepts; every transfer has a thread of its own.
 */
#include "peer/peer.h"

#include "base/clock.h"
#include "peer/server.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS (200 * KD_NS_PER_MS)

#define OFFSET(member) offsetof(struct kd_peer_options, member)

const struct kd_opt kd_peer_opts[] = {
	{ "bind", KD_OPT_STR, OFFSET(bind), .def = "127.0.0.1", .arg = "ADDR",
	  .help = "numeric address to listen on" },
	{ "iperf3-port", KD_OPT_INT, OFFSET(iperf3_port), .max = 65535,
	  .def = "5201", .arg = "PORT", .help = "iperf3 server; 0: off" },
	{ "ttcp-port", KD_OPT_INT, OFFSET(ttcp_port), .max = 65535,
	  .def = "5001", .arg = "PORT",
	  .help = "ttcp, iperf 2 and discard sink; 0: off" },
	{ "http-port", KD_OPT_INT, OFFSET(http_port), .max = 65535,
	  .def = "8080", .arg = "PORT",
	  .help = "HTTP server of /fixed/SIZE; 0: off" },
	{ "ttcp-to", KD_OPT_STR, OFFSET(ttcp_to), .arg = "ADDR",
	  .help = "send to a listening ttcp -r there, then leave" },
	{ "ttcp-size", KD_OPT_SIZE, OFFSET(ttcp_size), .min = 1, .max = 1e15,
	  .def = "16MiB", .help = "how much --ttcp-to sends" },
	{ "max-clients", KD_OPT_INT, OFFSET(max_clients), .min = 1,
	  .max = 4096, .def = "256", .help = "connections at once" },
	{ "max-time", KD_OPT_TIME, OFFSET(max_time_ns), .max = 1e15,
	  .def = "1h", .help = "longest transfer; 0: as the client says" },
	{ "max-bytes", KD_OPT_SIZE, OFFSET(max_bytes), .max = 1e18,
	  .help = "largest transfer; 0: no limit" },
	{ "json", KD_OPT_BOOL, OFFSET(json),
	  .help = "a JSON object per transfer" },
	{ 0 },
};

static int open_services(struct kd_peer *peer, struct kd_diag *d)
{
	const struct kd_peer_options *o = peer->o;

	if (o->iperf3_port) {
		peer->iperf3_tcp = kd_peer_listen(o, SOCK_STREAM,
						  (int)o->iperf3_port, d);
		if (peer->iperf3_tcp < 0)
			return peer->iperf3_tcp;
		peer->iperf3_udp = kd_peer_listen(o, SOCK_DGRAM,
						  (int)o->iperf3_port, d);
		if (peer->iperf3_udp < 0)
			return peer->iperf3_udp;
	}
	if (o->ttcp_port) {
		peer->ttcp_tcp = kd_peer_listen(o, SOCK_STREAM,
						(int)o->ttcp_port, d);
		if (peer->ttcp_tcp < 0)
			return peer->ttcp_tcp;
		peer->ttcp_udp = kd_peer_listen(o, SOCK_DGRAM,
						(int)o->ttcp_port, d);
		if (peer->ttcp_udp < 0)
			return peer->ttcp_udp;
		if (kd_peer_udp_open(peer, d))
			return d->err;
	}
	return o->http_port ? kd_peer_http_open(peer, d) : 0;
}

int kd_peer_open(const struct kd_peer_options *o,
		 void (*report)(void *arg, const struct kd_peer_transfer *t),
		 void *arg, struct kd_peer **out, struct kd_diag *d)
{
	struct kd_peer *peer = calloc(1, sizeof(*peer));
	pthread_condattr_t attr;
	int r;

	if (!peer)
		return kd_fail(d, -ENOMEM, "out of memory");
	peer->o = o;
	peer->report = report;
	peer->report_arg = arg;
	peer->iperf3_tcp = peer->iperf3_udp = -1;
	peer->ttcp_tcp = peer->ttcp_udp = -1;
	pthread_mutex_init(&peer->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&peer->changed, &attr);
	pthread_condattr_destroy(&attr);
	peer->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = peer->wake < 0 ? kd_fail_errno(d, "cannot make an eventfd") :
			     open_services(peer, d);
	if (r) {
		kd_peer_close(peer, NULL);
		return r;
	}
	*out = peer;
	return 0;
}

static void accept_one(struct kd_peer *peer, int listener,
		       void (*take)(struct kd_peer *peer, int fd,
				    const union kd_sockaddr *from))
{
	union kd_sockaddr from;
	socklen_t len = sizeof(from);
	int fd = accept4(listener, &from.sa, &len, SOCK_CLOEXEC);

	if (fd >= 0)
		take(peer, fd, &from);
	else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		kd_sleep_until(kd_now() + 10 * KD_NS_PER_MS);
}

int kd_peer_serve(struct kd_peer *peer, const volatile sig_atomic_t *stop,
		  struct kd_diag *d)
{
	uint64_t looked = kd_now();

	while (!*stop) {
		struct pollfd p[] = {
			{ .fd = peer->iperf3_tcp, .events = POLLIN },
			{ .fd = peer->iperf3_udp, .events = POLLIN },
			{ .fd = peer->ttcp_tcp, .events = POLLIN },
		};

		/* signals end the wait; the time-out covers one that came just
		 * before it */
		if (poll(p, 3, 200) < 0 && errno != EINTR)
			return kd_fail_errno(d, "cannot wait for clients");
		if (p[0].revents)
			accept_one(peer, peer->iperf3_tcp,
				   kd_peer_iperf3_accept);
		if (p[1].revents)
			kd_peer_iperf3_datagram(peer);
		if (p[2].revents)
			accept_one(peer, peer->ttcp_tcp, kd_peer_ttcp_accept);
		if (kd_now() - looked > LOOK_NS) {
			kd_peer_http_expire(peer);
			kd_peer_log_flush(peer);
			looked = kd_now();
		}
	}
	return 0;
}

static void end_transfers(struct kd_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	peer->stopping = true;
	if (peer->wake >= 0)
		eventfd_write(peer->wake, 1);
	pthread_cond_broadcast(&peer->changed);
	/* each of them sees that at once, whatever it waits for */
	while (peer->threads)
		pthread_cond_wait(&peer->changed, &peer->lock);
	pthread_mutex_unlock(&peer->lock);
}

void kd_peer_close(struct kd_peer *peer, struct kd_peer_totals *totals)
{
	int fds[] = { peer->iperf3_tcp, peer->iperf3_udp, peer->ttcp_tcp,
		      peer->ttcp_udp };

	end_transfers(peer);
	kd_peer_http_close(peer);
	if (totals)
		*totals = (struct kd_peer_totals){
			.transfers = peer->transfers,
			.bytes = peer->bytes,
			.refused = peer->refused,
		};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (peer->wake >= 0)
		close(peer->wake);
	pthread_cond_destroy(&peer->changed);
	pthread_mutex_destroy(&peer->lock);
	free(peer);
}
