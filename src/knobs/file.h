/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_FILE_H
#define KD_KNOBS_FILE_H

struct kd_buf;
struct kd_diag;
struct kd_root;

/* A knob that is a file of /proc or /sys; @path as on the machine. Messages
 * tell absent, read-only, not permitted and refused values apart. */
int kd_knob_file_get(const struct kd_root *root, const char *path,
		     struct kd_buf *out, struct kd_diag *d);
int kd_knob_file_set(const struct kd_root *root, const char *path,
		     const char *value, struct kd_diag *d);

#endif
