/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_EXPERIMENT_SCHEDULE_H
#define KD_EXPERIMENT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_experiment;

#define KD_ROUND_WARMUP (-1)

/**
 * struct kd_slot - one run of the schedule
 * @round:    from 0; KD_ROUND_WARMUP is measured, stored and left out of the
 *            statistics
 * @seq:      place in the round, from 0
 * @variant, @workload: indices
 */
struct kd_slot {
	int round;
	int seq;
	size_t variant;
	size_t workload;
};

/**
 * kd_schedule_size() - slots in a round: every variant once for every workload
 */
size_t kd_schedule_size(const struct kd_experiment *exp);

/**
 * kd_schedule_round() - the order of one round
 * @seed:  of the experiment
 * @slots: kd_schedule_size() of them, filled in
 *
 * The variants come in a random order; under each, the workloads come in an
 * order that is random too but the same for all variants of the round, so that
 * a knob is set once a round and each workload has the same forerunner under
 * every variant. The order depends on seed and round alone, so that a plan
 * without a known end and a resumed one need no memory of earlier rounds.
 */
void kd_schedule_round(const struct kd_experiment *exp, uint64_t seed,
		       int round, struct kd_slot *slots);

/**
 * kd_schedule_is_whole() - are all slots of @round among the @n in @stored
 */
bool kd_schedule_is_whole(const struct kd_experiment *exp, int round,
			  const struct kd_slot *stored, size_t n);

/** kd_schedule_next() - the first round, from the warm-up round on where the
 * plan has one, that is not whole in @stored */
int kd_schedule_next(const struct kd_experiment *exp,
		     const struct kd_slot *stored, size_t n);

/**
 * kd_schedule_missing() - slots of rounds 0..@rounds-1 that are not in @stored
 * @out: room for kd_schedule_size() * @rounds; in the schedule's order
 * Return: how many.
 */
size_t kd_schedule_missing(const struct kd_experiment *exp, uint64_t seed,
			   int rounds, const struct kd_slot *stored, size_t n,
			   struct kd_slot *out);

/** kd_schedule_round_ns() - expected time of a round. A workload that ends by
 * itself counts 5 s; each run counts @overhead_ns on top. */
uint64_t kd_schedule_round_ns(const struct kd_experiment *exp,
			      uint64_t overhead_ns);

/** kd_schedule_last() - rounds that the plan runs at most */
int kd_schedule_last(const struct kd_experiment *exp);

/**
 * kd_schedule_run_seed() - a seed for one run, distinct for every slot of an
 * experiment (boots of the virtual board)
 */
uint64_t kd_schedule_run_seed(uint64_t seed, const struct kd_slot *slot);

#endif
