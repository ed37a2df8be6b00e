// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The observer link: counters on trees, and answers of nl80211 that are made
 * here byte by byte, good and hostile. Argument: a folder with the kernel's own
 * answers (Linux 6.1, mac80211_hwsim), whose figures are those that iw(8) printed
 * at the same moment.
 */
#include "tree.h"

#include "base/clock.h"
#include "observers/heard.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEC KD_NS_PER_SEC
#define FAMILY 28
#define SEQ 7
/* of the recording */
#define ITS_FAMILY 32
#define ITS_SEQ 1

static const char *folder;

struct answer {
	_Alignas(4) uint8_t bytes[4096];
	size_t len;
};

static void put(struct answer *a, const void *data, size_t size)
{
	assert_true(a->len + size + 3 < sizeof(a->bytes));
	memcpy(a->bytes + a->len, data, size);
	memset(a->bytes + a->len + size, 0, 3);
	a->len += (size + 3) & ~(size_t)3;
}

/* a header whose length end() fills in */
static size_t message(struct answer *a, uint16_t type, uint32_t seq)
{
	struct nlmsghdr h = { .nlmsg_type = type, .nlmsg_seq = seq };
	size_t at = a->len;

	put(a, &h, sizeof(h));
	return at;
}

static void end_message(struct answer *a, size_t at)
{
	uint32_t len = (uint32_t)(a->len - at);

	memcpy(a->bytes + at, &len, sizeof(len));
}

static size_t nest(struct answer *a, uint16_t type)
{
	struct nlattr h = { .nla_type = type | NLA_F_NESTED };
	size_t at = a->len;

	put(a, &h, sizeof(h));
	return at;
}

static void end_nest(struct answer *a, size_t at)
{
	uint16_t len = (uint16_t)(a->len - at);

	memcpy(a->bytes + at, &len, sizeof(len));
}

static void attr(struct answer *a, uint16_t type, const void *data, size_t size)
{
	struct nlattr h = { .nla_type = type,
			    .nla_len = (uint16_t)(sizeof(h) + size) };

	put(a, &h, sizeof(h));
	put(a, data, size);
}

static void attr_u32(struct answer *a, uint16_t type, uint32_t v)
{
	attr(a, type, &v, sizeof(v));
}

static void rate(struct answer *a, uint16_t which, uint16_t type, uint32_t v,
		 size_t size)
{
	size_t at = nest(a, which);

	attr(a, type, &v, size);
	end_nest(a, at);
}

static void station(struct answer *a, uint32_t seq, uint8_t number)
{
	struct genlmsghdr g = { .cmd = NL80211_CMD_NEW_STATION };
	uint8_t mac[] = { 2, 0, 0, 0, 0, number };
	int8_t signal = -61;
	size_t at = message(a, FAMILY, seq), info;

	put(a, &g, sizeof(g));
	attr(a, NL80211_ATTR_MAC, mac, sizeof(mac));
	info = nest(a, NL80211_ATTR_STA_INFO);
	attr(a, NL80211_STA_INFO_SIGNAL, &signal, sizeof(signal));
	/* 433.3 and 6.5 Mbit/s; the second from a kernel without BITRATE32 */
	rate(a, NL80211_STA_INFO_TX_BITRATE, NL80211_RATE_INFO_BITRATE32, 4333,
	     4);
	rate(a, NL80211_STA_INFO_RX_BITRATE, NL80211_RATE_INFO_BITRATE, 65, 2);
	attr_u32(a, NL80211_STA_INFO_TX_PACKETS, 1000);
	attr_u32(a, NL80211_STA_INFO_TX_RETRIES, 40);
	attr_u32(a, NL80211_STA_INFO_TX_FAILED, 3);
	end_nest(a, info);
	end_message(a, at);
}

static void over(struct answer *a, uint16_t type, int err)
{
	size_t at = message(a, type, SEQ);

	put(a, &err, sizeof(err));
	end_message(a, at);
}

static int parse(const struct answer *a, size_t len, struct kd_air *air)
{
	/* the exact size, so that a sanitizer sees reads past it */
	void *copy = malloc(len ? len : 1);
	int r;

	memcpy(copy, a->bytes, len);
	r = kd_station_parse(copy, len, FAMILY, SEQ, air);
	free(copy);
	return r;
}

