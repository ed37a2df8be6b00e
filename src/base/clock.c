// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One clock. See clock.h.
 */
#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * KD_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t kd_now(void)
{
	return now(CLOCK_MONOTONIC);
}

uint64_t kd_wall(void)
{
	return now(CLOCK_REALTIME);
}

void kd_sleep_until(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / KD_NS_PER_SEC),
		.tv_nsec = (long)(ns % KD_NS_PER_SEC),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) ==
	       EINTR)
		;
}

int kd_ms_left(uint64_t deadline_ns)
{
	uint64_t t = kd_now();
	uint64_t ms;

	if (deadline_ns <= t)
		return 0;
	ms = (deadline_ns - t + KD_NS_PER_MS - 1) / KD_NS_PER_MS;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}
