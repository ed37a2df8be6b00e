/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_FOREIGN_H
#define KD_IMPORTS_FOREIGN_H

#include "base/diag.h"

struct kd_import_file;

/**
 * kd_foreign_check() - refuse output of tools that would be misread as a table
 * Return: 0, or -EINVAL with the tool's name, the line, and what to give instead.
 */
int kd_foreign_check(const struct kd_import_file *f, struct kd_diag *d);

#endif
