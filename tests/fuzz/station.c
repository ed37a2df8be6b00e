// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as nl80211's answer to the observer link. The sequence number asked
 * for is that of the first message, so that what follows is looked at.
 */
#include "observers/station.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FAMILY 32
#define SEQ_OFFSET 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kd_air air = { 0 };
	uint32_t seq = 0;
	void *copy = malloc(size ? size : 1);
	int r;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (size >= SEQ_OFFSET + sizeof(seq))
		memcpy(&seq, data + SEQ_OFFSET, sizeof(seq));
	r = kd_station_parse(copy, size, FAMILY, seq, &air);
	if (r > 1 || r < -4095 || air.n > KD_STATIONS_MAX)
		abort();
	for (size_t i = 0; i < air.n; i++)
		if (!isfinite(air.stations[i].signal) ||
		    !isfinite(air.stations[i].tx_rate) ||
		    !isfinite(air.stations[i].rx_rate))
			abort();
	free(copy);
	return 0;
}
