// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A UDP flow. Every datagram has the run's token, its number and the time when
 * it was handed to the kernel. Many datagrams go through one call: as one
 * buffer that the kernel or the card cuts (UDP_SEGMENT, 4.18; UDP_GRO, 5.0),
 * else by sendmmsg() and recvmmsg().
 */
#include "workloads/engine/udpflow.h"

#include "base/clock.h"

#include <endian.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

#define GRO_SLOT 65536
#define GRO_SLOTS 8
#define GSO_BYTES_MAX 65000
/* schedules that lag more are given up: no burst makes good for them */
#define LAG_NS (20.0 * KD_NS_PER_MS)
#define REFUSALS_MAX 20

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static void put64(char *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof(v));
}

static uint64_t get64(const char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return be64toh(v);
}

int kd_udpio_init(struct kd_udpio *io, const struct kd_udpflow_conf *conf,
		  bool sends, bool receives)
{
	size_t size = sends ? conf->size * KD_UDP_BATCH : 0, most;

	memset(io, 0, sizeof(*io));
	io->slot = conf->gro ? GRO_SLOT : conf->size;
	io->slots = conf->gro ? GRO_SLOTS : KD_UDP_BATCH;
	if (io->slot < KD_UDP_HEADER + 8)
		io->slot = KD_UDP_HEADER + 8;
	most = receives ? io->slot * io->slots : 0;
	if (size < most)
		size = most;
	io->buf = calloc(1, size);
	io->msgs = calloc(KD_UDP_BATCH,
			  sizeof(*io->msgs) + sizeof(struct iovec));
	io->control = calloc(KD_UDP_BATCH, CMSG_SPACE(sizeof(int)));
	return io->buf && io->msgs && io->control ? 0 : -ENOMEM;
}

void kd_udpio_fini(struct kd_udpio *io)
{
	free(io->buf);
	free(io->msgs);
	free(io->control);
}

void kd_udpflow_arm(struct kd_udpflow *f, struct kd_worker *w)
{
	int size = (int)f->conf->size, one = 1, r = 0;

	f->worker = w;
	if (f->sends && f->conf->gso)
		f->gso = !setsockopt(f->fd, IPPROTO_UDP, UDP_SEGMENT, &size,
				     sizeof(size));
	if (!f->sends && f->conf->gro)
		setsockopt(f->fd, IPPROTO_UDP, UDP_GRO, &one, sizeof(one));
	f->ready = f->sends && f->conf->device;
	if (!f->sends || !f->ready)
		r = kd_worker_watch(w, f->fd, EPOLLIN, f);
	if (r)
		kd_pool_fail(w->pool, r, "cannot watch a UDP socket: %s",
			     strerror(-r));
	if (!f->sends && f->conf->device)
		kd_udpflow_go(f);
}

void kd_udpflow_go(struct kd_udpflow *f)
{
	char go[KD_UDP_HEADER];
	ssize_t n;

	memcpy(go, f->conf->token, 8);
	put64(go + 8, KD_UDP_GO);
	put64(go + 16, 0);
	n = send(f->fd, go, sizeof(go), MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)n;
}

/* a closed port at the other end answers by ICMP: gone when it lasts */
static void refused(struct kd_udpflow *f, uint64_t now)
{
	if (!f->refused++)
		f->refused_since_ns = now;
	if (f->refused >= REFUSALS_MAX &&
	    now - f->refused_since_ns > 200 * KD_NS_PER_MS)
		kd_pool_fail(f->worker->pool, -ECONNREFUSED,
			     "the %s has closed UDP flow %u",
			     f->conf->device ? "peer" : "device", f->index);
}

static void take(struct kd_udpflow *f, struct kd_udpio *io, const char *data,
		 size_t len, uint64_t now)
{
	uint64_t seq, delay;

	if (len < KD_UDP_HEADER || memcmp(data, f->conf->token, 8)) {
		add(&f->foreign, 1);
		return;
	}
	seq = get64(data + 8);
	if (f->sends || seq == KD_UDP_GO) {
		f->ready = f->ready || (f->sends && seq == KD_UDP_GO);
		return;
	}
	/* a hello's echo starts as a datagram does; numbers have no such jumps */
	if (len != f->conf->size || seq > f->track.next + (1ULL << 32)) {
		add(&f->foreign, 1);
		return;
	}
	f->ready = true;
	delay = kd_seqtrack_add(&f->track, seq, get64(data + 16), now);
	if (__atomic_load_n(f->conf->recording, __ATOMIC_RELAXED))
		kd_histo_add(&io->delay, delay);
	add(&f->bytes, len);
	add(&f->packets, 1);
}

static size_t segment_size(struct msghdr *msg, size_t len)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c;
	     c = CMSG_NXTHDR(msg, c)) {
		int size;

		if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(c), sizeof(size));
		if (size > 0 && (size_t)size < len)
			return (size_t)size;
	}
	return len;
}

