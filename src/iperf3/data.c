// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data phase of an iperf3 test: one thread, one epoll, all its streams.
 *
 * Nothing is allocated here but the one buffer. Paced senders leave epoll
 * between their turns: the wait's timeout is the next turn.
 */
#include "iperf3/iperf3.h"

#include "base/clock.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_EVENTS 64
#define READS_PER_TURN 16
#define TURN_NS KD_NS_PER_MS
#define FINISH_NS KD_NS_PER_SEC
#define CONTROL_TAG UINT64_MAX
#define WAKE_TAG (UINT64_MAX - 1)

struct loop {
	struct kd_iperf3_run *run;
	int epoll;
	unsigned char *buffer;
	size_t buffer_size;
	bool counting;
	uint64_t started_ns;
	uint64_t moved_ns, moved_bytes;	/* when there was progress */
	double cpu_user0, cpu_system0;
};

static void thread_cpu(double *user, double *system)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	*user = (double)u.ru_utime.tv_sec + u.ru_utime.tv_usec / 1e6;
	*system = (double)u.ru_stime.tv_sec + u.ru_stime.tv_usec / 1e6;
}

static int64_t retransmits(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return -1;
	return info.tcpi_total_retrans;
}

/* the omitted start is over: count from here */
static void begin_counting(struct loop *l)
{
	struct kd_iperf3_run *run = l->run;

	for (size_t i = 0; i < run->n_streams; i++) {
		struct kd_iperf3_stream *s = &run->streams[i];

		s->bytes = 0;
		s->sent_bytes = 0;
		s->omitted_packets = s->packets;
		s->omitted_lost = s->lost;
		s->jitter_s = 0;
		if (s->sender && !run->params->udp)
			s->retransmits_omitted = retransmits(s->fd);
	}
	__atomic_store_n(&run->t0_ns, kd_now(), __ATOMIC_RELEASE);
	thread_cpu(&l->cpu_user0, &l->cpu_system0);
	l->counting = true;
}

static void watch(struct loop *l, size_t i, uint32_t events, int op)
{
	struct epoll_event ev = { .events = events, .data.u64 = i };

	epoll_ctl(l->epoll, op, l->run->streams[i].fd, &ev);
}

static void settle(struct loop *l, struct kd_iperf3_stream *s)
{
	if (s->sender && !l->run->params->udp && s->fd >= 0)
		s->retransmits = retransmits(s->fd) - s->retransmits_omitted;
}

static void drop(struct loop *l, size_t i)
{
	struct kd_iperf3_stream *s = &l->run->streams[i];

	settle(l, s);
	watch(l, i, 0, EPOLL_CTL_DEL);
	close(s->fd);
	s->fd = -1;
}

static void receive(struct loop *l, size_t i)
{
	struct kd_iperf3_stream *s = &l->run->streams[i];
	bool udp = l->run->params->udp;

	for (int k = 0; k < READS_PER_TURN; k++) {
		uint64_t before = s->bytes;
		ssize_t n = recv(s->fd, l->buffer, l->buffer_size,
				 MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR ||
			      (udp && errno == ECONNREFUSED)))
			return;
		if (n <= 0 && !udp) {
			drop(l, i);
			return;
		}
		if (udp)
			kd_iperf3_udp_count(s, l->run->params, l->buffer,
					    n > 0 ? (size_t)n : 0, kd_now());
		else
			s->bytes += (uint64_t)n;
		l->run->total_bytes += s->bytes - before;
	}
}

/* over UDP some is lost: there the receiver alone knows when it has all */
static bool has_sent_all(const struct loop *l, const struct kd_iperf3_stream *s)
{
	const struct kd_iperf3_params *p = l->run->params;

	if (p->udp)
		return false;
	return (p->bytes && s->sent_bytes >= p->bytes) ||
	       (p->blocks && s->sent_bytes >= p->blocks * p->block);
}

/* when a stream at its rate may send again after @len bytes */
static void pace(struct loop *l, struct kd_iperf3_stream *s, size_t len)
{
	const struct kd_iperf3_params *p = l->run->params;

	if (p->rate_bps)
		s->next_ns += len * 8 * KD_NS_PER_SEC / p->rate_bps;
}

