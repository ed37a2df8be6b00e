/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_NAP_H
#define KD_WORKLOADS_ENGINE_NAP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct kd_nap - rests of a receiving thread on a fast path
 *
 * Who sleeps in epoll_wait() is woken by the sender's CPU for every few
 * segments, and above some Gbit/s that is much of what both spend. So a thread
 * that gets bytes at KD_NAP_RATE or faster looks once per @length_ns instead,
 * by its own timer, as a network card moderates its interrupts. Slower ones are
 * woken by each segment. No counter lags by more than one nap.
 *
 * @length_ns: 0 for never
 * @bytes:     received since @since_ns; the thread adds to it
 */
struct kd_nap {
	uint64_t length_ns;
	uint64_t bytes;
	uint64_t since_ns;
	bool fast;
};

#define KD_NAP_RATE 4000000000ull /* bit/s */

/** kd_nap_init() - in the thread that will nap, whose timer slack it ends */
void kd_nap_init(struct kd_nap *n, uint64_t length_ns);

/** kd_nap_take() - after a round over all that was ready: nap, if it pays
 * @more: something was left unread, so there is no time for it */
void kd_nap_take(struct kd_nap *n, bool more);

#endif
