// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes on the control connection of an iperf3 test. Four bytes say how many
 * streams come, what they send, and where the client pauses until they are
 * there; the rest is what it says: cookie, parameters, states, results.
 *
 * Parameters by themselves, too: what is taken comes back from what is written.
 */
#include "peer/iperf3_session.h"

#include "base/clock.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MAX_STREAMS 4
/* how often a stream that nobody waits for is offered */
#define TRIES 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct client {
	struct kd_peer *peer;
	int fd;
	size_t streams;
	bool sends;
	const uint8_t *data;
	size_t pause, size;
	atomic_bool over;
	int kept[MAX_STREAMS];
};

static void report(void *arg, const struct kd_peer_transfer *t)
{
	if (!t->service || !t->ended || !t->client || t->seconds < 0 ||
	    t->streams > 2 * KD_IPERF3_MAX_STREAMS)
		abort();
}

/* true when a test has taken one more stream */
static bool offer(struct client *c, size_t i)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	if (c->sends && write(pair[1], c->data, c->size) < 0)
		abort();
	for (int k = 0; k < TRIES && !c->over; k++) {
		if (kd_iperf3_join(c->peer, pair[0], c->data)) {
			c->kept[i] = pair[1];
			return true;
		}
		sched_yield();
	}
	close(pair[0]);
	close(pair[1]);
	return false;
}

static void *client(void *arg)
{
	struct client *c = arg;
	size_t n = 0;

	if (send(c->fd, c->data, c->pause, MSG_NOSIGNAL) > 0)
		while (n < c->streams && offer(c, n))
			n++;
	if (send(c->fd, c->data + c->pause, c->size - c->pause,
		 MSG_NOSIGNAL) >= 0)
		shutdown(c->fd, SHUT_WR);
	while (n)
		close(c->kept[--n]);
	/* it looks at a client that waits when something changes */
	pthread_mutex_lock(&c->peer->lock);
	pthread_cond_broadcast(&c->peer->changed);
	pthread_mutex_unlock(&c->peer->lock);
	return NULL;
}

static void session(const uint8_t *data, size_t size)
{
	static const struct kd_peer_options options = { .max_clients = 4,
							.bind = "127.0.0.1" };
	struct kd_peer *peer;
	struct kd_diag d = { 0 };
	union kd_sockaddr from = { .in = { .sin_family = AF_INET } };
	struct client c = {
		.streams = data[0] % (MAX_STREAMS + 1),
		.sends = data[1] & 1, .data = data + 4, .size = size - 4,
	};
	size_t pause = (size_t)data[2] << 8 | data[3];
	pthread_t thread;
	int pair[2];

	c.pause = pause < c.size ? pause : c.size;
	if (kd_peer_open(&options, report, NULL, &peer, &d) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	c.peer = peer;
	c.fd = pair[1];
	if (pthread_create(&thread, NULL, client, &c))
		abort();
	kd_peer_iperf3_serve(peer, pair[0], &from);
	c.over = true;
	pthread_join(thread, NULL);
	close(pair[1]);
	if (peer->clients || peer->sessions)
		abort();
	kd_peer_close(peer, NULL);
}

static void parameters(const uint8_t *data, size_t size)
{
	json_t *json = json_loadb((const char *)data, size,
				  JSON_DECODE_INT_AS_REAL, NULL), *back;
	struct kd_iperf3_params p, q;
	struct kd_diag d = { 0 };
	int r;

	if (!json)
		return;
	r = kd_iperf3_params_read(json, &p, &d);
	json_decref(json);
	if (r) {
		if (r != d.err || !d.text[0])
			abort();
		return;
	}
	if (p.streams < 1 || p.streams > KD_IPERF3_MAX_STREAMS || !p.block)
		abort();
	back = kd_iperf3_params_write(&p);
	if (kd_iperf3_params_read(back, &q, &d) || q.udp != p.udp ||
	    q.streams != p.streams || q.block != p.block ||
	    q.reverse != p.reverse || strcmp(q.congestion, p.congestion))
		abort();
	json_decref(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* more than the socket takes at once would stop the client */
	if (size < 4 || size > 100000)
		return 0;
	if (size > 4 + KD_IPERF3_COOKIE + 4)
		parameters(data + 4 + KD_IPERF3_COOKIE + 4,
			   size - 4 - KD_IPERF3_COOKIE - 4);
	session(data, size);
	return 0;
}