static void transmit(struct loop *l, size_t i, uint64_t now)
{
	struct kd_iperf3_stream *s = &l->run->streams[i];
	const struct kd_iperf3_params *p = l->run->params;

	for (int k = 0; k < READS_PER_TURN; k++) {
		ssize_t n;

		if ((p->rate_bps && s->next_ns > now) || has_sent_all(l, s))
			return;
		if (p->udp) {
			s->sequence++;
			kd_iperf3_udp_head(s, p, l->buffer, kd_now());
		}
		n = send(s->fd, l->buffer, p->block,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && p->udp)
			s->sequence--;
		if (n < 0 && errno != EAGAIN && errno != EINTR &&
		    errno != ECONNREFUSED && errno != ENOBUFS)
			drop(l, i);
		if (n <= 0)
			return;
		s->bytes += (uint64_t)n;
		s->sent_bytes += (uint64_t)n;
		s->packets = s->sequence;
		l->run->total_bytes += (uint64_t)n;
		pace(l, s, (size_t)n);
	}
}

/* paced senders are not watched for room: their turn is a time */
static bool is_paced(const struct loop *l, const struct kd_iperf3_stream *s)
{
	return s->sender && l->run->params->rate_bps;
}

static uint64_t send_paced(struct loop *l, uint64_t now)
{
	uint64_t next = now + 100 * KD_NS_PER_MS;

	for (size_t i = 0; i < l->run->n_streams; i++) {
		struct kd_iperf3_stream *s = &l->run->streams[i];

		if (s->fd < 0 || !is_paced(l, s) || has_sent_all(l, s))
			continue;
		if (s->next_ns + 100 * KD_NS_PER_MS < now)
			s->next_ns = now - 100 * KD_NS_PER_MS;
		transmit(l, i, now);
		if (s->fd < 0)
			continue;
		/* a full socket: come again soon, not in a loop */
		if (s->next_ns < now + TURN_NS)
			next = next < now + TURN_NS ? next : now + TURN_NS;
		else if (s->next_ns < next)
			next = s->next_ns;
	}
	return next;
}

static int open_loop(struct loop *l, struct kd_diag *d)
{
	struct kd_iperf3_run *run = l->run;
	struct epoll_event control = { .events = EPOLLIN | EPOLLRDHUP,
				       .data.u64 = CONTROL_TAG };
	struct epoll_event wake = { .events = EPOLLIN, .data.u64 = WAKE_TAG };

	l->buffer_size = run->params->udp ? 65536 : run->params->block;
	l->buffer = malloc(l->buffer_size);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0 || !l->buffer)
		return kd_fail_errno(d, "cannot watch the streams");
	if (getrandom(l->buffer, l->buffer_size, 0) < 0)
		memset(l->buffer, 0x5a, l->buffer_size);
	epoll_ctl(l->epoll, EPOLL_CTL_ADD, run->control, &control);
	if (run->wake >= 0)
		epoll_ctl(l->epoll, EPOLL_CTL_ADD, run->wake, &wake);
	for (size_t i = 0; i < run->n_streams; i++) {
		struct kd_iperf3_stream *s = &run->streams[i];

		s->next_ns = kd_now();
		watch(l, i, !s->sender ? EPOLLIN : is_paced(l, s) ? 0 : EPOLLOUT,
		      EPOLL_CTL_ADD);
	}
	return 0;
}

static int dispatch(struct loop *l, const struct epoll_event *ev, int n)
{
	int why = -1;

	for (int k = 0; k < n; k++) {
		uint64_t tag = ev[k].data.u64;
		struct kd_iperf3_stream *s;

		if (tag == CONTROL_TAG) {
			why = KD_IPERF3_END_CONTROL;
			continue;
		}
		if (tag == WAKE_TAG)
			return KD_IPERF3_END_WAKE;
		s = &l->run->streams[tag];
		if (s->fd < 0)
			continue;
		if (s->sender && (ev[k].events & (EPOLLERR | EPOLLHUP)) &&
		    !l->run->params->udp)
			drop(l, tag);
		else if (!s->sender)
			receive(l, tag);
		else if (!is_paced(l, s) && has_sent_all(l, s))
			watch(l, tag, 0, EPOLL_CTL_MOD);
		else if (!is_paced(l, s))
			transmit(l, tag, kd_now());
	}
	return why;
}

