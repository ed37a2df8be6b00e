/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_ROOT_H
#define KD_BASE_ROOT_H

#include "base/diag.h"

#include <stddef.h>
#include <sys/types.h>

/**
 * struct kd_root - where /proc and /sys are read from
 *
 * All reading of /proc, /sys and debugfs goes through one, so that the recorded
 * tree of another board is an input like any other. "/" is this machine.
 */
struct kd_root;

/** kd_root_open() - a root at directory @path; caller closes it */
int kd_root_open(const char *path, struct kd_root **out, struct kd_diag *d);
void kd_root_close(struct kd_root *root);

/** kd_root_path() - the directory that it stands for; borrowed */
const char *kd_root_path(const struct kd_root *root);

/** kd_root_is_live() - is it this machine's own "/" */
bool kd_root_is_live(const struct kd_root *root);

/**
 * kd_root_openat() - open a file below the root
 * @path: as on the machine itself: "/proc/stat"
 * @flags: as open(2); O_CLOEXEC is added
 * Return: descriptor, or -errno.
 */
int kd_root_openat(const struct kd_root *root, const char *path, int flags);

/**
 * kd_root_read() - a whole small file as text
 * @out:  NUL-terminated, cut at @size - 1
 * Return: bytes read, or -errno (-E2BIG where it did not fit).
 */
ssize_t kd_root_read(const struct kd_root *root, const char *path, char *out,
		     size_t size);

/** kd_root_read_line() - as kd_root_read(), without the line's end */
ssize_t kd_root_read_line(const struct kd_root *root, const char *path,
			  char *out, size_t size);

/** kd_root_write() - write text to an existing file in one write() */
int kd_root_write(const struct kd_root *root, const char *path,
		  const char *text);

/** kd_pread_text() - read again from offset 0 of an open file; as
 * kd_root_read(), but a longer file is cut in silence at a sampling tick */
ssize_t kd_pread_text(int fd, char *out, size_t size);

#endif
