// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/io.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

static int await(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	if (!kd_ms_left(deadline_ns))
		return -ETIMEDOUT;
	if (poll(&pfd, 1, kd_ms_left(deadline_ns)) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

int kd_recv_all(int fd, void *data, size_t len, uint64_t deadline_ns)
{
	char *p = data;
	int r = 0;

	while (len && !r) {
		ssize_t n = recv(fd, p, len, MSG_DONTWAIT);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (!n) {
			return -EPIPE;
		} else if (errno == EAGAIN || errno == EINTR) {
			r = await(fd, POLLIN, deadline_ns);
		} else {
			return -errno;
		}
	}
	return r;
}

int kd_send_all(int fd, const void *data, size_t len, uint64_t deadline_ns)
{
	const char *p = data;
	int r = 0;

	while (len && !r) {
		ssize_t n = send(fd, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EINTR) {
			r = await(fd, POLLOUT, deadline_ns);
		} else {
			return -errno;
		}
	}
	return r;
}
