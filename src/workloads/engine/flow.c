// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A bulk TCP flow: one connection, one direction.
 *
 * The device's receiving flow sends one byte when it is ready, and the peer's
 * sender waits for it, so that no payload can gather in buffers before the
 * device has started. With a size, the sender half-closes after its last byte
 * and the receiver answers with its own half-close, which says that the
 * application has all of it.
 *
 * MSG_ZEROCOPY: linux/Documentation/networking/msg_zerocopy.rst. The block's
 * content never changes, so a block is sent again without waiting for its
 * completion; completions are reaped to free the kernel's option memory and to
 * learn whether the kernel copied after all.
 */
#include "workloads/engine/flow.h"

#include "base/clock.h"

#include <linux/errqueue.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_EE_ORIGIN_ZEROCOPY
#define SO_EE_ORIGIN_ZEROCOPY 5
#endif
#ifndef SO_EE_CODE_ZEROCOPY_COPIED
#define SO_EE_CODE_ZEROCOPY_COPIED 1
#endif
#ifndef MSG_ZEROCOPY
#define MSG_ZEROCOPY 0x4000000
#endif

#define REAP_EVERY 32

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static void broken(struct kd_flow *f, int err)
{
	kd_pool_fail(f->worker->pool, err,
		     "stream %u broke after %llu bytes: %s", f->index,
		     (unsigned long long)f->bytes, strerror(-err));
	epoll_ctl(f->worker->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL);
	f->state = KD_FLOW_DONE;
}

static void closed_early(struct kd_flow *f)
{
	kd_pool_fail(f->worker->pool, -EPIPE,
		     "the %s closed stream %u after %llu bytes",
		     f->conf->device ? "peer" : "device", f->index,
		     (unsigned long long)f->bytes);
	epoll_ctl(f->worker->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL);
	f->state = KD_FLOW_DONE;
}

static void finish(struct kd_flow *f)
{
	epoll_ctl(f->worker->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL);
	f->state = KD_FLOW_DONE;
	kd_pool_finish(f->worker->pool);
}

void kd_flow_arm(struct kd_flow *f, struct kd_worker *w)
{
	uint32_t events = EPOLLIN;
	int r;

	f->worker = w;
	f->state = KD_FLOW_MOVING;
	if (f->sends && !f->conf->device)
		f->state = KD_FLOW_AWAIT_GO;
	else if (f->sends)
		events = EPOLLOUT | EPOLLRDHUP;
	r = kd_worker_watch(w, f->fd, events, f);
	if (!r && !f->sends && f->conf->device &&
	    send(f->fd, "g", 1, MSG_NOSIGNAL) != 1)
		r = -errno;
	if (r)
		broken(f, r);
}

static void await_go(struct kd_flow *f)
{
	char c;
	ssize_t n = recv(f->fd, &c, 1, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0) {
		broken(f, -errno);
	} else if (n == 0 || c != 'g') {
		closed_early(f);
	} else {
		f->state = KD_FLOW_MOVING;
		kd_worker_rewatch(f->worker, f->fd, EPOLLOUT | EPOLLRDHUP, f);
	}
}

