/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_STORE_JSON_H
#define KD_CLI_STORE_JSON_H

#include "store/store.h"

#include <jansson.h>

/* Stored things as JSON; the caller owns the result. Numbers of 64 bits that
 * may pass 2^53 are decimal strings. Text that holds JSON becomes that. */
json_t *kd_store_exp_json(const struct kd_store_exp *exp);

/** kd_store_run_json() - @full: with metrics, series, histograms, events and
 * environment */
json_t *kd_store_run_json(const struct kd_store_exp *exp,
			  const struct kd_store_run *run, bool full);

json_t *kd_store_item_json(const struct kd_store_item *item);

#endif