static int turn(struct loop *l)
{
	struct kd_iperf3_run *run = l->run;
	struct epoll_event ev[MAX_EVENTS];
	uint64_t now = kd_now();
	uint64_t omit_ns = (uint64_t)(run->params->omit_s * 1e9);
	uint64_t next;
	int n;

	if (!l->counting && now - l->started_ns >= omit_ns)
		begin_counting(l);
	if (run->max_ns && now - l->started_ns >= run->max_ns)
		return KD_IPERF3_END_TIME;
	if (run->max_bytes && run->total_bytes >= run->max_bytes)
		return KD_IPERF3_END_BYTES;
	if (run->total_bytes != l->moved_bytes) {
		l->moved_bytes = run->total_bytes;
		l->moved_ns = now;
	} else if (run->idle_ns && now - l->moved_ns >= run->idle_ns) {
		return KD_IPERF3_END_IDLE;
	}
	next = send_paced(l, now);
	if (!l->counting && l->started_ns + omit_ns < next)
		next = l->started_ns + omit_ns;
	n = epoll_wait(l->epoll, ev, MAX_EVENTS, kd_ms_left(next));
	return n < 0 ? -1 : dispatch(l, ev, n);
}

/* what the receiver has in its queue when the test ends still counts */
static void drain(struct loop *l)
{
	for (size_t i = 0; i < l->run->n_streams; i++)
		for (int k = 0; k < 64 && l->run->streams[i].fd >= 0 &&
				!l->run->streams[i].sender; k++) {
			uint64_t before = l->run->streams[i].bytes;

			receive(l, i);
			if (l->run->streams[i].fd < 0 ||
			    l->run->streams[i].bytes == before)
				break;
		}
}

/* are fewer than @want bytes here, and can more come */
static bool is_short(const struct kd_iperf3_run *run, uint64_t want)
{
	uint64_t sum = 0;
	bool open = false;

	for (size_t i = 0; i < run->n_streams; i++) {
		const struct kd_iperf3_stream *s = &run->streams[i];

		if (s->sender)
			continue;
		sum += s->bytes;
		open |= s->fd >= 0;
	}
	return open && sum < want;
}

/* the control connection may be faster than the last of the data */
static void finish_size(struct loop *l)
{
	struct kd_iperf3_run *run = l->run;
	const struct kd_iperf3_params *p = run->params;
	uint64_t want = p->bytes ? p->bytes : p->blocks * p->block;
	uint64_t until = kd_now() + FINISH_NS;

	if (p->udp || p->reverse)
		return;
	for (size_t i = 0; i < run->n_streams; i++)
		if (run->streams[i].sender && run->streams[i].fd >= 0)
			watch(l, i, 0, EPOLL_CTL_DEL);
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, run->control, NULL);
	while (is_short(run, want) && kd_now() < until) {
		uint64_t before = run->total_bytes;
		struct epoll_event ev[MAX_EVENTS];
		int n = epoll_wait(l->epoll, ev, MAX_EVENTS, 10);

		if (n > 0 && dispatch(l, ev, n) >= 0)
			break;
		if (run->total_bytes != before)
			run->t1_ns = kd_now();
	}
}

int kd_iperf3_run_streams(struct kd_iperf3_run *run, struct kd_diag *d)
{
	struct loop l = { .run = run, .epoll = -1 };
	double user, system;
	int r = open_loop(&l, d);
	int why = -1;

	l.started_ns = l.moved_ns = kd_now();
	if (!r) {
		while (why < 0)
			why = turn(&l);
		if (!l.counting)
			begin_counting(&l);
		run->t1_ns = kd_now();
		drain(&l);
		if (why == KD_IPERF3_END_CONTROL)
			finish_size(&l);
		for (size_t i = 0; i < run->n_streams; i++)
			if (run->keep)
				settle(&l, &run->streams[i]);
			else if (run->streams[i].fd >= 0)
				drop(&l, i);
		thread_cpu(&user, &system);
		run->cpu_user_s = user - l.cpu_user0;
		run->cpu_system_s = system - l.cpu_system0;
	}
	if (l.epoll >= 0)
		close(l.epoll);
	free(l.buffer);
	return r ? r : why;
}
