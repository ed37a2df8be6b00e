// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loss, copies, order and jitter of a numbered flow, with a bitmap of the
 * latest numbers.
 */
#include "workloads/engine/seqtrack.h"

#include <math.h>
#include <string.h>

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static uint64_t *word_of(struct kd_seqtrack *t, uint64_t seq)
{
	return &t->seen[seq % KD_SEQ_WINDOW / 64];
}

static void forget_range(struct kd_seqtrack *t, uint64_t from, uint64_t to)
{
	if (to - from >= KD_SEQ_WINDOW) {
		memset(t->seen, 0, sizeof(t->seen));
		return;
	}
	for (uint64_t s = from; s < to; s++)
		*word_of(t, s) &= ~(1ULL << s % 64);
}

static void count(struct kd_seqtrack *t, uint64_t seq)
{
	uint64_t bit = 1ULL << seq % 64;

	add(&t->received, 1);
	if (seq >= t->next) {
		forget_range(t, t->next, seq + 1);
		*word_of(t, seq) |= bit;
		add(&t->unique, 1);
		add(&t->next, seq + 1 - t->next);
		return;
	}
	if (t->next - seq <= KD_SEQ_WINDOW) {
		if (*word_of(t, seq) & bit) {
			add(&t->duplicates, 1);
			return;
		}
		*word_of(t, seq) |= bit;
	}
	add(&t->unique, 1);
	add(&t->reordered, 1);
}

uint64_t kd_seqtrack_add(struct kd_seqtrack *t, uint64_t seq, uint64_t sent_ns,
			 uint64_t came_ns)
{
	int64_t transit = (int64_t)(came_ns - sent_ns);

	count(t, seq);
	if (!t->has_transit) {
		t->has_transit = true;
		t->least_transit_ns = transit;
	} else {
		/* unsigned: the other end's stamps may be anything */
		int64_t d = (int64_t)((uint64_t)transit -
				      (uint64_t)t->transit_ns);

		t->jitter_ns += (fabs((double)d) - t->jitter_ns) / 16;
	}
	t->transit_ns = transit;
	if (transit < t->least_transit_ns)
		t->least_transit_ns = transit;
	return (uint64_t)transit - (uint64_t)t->least_transit_ns;
}
