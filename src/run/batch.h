/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_BATCH_H
#define KD_RUN_BATCH_H

#include "run/one.h"

struct kd_experiment;

/**
 * struct kd_batch - a run on a device that starts anew for it
 * @argv:    of the pipe, see KD_TRANSPORT_BATCH
 * @seed:    of the device's own randomness; its low 31 bits count
 * @one:     the run; its peer, where it has one, is behind the device
 * @variant: whose knobs are set first; those of other variants are as the
 *           device starts with them
 */
struct kd_batch {
	char *const *argv;
	uint64_t seed;
	const struct kd_experiment *exp;
	size_t variant;
	const struct kd_one *one;
};

/**
 * struct kd_batch_answer - what came of it besides the run
 * @boot_id, @environment: of the device; NULL where it did not get that far
 * @refused: it failed before the run was begun, in a way that a second try will
 *           not change: nothing to start, a knob that is not there
 */
struct kd_batch_answer {
	char *boot_id;
	char *environment;
	bool refused;
};

/** kd_batch_seed() - the seed as the device gets it */
uint32_t kd_batch_seed(uint64_t seed);

/**
 * kd_batch_run() - start, send every request, then collect every answer
 * @run:    metrics and so on are filled in. Where the device did not end well,
 *          an event "console" has the end of what it said.
 * @answer: caller frees with kd_batch_answer_fini(), also after a failure
 * Return: 0; -EINTR; -ENODEV where the device panicked, hung or reset; else what
 * its agent said.
 */
int kd_batch_run(const struct kd_batch *b, struct kd_store_run *run,
		 struct kd_batch_answer *answer, struct kd_diag *d);

void kd_batch_answer_fini(struct kd_batch_answer *answer);

#endif
