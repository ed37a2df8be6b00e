// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The server's side of an iperf3 test: one thread a connection.
 *
 * A connection begins with a cookie. One that a waiting test knows is a data
 * stream of that test; any other is a new test's control connection. A UDP
 * stream begins with a datagram that carries no cookie, so it belongs to the
 * test of that address which waits for streams; where two wait, to the older.
 */
#include "peer/iperf3.h"
#include "peer/server.h"

#include "base/buf.h"
#include "base/clock.h"

#include <endian.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GREETING_NS (5 * KD_NS_PER_SEC)
#define STEP_NS (10 * KD_NS_PER_SEC)
#define STREAMS_NS (30 * KD_NS_PER_SEC)
/* an end that the client never announces */
#define SLACK_NS (40 * KD_NS_PER_SEC)
#define IDLE_END_NS (120 * KD_NS_PER_SEC)
/* iperf3's own error numbers, for SERVER_ERROR */
#define IEUNIMP 13
#define IESTREAMCONNECT 203

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
	size_t n_streams;	/* under the peer's lock while waiting */
	bool waiting;
	pthread_cond_t arrived;
	const char *ended;
};

struct greeting {
	struct kd_peer *peer;
	int fd;
	union kd_sockaddr from;
};

static int send_state(struct kd_iperf3_session *s, int state)
{
	signed char c = (signed char)state;

	return kd_peer_write(s->control, &c, 1, kd_now() + STEP_NS);
}

static void send_error(struct kd_iperf3_session *s, int code, int err)
{
	uint32_t words[2] = { htobe32((uint32_t)code), htobe32((uint32_t)err) };

	if (!send_state(s, KD_IPERF3_SERVER_ERROR))
		kd_peer_write(s->control, words, sizeof(words),
			      kd_now() + STEP_NS);
}

static int read_json(struct kd_iperf3_session *s, uint32_t max, json_t **out)
{
	uint64_t deadline = kd_now() + STEP_NS;
	uint32_t len;
	char *text;
	int r = kd_peer_read(s->control, &len, sizeof(len), deadline);

	if (r)
		return r;
	len = be32toh(len);
	if (!len || len > max)
		return -EMSGSIZE;
	text = malloc(len);
	if (!text)
		return -ENOMEM;
	r = kd_peer_read(s->control, text, len, deadline);
	if (!r) {
		/* real and unknown counts of 2^64 - 1 pass 64 bits */
		*out = json_loadb(text, len, JSON_DECODE_INT_AS_REAL, NULL);
		r = *out ? 0 : -EPROTO;
	}
	free(text);
	return r;
}

static int write_json(struct kd_iperf3_session *s, json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);
	uint32_t len;
	int r;

	json_decref(json);
	if (!text)
		return -ENOMEM;
	len = htobe32((uint32_t)strlen(text));
	r = kd_peer_write(s->control, &len, sizeof(len), kd_now() + STEP_NS);
	if (!r)
		r = kd_peer_write(s->control, text, strlen(text),
				  kd_now() + STEP_NS);
	free(text);
	return r;
}

static void tune(int fd, const struct kd_iperf3_params *p, bool sender)
{
	int one = 1;

	if (p->window) {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &p->window, sizeof(int));
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &p->window, sizeof(int));
	}
	if (p->tos)
		setsockopt(fd, IPPROTO_IP, IP_TOS, &p->tos, sizeof(int));
	if (p->udp)
		return;
	if (p->nodelay)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (p->mss)
		setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &p->mss, sizeof(int));
	if (sender && p->congestion[0])
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, p->congestion,
			   (socklen_t)strlen(p->congestion));
}

/* in both directions the first half of the connections carries the client's */
static bool stream_sends(const struct kd_iperf3_params *p, size_t index)
{
	if (p->bidir)
		return index >= (size_t)p->streams;
	return p->reverse;
}

