// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numeric addresses and TCP sockets with their options. A lost peer is noticed
 * by keep-alive and TCP_USER_TIMEOUT, so that a silent one ends a run as well
 * as one that resets.
 */
#include "workloads/engine/sock.h"

#include "base/clock.h"
#include "workloads/workload.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SO_MAX_PACING_RATE
#define SO_MAX_PACING_RATE 47
#endif

#define BACKLOG 4096
#define DIAL_NS (10 * KD_NS_PER_SEC)
#define LOST_MS 20000

static int parse_v6(const char *text, uint16_t port, struct kd_addr *out)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->ss;
	const char *pct = strchr(text, '%');
	size_t len = pct ? (size_t)(pct - text) : strlen(text);
	char addr[INET6_ADDRSTRLEN];

	if (len >= sizeof(addr))
		return -EINVAL;
	memcpy(addr, text, len);
	addr[len] = 0;
	if (inet_pton(AF_INET6, addr, &v6->sin6_addr) != 1)
		return -EINVAL;
	if (pct) {
		v6->sin6_scope_id = if_nametoindex(pct + 1);
		if (!v6->sin6_scope_id)
			return -ENODEV;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	out->len = sizeof(*v6);
	return 0;
}

int kd_addr_parse(const char *text, uint16_t port, struct kd_addr *out,
		  struct kd_diag *d)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&out->ss;
	int r;

	memset(out, 0, sizeof(*out));
	if (!text || !*text)
		text = "0.0.0.0";
	if (!strcmp(text, "localhost"))
		text = "127.0.0.1";
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		out->len = sizeof(*v4);
		return 0;
	}
	r = parse_v6(text, port, out);
	if (r == -ENODEV)
		return kd_fail(d, r, "\"%s\" names no interface of this machine",
			       text);
	if (r)
		return kd_fail(d, r, "\"%s\" is no numeric IPv4 or IPv6 address",
			       text);
	return 0;
}

const char *kd_addr_format(const struct kd_addr *a, char *out, size_t size)
{
	const struct sockaddr_in *v4 = (const void *)&a->ss;
	const struct sockaddr_in6 *v6 = (const void *)&a->ss;
	char ip[INET6_ADDRSTRLEN] = "?";

	if (a->ss.ss_family == AF_INET) {
		inet_ntop(AF_INET, &v4->sin_addr, ip, sizeof(ip));
		snprintf(out, size, "%s:%u", ip, ntohs(v4->sin_port));
	} else {
		inet_ntop(AF_INET6, &v6->sin6_addr, ip, sizeof(ip));
		snprintf(out, size, "[%s]:%u", ip, ntohs(v6->sin6_port));
	}
	return out;
}

static int set_int(int fd, int level, int name, int value, const char *what,
		   struct kd_diag *d)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)))
		return kd_fail_errno(d, "cannot set %s to %d", what, value);
	return 0;
}

/* before connect() or listen(): what the handshake depends on */
static int apply_early(int fd, int family, const struct kd_sock_opts *o,
		       struct kd_diag *d)
{
	int r = 0;

	if (o->sndbuf)
		r = set_int(fd, SOL_SOCKET, SO_SNDBUF, (int)o->sndbuf,
			    "sndbuf", d);
	if (!r && o->rcvbuf)
		r = set_int(fd, SOL_SOCKET, SO_RCVBUF, (int)o->rcvbuf,
			    "rcvbuf", d);
	if (!r && o->mss)
		r = set_int(fd, IPPROTO_TCP, TCP_MAXSEG, (int)o->mss, "mss", d);
	if (!r && o->tos)
		r = family == AF_INET ?
			set_int(fd, IPPROTO_IP, IP_TOS, (int)o->tos, "tos", d) :
			set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, (int)o->tos,
				"tos", d);
	if (!r && o->congestion &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, o->congestion,
		       (socklen_t)strlen(o->congestion))) {
		r = kd_fail_errno(d, "cannot use congestion control \"%s\"",
				  o->congestion);
		kd_diag_hint(d, "see net.ipv4.tcp_available_congestion_control; "
			     "modprobe tcp_%s may add it", o->congestion);
	}
	return r;
}

int kd_sock_apply(int fd, const struct kd_sock_opts *o, struct kd_diag *d)
{
	int r = set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1, "keep-alive", d);

	/* absent from some stacks (MPTCP); a lost peer is then seen late */
	set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 5, "keep-alive", NULL);
	set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5, "keep-alive", NULL);
	set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 3, "keep-alive", NULL);
	set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, LOST_MS, "timeout", NULL);
	if (!r && o->nodelay)
		r = set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1, "nodelay", d);
	if (!r && o->notsent_lowat)
		r = set_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT,
			    (int)o->notsent_lowat, "notsent-lowat", d);
	if (!r && o->pacing) {
		uint64_t rate = o->pacing / 8;
		uint32_t old = rate > UINT32_MAX ? UINT32_MAX : (uint32_t)rate;

		/* 64 bits since 4.20 */
		if (setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate,
			       sizeof(rate)) &&
		    setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &old,
			       sizeof(old)))
			r = kd_fail_errno(d, "cannot set the pacing rate");
	}
	return r;
}

