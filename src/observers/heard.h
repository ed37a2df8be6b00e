/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_HEARD_H
#define KD_OBSERVERS_HEARD_H

#include "observers/observer.h"
#include "observers/station.h"

#include <stdbool.h>

struct kd_heard_mean {
	double sum;
	uint64_t n;
};

/**
 * struct kd_heard_one - a station in the window
 * @last: as it was told last
 * @tx_rate, @rx_rate, @signal: of all samples that told them
 * @packets, @retries, @failed: grown by in the window
 */
struct kd_heard_one {
	struct kd_station last;
	struct kd_heard_mean tx_rate, rx_rate, signal;
	uint64_t packets, retries, failed;
};

/**
 * struct kd_heard - all stations of a window, of which some may come and go
 * @mhz: the channel at its start; @has_moved: it was another at its end
 * @has_more: there were stations for which there is no room
 */
struct kd_heard {
	struct kd_heard_one all[KD_STATIONS_MAX];
	size_t n;
	uint32_t mhz;
	bool has_moved, has_more;
};

/** kd_heard_add() - a sample; KD_OBS_BEGIN begins anew */
void kd_heard_add(struct kd_heard *h, enum kd_obs_when when,
		  const struct kd_air *air);

/**
 * struct kd_heard_sum - over all stations; @told: KD_STATION_* that any told
 */
struct kd_heard_sum {
	unsigned int told;
	uint64_t packets, retries, failed;
};

struct kd_heard_sum kd_heard_sum(const struct kd_heard *h);

#endif
