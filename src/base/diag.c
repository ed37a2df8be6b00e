// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Failures told in words. See diag.h.
 */
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

static int fail(struct kd_diag *d, int err, const char *fmt, va_list ap)
{
	if (d && !d->err) {
		d->err = err;
		vsnprintf(d->text, sizeof(d->text), fmt, ap);
	}
	return err;
}

int kd_fail(struct kd_diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(d, err, fmt, ap);
	va_end(ap);
	return err;
}

int kd_fail_errno(struct kd_diag *d, const char *fmt, ...)
{
	int saved = errno ? errno : EIO;
	bool first = d && !d->err;
	va_list ap;

	va_start(ap, fmt);
	fail(d, -saved, fmt, ap);
	va_end(ap);
	if (first) {
		size_t len = strlen(d->text);

		snprintf(d->text + len, sizeof(d->text) - len, ": %s",
			 strerror(saved));
	}
	return -saved;
}

int kd_fail_at(struct kd_diag *d, int err, const char *subject, int line,
	       int column, const char *fmt, ...)
{
	va_list ap;

	if (d && !d->err) {
		snprintf(d->subject, sizeof(d->subject), "%s", subject);
		d->line = line;
		d->column = column;
	}
	va_start(ap, fmt);
	fail(d, err, fmt, ap);
	va_end(ap);
	return err;
}

void kd_diag_subject(struct kd_diag *d, const char *fmt, ...)
{
	va_list ap;

	if (!d || d->subject[0])
		return;
	va_start(ap, fmt);
	vsnprintf(d->subject, sizeof(d->subject), fmt, ap);
	va_end(ap);
}

void kd_diag_hint(struct kd_diag *d, const char *fmt, ...)
{
	va_list ap;

	if (!d || d->hint[0])
		return;
	va_start(ap, fmt);
	vsnprintf(d->hint, sizeof(d->hint), fmt, ap);
	va_end(ap);
}

void kd_diag_clear(struct kd_diag *d)
{
	if (d)
		memset(d, 0, sizeof(*d));
}

int kd_diag_format(const struct kd_diag *d, char *out, size_t size)
{
	char where[224] = "";

	if (d->subject[0] && d->line && d->column)
		snprintf(where, sizeof(where), "%s:%d:%d: ", d->subject,
			 d->line, d->column);
	else if (d->subject[0] && d->line)
		snprintf(where, sizeof(where), "%s:%d: ", d->subject, d->line);
	else if (d->subject[0])
		snprintf(where, sizeof(where), "%s: ", d->subject);
	return snprintf(out, size, "%s%s%s%s", where, d->text,
			d->hint[0] ? "; " : "", d->hint);
}
