// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How UDP flows come to exist at both ends. All sockets of the peer share one
 * address by SO_REUSEADDR; the kernel gives a datagram to the socket that is
 * connected to its sender. Between bind() and connect() a new socket may catch
 * another flow's hello: that one is sent again.
 */
#include "workloads/engine/udpgate.h"

#include "base/clock.h"
#include "workloads/engine/gate.h"
#include "workloads/engine/sock.h"
#include "workloads/workload.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define ARRIVAL_NS (15 * KD_NS_PER_SEC)
#define DIAL_NS (5 * KD_NS_PER_SEC)
#define RETRY_MS 100

static int open_socket(const struct kd_addr *a, const struct kd_udp_opts *o,
		       bool peer, struct kd_diag *d)
{
	int fd = socket(a->ss.ss_family,
			SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1, sndbuf = (int)o->sndbuf, rcvbuf = (int)o->rcvbuf;
	int tos = (int)o->tos, r = 0;

	if (fd < 0)
		return kd_fail_errno(d, "cannot make a UDP socket");
	if (peer)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* FORCE passes net.core.{w,r}mem_max where we may */
	if (sndbuf && setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &sndbuf,
				 sizeof(sndbuf)))
		r |= setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf,
				sizeof(sndbuf));
	if (rcvbuf && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf,
				 sizeof(rcvbuf)))
		r |= setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf,
				sizeof(rcvbuf));
	if (tos)
		r |= a->ss.ss_family == AF_INET ?
			setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) :
			setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos,
				   sizeof(tos));
	if (!peer && o->device)
		r |= setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, o->device,
				(socklen_t)strlen(o->device) + 1);
	if (r) {
		r = kd_fail_errno(d, "cannot set the UDP socket's options");
		close(fd);
		return r;
	}
	return fd;
}

static int bind_socket(const struct kd_addr *a, const struct kd_udp_opts *o,
		       struct kd_diag *d)
{
	int fd = open_socket(a, o, true, d);
	char text[80];

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&a->ss, a->len)) {
		int r = kd_fail_errno(d, "cannot use UDP on %s",
				      kd_addr_format(a, text, sizeof(text)));

		close(fd);
		return r;
	}
	return fd;
}

static void admit(struct kd_udpgate *g, const uint8_t *hello,
		  const struct kd_addr *from)
{
	unsigned int index, kind;
	struct kd_addr own;
	ssize_t n;
	int fd;

	if (kd_hello_read(hello, g->env->token, &index, &kind) ||
	    index >= g->expected || g->fds[index] >= 0 ||
	    kd_addr_parse(g->env->addr, g->env->port, &own, NULL))
		return;
	fd = bind_socket(&own, g->opts, NULL);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&from->ss, from->len)) {
		close(fd);
		return;
	}
	g->kinds[index] = kind;
	g->fds[index] = fd;
	n = send(fd, hello, KD_HELLO_SIZE, MSG_NOSIGNAL);
	(void)n;
	__atomic_add_fetch(&g->admitted, 1, __ATOMIC_RELEASE);
}

/* a hello that came again because its echo was lost; payload of a device that
 * is ahead is left where it is: false */
static bool echo_again(struct kd_udpgate *g, unsigned int i)
{
	uint8_t hello[KD_HELLO_SIZE];
	unsigned int index, kind;
	ssize_t n = recv(g->fds[i], hello, sizeof(hello),
			 MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC);

	if (n < 0)
		return true;
	if (n != sizeof(hello) ||
	    kd_hello_read(hello, g->env->token, &index, &kind))
		return false;
	n = recv(g->fds[i], hello, sizeof(hello), MSG_DONTWAIT);
	if (n == sizeof(hello) && index == i)
		n = send(g->fds[i], hello, sizeof(hello), MSG_NOSIGNAL);
	return true;
}

static void *thread_main(void *arg)
{
	struct kd_udpgate *g = arg;
	struct pollfd *pfd = calloc(g->expected + 2, sizeof(*pfd));

	while (pfd && !__atomic_load_n(&g->stop, __ATOMIC_ACQUIRE)) {
		struct kd_addr from = { .len = sizeof(from.ss) };
		uint8_t hello[KD_HELLO_SIZE];

		pfd[0] = (struct pollfd){ .fd = g->wake_fd, .events = POLLIN };
		pfd[1] = (struct pollfd){ .fd = g->listen_fd,
					  .events = POLLIN };
		for (unsigned int i = 0; i < g->expected; i++)
			pfd[2 + i] = (struct pollfd){ .fd = g->fds[i],
						      .events = POLLIN };
		for (unsigned int i = 0; i < g->expected; i++)
			if (g->has_payload[i])
				pfd[2 + i].fd = -1;
		if (poll(pfd, g->expected + 2, -1) < 0 || pfd[0].revents)
			continue;
		if (pfd[1].revents &&
		    recvfrom(g->listen_fd, hello, sizeof(hello),
			     MSG_DONTWAIT | MSG_TRUNC,
			     (struct sockaddr *)&from.ss, &from.len) ==
		    KD_HELLO_SIZE)
			admit(g, hello, &from);
		for (unsigned int i = 0; i < g->expected; i++)
			if (pfd[2 + i].revents && !echo_again(g, i))
				g->has_payload[i] = true;
	}
	free(pfd);
	return NULL;
}

int kd_udpgate_open(struct kd_udpgate *g, const struct kd_work_env *env,
		    const struct kd_udp_opts *o, unsigned int expected,
		    struct kd_diag *d)
{
	struct kd_addr own;
	sigset_t all, old;
	int r;