static int open_socket(int family, const struct kd_sock_opts *o,
		       struct kd_diag *d)
{
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			o->mptcp ? IPPROTO_MPTCP : 0);

	if (fd >= 0)
		return fd;
	fd = kd_fail_errno(d, "cannot make a%s socket",
			   o->mptcp ? "n MPTCP" : " TCP");
	if (o->mptcp)
		kd_diag_hint(d, "the kernel needs CONFIG_MPTCP and "
			     "net.mptcp.enabled=1");
	return fd;
}

int kd_sock_listen(const struct kd_work_env *env,
		   const struct kd_sock_opts *o, struct kd_diag *d)
{
	struct kd_addr a;
	char text[80];
	int one = 1, fd, r;

	r = kd_addr_parse(env->addr, env->port, &a, d);
	if (r)
		return r;
	fd = open_socket(a.ss.ss_family, o, d);
	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	r = apply_early(fd, a.ss.ss_family, o, d);
	if (!r && (bind(fd, (struct sockaddr *)&a.ss, a.len) ||
		   listen(fd, BACKLOG)))
		r = kd_fail_errno(d, "cannot listen on %s",
				  kd_addr_format(&a, text, sizeof(text)));
	if (r) {
		close(fd);
		return r;
	}
	return fd;
}

static int bind_source(int fd, int family, const struct kd_sock_opts *o,
		       struct kd_diag *d)
{
	struct kd_addr a;
	int r;

	if (o->device && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, o->device,
				    (socklen_t)strlen(o->device) + 1))
		return kd_fail_errno(d, "cannot bind to interface \"%s\"",
				     o->device);
	if (!o->bind)
		return 0;
	r = kd_addr_parse(o->bind, 0, &a, d);
	if (r)
		return r;
	if (a.ss.ss_family != family)
		return kd_fail(d, -EAFNOSUPPORT,
			       "bind: %s is not of the peer's address family",
			       o->bind);
	if (bind(fd, (struct sockaddr *)&a.ss, a.len))
		return kd_fail_errno(d, "cannot bind to %s", o->bind);
	return 0;
}

int kd_sock_dial_start(const struct kd_addr *to, const struct kd_sock_opts *o,
		       struct kd_diag *d)
{
	char text[80];
	int fd = open_socket(to->ss.ss_family, o, d);
	int r;

	if (fd < 0)
		return fd;
	r = apply_early(fd, to->ss.ss_family, o, d);
	if (!r)
		r = kd_sock_apply(fd, o, d);
	if (!r)
		r = bind_source(fd, to->ss.ss_family, o, d);
	if (!r && connect(fd, (const struct sockaddr *)&to->ss, to->len) &&
	    errno != EINPROGRESS)
		r = kd_fail_errno(d, "cannot connect to %s",
				  kd_addr_format(to, text, sizeof(text)));
	if (r) {
		close(fd);
		return r;
	}
	return fd;
}

int kd_sock_dial(const struct kd_work_env *env, const struct kd_sock_opts *o,
		 struct kd_diag *d)
{
	uint64_t limit = kd_now() + DIAL_NS;
	struct pollfd pfd = { .events = POLLOUT };
	struct kd_addr a;
	char text[80];
	int err = 0, r = kd_addr_parse(env->addr, env->port, &a, d);
	socklen_t len = sizeof(err);

	if (r)
		return r;
	if (limit > env->deadline_ns)
		limit = env->deadline_ns;
	pfd.fd = kd_sock_dial_start(&a, o, d);
	if (pfd.fd < 0)
		return pfd.fd;
	do {
		r = poll(&pfd, 1, kd_ms_left(limit) > 50 ? 50 :
			 kd_ms_left(limit));
	} while (r <= 0 && kd_now() < limit &&
		 !(env->cancelled && *env->cancelled));
	if (r <= 0)
		err = env->cancelled && *env->cancelled ? ECANCELED : ETIMEDOUT;
	else
		getsockopt(pfd.fd, SOL_SOCKET, SO_ERROR, &err, &len);
	if (!err)
		return pfd.fd;
	close(pfd.fd);
	errno = err;
	return kd_fail_errno(d, "cannot connect to %s",
			     kd_addr_format(&a, text, sizeof(text)));
}

int kd_sock_send_all(int fd, const void *data, size_t len,
		     uint64_t deadline_ns)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			if (!kd_ms_left(deadline_ns))
				return -ETIMEDOUT;
			poll(&pfd, 1, kd_ms_left(deadline_ns));
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}
