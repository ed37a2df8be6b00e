// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers of nl80211. See station.h.
 */
#include "observers/station.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <netlink/attr.h>
#include <stdbool.h>
#include <string.h>

/* NL80211_RATE_INFO_BITRATE and _BITRATE32 are in 100 kbit/s */
#define RATES_PER_MBIT 10.0
#define MAX_ERRNO 4095

static bool get(struct nlattr *a, void *out, size_t size)
{
	if (!a || nla_len(a) < (int)size)
		return false;
	memcpy(out, nla_data(a), size);
	return true;
}

static bool get_u32(struct nlattr *a, uint32_t *out)
{
	return get(a, out, sizeof(*out));
}

static bool get_rate(struct nlattr *a, double *out)
{
	struct nlattr *tb[NL80211_RATE_INFO_MAX + 1];
	uint32_t wide;
	uint16_t narrow;

	if (!a || nla_parse_nested(tb, NL80211_RATE_INFO_MAX, a, NULL) < 0)
		return false;
	if (get_u32(tb[NL80211_RATE_INFO_BITRATE32], &wide))
		*out = wide / RATES_PER_MBIT;
	else if (get(tb[NL80211_RATE_INFO_BITRATE], &narrow, sizeof(narrow)))
		*out = narrow / RATES_PER_MBIT;
	else
		return false;
	return true;
}

static void take_station(struct nlattr **attrs, struct kd_air *air)
{
	struct nlattr *tb[NL80211_STA_INFO_MAX + 1];
	struct nlattr *info = attrs[NL80211_ATTR_STA_INFO];
	struct kd_station s = { 0 };
	int8_t dbm;

	if (!get(attrs[NL80211_ATTR_MAC], s.addr, sizeof(s.addr)) || !info ||
	    nla_parse_nested(tb, NL80211_STA_INFO_MAX, info, NULL) < 0)
		return;
	if (air->n == KD_STATIONS_MAX) {
		air->more++;
		return;
	}
	/* mac80211 says 0 before it has heard a first frame */
	if (get(tb[NL80211_STA_INFO_SIGNAL], &dbm, sizeof(dbm)) && dbm) {
		s.signal = dbm;
		s.told |= KD_STATION_SIGNAL;
	}
	if (get_rate(tb[NL80211_STA_INFO_TX_BITRATE], &s.tx_rate))
		s.told |= KD_STATION_TX_RATE;
	if (get_rate(tb[NL80211_STA_INFO_RX_BITRATE], &s.rx_rate))
		s.told |= KD_STATION_RX_RATE;
	if (get_u32(tb[NL80211_STA_INFO_TX_PACKETS], &s.packets))
		s.told |= KD_STATION_PACKETS;
	if (get_u32(tb[NL80211_STA_INFO_TX_RETRIES], &s.retries))
		s.told |= KD_STATION_RETRIES;
	if (get_u32(tb[NL80211_STA_INFO_TX_FAILED], &s.failed))
		s.told |= KD_STATION_FAILED;
	air->stations[air->n++] = s;
}

static void take(const struct nlmsghdr *h, struct kd_air *air)
{
	const struct genlmsghdr *g = NLMSG_DATA(h);
	struct nlattr *attrs[NL80211_ATTR_MAX + 1];
	uint32_t mhz;

	if (h->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN) ||
	    nla_parse(attrs, NL80211_ATTR_MAX,
		      (struct nlattr *)((char *)g + GENL_HDRLEN),
		      (int)(h->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN)), NULL) < 0)
		return;
	if (g->cmd == NL80211_CMD_NEW_STATION)
		take_station(attrs, air);
	else if (g->cmd == NL80211_CMD_NEW_INTERFACE &&
		 get_u32(attrs[NL80211_ATTR_WIPHY_FREQ], &mhz))
		air->mhz = mhz;
}

/* an errno that begins the payload: of NLMSG_ERROR, and of a dump's end */
static int verdict(const struct nlmsghdr *h)
{
	int err;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(err)))
		return h->nlmsg_type == NLMSG_DONE ? 0 : -EBADMSG;
	memcpy(&err, NLMSG_DATA(h), sizeof(err));
	if (err < -MAX_ERRNO || err > 0)
		return -EBADMSG;
	return err;
}

/* 1: go on with the next message; else what kd_station_parse() returns */
static int message(const struct nlmsghdr *h, int family, uint32_t seq,
		   struct kd_air *air)
{
	if (h->nlmsg_seq != seq)
		return 1;
	if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
		return verdict(h);
	if (h->nlmsg_type == family)
		take(h, air);
	return 1;
}

int kd_station_parse(const void *buf, size_t len, int family, uint32_t seq,
		     struct kd_air *air)
{
	const char *p = buf;

	while (len) {
		const struct nlmsghdr *h = (const void *)p;
		size_t step;
		int r;

		if (len < sizeof(*h) || h->nlmsg_len < sizeof(*h) ||
		    h->nlmsg_len > len)
			return -EBADMSG;
		r = message(h, family, seq, air);
		if (r != 1)
			return r;
		step = NLMSG_ALIGN(h->nlmsg_len);
		if (step >= len)
			break;
		p += step;
		len -= step;
	}
	return 1;
}
