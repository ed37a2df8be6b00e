/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_CLOCK_H
#define KD_BASE_CLOCK_H

#include <stdint.h>

#define KD_NS_PER_US 1000ULL
#define KD_NS_PER_MS 1000000ULL
#define KD_NS_PER_SEC 1000000000ULL

/** kd_now() - CLOCK_MONOTONIC in ns: the one clock of every measurement */
uint64_t kd_now(void);

/** kd_wall() - CLOCK_REALTIME in ns, for the stamp on a record only */
uint64_t kd_wall(void);

/** kd_sleep_until() - sleep to @ns on kd_now()'s clock, through signals */
void kd_sleep_until(uint64_t ns);

/** kd_ms_left() - ms to @deadline_ns, rounded up, for poll(); 0 when past */
int kd_ms_left(uint64_t deadline_ns);

#endif
