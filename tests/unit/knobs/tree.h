/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_KNOBS_TREE_H
#define TESTS_UNIT_KNOBS_TREE_H

#include <sys/types.h>

struct kd_root;

/* a made-up machine in a temporary folder: /proc and /sys with what is put in */
struct tree {
	char dir[64];
	struct kd_root *root;
};

void tree_open(struct tree *t);
void tree_close(struct tree *t);

/* a file with its folders; mode 0644 */
void tree_put(struct tree *t, const char *path, const char *text);
void tree_mode(struct tree *t, const char *path, mode_t mode);

/* the file's text as it is; static storage */
const char *tree_get(struct tree *t, const char *path);

#endif
