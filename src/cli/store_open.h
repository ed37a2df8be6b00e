/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_STORE_OPEN_H
#define KD_CLI_STORE_OPEN_H

#include "base/diag.h"

#include <stdint.h>

struct kd_store;

/* the row of an option table for a "char *store" at @offset */
#define KD_OPT_STORE_ROW(offset_) \
	{ "store", KD_OPT_STR, offset_, .arg = "FILE", \
	  .help = "where results are stored" }

/** kd_store_open_named() - open the store for reading (or, @write, writing) and
 * find which experiment @text means */
int kd_store_open_named(const char *path, const char *text, int write,
			struct kd_store **store, int64_t *id,
			struct kd_diag *d);

#endif
