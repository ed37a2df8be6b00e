/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_LOAD_H
#define KD_IMPORTS_LOAD_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_dataset;

/**
 * kd_import_files() - read logs that were named on a command line
 * @words:  paths or "label=path"; "-" is standard input
 * @format: of all of them, or NULL to find out
 *
 * Several files: each is a variant, named by its label, else by the file's name
 * without folder and extension; a label given twice is one variant of two files.
 * One file without a label: the groups inside it are the variants.
 */
int kd_import_files(char *const *words, size_t n, const char *format,
		    struct kd_dataset *ds, struct kd_diag *d);

/**
 * kd_import_parts() - part a dataset where its variants share no measure
 *
 * A log may hold two tables of different things; each is a comparison of its
 * own. The first part keeps the notes and takes over the texts of @ds, which is
 * empty afterwards.
 * @out: @n datasets, each ended with kd_dataset_fini(), then free() of the array
 */
int kd_import_parts(struct kd_dataset *ds, struct kd_dataset **out, size_t *n);

/**
 * kd_import_tell_single() - notes on figures that one variant alone has, as no
 * comparison shows them; 0 or -ENOMEM
 */
int kd_import_tell_single(struct kd_dataset *ds);

#endif
