// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames over two descriptors. See conn.h.
 */
#include "proto/conn.h"

#include "base/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE 65536

void kd_conn_init(struct kd_conn *c, int in, int out)
{
	memset(c, 0, sizeof(*c));
	c->in = in;
	c->out = out;
	fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
}

void kd_conn_fini(struct kd_conn *c)
{
	kd_buf_fini(&c->rx);
}

static int write_all(int fd, const char *p, size_t len, uint64_t deadline_ns)
{
	while (len) {
		struct pollfd pfd = { .fd = fd, .events = POLLOUT };
		ssize_t n = write(fd, p, len);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (!kd_ms_left(deadline_ns))
			return -ETIMEDOUT;
		poll(&pfd, 1, kd_ms_left(deadline_ns));
	}
	return 0;
}

int kd_conn_send(struct kd_conn *c, const json_t *frame, uint64_t deadline_ns,
		 struct kd_diag *d)
{
	char *text = json_dumps(frame, JSON_COMPACT);
	size_t len;
	int r;

	if (!text)
		return kd_fail(d, -ENOMEM, "cannot write a frame");
	len = strlen(text);
	text[len] = '\n';
	r = len + 1 > KD_FRAME_MAX ? -EMSGSIZE :
				     write_all(c->out, text, len + 1,
					       deadline_ns);
	free(text);
	if (r)
		return kd_fail(d, r, "cannot send to the other end: %s",
			       strerror(-r));
	return 0;
}

static void console(struct kd_conn *c, const char *text, size_t len)
{
	if (len && c->console)
		c->console(c->console_arg, text, len);
}

static int parse_frame(const char *text, size_t len, json_t **out,
		       struct kd_diag *d)
{
	json_error_t error;
	json_t *v = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);

	if (!v)
		return kd_fail(d, -EPROTO, "malformed frame: %s", error.text);
	*out = v;
	return 1;
}

/* takes the line [0, len) out of the buffer, whatever it is */
static int pop_line(struct kd_conn *c, size_t len, json_t **out,
		    struct kd_diag *d)
{
	const size_t n = strlen(KD_FRAME_START);
	const char *line = c->rx.data;
	const char *start = memmem(line, len, KD_FRAME_START, n);
	size_t end = len;
	int r = 0;

	while (end && line[end - 1] == '\r')
		end--;
	if (!start || (size_t)(start - line) > end) {
		console(c, line, end);
	} else {
		console(c, line, (size_t)(start - line));
		r = parse_frame(start, end - (size_t)(start - line), out, d);
	}
	kd_buf_consume(&c->rx, len + 1);
	c->scanned = 0;
	return r;
}

int kd_conn_pop(struct kd_conn *c, json_t **out, struct kd_diag *d)
{
	while (c->rx.len > c->scanned) {
		const char *nl = memchr(c->rx.data + c->scanned, '\n',
					c->rx.len - c->scanned);
		int r;

		if (!nl && c->rx.len <= KD_FRAME_MAX) {
			c->scanned = c->rx.len;
			return 0;
		}
		if (!nl) {
			console(c, c->rx.data, c->rx.len);
			kd_buf_reset(&c->rx);
			c->scanned = 0;
			return 0;
		}
		r = pop_line(c, (size_t)(nl - c->rx.data), out, d);
		if (r)
			return r;
	}
	return 0;
}

int kd_conn_fill(struct kd_conn *c)
{
	ssize_t n;
	int r = kd_buf_reserve(&c->rx, READ_SIZE);

	if (r)
		return r;
	n = read(c->in, c->rx.data + c->rx.len, READ_SIZE);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!n) {
		c->eof = true;
		return -EPIPE;
	}
	c->rx.len += (size_t)n;
	c->rx.data[c->rx.len] = '\0';
	return 0;
}

int kd_conn_recv(struct kd_conn *c, uint64_t deadline_ns, json_t **out,
		 struct kd_diag *d)
{
	for (;;) {
		struct pollfd pfd = { .fd = c->in, .events = POLLIN };
		int r = kd_conn_pop(c, out, d);

		if (r)
			return r < 0 ? r : 0;
		if (c->eof)
			return kd_fail(d, -EPIPE, "the other end has closed");
		if (!kd_ms_left(deadline_ns))
			return kd_fail(d, -ETIMEDOUT, "no answer in time");
		if (poll(&pfd, 1, kd_ms_left(deadline_ns)) < 0) {
			if (errno == EINTR)
				return -EINTR;
			return kd_fail_errno(d, "cannot wait for an answer");
		}
		r = kd_conn_fill(c);
		if (r && r != -EPIPE)
			return kd_fail(d, r, "cannot read an answer: %s",
				       strerror(-r));
	}
}