	memset(g, 0, sizeof(*g));
	g->listen_fd = g->wake_fd = -1;
	g->env = env;
	g->opts = o;
	g->expected = expected;
	g->fds = malloc(expected * sizeof(*g->fds));
	g->kinds = calloc(expected, sizeof(*g->kinds));
	g->has_payload = calloc(expected, sizeof(*g->has_payload));
	if (!g->fds || !g->kinds || !g->has_payload)
		return kd_fail(d, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < expected; i++)
		g->fds[i] = -1;
	r = kd_addr_parse(env->addr, env->port, &own, d);
	if (r)
		return r;
	g->listen_fd = bind_socket(&own, o, d);
	if (g->listen_fd < 0)
		return g->listen_fd;
	g->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (g->wake_fd < 0)
		return kd_fail_errno(d, "cannot make an eventfd");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	errno = pthread_create(&g->thread, NULL, thread_main, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (errno)
		return kd_fail_errno(d, "cannot start a thread");
	g->running = true;
	return 0;
}

int kd_udpgate_wait(struct kd_udpgate *g, struct kd_diag *d)
{
	uint64_t limit = kd_now() + ARRIVAL_NS;
	unsigned int n;

	if (limit > g->env->deadline_ns)
		limit = g->env->deadline_ns;
	while ((n = __atomic_load_n(&g->admitted, __ATOMIC_ACQUIRE)) <
	       g->expected) {
		if (g->env->cancelled && *g->env->cancelled)
			return kd_fail(d, -ECANCELED, "the run was cancelled");
		if (kd_now() >= limit)
			return kd_fail(d, -ETIMEDOUT,
				       "the device has opened %u of %u UDP flows",
				       n, g->expected);
		kd_sleep_until(kd_now() + KD_NS_PER_MS);
	}
	return 0;
}

void kd_udpgate_close(struct kd_udpgate *g)
{
	uint64_t one = 1;
	ssize_t n;

	if (g->running) {
		__atomic_store_n(&g->stop, 1, __ATOMIC_RELEASE);
		n = write(g->wake_fd, &one, sizeof(one));
		(void)n;
		pthread_join(g->thread, NULL);
		g->running = false;
	}
}

void kd_udpgate_fini(struct kd_udpgate *g)
{
	if (!g->env)
		return;
	kd_udpgate_close(g);
	for (unsigned int i = 0; g->fds && i < g->expected; i++)
		if (g->fds[i] >= 0)
			close(g->fds[i]);
	if (g->listen_fd >= 0)
		close(g->listen_fd);
	if (g->wake_fd >= 0)
		close(g->wake_fd);
	free(g->fds);
	free(g->kinds);
	free(g->has_payload);
	memset(g, 0, sizeof(*g));
}

static int connect_socket(int fd, const struct kd_work_env *env,
			  const struct kd_udp_opts *o, struct kd_addr *to,
			  struct kd_diag *d)
{
	struct kd_addr own;
	char text[80];
	int r;

	if (o->bind) {
		r = kd_addr_parse(o->bind, 0, &own, d);
		if (r)
			return r;
		if (bind(fd, (struct sockaddr *)&own.ss, own.len))
			return kd_fail_errno(d, "cannot bind to %s", o->bind);
	}
	if (connect(fd, (struct sockaddr *)&to->ss, to->len))
		return kd_fail_errno(d, "cannot reach %s",
				     kd_addr_format(to, text, sizeof(text)));
	return 0;
}

static int greet(int fd, const struct kd_work_env *env, const uint8_t *hello,
		 const struct kd_addr *to, struct kd_diag *d)
{
	uint64_t limit = kd_now() + DIAL_NS;
	uint8_t echo[KD_HELLO_SIZE];
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char text[80];

	if (limit > env->deadline_ns)
		limit = env->deadline_ns;
	while (kd_now() < limit && !(env->cancelled && *env->cancelled)) {
		ssize_t n = send(fd, hello, KD_HELLO_SIZE, MSG_NOSIGNAL);

		if (n < 0 && errno != ECONNREFUSED && errno != EAGAIN)
			return kd_fail_errno(d, "cannot send to %s",
				kd_addr_format(to, text, sizeof(text)));
		if (poll(&pfd, 1, RETRY_MS) <= 0)
			continue;
		n = recv(fd, echo, sizeof(echo), MSG_DONTWAIT);
		if (n == sizeof(echo) && !memcmp(echo, hello, sizeof(echo)))
			return 0;
		if (n < 0 && errno == ECONNREFUSED)
			kd_sleep_until(kd_now() + RETRY_MS * KD_NS_PER_MS);
	}
	return kd_fail(d, -ETIMEDOUT, "nobody answers on UDP at %s",
		       kd_addr_format(to, text, sizeof(text)));
}

int kd_udp_dial(const struct kd_work_env *env, const struct kd_udp_opts *o,
		unsigned int index, unsigned int kind, struct kd_diag *d)
{
	uint8_t hello[KD_HELLO_SIZE];
	struct kd_addr to;
	int fd, r;

	r = kd_addr_parse(env->addr, env->port, &to, d);
	if (r)
		return r;
	fd = open_socket(&to, o, false, d);
	if (fd < 0)
		return fd;
	kd_hello_write(hello, env->token, index, kind);
	r = connect_socket(fd, env, o, &to, d);
	if (!r)
		r = greet(fd, env, hello, &to, d);
	if (r) {
		close(fd);
		return r;
	}
	return fd;
}
