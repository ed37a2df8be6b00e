/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_STATION_H
#define KD_OBSERVERS_STATION_H

#include <stddef.h>
#include <stdint.h>

#define KD_STATIONS_MAX 32
#define KD_STATION_ADDR 6

/* what a station's kernel and driver told; see kd_station.told */
#define KD_STATION_SIGNAL 1u
#define KD_STATION_TX_RATE 2u
#define KD_STATION_RX_RATE 4u
#define KD_STATION_PACKETS 8u
#define KD_STATION_RETRIES 16u
#define KD_STATION_FAILED 32u

/**
 * struct kd_station - one row of "iw dev IF station dump": who is at the other
 * end of the air
 * @told:    KD_STATION_* of the fields below that are known
 * @signal:  dBm, of the last frame received
 * @tx_rate: Mbit/s, of the last frame sent; @rx_rate of the last received
 * @packets: sent to it; @retries: transmissions beyond each first; @failed:
 *           given up. All three count from its association and wrap at 2^32.
 */
struct kd_station {
	uint8_t addr[KD_STATION_ADDR];
	unsigned int told;
	double signal;
	double tx_rate, rx_rate;
	uint32_t packets, retries, failed;
};

/**
 * struct kd_air - what nl80211 says of an interface
 * @n:    stations below
 * @more: there were others, for which there is no room
 * @mhz:  centre of the channel's first 20 MHz; 0: not told
 */
struct kd_air {
	struct kd_station stations[KD_STATIONS_MAX];
	size_t n;
	size_t more;
	uint32_t mhz;
};

/**
 * kd_station_parse() - take what one recv() of a netlink socket gave
 * @buf:    aligned as struct nlmsghdr
 * @family: number of the generic netlink family "nl80211"
 * @seq:    of the request; messages of others are passed over
 * @air:    added to
 *
 * The attributes are those of NL80211_CMD_NEW_STATION and _NEW_INTERFACE in
 * linux/nl80211.h; one that is too short counts as not told.
 * Return: 1 where more is to come, 0 at the answer's end, the kernel's -errno,
 * or -EBADMSG.
 */
int kd_station_parse(const void *buf, size_t len, int family, uint32_t seq,
		     struct kd_air *air);

#endif
