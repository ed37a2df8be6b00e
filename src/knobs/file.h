/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_FILE_H
#define KD_KNOBS_FILE_H

#include "base/diag.h"

#include <stddef.h>
#include <sys/types.h>

struct kd_buf;
struct kd_knob_env;
struct kd_root;

/*
 * A knob that is a file of /proc or /sys; @path as on the machine itself.
 * Messages tell apart: absent (-ENOENT, with the nearest name there is),
 * read-only (-EACCES), not permitted (-EPERM) and refused (-EINVAL, -ERANGE).
 */

/** kd_knob_file_get() - append what the file holds, without line end; -E2BIG
 * over 64 KiB */
int kd_knob_file_get(const struct kd_root *root, const char *path,
		     struct kd_buf *out, struct kd_diag *d);

/** kd_knob_file_set() - write @value and a line end in one write() */
int kd_knob_file_set(const struct kd_root *root, const char *path,
		     const char *value, struct kd_diag *d);

/*
 * The same on an open file, which is closed; @fd may be a -errno of the
 * opening. @path is for the words.
 */
int kd_knob_fd_get(const struct kd_root *root, int fd, const char *path,
		   struct kd_buf *out, struct kd_diag *d);
int kd_knob_fd_set(const struct kd_root *root, int fd, const char *path,
		   const char *value, struct kd_diag *d);

/** kd_knob_file_flags() - KD_KNOB_WRITE_ONLY of a file without read bits */
unsigned int kd_knob_file_flags(const struct kd_root *root, const char *path);

/** kd_knob_file_mode() - its mode, or -errno */
int kd_knob_file_mode(const struct kd_root *root, const char *path,
		      mode_t *mode);

/** kd_knob_dir_each() - call @each for every name of a folder but "." and
 * "..", until it returns other than 0, which is returned; -errno where there is
 * no such folder */
int kd_knob_dir_each(const struct kd_root *root, const char *path,
		     int (*each)(void *arg, const char *name), void *arg);

#endif