/* under the peer's lock */
static void add_stream(struct kd_iperf3_session *s, int fd)
{
	struct kd_iperf3_stream *st = &s->streams[s->n_streams];

	*st = (struct kd_iperf3_stream){
		.fd = fd,
		.id = kd_iperf3_stream_id((int)s->n_streams),
		.sender = stream_sends(&s->params, s->n_streams),
		.retransmits = -1,
	};
	tune(fd, &s->params, st->sender);
	s->n_streams++;
	pthread_cond_signal(&s->arrived);
}

static bool same_host(const union kd_sockaddr *a, const union kd_sockaddr *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return false;
	if (a->sa.sa_family == AF_INET)
		return a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
	return !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, 16);
}

static struct kd_iperf3_session *find_waiting(struct kd_peer *peer, bool udp,
					      const unsigned char *cookie,
					      const union kd_sockaddr *from)
{
	struct kd_iperf3_session *found = NULL;

	for (struct kd_iperf3_session *s = peer->sessions; s; s = s->next) {
		if (!s->waiting || s->params.udp != udp ||
		    s->n_streams == s->n_expected)
			continue;
		if (udp ? same_host(&s->from, from) :
			  !memcmp(s->cookie, cookie, KD_IPERF3_COOKIE))
			found = s;	/* the list begins with the newest */
	}
	return found;
}

void kd_peer_iperf3_datagram(struct kd_peer *peer)
{
	static const unsigned char hello_now[] = { '9', '8', '7', '6' };
	static const unsigned char answer[] = { '6', '7', '8', '9' };
	uint32_t hello_old = 123456789, answer_old = 987654321;
	unsigned char data[64];
	union kd_sockaddr from;
	socklen_t len = sizeof(from);
	struct kd_iperf3_session *s;
	struct kd_diag d = { 0 };
	bool old;
	int fresh, fd = peer->iperf3_udp;
	ssize_t n = recvfrom(fd, data, sizeof(data), MSG_DONTWAIT, &from.sa,
			     &len);

	if (n != 4)
		return;
	old = !memcmp(data, &hello_old, 4);
	if (!old && memcmp(data, hello_now, 4))
		return;
	pthread_mutex_lock(&peer->lock);
	s = find_waiting(peer, true, NULL, &from);
	if (s && !connect(fd, &from.sa, len)) {
		/* this socket is the stream's now; a new one takes its place */
		fresh = kd_peer_listen(peer->o, SOCK_DGRAM,
				       (int)peer->o->iperf3_port, &d);
		if (send(fd, old ? (const void *)&answer_old : answer, 4,
			 MSG_NOSIGNAL) == 4)
			add_stream(s, fd);
		else
			close(fd);
		peer->iperf3_udp = fresh;
	}
	pthread_mutex_unlock(&peer->lock);
}

static int create_streams(struct kd_iperf3_session *s)
{
	struct kd_peer *peer = s->peer;
	uint64_t wall = kd_wall() + STREAMS_NS;
	struct timespec until = { .tv_sec = (time_t)(wall / KD_NS_PER_SEC),
				  .tv_nsec = (long)(wall % KD_NS_PER_SEC) };
	int r = 0;

	s->n_expected = (size_t)s->params.streams * (s->params.bidir ? 2 : 1);
	s->streams = calloc(s->n_expected, sizeof(*s->streams));
	if (!s->streams)
		return -ENOMEM;
	pthread_mutex_lock(&peer->lock);
	s->waiting = true;
	pthread_mutex_unlock(&peer->lock);
	r = send_state(s, KD_IPERF3_CREATE_STREAMS);
	pthread_mutex_lock(&peer->lock);
	while (!r && s->n_streams < s->n_expected && !peer->stopping)
		r = -pthread_cond_timedwait(&s->arrived, &peer->lock, &until);
	s->waiting = false;
	pthread_mutex_unlock(&peer->lock);
	return r ? r : peer->stopping ? -ECANCELED : 0;
}

static uint64_t hard_end(const struct kd_iperf3_session *s)
{
	const struct kd_iperf3_params *p = &s->params;
	uint64_t asked = (uint64_t)((p->time_s + p->omit_s) * 1e9) + SLACK_NS;
	uint64_t limit = s->peer->o->max_time_ns;

	if (p->time_s == 0)
		asked = limit ? limit : 24 * 3600 * KD_NS_PER_SEC;
	return limit && limit < asked ? limit : asked;
}

