/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_HISTORY_H
#define KD_KNOBS_HISTORY_H

#include "base/buf.h"
#include "knobs/record.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * struct kd_history - what a journal's file says
 * @text:    the file, cut into lines; the records point into it
 * @records: all good ones, in order
 * @owner:   of the last owner; its words are "" where there is none
 *
 * A change is the first KD_RECORD_SET of a knob in a namespace since that knob
 * was last done with: its @old is the value the knob was found with.
 */
struct kd_history {
	struct kd_buf text;
	struct kd_record *records;
	size_t n;
	struct kd_record owner;
};

/** kd_history_load() - read all of @fd; 0 or -errno */
int kd_history_load(int fd, struct kd_history *h);

/** kd_history_parse() - read @size bytes of memory */
int kd_history_parse(const char *data, size_t size, struct kd_history *h);

/** kd_history_is_change() - is record @i a change that is still to be undone */
bool kd_history_is_change(const struct kd_history *h, size_t i);

/** kd_history_is_ours() - is @seen a value that was set or seen since change @i,
 * by the rules of @match */
bool kd_history_is_ours(const struct kd_history *h, size_t i, const char *seen,
			bool (*same)(void *arg, const char *wanted,
				     const char *seen),
			void *arg);

/** kd_history_pending() - how many changes are to be undone */
size_t kd_history_pending(const struct kd_history *h);

void kd_history_fini(struct kd_history *h);

#endif