static int receive_batch(struct kd_udpflow *f, struct kd_udpio *io)
{
	struct iovec *iov = (struct iovec *)(io->msgs + KD_UDP_BATCH);
	size_t control = CMSG_SPACE(sizeof(int));

	for (unsigned int i = 0; i < io->slots; i++) {
		iov[i].iov_base = io->buf + i * io->slot;
		iov[i].iov_len = io->slot;
		io->msgs[i].msg_hdr = (struct msghdr){
			.msg_iov = &iov[i],
			.msg_iovlen = 1,
			.msg_control = f->conf->gro ? io->control + i * control :
						      NULL,
			.msg_controllen = f->conf->gro ? control : 0,
		};
	}
	return recvmmsg(f->fd, io->msgs, io->slots, MSG_DONTWAIT, NULL);
}

void kd_udpflow_receive(struct kd_udpflow *f, struct kd_udpio *io)
{
	for (int round = 0; round < 16; round++) {
		int n = receive_batch(f, io);
		uint64_t now = kd_now();

		if (n < 0 && errno == ECONNREFUSED) {
			refused(f, now);
			continue;
		}
		for (int i = 0; i < n; i++) {
			size_t len = io->msgs[i].msg_len;
			const char *p = io->buf + (size_t)i * io->slot;
			size_t seg = segment_size(&io->msgs[i].msg_hdr, len);

			/* cut by MSG_TRUNC: longer than any of the run's */
			if (io->msgs[i].msg_hdr.msg_flags & MSG_TRUNC ||
			    !len) {
				add(&f->foreign, 1);
				continue;
			}
			for (size_t at = 0; at < len; at += seg)
				take(f, io, p + at,
				     len - at < seg ? len - at : seg, now);
		}
		if (n < (int)io->slots || kd_pool_is_stopped(f->worker->pool))
			return;
	}
}

static unsigned int batch_max(const struct kd_udpflow *f)
{
	size_t n = GSO_BYTES_MAX / f->conf->size;

	if (!f->gso || n > KD_UDP_BATCH)
		n = KD_UDP_BATCH;
	return n ? (unsigned int)n : 1;
}

static int send_many(struct kd_udpflow *f, struct kd_udpio *io, unsigned int n)
{
	struct iovec *iov = (struct iovec *)(io->msgs + KD_UDP_BATCH);

	for (unsigned int i = 0; i < n; i++) {
		iov[i].iov_base = io->buf + i * f->conf->size;
		iov[i].iov_len = f->conf->size;
		io->msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i],
						       .msg_iovlen = 1 };
	}
	return sendmmsg(f->fd, io->msgs, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* how many of @n datagrams the kernel took, or -errno */
static int hand_over(struct kd_udpflow *f, struct kd_udpio *io, unsigned int n)
{
	size_t size = f->conf->size;
	int r;

	for (unsigned int i = 0; i < n; i++)
		put64(io->buf + i * size + 8, f->seq + i);
	if (n > 1 && !f->gso) {
		r = send_many(f, io, n);
		return r < 0 ? -errno : r;
	}
	r = send(f->fd, io->buf, n * size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ?
		    -errno : (int)n;
	/* longer than the path's MTU, or a device that cannot */
	if (f->gso && (r == -EINVAL || r == -EMSGSIZE || r == -EIO)) {
		int off = 0;

		setsockopt(f->fd, IPPROTO_UDP, UDP_SEGMENT, &off, sizeof(off));
		f->gso = false;
		return 0;
	}
	return r;
}

static unsigned int due_count(struct kd_udpflow *f, uint64_t now_ns)
{
	double now = (double)now_ns, step = f->conf->interval_ns, n;

	if (step <= 0)
		return batch_max(f);
	if (f->due_ns == 0 || now - f->due_ns > LAG_NS)
		f->due_ns = now;
	if (f->due_ns > now)
		return 0;
	n = 1 + (now - f->due_ns) / step;
	return n > batch_max(f) ? batch_max(f) : (unsigned int)n;
}

void kd_udpflow_send(struct kd_udpflow *f, struct kd_udpio *io, uint64_t now_ns)
{
	unsigned int n = due_count(f, now_ns);
	bool recording = __atomic_load_n(f->conf->recording, __ATOMIC_RELAXED);
	int r;

	if (!n)
		return;
	for (unsigned int i = 0; i < n; i++) {
		memcpy(io->buf + i * f->conf->size, f->conf->token, 8);
		put64(io->buf + i * f->conf->size + 16, now_ns);
	}
	r = hand_over(f, io, n);
	if (r == -EAGAIN) {
		struct pollfd pfd = { .fd = f->fd, .events = POLLOUT };

		poll(&pfd, 1, 5);
		return;
	}
	if (r == -ECONNREFUSED) {
		refused(f, now_ns);
		return;
	}
	/* a full queue below the socket: they are gone, which is loss */
	if (r == -ENOBUFS)
		r = (int)n;
	if (r < 0) {
		kd_pool_fail(f->worker->pool, r,
			     "cannot send a datagram of %zu bytes: %s",
			     f->conf->size, strerror(-r));
		return;
	}
	f->seq += (uint64_t)r;
	for (int i = 0; f->conf->interval_ns > 0 && i < r; i++) {
		if (recording && (double)now_ns > f->due_ns)
			kd_histo_add(&io->lateness,
				     (uint64_t)((double)now_ns - f->due_ns));
		else if (recording)
			kd_histo_add(&io->lateness, 0);
		f->due_ns += f->conf->interval_ns;
	}
	add(&f->bytes, (uint64_t)r * f->conf->size);
	add(&f->packets, (uint64_t)r);
}