static void stations_are_read(void **state)
{
	struct genlmsghdr g = { .cmd = NL80211_CMD_NEW_INTERFACE };
	struct answer a = { 0 };
	struct kd_air air = { 0 };
	const struct kd_station *s = &air.stations[0];
	size_t at;

	station(&a, SEQ, 9);
	at = message(&a, FAMILY, SEQ);
	put(&a, &g, sizeof(g));
	attr_u32(&a, NL80211_ATTR_WIPHY_FREQ, 5180);
	end_message(&a, at);
	assert_int_equal(parse(&a, a.len, &air), 1);
	assert_int_equal(air.n, 1);
	assert_int_equal(air.mhz, 5180);
	assert_int_equal(s->addr[0], 2);
	assert_int_equal(s->addr[5], 9);
	assert_int_equal(s->told, KD_STATION_SIGNAL | KD_STATION_TX_RATE |
				  KD_STATION_RX_RATE | KD_STATION_PACKETS |
				  KD_STATION_RETRIES | KD_STATION_FAILED);
	assert_true(s->signal == -61);
	assert_true(fabs(s->tx_rate - 433.3) < 1e-9);
	assert_true(fabs(s->rx_rate - 6.5) < 1e-9);
	assert_int_equal(s->packets, 1000);
	assert_int_equal(s->retries, 40);
	assert_int_equal(s->failed, 3);
	over(&a, NLMSG_DONE, 0);
	assert_int_equal(parse(&a, a.len, &air), 0);
}

static int parse_file(const char *name, struct kd_air *air)
{
	struct answer a;
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	a.len = fread(a.bytes, 1, sizeof(a.bytes), f);
	fclose(f);
	return kd_station_parse(a.bytes, a.len, ITS_FAMILY, ITS_SEQ, air);
}

/* a recording: signal -30 dBm, both rates 14.4 Mbit/s, 23 packets to
 * 02:00:00:00:01:00, none sent again, none lost, on 2412 MHz */
static void recorded(void **state)
{
	static const uint8_t addr[] = { 2, 0, 0, 0, 1, 0 };
	struct kd_air air = { 0 };
	const struct kd_station *s = &air.stations[0];

	assert_int_equal(parse_file("stations", &air), 0);
	assert_int_equal(parse_file("interface", &air), 0);
	assert_int_equal(air.n, 1);
	assert_memory_equal(s->addr, addr, sizeof(addr));
	assert_true(s->signal == -30);
	assert_true(fabs(s->tx_rate - 14.4) < 1e-9);
	assert_true(fabs(s->rx_rate - 14.4) < 1e-9);
	assert_int_equal(s->packets, 23);
	assert_int_equal(s->retries, 0);
	assert_int_equal(s->failed, 0);
	assert_int_equal(s->told & KD_STATION_RETRIES, KD_STATION_RETRIES);
	assert_int_equal(air.mhz, 2412);
}

static void ends_are_told(void **state)
{
	static const struct {
		uint16_t type;
		int err, want;
	} rows[] = {
		{ NLMSG_DONE, 0, 0 },
		{ NLMSG_DONE, -ENODEV, -ENODEV },
		{ NLMSG_ERROR, 0, 0 },
		{ NLMSG_ERROR, -EOPNOTSUPP, -EOPNOTSUPP },
		{ NLMSG_ERROR, 1, -EBADMSG },
		{ NLMSG_ERROR, INT32_MIN, -EBADMSG },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kd_air air = { 0 };
		struct answer a = { 0 };

		over(&a, rows[i].type, rows[i].err);
		assert_int_equal(parse(&a, a.len, &air), rows[i].want);
	}
}

static void others_are_passed_over(void **state)
{
	struct kd_air air = { 0 };
	struct answer a = { 0 };

	station(&a, SEQ - 1, 1);
	station(&a, SEQ, 2);
	assert_int_equal(parse(&a, a.len, &air), 1);
	assert_int_equal(air.n, 1);
	assert_int_equal(air.stations[0].addr[5], 2);
}

static void too_many_are_counted(void **state)
{
	struct kd_air air = { 0 };

	for (int i = 0; i < KD_STATIONS_MAX + 3; i++) {
		struct answer a = { 0 };

		station(&a, SEQ, (uint8_t)i);
		assert_int_equal(parse(&a, a.len, &air), 1);
	}
	assert_int_equal(air.n, KD_STATIONS_MAX);
	assert_int_equal(air.more, 3);
}

