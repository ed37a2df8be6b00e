/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_DOCTOR_LOOK_H
#define KD_DOCTOR_LOOK_H

#include "doctor/doctor.h"

#include <stdbool.h>
#include <stddef.h>

/* what the checks share: reading below a root, and words */

/** kd_look_text() - a file's first line, "" where it cannot be read */
const char *kd_look_text(const struct kd_root *root, const char *path,
			 char *out, size_t size);

/** kd_look_number() - the number that a file starts with; NAN where there is
 * none */
double kd_look_number(const struct kd_root *root, const char *path);

/** kd_look_choice() - the word in brackets of "always [madvise] never", else the
 * whole line */
const char *kd_look_choice(const struct kd_root *root, const char *path,
			   char *out, size_t size);

/** kd_look_is() - does @path exist */
bool kd_look_is(const struct kd_root *root, const char *path);

/**
 * kd_look_each() - the first line of @file in each folder of @dir
 * @prefix: of the folders; a digit must follow where it ends with '#', which is
 *          not part of it
 * @file:   below each folder
 * @fn:     called with the folder's name and the line
 * Return: how many were read.
 */
size_t kd_look_each(const struct kd_root *root, const char *dir,
		    const char *prefix, const char *file,
		    void (*fn)(void *arg, const char *entry, const char *text),
		    void *arg);

/** kd_look_say() - set fitness and words */
void kd_look_say(struct kd_finding *f, enum kd_fitness fitness,
		 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** kd_look_fix() - set what to do */
void kd_look_fix(struct kd_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define KD_TALLY_MAX 8

/** struct kd_tally - how often each text was met */
struct kd_tally {
	char text[KD_TALLY_MAX][48];
	size_t count[KD_TALLY_MAX];
	size_t n;
	size_t total;
};

/** kd_tally_add() - for kd_look_each(), @arg a struct kd_tally */
void kd_tally_add(void *arg, const char *entry, const char *text);

/** kd_tally_count() - how often @text was met */
size_t kd_tally_count(const struct kd_tally *t, const char *text);

/** kd_tally_words() - "powersave on 3, performance on 1" */
const char *kd_tally_words(const struct kd_tally *t, char *out, size_t size);

#endif
