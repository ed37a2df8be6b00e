// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rings, coalescing, channels and pause frames of an interface.
 */
#include "base/buf.h"
#include "base/parse.h"
#include "base/str.h"
#include "knobs/ethtool_link.h"

#include <linux/ethtool_netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

/**
 * struct kd_ethtool_param - one setting
 * @get, @set: messages that carry it
 * @attr:      its attribute in both; @max: that of its limit, 0 for none
 * @is_switch: u8, 0 or 1; else u32
 */
struct kd_ethtool_param {
	const char *name;
	uint8_t get, set;
	uint16_t attr, max;
	bool is_switch;
};

#define RING(name, what) \
	{ name, ETHTOOL_MSG_RINGS_GET, ETHTOOL_MSG_RINGS_SET, \
	  ETHTOOL_A_RINGS_##what, ETHTOOL_A_RINGS_##what##_MAX, false }
#define CHANNEL(name, what) \
	{ name, ETHTOOL_MSG_CHANNELS_GET, ETHTOOL_MSG_CHANNELS_SET, \
	  ETHTOOL_A_CHANNELS_##what##_COUNT, ETHTOOL_A_CHANNELS_##what##_MAX, \
	  false }
#define DELAY(name, what) \
	{ name, ETHTOOL_MSG_COALESCE_GET, ETHTOOL_MSG_COALESCE_SET, \
	  ETHTOOL_A_COALESCE_##what, 0, false }
#define SWITCH(name, group, what) \
	{ name, ETHTOOL_MSG_##group##_GET, ETHTOOL_MSG_##group##_SET, \
	  ETHTOOL_A_##group##_##what, 0, true }

static const struct kd_ethtool_param params[] = {
	RING("rx-ring", RX),
	RING("rx-mini-ring", RX_MINI),
	RING("rx-jumbo-ring", RX_JUMBO),
	RING("tx-ring", TX),
	CHANNEL("rx-channels", RX),
	CHANNEL("tx-channels", TX),
	CHANNEL("other-channels", OTHER),
	CHANNEL("combined", COMBINED),
	DELAY("rx-usecs", RX_USECS),
	DELAY("rx-frames", RX_MAX_FRAMES),
	DELAY("rx-usecs-irq", RX_USECS_IRQ),
	DELAY("rx-frames-irq", RX_MAX_FRAMES_IRQ),
	DELAY("tx-usecs", TX_USECS),
	DELAY("tx-frames", TX_MAX_FRAMES),
	DELAY("tx-usecs-irq", TX_USECS_IRQ),
	DELAY("tx-frames-irq", TX_MAX_FRAMES_IRQ),
	DELAY("stats-block-usecs", STATS_BLOCK_USECS),
	DELAY("pkt-rate-low", PKT_RATE_LOW),
	DELAY("rx-usecs-low", RX_USECS_LOW),
	DELAY("rx-frames-low", RX_MAX_FRAMES_LOW),
	DELAY("tx-usecs-low", TX_USECS_LOW),
	DELAY("tx-frames-low", TX_MAX_FRAMES_LOW),
	DELAY("pkt-rate-high", PKT_RATE_HIGH),
	DELAY("rx-usecs-high", RX_USECS_HIGH),
	DELAY("rx-frames-high", RX_MAX_FRAMES_HIGH),
	DELAY("tx-usecs-high", TX_USECS_HIGH),
	DELAY("tx-frames-high", TX_MAX_FRAMES_HIGH),
	DELAY("sample-interval", RATE_SAMPLE_INTERVAL),
	SWITCH("adaptive-rx", COALESCE, USE_ADAPTIVE_RX),
	SWITCH("adaptive-tx", COALESCE, USE_ADAPTIVE_TX),
	SWITCH("pause-autoneg", PAUSE, AUTONEG),
	SWITCH("pause-rx", PAUSE, RX),
	SWITCH("pause-tx", PAUSE, TX),
};

struct reading {
	const struct kd_ethtool_param *p;
	bool found, has_max;
	uint32_t value, max;
};

const struct kd_ethtool_param *kd_ethtool_param_find(const char *word)
{
	for (size_t i = 0; i < KD_ARRAY_SIZE(params); i++)
		if (!strcmp(params[i].name, word))
			return &params[i];
	return NULL;
}

const char *kd_ethtool_param_name(size_t i)
{
	return i < KD_ARRAY_SIZE(params) ? params[i].name : NULL;
}

static bool number(const struct nlattr *a, uint32_t *out)
{
	if (a && nla_len(a) == 4)
		*out = nla_get_u32(a);
	else if (a && nla_len(a) == 1)
		*out = nla_get_u8(a);
	else
		return false;
	return true;
}

static void read_answer(struct nlattr **attrs, size_t n, void *arg)
{
	struct reading *r = arg;

	r->found = r->p->attr < n && number(attrs[r->p->attr], &r->value);
	r->has_max = r->p->max && r->p->max < n &&
		     number(attrs[r->p->max], &r->max);
}

static int read_param(struct kd_ethtool_link *l, const char *ifname,
		      struct reading *now, struct kd_diag *d)
{
	char why[KD_ETHTOOL_WHY];
	int r = kd_ethtool_ask(l, now->p->get, ifname, NULL, read_answer, now,
			       why, sizeof(why));

	if (!r && !now->found)
		r = -EOPNOTSUPP;
	return r ? kd_ethtool_fail(d, r, "read", now->p->name, ifname, why) : 0;
}

int kd_ethtool_param_get(struct kd_ethtool_link *l,
			 const struct kd_ethtool_param *p, const char *ifname,
			 struct kd_buf *out, struct kd_diag *d)
{
	struct reading now = { .p = p };
	int r = read_param(l, ifname, &now, d);

	if (r)
		return r;
	if (p->is_switch)
		return kd_buf_puts(out, now.value ? "on" : "off");
	return kd_buf_printf(out, "%u", now.value);
}

static int fill(struct nl_msg *msg, void *arg)
{
	const struct reading *wanted = arg;

	return wanted->p->is_switch ?
		nla_put_u8(msg, wanted->p->attr, (uint8_t)wanted->value) :
		nla_put_u32(msg, wanted->p->attr, wanted->value);
}

static int parse_value(const struct kd_ethtool_param *p, const char *value,
		       uint32_t *out, struct kd_diag *d)
{
	uint64_t n = 0;
	bool on = false;

	if (p->is_switch ? kd_parse_bool(value, &on) :
			   kd_parse_u64(value, &n) || n > UINT32_MAX)
		return kd_fail(d, -EINVAL, "%s: \"%.60s\" is not %s", p->name,
			       value, p->is_switch ? "on or off" :
			       "a whole number from 0");
	*out = p->is_switch ? on : (uint32_t)n;
	return 0;
}

int kd_ethtool_param_set(struct kd_ethtool_link *l,
			 const struct kd_ethtool_param *p, const char *ifname,
			 const char *value, struct kd_diag *d)
{
	struct reading now = { .p = p }, wanted = { .p = p };
	char why[KD_ETHTOOL_WHY];
	int r = parse_value(p, value, &wanted.value, d);

	if (!r)
		r = read_param(l, ifname, &now, d);
	if (r)
		return r;
	/* some drivers refuse to be told what they do already */
	if (now.value == wanted.value)
		return 0;
	if (now.has_max && wanted.value > now.max) {
		kd_fail(d, -ERANGE, "%s of %s is out of range: %u is over the limit of %u: %s",
			p->name, ifname, wanted.value, now.max,
			strerror(ERANGE));
		return -ERANGE;
	}
	r = kd_ethtool_ask(l, p->set, ifname, fill, NULL, &wanted, why,
			   sizeof(why));
	return r ? kd_ethtool_fail(d, r, "set", p->name, ifname, why) : 0;
}
