// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stations did in a window. See heard.h.
 */
#include "observers/heard.h"

#include <string.h>

static void add(struct kd_heard_mean *m, double v)
{
	m->sum += v;
	m->n++;
}

/*
 * A counter that steps back began anew with the station's association. That it
 * wrapped at 2^32 cannot be told from it, and takes a day at 50000 a second.
 */
static uint64_t growth(uint32_t from, uint32_t to)
{
	return to >= from ? to - from : to;
}

static struct kd_heard_one *find(struct kd_heard *h,
				 const struct kd_station *now)
{
	size_t i = 0;

	while (i < h->n && memcmp(h->all[i].last.addr, now->addr,
				  sizeof(now->addr)))
		i++;
	if (i == KD_STATIONS_MAX) {
		h->has_more = true;
		return NULL;
	}
	if (i == h->n) {
		h->all[h->n++] = (struct kd_heard_one){ 0 };
		memcpy(h->all[i].last.addr, now->addr, sizeof(now->addr));
	}
	return &h->all[i];
}

static void add_station(struct kd_heard *h, bool counts,
			const struct kd_station *now)
{
	struct kd_heard_one *one = find(h, now);

	if (!one)
		return;
	if (now->told & KD_STATION_TX_RATE)
		add(&one->tx_rate, now->tx_rate);
	if (now->told & KD_STATION_RX_RATE)
		add(&one->rx_rate, now->rx_rate);
	if (now->told & KD_STATION_SIGNAL)
		add(&one->signal, now->signal);
	if (counts) {
		one->packets += growth(one->last.packets, now->packets);
		one->retries += growth(one->last.retries, now->retries);
		one->failed += growth(one->last.failed, now->failed);
	}
	one->last = *now;
}

void kd_heard_add(struct kd_heard *h, enum kd_obs_when when,
		  const struct kd_air *air)
{
	if (when == KD_OBS_BEGIN) {
		h->n = 0;
		h->mhz = air->mhz;
		h->has_moved = h->has_more = false;
	} else if (when == KD_OBS_END && air->mhz != h->mhz) {
		h->has_moved = true;
	}
	h->has_more |= air->more > 0;
	for (size_t i = 0; i < air->n; i++)
		add_station(h, when != KD_OBS_BEGIN, &air->stations[i]);
}

struct kd_heard_sum kd_heard_sum(const struct kd_heard *h)
{
	struct kd_heard_sum sum = { 0 };

	for (size_t i = 0; i < h->n; i++) {
		sum.told |= h->all[i].last.told;
		sum.packets += h->all[i].packets;
		sum.retries += h->all[i].retries;
		sum.failed += h->all[i].failed;
	}
	return sum;
}
