/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_MERGE_H
#define KD_CLI_MERGE_H

#include "base/diag.h"

#include <stdbool.h>

struct kd_dataset;

/**
 * kd_merge_is_stored() - does any of @words name an experiment of the store,
 * and no file
 */
bool kd_merge_is_stored(char *const *words, int n, const char *store);

/**
 * kd_merge_stored() - several stored experiments as one dataset
 * @words: "[LABEL=]EXPERIMENT[:VARIANT]"
 * @ds:    zeroed; caller's to kd_dataset_fini()
 *
 * An experiment of one variant (or one that is named) is a variant called by its
 * label, others are "LABEL/VARIANT"; a label given twice is one variant. No
 * sample has a round, for rounds of different experiments have nothing in common;
 * one experiment alone keeps them. Notes say when each was measured, and where
 * workloads were set up otherwise.
 */
int kd_merge_stored(char *const *words, int n, const char *store,
		    struct kd_dataset *ds, struct kd_diag *d);

#endif
