/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_IMPORT_H
#define KD_IMPORTS_IMPORT_H

#include "base/diag.h"

#include <stddef.h>

struct kd_dataset;

/**
 * struct kd_import_file - one log
 * @name:   for messages
 * @label:  variant name where the file is one variant; NULL where groups are
 *          looked for inside the file
 * @data:   the bytes, NUL-terminated at @len
 */
struct kd_import_file {
	const char *name;
	const char *label;
	const char *data;
	size_t len;
};

/**
 * struct kd_import_ops - one log format
 * @name:   "ttcp", "iperf3-json", ...
 * @detect: how sure it is, 0 (not mine) to 100, from the whole file
 * @read:   add variants, measures, samples and notes to @ds; a value is never
 *          made up, dropped or mixed up in silence: what is not understood is
 *          an error with line and column, or a note
 */
struct kd_import_ops {
	const char *name;
	const char *summary;
	int (*detect)(const struct kd_import_file *f);
	int (*read)(const struct kd_import_file *f, struct kd_dataset *ds,
		    struct kd_diag *d);
};

extern const struct kd_import_ops *const kd_import_table[];

const struct kd_import_ops *kd_import_find(const char *name);

/** kd_import_read() - detect (or use @format) and read */
int kd_import_read(const struct kd_import_file *f, const char *format,
		   struct kd_dataset *ds, struct kd_diag *d);

#endif
