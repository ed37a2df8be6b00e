/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_DIAG_H
#define KD_BASE_DIAG_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct kd_diag - what went wrong, for a person
 * @err:     0 while nothing went wrong, else a negative errno
 * @subject: what it is about: a file, a knob, a host; may be empty
 * @line:    line in @subject, from 1; 0 where there is none
 * @column:  column in that line, from 1; 0 where there is none
 * @text:    what happened and why, without a full stop
 * @hint:    what to do about it; may be empty
 *
 * Filled in once, by the call that saw the failure: the first writer wins.
 * It travels over the agent protocol as it is.
 */
struct kd_diag {
	int err;
	char subject[160];
	int line;
	int column;
	char text[512];
	char hint[320];
};

/**
 * kd_fail() - record a failure
 * @d:   where to; NULL drops the words and keeps the code
 * @err: negative errno
 * Return: @err, so that callers can write "return kd_fail(...)".
 */
int kd_fail(struct kd_diag *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * kd_fail_errno() - record a failed system call
 *
 * As kd_fail() with -errno; ": " and its strerror() are appended.
 */
int kd_fail_errno(struct kd_diag *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * kd_fail_at() - record a failure at a place in a file
 * @subject: file name, borrowed
 */
int kd_fail_at(struct kd_diag *d, int err, const char *subject, int line,
	       int column, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/** kd_diag_subject() - say what a failure is about, unless already said */
void kd_diag_subject(struct kd_diag *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** kd_diag_hint() - say what to do about a failure, unless already said */
void kd_diag_hint(struct kd_diag *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** kd_diag_clear() - make @d ready for another use */
void kd_diag_clear(struct kd_diag *d);

/**
 * kd_diag_format() - one message: "subject:line:column: text; hint"
 * Return: the length, as snprintf().
 */
int kd_diag_format(const struct kd_diag *d, char *out, size_t size);

#endif