/* the state that ended the data phase: 4, 12, or less than 0 */
static int data_phase(struct kd_iperf3_session *s, struct kd_iperf3_run *run)
{
	signed char state = 0;
	struct kd_diag d = { 0 };
	int why;

	if (send_state(s, KD_IPERF3_TEST_START) ||
	    send_state(s, KD_IPERF3_TEST_RUNNING))
		return -EPIPE;
	why = kd_iperf3_run_streams(run, &d);
	switch (why) {
	case KD_IPERF3_END_TIME:
		s->ended = "the client did not end it in time";
		break;
	case KD_IPERF3_END_BYTES:
		s->ended = "the limit of bytes was reached";
		break;
	case KD_IPERF3_END_WAKE:
		s->ended = "the peer was stopped";
		break;
	default:
		break;
	}
	if (why != KD_IPERF3_END_CONTROL) {
		send_state(s, KD_IPERF3_SERVER_TERMINATE);
		return -ETIMEDOUT;
	}
	if (kd_peer_read(s->control, &state, 1, kd_now() + STEP_NS)) {
		s->ended = "the client vanished";
		return -EPIPE;
	}
	if (state == KD_IPERF3_CLIENT_TERMINATE)
		s->ended = "the client was interrupted";
	else if (state != KD_IPERF3_TEST_END)
		s->ended = "the client broke the protocol";
	return state;
}

static void fill_transfer(const struct kd_iperf3_session *s,
			  const struct kd_iperf3_run *run,
			  struct kd_peer_transfer *t)
{
	const struct kd_iperf3_params *p = &s->params;

	*t = (struct kd_peer_transfer){
		.service = "iperf3",
		.client = s->name,
		.direction = p->bidir ? "both" : p->reverse ? "sent" : "received",
		.protocol = p->udp ? "udp" : "tcp",
		.streams = (unsigned int)s->n_streams,
		.seconds = (double)(run->t1_ns - run->t0_ns) / 1e9,
		.lost = p->udp ? 0 : -1,
		.ended = s->ended,
	};
	for (size_t i = 0; i < s->n_streams; i++) {
		const struct kd_iperf3_stream *st = &s->streams[i];

		t->bytes += st->bytes;
		if (!p->udp)
			continue;
		t->lost += st->lost - st->omitted_lost;
		t->datagrams += (int64_t)(st->packets - st->omitted_packets);
		if (st->jitter_s > t->jitter_s)
			t->jitter_s = st->jitter_s;
	}
}

static void server_text(const struct kd_peer_transfer *t, char *out,
			size_t size)
{
	snprintf(out, size,
		 "kdelta peer: %s %llu bytes in %.3f s, %.1f Mbit/s, %u stream%s\n",
		 t->direction, (unsigned long long)t->bytes, t->seconds,
		 t->seconds > 0 ? (double)t->bytes * 8 / 1e6 / t->seconds : 0,
		 t->streams, t->streams == 1 ? "" : "s");
}

static int exchange(struct kd_iperf3_session *s,
		    const struct kd_iperf3_run *run,
		    const struct kd_peer_transfer *t)
{
	double seconds = t->seconds;
	struct kd_iperf3_cpu cpu = { 0 };
	json_t *theirs = NULL;
	signed char state;
	char text[256];
	int r;

	if (seconds > 0) {
		cpu.user = run->cpu_user_s / seconds * 100;
		cpu.system = run->cpu_system_s / seconds * 100;
		cpu.total = cpu.user + cpu.system;
	}
	server_text(t, text, sizeof(text));
	r = send_state(s, KD_IPERF3_EXCHANGE_RESULTS);
	if (!r)
		r = read_json(s, KD_IPERF3_MAX_RESULTS, &theirs);
	json_decref(theirs);
	if (!r)
		r = write_json(s, kd_iperf3_results_write(
			&s->params, s->streams, s->n_streams, &cpu, seconds,
			s->params.get_server_output ? text : NULL));
	if (!r)
		r = send_state(s, KD_IPERF3_DISPLAY_RESULTS);
	if (!r)
		r = kd_peer_read(s->control, &state, 1, kd_now() + STEP_NS);
	return r;
}