/* a field cut short is not told; nothing of it is taken */
static void short_fields(void **state)
{
	struct genlmsghdr g = { .cmd = NL80211_CMD_NEW_STATION };
	uint8_t mac[6] = { 2 }, one = 1;
	struct kd_air air = { 0 };
	struct answer a = { 0 };
	size_t at = message(&a, FAMILY, SEQ), info;

	put(&a, &g, sizeof(g));
	attr(&a, NL80211_ATTR_MAC, mac, sizeof(mac));
	info = nest(&a, NL80211_ATTR_STA_INFO);
	attr(&a, NL80211_STA_INFO_TX_RETRIES, &one, 1);
	attr(&a, NL80211_STA_INFO_SIGNAL, &one, 0);
	rate(&a, NL80211_STA_INFO_TX_BITRATE, NL80211_RATE_INFO_BITRATE, 65, 1);
	end_nest(&a, info);
	end_message(&a, at);
	assert_int_equal(parse(&a, a.len, &air), 1);
	assert_int_equal(air.n, 1);
	assert_int_equal(air.stations[0].told, 0);
}

/* cut anywhere, and with any byte wrong: an answer or an error, no crash */
static void hostile(void **state)
{
	struct answer a = { 0 };

	station(&a, SEQ, 1);
	station(&a, SEQ, 2);
	over(&a, NLMSG_DONE, 0);
	for (size_t len = 0; len <= a.len; len++) {
		struct kd_air air = { 0 };
		int r = parse(&a, len, &air);

		if (len == a.len)
			assert_int_equal(r, 0);
		else
			assert_true(r == 1 || r == -EBADMSG);
	}
	for (size_t i = 0; i < a.len; i++)
		for (int v = 0; v < 256; v += 5) {
			struct answer b = a;
			struct kd_air air = { 0 };
			int r;

			b.bytes[i] = (uint8_t)v;
			r = parse(&b, b.len, &air);
			assert_true(r <= 1 && r >= -4095);
			assert_true(air.n <= 2);
		}
}

static struct kd_air told_of(uint8_t number, uint32_t retries, double rate)
{
	return (struct kd_air){
		.n = 1,
		.mhz = 2412,
		.stations = { {
			.addr = { 2, 0, 0, 0, 0, number },
			.told = KD_STATION_TX_RATE | KD_STATION_RETRIES,
			.tx_rate = rate,
			.retries = retries,
			.packets = 10 * retries,
		} },
	};
}

static void stations_come_and_go(void **state)
{
	static const struct {
		enum kd_obs_when when;
		uint8_t number;
		uint32_t retries;
		double rate;
	} rows[] = {
		{ KD_OBS_BEGIN, 1, 1000, 6.5 },
		{ KD_OBS_TICK, 1, 1030, 13 },
		/* a new one: all that it has is of this window */
		{ KD_OBS_TICK, 2, 5, 65 },
		/* associated again: its counters began anew */
		{ KD_OBS_TICK, 1, 7, 26 },
		{ KD_OBS_END, 1, 17, 39 },
	};
	struct kd_heard h = { .n = 3, .has_moved = true, .has_more = true };
	struct kd_heard_sum sum;
	struct kd_air air;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		air = told_of(rows[i].number, rows[i].retries, rows[i].rate);
		kd_heard_add(&h, rows[i].when, &air);
	}
	sum = kd_heard_sum(&h);
	assert_int_equal(h.n, 2);
	/* 30 + 7 + 10, and 5 */
	assert_int_equal(sum.retries, 52);
	assert_int_equal(sum.packets, 520);
	assert_int_equal(sum.failed, 0);
	assert_int_equal(sum.told, KD_STATION_TX_RATE | KD_STATION_RETRIES);
	assert_true(fabs(h.all[0].tx_rate.sum - 84.5) < 1e-9);
	assert_int_equal(h.all[0].tx_rate.n, 4);
	assert_int_equal(h.all[1].tx_rate.n, 1);
	assert_int_equal(h.all[0].signal.n, 0);
	assert_false(h.has_moved || h.has_more);
	air.mhz = 2437;
	kd_heard_add(&h, KD_OBS_END, &air);
	assert_true(h.has_moved);
}

