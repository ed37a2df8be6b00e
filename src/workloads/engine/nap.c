// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/engine/nap.h"

#include "base/clock.h"

#include <sys/prctl.h>
#include <time.h>

void kd_nap_init(struct kd_nap *n, uint64_t length_ns)
{
	*n = (struct kd_nap){ .length_ns = length_ns, .since_ns = kd_now() };
	if (length_ns)
		prctl(PR_SET_TIMERSLACK, 1UL);
}

void kd_nap_take(struct kd_nap *n, bool more)
{
	struct timespec ts = { .tv_nsec = (long)n->length_ns };
	uint64_t now, past;

	if (!n->length_ns)
		return;
	now = kd_now();
	past = now - n->since_ns;
	if (past >= n->length_ns) {
		n->fast = n->bytes * 8 >= past * (KD_NAP_RATE / KD_NS_PER_SEC);
		n->bytes = 0;
		n->since_ns = now;
	}
	if (n->fast && !more)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}