static void test(struct kd_iperf3_session *s)
{
	struct kd_iperf3_run run = { .params = &s->params,
				     .control = s->control,
				     .wake = s->peer->wake,
				     .max_bytes = s->peer->o->max_bytes };
	struct kd_peer_transfer t;
	struct kd_diag d = { 0 };
	json_t *params = NULL;
	int r = send_state(s, KD_IPERF3_PARAM_EXCHANGE);

	if (!r)
		r = read_json(s, KD_IPERF3_MAX_PARAMS, &params);
	if (r) {
		s->ended = "no parameters came";
		return;
	}
	r = kd_iperf3_params_read(params, &s->params, &d);
	json_decref(params);
	if (r) {
		send_error(s, IEUNIMP, -r);
		s->ended = "parameters that are not served here";
		return;
	}
	r = create_streams(s);
	if (r) {
		send_error(s, IESTREAMCONNECT, -r);
		s->ended = "its streams did not come";
		return;
	}
	run.streams = s->streams;
	run.n_streams = s->n_streams;
	run.max_ns = hard_end(s);
	r = data_phase(s, &run);
	fill_transfer(s, &run, &t);
	if (r == KD_IPERF3_TEST_END && exchange(s, &run, &t))
		t.ended = "the results were not exchanged";
	kd_peer_log(s->peer, &t);
}

static void unlink_session(struct kd_iperf3_session *s)
{
	struct kd_iperf3_session **p;

	pthread_mutex_lock(&s->peer->lock);
	for (p = &s->peer->sessions; *p != s; p = &(*p)->next)
		;
	*p = s->next;
	pthread_mutex_unlock(&s->peer->lock);
}

static void serve_control(struct kd_peer *peer, int fd,
			  const union kd_sockaddr *from,
			  const unsigned char *cookie)
{
	struct kd_iperf3_session s = { .peer = peer, .control = fd,
				       .from = *from, .ended = "" };
	int one = 1;

	memcpy(s.cookie, cookie, sizeof(s.cookie));
	kd_peer_name(from, s.name, sizeof(s.name));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	pthread_cond_init(&s.arrived, NULL);
	pthread_mutex_lock(&peer->lock);
	s.next = peer->sessions;
	peer->sessions = &s;
	pthread_mutex_unlock(&peer->lock);
	test(&s);
	unlink_session(&s);
	for (size_t i = 0; i < s.n_streams; i++)
		if (s.streams[i].fd >= 0)
			close(s.streams[i].fd);
	free(s.streams);
	pthread_cond_destroy(&s.arrived);
}

/* true where the connection was a stream, and is the test's now */
static bool join_test(struct kd_peer *peer, int fd, const unsigned char *cookie)
{
	struct kd_iperf3_session *s;

	pthread_mutex_lock(&peer->lock);
	s = find_waiting(peer, false, cookie, NULL);
	if (s)
		add_stream(s, fd);
	pthread_mutex_unlock(&peer->lock);
	return s;
}

static void *greet(void *arg)
{
	struct greeting *g = arg;
	unsigned char cookie[KD_IPERF3_COOKIE];

	if (kd_peer_read(g->fd, cookie, sizeof(cookie),
			 kd_now() + GREETING_NS)) {
		close(g->fd);
	} else if (!join_test(g->peer, g->fd, cookie)) {
		serve_control(g->peer, g->fd, &g->from, cookie);
		close(g->fd);
	}
	kd_peer_leave(g->peer);
	free(g);
	return NULL;
}

void kd_peer_iperf3_accept(struct kd_peer *peer, int fd,
			   const union kd_sockaddr *from)
{
	signed char denied = KD_IPERF3_ACCESS_DENIED;
	struct greeting *g = malloc(sizeof(*g));

	if (g && kd_peer_enter(peer)) {
		*g = (struct greeting){ .peer = peer, .fd = fd, .from = *from };
		if (!kd_peer_thread(greet, g))
			return;
		kd_peer_leave(peer);
	}
	free(g);
	send(fd, &denied, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}
