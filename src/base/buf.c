// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes that grow. See buf.h.
 */
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kd_buf_reserve(struct kd_buf *b, size_t len)
{
	size_t need = b->len + len + 1;
	size_t cap = b->cap ? b->cap : 64;
	char *data;

	if (b->err)
		return b->err;
	if (need < len)
		return b->err = -ENOMEM;
	if (need <= b->cap)
		return 0;
	while (cap < need)
		cap *= 2;
	data = realloc(b->data, cap);
	if (!data)
		return b->err = -ENOMEM;
	b->data = data;
	b->cap = cap;
	b->data[b->len] = '\0';
	return 0;
}

int kd_buf_add(struct kd_buf *b, const void *data, size_t len)
{
	int r = kd_buf_reserve(b, len);

	if (r)
		return r;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int kd_buf_puts(struct kd_buf *b, const char *s)
{
	return kd_buf_add(b, s, strlen(s));
}

int kd_buf_vprintf(struct kd_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n, r;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	r = n < 0 ? (b->err = -EINVAL) : kd_buf_reserve(b, (size_t)n);
	if (!r) {
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
	return r;
}

int kd_buf_printf(struct kd_buf *b, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = kd_buf_vprintf(b, fmt, ap);
	va_end(ap);
	return r;
}

void kd_buf_consume(struct kd_buf *b, size_t len)
{
	if (!len)
		return;
	memmove(b->data, b->data + len, b->len - len + 1);
	b->len -= len;
}

void kd_buf_reset(struct kd_buf *b)
{
	b->len = 0;
	b->err = 0;
	if (b->data)
		b->data[0] = '\0';
}

const char *kd_buf_str(const struct kd_buf *b)
{
	return b->data ? b->data : "";
}

char *kd_buf_steal(struct kd_buf *b)
{
	char *s = b->data ? b->data : calloc(1, 1);

	memset(b, 0, sizeof(*b));
	return s;
}

void kd_buf_fini(struct kd_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}
