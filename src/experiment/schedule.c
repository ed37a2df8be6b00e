// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which run comes when. See schedule.h.
 *
 * The generator is splitmix64 (Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014): small, and its digits do not
 * depend on a library's version. Bounded numbers are drawn without bias by
 * rejection.
 */
#include "experiment/schedule.h"

#include "base/clock.h"
#include "experiment/experiment.h"

#define OPEN_RUN_NS (5 * KD_NS_PER_SEC)
#define GOLDEN 0x9e3779b97f4a7c15ULL

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint64_t next(uint64_t *state)
{
	*state += GOLDEN;
	return mix(*state);
}

/* from 0 to @bound - 1 */
static uint64_t below(uint64_t *state, uint64_t bound)
{
	uint64_t least = (0 - bound) % bound;
	uint64_t x;

	do
		x = next(state);
	while (x < least);
	return x % bound;
}

size_t kd_schedule_size(const struct kd_experiment *exp)
{
	return exp->n_variants * exp->n_workloads;
}

void kd_schedule_round(const struct kd_experiment *exp, uint64_t seed,
		       int round, struct kd_slot *slots)
{
	size_t nv = exp->n_variants, nw = exp->n_workloads;
	uint64_t state = mix(seed + GOLDEN) ^
			 mix((uint64_t)(int64_t)round * GOLDEN + 1);

	/*
	 * Fisher-Yates. The slots' own fields serve as the arrays to shuffle: no allocation
	 * that could fail. slots[v * nw].variant holds the variants' order and
	 * slots[w].workload the workloads'.
	 */
	for (size_t v = 0; v < nv; v++)
		slots[v * nw].variant = v;
	for (size_t i = nv; i > 1; i--) {
		size_t k = (size_t)below(&state, i);
		size_t swap = slots[(i - 1) * nw].variant;

		slots[(i - 1) * nw].variant = slots[k * nw].variant;
		slots[k * nw].variant = swap;
	}
	for (size_t w = 0; w < nw; w++)
		slots[w].workload = w;
	for (size_t i = nw; i > 1; i--) {
		size_t k = (size_t)below(&state, i);
		size_t swap = slots[i - 1].workload;

		slots[i - 1].workload = slots[k].workload;
		slots[k].workload = swap;
	}
	for (size_t v = 0; v < nv; v++) {
		for (size_t w = 0; w < nw; w++) {
			struct kd_slot *s = &slots[v * nw + w];

			s->round = round;
			s->seq = (int)(v * nw + w);
			s->variant = slots[v * nw].variant;
			s->workload = slots[w].workload;
		}
	}
}

/* runs are stored about in the schedule's order: go on from the last found */
static bool is_stored(const struct kd_slot *stored, size_t n, size_t *cursor,
		      const struct kd_slot *slot)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = *cursor + i < n ? *cursor + i : *cursor + i - n;

		if (stored[at].round == slot->round &&
		    stored[at].variant == slot->variant &&
		    stored[at].workload == slot->workload) {
			*cursor = at;
			return true;
		}
	}
	return false;
}

bool kd_schedule_is_whole(const struct kd_experiment *exp, int round,
			  const struct kd_slot *stored, size_t n)
{
	size_t cursor = 0;

	while (cursor < n && stored[cursor].round != round)
		cursor++;
	if (cursor == n)
		return false;
	for (size_t v = 0; v < exp->n_variants; v++)
		for (size_t w = 0; w < exp->n_workloads; w++)
			if (!is_stored(stored, n, &cursor,
				       &(struct kd_slot){ round, 0, v, w }))
				return false;
	return true;
}

int kd_schedule_next(const struct kd_experiment *exp,
		     const struct kd_slot *stored, size_t n)
{
	int round = exp->plan.warmup_round ? KD_ROUND_WARMUP : 0;

	while (kd_schedule_is_whole(exp, round, stored, n))
		round++;
	return round;
}

size_t kd_schedule_missing(const struct kd_experiment *exp, uint64_t seed,
			   int rounds, const struct kd_slot *stored, size_t n,
			   struct kd_slot *out)
{
	size_t size = kd_schedule_size(exp), found = 0, cursor = 0;
	int last = KD_ROUND_WARMUP;

	for (size_t i = 0; i < n; i++)
		if (stored[i].round > last)
			last = stored[i].round;

	for (int round = 0; round < rounds; round++) {
		struct kd_slot *slots = out + found;
		size_t kept = 0;

		kd_schedule_round(exp, seed, round, slots);
		for (size_t i = 0; i < size; i++)
			if (round > last ||
			    !is_stored(stored, n, &cursor, &slots[i]))
				slots[kept++] = slots[i];
		found += kept;
	}
	return found;
}

uint64_t kd_schedule_round_ns(const struct kd_experiment *exp,
			      uint64_t overhead_ns)
{
	uint64_t sum = 0;

	for (size_t v = 0; v < exp->n_variants; v++) {
		for (size_t w = 0; w < exp->n_workloads; w++) {
			struct kd_exp_run run = { 0 };

			if (kd_experiment_run(exp, v, w, &run, NULL, NULL))
				continue;
			sum += run.time_ns ? run.time_ns : OPEN_RUN_NS;
			sum += run.warmup_ns + run.cooldown_ns;
			sum += exp->plan.pause_ns + overhead_ns;
			kd_exp_run_fini(&run);
		}
	}
	return sum;
}

int kd_schedule_last(const struct kd_experiment *exp)
{
	if (exp->plan.until != KD_UNTIL_DECIDED)
		return (int)exp->plan.rounds;
	return (int)(exp->plan.max_rounds > exp->plan.rounds ?
		     exp->plan.max_rounds : exp->plan.rounds);
}

uint64_t kd_schedule_run_seed(uint64_t seed, const struct kd_slot *slot)
{
	uint64_t place = ((uint64_t)(slot->round + 1) << 32) |
			 (uint64_t)(slot->variant << 16) | slot->workload;

	return mix(mix(seed + GOLDEN) + place * GOLDEN);
}
