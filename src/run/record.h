/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_RECORD_H
#define KD_RUN_RECORD_H

#include "base/sink.h"
#include "store/store.h"

/**
 * struct kd_record - a sink that fills a run for the store
 * @sink: hand this to kd_result_replay()
 * @run:  borrowed; its arrays grow, and are freed by kd_store_run_fini()
 * @from: which end the figures that come now are from
 * @err:  -ENOMEM once something could not be kept
 */
struct kd_record {
	struct kd_sink sink;
	struct kd_store_run *run;
	enum kd_run_from from;
	int err;
};

void kd_record_init(struct kd_record *rec, struct kd_store_run *run);

/**
 * kd_record_derive() - figures that follow from two others of the run:
 * Mbit/s per % CPU, ns of CPU per byte, J/GB
 * @cpus: of the device
 */
void kd_record_derive(struct kd_record *rec, int cpus);

/** kd_record_value() - a metric without instance, NAN where absent */
double kd_record_value(const struct kd_store_run *run, const char *name);

/** kd_record_failure() - the first event that fails the run, or NULL */
const struct kd_run_event *kd_record_failure(const struct kd_store_run *run);

#endif
