/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PROTO_RESULT_H
#define KD_PROTO_RESULT_H

#include "base/diag.h"
#include "base/sink.h"

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/**
 * struct kd_json_sink - a sink that becomes the protocol's "result"
 * @sink: hand this to observers and workloads
 * @out:  the object; owned
 */
struct kd_json_sink {
	struct kd_sink sink;
	json_t *out;
};

int kd_json_sink_init(struct kd_json_sink *s);
void kd_json_sink_fini(struct kd_json_sink *s);

/**
 * kd_result_replay() - hand a received "result" to a sink
 *
 * What is malformed is refused as a whole, before anything reaches the sink.
 * Names and units live as long as the object.
 */
int kd_result_replay(const json_t *result, struct kd_sink *sink,
		     struct kd_diag *d);

#endif