static void more_than_there_is_room_for(void **state)
{
	struct kd_heard h = { 0 };

	for (int i = 0; i <= KD_STATIONS_MAX; i++) {
		struct kd_air air = told_of((uint8_t)i, 1, 1);

		assert_false(h.has_more);
		kd_heard_add(&h, i ? KD_OBS_TICK : KD_OBS_BEGIN, &air);
	}
	assert_int_equal(h.n, KD_STATIONS_MAX);
	assert_true(h.has_more);
}

#define IF "/sys/class/net/wlan0/"

static void near(const struct got *g, const char *name, double want)
{
	double v = got_value(g, name);

	if (!(fabs(v - want) <= 1e-9))
		fail_msg("%s is %g, not %g", name, v, want);
}

static void counters(void **state)
{
	struct kd_obs_env env = { 0 };
	struct tree t;
	struct rig r;

	tree_init(&t);
	env.root = t.root;
	env.ifname = "wlan0";
	tree_write(&t, "/sys/class/net/eth0/statistics/tx_bytes", "1\n");
	tree_write(&t, IF "statistics/tx_bytes", "1000\n");
	tree_write(&t, IF "statistics/rx_packets", "50\n");
	tree_write(&t, IF "statistics/rx_errors", "2\n");
	tree_write(&t, IF "carrier_changes", "4\n");
	assert_int_equal(rig_start(&r, "link", "", &env), 0);
	r.ops->sample(r.priv, KD_OBS_BEGIN, 10 * SEC);
	tree_write(&t, IF "statistics/tx_bytes", "2501000\n");
	tree_write(&t, IF "statistics/rx_packets", "450\n");
	tree_write(&t, IF "statistics/rx_errors", "5\n");
	tree_write(&t, IF "carrier_changes", "6\n");
	r.ops->sample(r.priv, KD_OBS_END, 12 * SEC);
	rig_result(&r);
	/* 2.5 MB in 2 s */
	near(&r.got, "link.tx-throughput", 10);
	near(&r.got, "link.rx-packets", 200);
	near(&r.got, "link.rx-errors", 3);
	near(&r.got, "link.carrier-changes", 2);
	assert_int_equal(r.got.n_metrics, 4);
	assert_int_equal(r.got.n_events, 0);
	/* a driver that was loaded again */
	tree_write(&t, IF "statistics/tx_bytes", "7\n");
	r.ops->sample(r.priv, KD_OBS_END, 13 * SEC);
	rig_result(&r);
	assert_int_equal(r.got.n_events, 1);
	assert_non_null(strstr(r.got.events[0].text, "anew"));
	rig_stop(&r, true);
	tree_fini(&t);
}

static void which_interface(void **state)
{
	static const struct {
		const char *options, *ifname;
		int err;
	} rows[] = {
		{ "", NULL, -ENODEV },		/* there are two */
		{ "", "eth1", 0 },
		{ "ifname=eth0", "gone", 0 },	/* the option counts */
		{ "ifname=gone", "eth0", -ENODEV },
		{ "ifname=../eth0", NULL, -EINVAL },
		{ "ifname=a-name-of-16-char", NULL, -EINVAL },
	};
	struct kd_obs_env env = { 0 };
	struct tree t;
	struct rig r;

	tree_init(&t);
	env.root = t.root;
	tree_write(&t, "/sys/class/net/lo/statistics/tx_bytes", "1\n");
	tree_write(&t, "/sys/class/net/eth0/statistics/tx_bytes", "1\n");
	assert_int_equal(rig_start(&r, "link", "", &env), 0);
	rig_stop(&r, true);
	tree_write(&t, "/sys/class/net/eth1/statistics/tx_bytes", "1\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		env.ifname = rows[i].ifname;
		assert_int_equal(rig_start(&r, "link", rows[i].options, &env),
				 rows[i].err);
		rig_stop(&r, !rows[i].err);
	}
	tree_fini(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stations_are_read),
		cmocka_unit_test(recorded),
		cmocka_unit_test(ends_are_told),
		cmocka_unit_test(others_are_passed_over),
		cmocka_unit_test(too_many_are_counted),
		cmocka_unit_test(short_fields),
		cmocka_unit_test(hostile),
		cmocka_unit_test(stations_come_and_go),
		cmocka_unit_test(more_than_there_is_room_for),
		cmocka_unit_test(counters),
		cmocka_unit_test(which_interface),
	};

	if (argc != 2)
		return 2;
	folder = argv[1];
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
