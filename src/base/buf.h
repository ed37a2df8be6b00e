/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_BUF_H
#define KD_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

/**
 * struct kd_buf - bytes that grow
 * @data: always NUL-terminated once something was added; NULL before
 * @len:  bytes without the NUL
 * @cap:  bytes allocated
 * @err:  -ENOMEM once an addition failed; later ones are then ignored, so that
 *        a writer may check once, at its end
 *
 * All zero is an empty buffer.
 */
struct kd_buf {
	char *data;
	size_t len;
	size_t cap;
	int err;
};

int kd_buf_add(struct kd_buf *b, const void *data, size_t len);
int kd_buf_puts(struct kd_buf *b, const char *s);
int kd_buf_printf(struct kd_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int kd_buf_vprintf(struct kd_buf *b, const char *fmt, va_list ap);

/** kd_buf_reserve() - make room for @len more bytes and the NUL */
int kd_buf_reserve(struct kd_buf *b, size_t len);

/** kd_buf_consume() - drop the first @len bytes */
void kd_buf_consume(struct kd_buf *b, size_t len);

/** kd_buf_reset() - empty it, keep the memory */
void kd_buf_reset(struct kd_buf *b);

/** kd_buf_str() - the text, "" where nothing was added; borrowed */
const char *kd_buf_str(const struct kd_buf *b);

/** kd_buf_steal() - the text as the caller's to free(); empties @b */
char *kd_buf_steal(struct kd_buf *b);

void kd_buf_fini(struct kd_buf *b);

#endif
