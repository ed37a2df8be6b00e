/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PROTO_JSON_H
#define KD_PROTO_JSON_H

#include <stdint.h>

#include <jansson.h>

struct kd_diag;

/** kd_json_u64() - a number that may pass 2^53, as the protocol writes it */
json_t *kd_json_u64(uint64_t v);

/** kd_json_get_u64() - member @key as such; @fallback where absent or malformed
 */
uint64_t kd_json_get_u64(const json_t *obj, const char *key, uint64_t fallback);

/** kd_json_get_str() - member @key as text; @fallback where absent; borrowed */
const char *kd_json_get_str(const json_t *obj, const char *key,
			    const char *fallback);

/** kd_json_text() - text as a JSON string; bytes that are not UTF-8 become
 * '?', since what /proc and other programs print is not always text */
json_t *kd_json_text(const char *s);

/** kd_json_diag() - a failure as the protocol's "error" */
json_t *kd_json_diag(const struct kd_diag *d);

/** kd_json_get_diag() - the other way; returns the error's errno (negative) */
int kd_json_get_diag(const json_t *error, struct kd_diag *d);

#endif
