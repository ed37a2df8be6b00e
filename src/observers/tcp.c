// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What TCP thinks of the workload's connections, from TCP_INFO (struct
 * tcp_info, linux/tcp.h), asked of this end at every sample. A kernel returns
 * as much of the structure as it knows. Its delivery rate is not reported: the
 * kernel estimates it over bursts, and on a paced veth it read twenty times
 * what the receiver counted.
 */
#include "base/str.h"
#include "observers/observer.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#define MAX_SOCKETS 256

enum metric { M_RTT, M_CWND, M_RETRANSMITS };

static const struct kd_metric_desc metrics[] = {
	[M_RTT] = { "tcpinfo.rtt", "us", KD_BETTER_LOWER,
		    "smoothed round trip, mean of samples and connections" },
	[M_CWND] = { "tcpinfo.cwnd", "", KD_BETTER_NONE,
		     "congestion window in segments, mean of samples and "
		     "connections" },
	[M_RETRANSMITS] = { "tcpinfo.retransmits", "", KD_BETTER_LOWER,
			    "segments sent again in the window" },
	{ 0 },
};

/* by descriptor; a count that steps back is a new connection */
struct conn {
	int fd;
	uint32_t base, last;
	uint64_t done;
};

struct mean {
	double sum;
	uint64_t n;
};

struct state {
	struct kd_obs_env env;
	int fds[MAX_SOCKETS];
	struct conn conns[MAX_SOCKETS];
	size_t n;
	struct mean rtt, cwnd;
};

static int probe(const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	if (env->sockets)
		return 0;
	return kd_fail(d, -EOPNOTSUPP,
		       "the workload has no sockets to look at");
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;

	s->env = *env;
	return 0;
}

static void add(struct mean *m, double v)
{
	m->sum += v;
	m->n++;
}

static void note_retransmits(struct state *s, enum kd_obs_when when, int fd,
			     uint32_t total)
{
	size_t i = 0;

	while (i < s->n && s->conns[i].fd != fd)
		i++;
	if (i == MAX_SOCKETS)
		return;
	if (i == s->n)
		s->conns[s->n++] = (struct conn){
			.fd = fd, .base = when == KD_OBS_BEGIN ? total : 0,
		};
	if (total < s->conns[i].last) {
		s->conns[i].done += s->conns[i].last - s->conns[i].base;
		s->conns[i].base = 0;
	}
	s->conns[i].last = total;
}

#define HAS(len, field) \
	((len) >= offsetof(struct tcp_info, field) + \
			  sizeof(((struct tcp_info *)NULL)->field))

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;
	size_t n = s->env.sockets(s->env.sockets_arg, s->fds, MAX_SOCKETS);

	if (when == KD_OBS_BEGIN) {
		s->n = 0;
		s->rtt = s->cwnd = (struct mean){ 0 };
	}
	for (size_t i = 0; i < n; i++) {
		struct tcp_info info = { 0 };
		socklen_t len = sizeof(info);

		if (getsockopt(s->fds[i], IPPROTO_TCP, TCP_INFO, &info, &len) ||
		    !HAS(len, tcpi_total_retrans))
			continue;
		/* 0 until the first round trip has been measured */
		if (info.tcpi_rtt)
			add(&s->rtt, info.tcpi_rtt);
		add(&s->cwnd, info.tcpi_snd_cwnd);
		note_retransmits(s, when, s->fds[i], info.tcpi_total_retrans);
	}
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	const struct mean *means[] = { [M_RTT] = &s->rtt, [M_CWND] = &s->cwnd };
	uint64_t retransmits = 0;

	if (!s->cwnd.n) {
		sink->event(sink, "note", 0, 0,
			    "tcp: the workload had no TCP connection");
		return;
	}
	for (size_t i = 0; i < KD_ARRAY_SIZE(means); i++)
		if (means[i] && means[i]->n)
			sink->metric(sink, &metrics[i], NULL,
				     means[i]->sum / (double)means[i]->n);
	for (size_t i = 0; i < s->n; i++)
		retransmits += s->conns[i].done + s->conns[i].last -
			       s->conns[i].base;
	sink->metric(sink, &metrics[M_RETRANSMITS], NULL, (double)retransmits);
}

static void stop(void *priv)
{
}

const struct kd_obs_ops kd_obs_tcp_ops = {
	.name = "tcp",
	.summary = "TCP_INFO of the workload's connections",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.probe = probe,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
