// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The server's side of an iperf3 test: one thread a connection.
 */
#include "peer/iperf3_session.h"

#include "base/clock.h"

#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GREETING_NS (5 * KD_NS_PER_SEC)
/* an end that the client never announces */
#define SLACK_NS (40 * KD_NS_PER_SEC)
#define IDLE_END_NS (120 * KD_NS_PER_SEC)
/* iperf3's own error numbers, for SERVER_ERROR */
#define IEUNIMP 13
#define IESTREAMCONNECT 203

struct greeting {
	struct kd_peer *peer;
	int fd;
	union kd_sockaddr from;
};

/* when a test must be over by what its client said; 0: it did not say */
static uint64_t announced_end(const struct kd_iperf3_params *p)
{
	if (p->time_s == 0)
		return 0;
	return (uint64_t)((p->time_s + p->omit_s) * 1e9) + SLACK_NS;
}

static uint64_t hard_end(const struct kd_iperf3_session *s)
{
	uint64_t asked = announced_end(&s->params);
	uint64_t limit = s->peer->o->max_time_ns;

	return limit && (!asked || limit < asked) ? limit : asked;
}

/* the state that ended the data phase: 4, 12, or less than 0 */
static int data_phase(struct kd_iperf3_session *s, struct kd_iperf3_run *run)
{
	signed char state = 0;
	struct kd_diag d = { 0 };
	int why;

	if (kd_iperf3_send_state(s, KD_IPERF3_TEST_START) ||
	    kd_iperf3_send_state(s, KD_IPERF3_TEST_RUNNING))
		return -EPIPE;
	why = kd_iperf3_run_streams(run, &d);
	switch (why) {
	case KD_IPERF3_END_TIME:
		s->ended = run->max_ns == announced_end(&s->params) ?
				   "the client did not end it in time" :
				   "the limit of time was reached";
		break;
	case KD_IPERF3_END_IDLE:
		s->ended = "nothing came for too long";
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
		kd_iperf3_send_state(s, KD_IPERF3_SERVER_TERMINATE);
		return -ETIMEDOUT;
	}
	if (kd_peer_read(s->peer, s->control, &state, 1,
			 kd_now() + KD_IPERF3_STEP_NS)) {
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
	r = kd_iperf3_send_state(s, KD_IPERF3_EXCHANGE_RESULTS);
	if (!r)
		r = kd_iperf3_read_json(s, KD_IPERF3_MAX_RESULTS, &theirs);
	json_decref(theirs);
	if (!r)
		r = kd_iperf3_write_json(s, kd_iperf3_results_write(
			&s->params, s->streams, s->n_streams, &cpu, seconds,
			s->params.get_server_output ? text : NULL));
	if (!r)
		r = kd_iperf3_send_state(s, KD_IPERF3_DISPLAY_RESULTS);
	if (!r)
		r = kd_peer_read(s->peer, s->control, &state, 1,
			 kd_now() + KD_IPERF3_STEP_NS);
	return r;
}

static void test(struct kd_iperf3_session *s)
{
	struct kd_iperf3_run run = { .params = &s->params,
				     .control = s->control,
				     .wake = s->peer->wake,
				     .idle_ns = IDLE_END_NS,
				     .max_bytes = s->peer->o->max_bytes };
	struct kd_peer_transfer t;
	struct kd_diag d = { 0 };
	json_t *params = NULL;
	int r = kd_iperf3_send_state(s, KD_IPERF3_PARAM_EXCHANGE);

	if (!r)
		r = kd_iperf3_read_json(s, KD_IPERF3_MAX_PARAMS, &params);
	if (r) {
		s->ended = "no parameters came";
		return;
	}
	r = kd_iperf3_params_read(params, &s->params, &d);
	json_decref(params);
	if (r) {
		kd_iperf3_send_error(s, IEUNIMP, -r);
		s->ended = "parameters that are not served here";
		return;
	}
	r = kd_iperf3_create_streams(s);
	if (r) {
		kd_iperf3_send_error(s, IESTREAMCONNECT, -r);
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
}

static void deny(int fd)
{
	signed char denied = KD_IPERF3_ACCESS_DENIED;

	send(fd, &denied, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

void kd_peer_iperf3_serve(struct kd_peer *peer, int fd,
			  const union kd_sockaddr *from)
{
	unsigned char cookie[KD_IPERF3_COOKIE];

	if (kd_peer_read(peer, fd, cookie, sizeof(cookie),
			 kd_now() + GREETING_NS)) {
		close(fd);
	} else if (kd_iperf3_join(peer, fd, cookie)) {
		return;
	} else if (kd_peer_enter(peer)) {
		serve_control(peer, fd, from, cookie);
		close(fd);
		kd_peer_leave(peer);
	} else {
		deny(fd);
	}
}

static void *greet(void *arg)
{
	struct greeting *g = arg;
	struct kd_peer *peer = g->peer;

	kd_peer_iperf3_serve(peer, g->fd, &g->from);
	free(g);
	kd_peer_thread_end(peer);
	return NULL;
}

void kd_peer_iperf3_accept(struct kd_peer *peer, int fd,
			   const union kd_sockaddr *from)
{
	struct greeting *g = malloc(sizeof(*g));

	if (g) {
		*g = (struct greeting){ .peer = peer, .fd = fd, .from = *from };
		if (!kd_peer_thread(peer, greet, g))
			return;
	}
	free(g);
	deny(fd);
}
