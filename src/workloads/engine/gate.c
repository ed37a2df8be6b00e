// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The peer's door: accepts in a thread of its own, so that a stranger who
 * connects and says nothing holds up nobody.
 */
#include "workloads/engine/gate.h"

#include "base/clock.h"
#include "workloads/workload.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELLO_NS (3 * KD_NS_PER_SEC)
#define ARRIVAL_NS (15 * KD_NS_PER_SEC)

void kd_hello_write(uint8_t out[KD_HELLO_SIZE], const uint8_t token[16],
		    unsigned int index, unsigned int kind)
{
	memcpy(out, token, 16);
	out[16] = (uint8_t)(index >> 8);
	out[17] = (uint8_t)index;
	out[18] = (uint8_t)kind;
	out[19] = 0;
}

int kd_hello_read(const uint8_t in[KD_HELLO_SIZE], const uint8_t token[16],
		  unsigned int *index, unsigned int *kind)
{
	if (memcmp(in, token, 16) || in[19])
		return -EACCES;
	*index = (unsigned int)in[16] << 8 | in[17];
	*kind = in[18];
	return 0;
}

static void forget(struct kd_gate *g, unsigned int i)
{
	g->pending[i] = g->pending[--g->pending_count];
}

static void drop(struct kd_gate *g, unsigned int i)
{
	close(g->pending[i].fd);
	forget(g, i);
	g->dropped++;
}

static void accept_one(struct kd_gate *g)
{
	int fd = accept4(g->listen_fd, NULL, NULL,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);
	unsigned int oldest = 0;

	if (fd < 0) {
		/* out of descriptors: do not spin on the readable listener */
		if (errno == EMFILE || errno == ENFILE)
			usleep(10000);
		return;
	}
	if (g->pending_count == KD_GATE_PENDING) {
		for (unsigned int i = 1; i < g->pending_count; i++)
			if (g->pending[i].expires_ns <
			    g->pending[oldest].expires_ns)
				oldest = i;
		drop(g, oldest);
	}
	g->pending[g->pending_count++] = (struct kd_gate_pending){
		.fd = fd, .expires_ns = kd_now() + HELLO_NS,
	};
}

/* true when entry @i is gone */
static bool read_one(struct kd_gate *g, unsigned int i)
{
	struct kd_gate_pending *c = &g->pending[i];
	ssize_t n = recv(c->fd, c->data + c->len, sizeof(c->data) - c->len,
			 MSG_DONTWAIT);
	unsigned int index, kind;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		drop(g, i);
		return true;
	}
	c->len += (size_t)n;
	if (c->len < sizeof(c->data))
		return false;
	if (kd_hello_read(c->data, g->env->token, &index, &kind) ||
	    g->admit(g->arg, index, kind, c->fd)) {
		drop(g, i);
	} else {
		forget(g, i);
		__atomic_add_fetch(&g->admitted, 1, __ATOMIC_RELEASE);
	}
	return true;
}

static void serve(struct kd_gate *g, struct pollfd *pfd)
{
	uint64_t now = kd_now();

	/* downwards: an entry that goes is replaced by the last one */
	for (unsigned int i = g->pending_count; i-- > 0;) {
		bool gone = false;

		if (pfd[2 + i].revents)
			gone = read_one(g, i);
		if (!gone && now >= g->pending[i].expires_ns)
			drop(g, i);
	}
	if (pfd[1].revents)
		accept_one(g);
}

static void *thread_main(void *arg)
{
	struct kd_gate *g = arg;
	struct pollfd pfd[2 + KD_GATE_PENDING];
	uint64_t one = 1;

	while (g->admitted < g->expected) {
		pfd[0] = (struct pollfd){ .fd = g->wake_fd, .events = POLLIN };
		pfd[1] = (struct pollfd){ .fd = g->listen_fd,
					  .events = POLLIN };
		for (unsigned int i = 0; i < g->pending_count; i++)
			pfd[2 + i] = (struct pollfd){ .fd = g->pending[i].fd,
						      .events = POLLIN };
		if (poll(pfd, 2 + g->pending_count,
			 g->pending_count ? 200 : -1) < 0)
			continue;
		if (pfd[0].revents)
			break;
		serve(g, pfd);
	}
	while (g->pending_count)
		drop(g, 0);
	close(g->listen_fd);
	g->listen_fd = -1;
	if (write(g->done_fd, &one, sizeof(one)) < 0)
		return NULL;
	return NULL;
}

int kd_gate_open(struct kd_gate *g, const struct kd_work_env *env,
		 int listen_fd, unsigned int expected,
		 int (*admit)(void *arg, unsigned int index, unsigned int kind,
			      int fd),
		 void *arg, struct kd_diag *d)
{
	sigset_t all, old;

	memset(g, 0, sizeof(*g));
	g->env = env;
	g->admit = admit;
	g->arg = arg;
	g->expected = expected;
	g->listen_fd = listen_fd;
	g->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	g->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (g->wake_fd < 0 || g->done_fd < 0) {
		close(listen_fd);
		return kd_fail_errno(d, "cannot make an eventfd");
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	errno = pthread_create(&g->thread, NULL, thread_main, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (errno) {
		close(listen_fd);
		return kd_fail_errno(d, "cannot start a thread");
	}
	g->running = true;
	return 0;
}

int kd_gate_wait(struct kd_gate *g, struct kd_diag *d)
{
	struct pollfd pfd = { .fd = g->done_fd, .events = POLLIN };
	uint64_t limit = kd_now() + ARRIVAL_NS;

	if (limit > g->env->deadline_ns)
		limit = g->env->deadline_ns;
	while (poll(&pfd, 1, 20) <= 0) {
		if (g->env->cancelled && *g->env->cancelled)
			return kd_fail(d, -ECANCELED, "the run was cancelled");
		if (kd_now() >= limit)
			return kd_fail(d, -ETIMEDOUT,
				       "the device has opened %u of %u connections",
				       __atomic_load_n(&g->admitted,
						       __ATOMIC_ACQUIRE),
				       g->expected);
	}
	/* orders what the gate's thread admitted before what follows */
	return __atomic_load_n(&g->admitted, __ATOMIC_ACQUIRE) == g->expected ?
		       0 : kd_fail(d, -EIO, "the listener has ended");
}

void kd_gate_close(struct kd_gate *g)
{
	uint64_t one = 1;
	ssize_t n;

	if (!g->env)
		return;
	if (g->running) {
		n = write(g->wake_fd, &one, sizeof(one));
		(void)n;
		pthread_join(g->thread, NULL);
	}
	if (g->wake_fd >= 0)
		close(g->wake_fd);
	if (g->done_fd >= 0)
		close(g->done_fd);
	memset(g, 0, sizeof(*g));
}
