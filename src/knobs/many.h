/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_MANY_H
#define KD_KNOBS_MANY_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_buf;
struct kd_root;

/**
 * struct kd_many - one knob that is a file of each of several CPUs or policies
 *
 * Its value is that of all files where they agree, else "cpu0=1 cpu1=0", so
 * that what was found can be put back file by file. Both forms can be set.
 */
struct kd_many {
	struct kd_many_file {
		char label[24];
		char path[160];
	} *files;
	size_t n;
};

/** kd_many_add() - another file; kept in the order of the labels' numbers */
int kd_many_add(struct kd_many *m, const char *label, const char *path);

int kd_many_get(const struct kd_root *root, const struct kd_many *m,
		struct kd_buf *out, struct kd_diag *d);
int kd_many_set(const struct kd_root *root, const struct kd_many *m,
		const char *value, struct kd_diag *d);
void kd_many_fini(struct kd_many *m);

#endif
