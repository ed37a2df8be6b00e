/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_BATCH_H
#define KD_RUN_BATCH_H

#include "run/one.h"

struct kd_experiment;

/** struct kd_batch - a run on a device that starts anew for it */
struct kd_batch;

/**
 * struct kd_batch_answer - what came of it besides the run
 * @boot_id, @environment: of the device, the caller's; NULL where it did not
 *           get that far
 * @refused: it failed before the run was begun, in a way that a second try will
 *           not change: nothing to start, a knob that is not there
 */
struct kd_batch_answer {
	char *boot_id;
	char *environment;
	bool refused;
};

/** kd_batch_seed() - the seed as the device gets it, below 2^31 */
uint32_t kd_batch_seed(uint64_t seed);

/**
 * kd_batch_start() - start a device and send it every request
 * @argv:    of its pipe, see KD_TRANSPORT_BATCH
 * @seed:    of the device's own randomness
 * @variant: whose knobs are set first; those of other variants are as the
 *           device starts with them
 * @one:     the run; its peer, where it has one, is behind the device
 * @out:     ended by kd_batch_abandon(), set also after a failure
 *
 * @argv, @exp and @one are borrowed until then.
 */
int kd_batch_start(char *const *argv, uint64_t seed,
		   const struct kd_experiment *exp, size_t variant,
		   const struct kd_one *one, struct kd_batch **out,
		   struct kd_diag *d);

/**
 * kd_batch_finish() - wait for the device's end and collect every answer
 * @run:    metrics and so on are filled in. Where the device did not end well,
 *          an event "console" has the end of what it said.
 * @answer: filled in also after a failure
 * Return: 0; -EINTR; -ENODEV where the device panicked, hung or reset; else what
 * its agent said.
 */
int kd_batch_finish(struct kd_batch *b, struct kd_store_run *run,
		    struct kd_batch_answer *answer, struct kd_diag *d);

/** kd_batch_cancel() - tell the device's command to end, without waiting */
void kd_batch_cancel(struct kd_batch *b);

/** kd_batch_abandon() - end it if it still runs, and free it; NULL is fine */
void kd_batch_abandon(struct kd_batch *b);

#endif
