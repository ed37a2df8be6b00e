/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_IMPORT_H
#define KD_IMPORTS_IMPORT_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_dataset;
struct kd_doc;

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
 * @summary: one line
 * @weak:   its lines may be met in any text, so it is not believed where most
 *          lines are something else
 * @detect: formats that are a file of their own: how sure it is, 0 (not mine)
 *          to 100, from the whole file; NULL for formats made of blocks
 * @read:   the whole file, with @detect
 * @claim:  formats that may stand under a label in a text: how many lines from
 *          @i on are one block of it, 0: not mine
 * @block:  read such a block
 *
 * Readers add variants, measures, samples and notes. A value is never made up,
 * dropped or mixed up in silence: what is not understood is an error with line
 * and column, or a note.
 */
struct kd_import_ops {
	const char *name;
	const char *summary;
	bool weak;
	int (*detect)(const struct kd_import_file *f);
	int (*read)(const struct kd_import_file *f, struct kd_dataset *ds,
		    struct kd_diag *d);
	size_t (*claim)(const struct kd_doc *doc, size_t i);
	int (*block)(struct kd_doc *doc, size_t i, size_t n);
};

extern const struct kd_import_ops *const kd_import_table[];

const struct kd_import_ops *kd_import_find(const char *name);

/**
 * kd_import_read() - read one log into a dataset, which may hold others
 * @format: name of a format, or NULL to find out
 *
 * Figures of one measure come out in one unit, the first that was met.
 * Return: 0, -EINVAL (not a format that is known, or a line that cannot be
 * right), -E2BIG (beyond the limits of limits.h) or -ENOMEM.
 */
int kd_import_read(const struct kd_import_file *f, const char *format,
		   struct kd_dataset *ds, struct kd_diag *d);

#endif