/* completions of zero-copy sends; returns how many sends they cover */
static unsigned int reap(struct kd_flow *f)
{
	unsigned int covered = 0;

	for (;;) {
		char control[128];
		struct msghdr msg = {
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		const struct cmsghdr *c;
		struct sock_extended_err e;

		if (recvmsg(f->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			break;
		c = CMSG_FIRSTHDR(&msg);
		if (!c || c->cmsg_len < CMSG_LEN(sizeof(e)))
			continue;
		memcpy(&e, CMSG_DATA(c), sizeof(e));
		if (e.ee_errno || e.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
			continue;
		/* the range of sends from ee_info to ee_data is complete */
		covered += e.ee_data - e.ee_info + 1;
		if (e.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
			add(&f->copied, e.ee_data - e.ee_info + 1);
	}
	add(&f->completed, covered);
	f->unreaped = covered < f->unreaped ? f->unreaped - covered : 0;
	return covered;
}

static ssize_t send_zerocopy(struct kd_flow *f, const char *buf, size_t len)
{
	ssize_t n = send(f->fd, buf, len,
			 MSG_ZEROCOPY | MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno == ENOBUFS) {
		if (!reap(f)) {
			add(&f->fell_back, 1);
			return send(f->fd, buf, len,
				    MSG_NOSIGNAL | MSG_DONTWAIT);
		}
		n = send(f->fd, buf, len,
			 MSG_ZEROCOPY | MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == ENOBUFS)
			errno = EAGAIN;
	}
	if (n > 0 && ++f->unreaped % REAP_EVERY == 0)
		reap(f);
	return n;
}

static ssize_t send_block(struct kd_flow *f, const char *buf, size_t len)
{
	off_t from = 0;

	switch (f->conf->source) {
	case KD_SOURCE_SENDFILE:
		return sendfile(f->fd, f->conf->file_fd, &from, len);
	case KD_SOURCE_ZEROCOPY:
		return send_zerocopy(f, buf, len);
	case KD_SOURCE_WRITE:
		break;
	}
	return send(f->fd, buf, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void send_some(struct kd_flow *f, const char *buf)
{
	const struct kd_flow_conf *conf = f->conf;

	for (unsigned int i = 0; i < conf->quantum; i++) {
		size_t len = conf->block;
		ssize_t n;

		if (conf->size_mode && f->left < len)
			len = (size_t)f->left;
		n = send_block(f, buf, len);
		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				broken(f, -errno);
			return;
		}
		add(&f->bytes, (uint64_t)n);
		if (conf->size_mode && !(f->left -= (uint64_t)n)) {
			f->state = KD_FLOW_CLOSING;
			shutdown(f->fd, SHUT_WR);
			kd_worker_rewatch(f->worker, f->fd, EPOLLIN, f);
			return;
		}
		if (kd_pool_is_stopped(f->worker->pool))
			return;
	}
}

static void await_close(struct kd_flow *f)
{
	char c;
	ssize_t n = recv(f->fd, &c, 1, MSG_DONTWAIT);

	if (n == 0)
		finish(f);
	else if (n > 0)
		broken(f, -EPROTO);
	else if (errno != EAGAIN && errno != EINTR)
		broken(f, -errno);
}

/* size mode: the receiver has taken @n more bytes; true when it is over */
static bool account_size(struct kd_flow *f, uint64_t n)
{
	f->last_ns = kd_now();
	if (n > f->left) {
		broken(f, -EPROTO);
		return true;
	}
	f->left -= n;
	if (f->left)
		return false;
	shutdown(f->fd, SHUT_WR);
	finish(f);
	return true;
}

/* true when more may be waiting: the flow had its turn and was not drained */
static bool receive_some(struct kd_flow *f, char *buf)
{
	const struct kd_flow_conf *conf = f->conf;
	int flags = MSG_DONTWAIT;

	if (conf->sink == KD_SINK_DISCARD)
		flags |= MSG_TRUNC;
	for (unsigned int i = 0; i < conf->quantum; i++) {
		ssize_t n = recv(f->fd, buf, conf->block, flags);

		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				broken(f, -errno);
			return false;
		}
		if (n == 0) {
			closed_early(f);
			return false;
		}
		if (!f->first_ns)
			f->first_ns = kd_now();
		add(&f->bytes, (uint64_t)n);
		if (conf->size_mode && account_size(f, (uint64_t)n))
			return false;
		if ((size_t)n < conf->block ||
		    kd_pool_is_stopped(f->worker->pool))
			return false;
	}
	return true;
}

bool kd_flow_ready(struct kd_flow *f, uint32_t events, char *buf)
{
	bool more = false;

	if ((events & EPOLLERR) && f->conf->source == KD_SOURCE_ZEROCOPY &&
	    f->sends)
		reap(f);
	switch (f->state) {
	case KD_FLOW_AWAIT_GO:
		await_go(f);
		break;
	case KD_FLOW_MOVING:
		if (!f->sends)
			more = receive_some(f, buf);
		else if (events & EPOLLRDHUP)
			closed_early(f);
		else
			send_some(f, buf);
		break;
	case KD_FLOW_CLOSING:
		await_close(f);
		break;
	case KD_FLOW_DONE:
		break;
	}
	return more;
}
