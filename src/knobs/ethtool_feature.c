// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Offloads of an interface: the kernel's feature bits by their names, and the
 * names that ethtool(8) had before there were bits.
 */
#include "base/buf.h"
#include "base/parse.h"
#include "base/str.h"
#include "knobs/ethtool_link.h"

#include <fnmatch.h>
#include <linux/ethtool_netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#define BITS_MAX 128

/* each old name twice, and the bits that it stands for */
static const struct old_name {
	const char *shorter, *longer, *pattern;
} old_names[] = {
	{ "rx", "rx-checksumming", "rx-checksum" },
	{ "tx", "tx-checksumming", "tx-checksum-*" },
	{ "sg", "scatter-gather", "tx-scatter-gather*" },
	{ "tso", "tcp-segmentation-offload", "tx-tcp*-segmentation" },
	{ "ufo", "udp-fragmentation-offload", "tx-udp-fragmentation" },
	{ "gso", "generic-segmentation-offload", "tx-generic-segmentation" },
	{ "gro", "generic-receive-offload", "rx-gro" },
	{ "lro", "large-receive-offload", "rx-lro" },
	{ "rxvlan", "rx-vlan-offload", "rx-vlan-hw-parse" },
	{ "txvlan", "tx-vlan-offload", "tx-vlan-hw-insert" },
	{ "ntuple", "ntuple-filters", "rx-ntuple-filter" },
	{ "rxhash", "receive-hashing", "rx-hashing" },
};

struct bit {
	char name[64];
	bool can_change, is_on, wanted, chosen;
};

struct bits {
	struct bit bits[BITS_MAX];
	size_t n;
};

const char *kd_ethtool_old_name(size_t i)
{
	return i >= 2 * KD_ARRAY_SIZE(old_names) ? NULL :
	       i & 1 ? old_names[i / 2].longer : old_names[i / 2].shorter;
}

static struct bit *find_bit(struct bits *b, const char *name, size_t len,
			    bool add)
{
	for (size_t i = 0; i < b->n; i++)
		if (strlen(b->bits[i].name) == len &&
		    !strncmp(b->bits[i].name, name, len))
			return &b->bits[i];
	if (!add || b->n == BITS_MAX || len >= sizeof(b->bits[0].name))
		return NULL;
	memset(&b->bits[b->n], 0, sizeof(b->bits[0]));
	memcpy(b->bits[b->n].name, name, len);
	return &b->bits[b->n++];
}

/* call @each for every bit of a bitset that is written out, with its value */
static void each_bit(struct bits *b, struct nlattr *set,
		     void (*each)(struct bit *bit, bool value))
{
	struct nlattr *top[ETHTOOL_A_BITSET_MAX + 1], *a;
	int left;

	if (!set || nla_parse_nested(top, ETHTOOL_A_BITSET_MAX, set, NULL) < 0 ||
	    !top[ETHTOOL_A_BITSET_BITS])
		return;
	nla_for_each_nested(a, top[ETHTOOL_A_BITSET_BITS], left) {
		struct nlattr *bit[ETHTOOL_A_BITSET_BIT_MAX + 1];
		struct bit *found;
		const char *name;

		if (nla_parse_nested(bit, ETHTOOL_A_BITSET_BIT_MAX, a,
				     NULL) < 0 ||
		    !bit[ETHTOOL_A_BITSET_BIT_NAME])
			continue;
		name = nla_data(bit[ETHTOOL_A_BITSET_BIT_NAME]);
		found = find_bit(b, name, strnlen(name, (size_t)nla_len(
				bit[ETHTOOL_A_BITSET_BIT_NAME])), true);
		/* without a mask only the bits that are set are there */
		if (found)
			each(found, top[ETHTOOL_A_BITSET_NOMASK] ||
				    bit[ETHTOOL_A_BITSET_BIT_VALUE]);
	}
}

static void note_hw(struct bit *bit, bool value)
{
	bit->can_change = value;
}

static void note_fixed(struct bit *bit, bool value)
{
	if (value)
		bit->can_change = false;
}

static void note_active(struct bit *bit, bool value)
{
	bit->is_on = value;
}

static void read_answer(struct nlattr **attrs, size_t n, void *arg)
{
	struct bits *b = arg;

	each_bit(b, attrs[ETHTOOL_A_FEATURES_HW], note_hw);
	each_bit(b, attrs[ETHTOOL_A_FEATURES_NOCHANGE], note_fixed);
	each_bit(b, attrs[ETHTOOL_A_FEATURES_ACTIVE], note_active);
}

static int read_bits(struct kd_ethtool_link *l, const char *ifname,
		     struct bits *b, char *why, size_t size)
{
	b->n = 0;
	return kd_ethtool_ask(l, ETHTOOL_MSG_FEATURES_GET, ifname, NULL,
			      read_answer, b, why, size);
}

static const struct old_name *find_old(const char *word)
{
	for (size_t i = 0; i < KD_ARRAY_SIZE(old_names); i++)
		if (!strcmp(old_names[i].shorter, word) ||
		    !strcmp(old_names[i].longer, word))
			return &old_names[i];
	return NULL;
}

/*
 * Choose the bits that @word stands for: those that can be changed, where some
 * can. Returns how many; *@fixed tells that none of them can.
 */
static size_t choose(struct bits *b, const char *word, bool *fixed)
{
	const struct old_name *old = find_old(word);
	size_t n = 0, n_changeable = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct bit *bit = &b->bits[i];

		bit->chosen = old ? !fnmatch(old->pattern, bit->name, 0) :
				    !strcmp(bit->name, word);
		n += bit->chosen;
		n_changeable += bit->chosen && bit->can_change;
	}
	*fixed = !n_changeable;
	for (size_t i = 0; n_changeable && i < b->n; i++)
		b->bits[i].chosen &= b->bits[i].can_change;
	return n_changeable ? n_changeable : n;
}

static int unknown(struct bits *b, const char *word, const char *ifname,
		   struct kd_diag *d)
{
	const char *words[BITS_MAX + 64], *near, *name;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		words[n++] = b->bits[i].name;
	for (size_t i = 0; (name = kd_ethtool_old_name(i)) && n < BITS_MAX + 30;
	     i++)
		words[n++] = name;
	for (size_t i = 0; (name = kd_ethtool_param_name(i)) &&
			   n < KD_ARRAY_SIZE(words); i++)
		words[n++] = name;
	near = kd_str_nearest(word, words, n, sizeof(words[0]));
	kd_fail(d, -ENOENT, "%s has no feature \"%s\": %s", ifname, word,
		strerror(ENOENT));
	if (near)
		kd_diag_hint(d, "did you mean \"%s\"?", near);
	else
		kd_diag_hint(d, "kdelta knobs \"ethtool:%s.*\" lists what it has",
			     ifname);
	return -ENOENT;
}

static int load(struct kd_ethtool_link *l, const char *word,
		const char *ifname, struct bits *b, bool *fixed,
		struct kd_diag *d)
{
	char why[KD_ETHTOOL_WHY];
	int r = read_bits(l, ifname, b, why, sizeof(why));

	if (r)
		return kd_ethtool_fail(d, r, "read", word, ifname, why);
	return choose(b, word, fixed) ? 0 : unknown(b, word, ifname, d);
}

static int print(const struct bits *b, struct kd_buf *out)
{
	size_t n = 0, on = 0;
	const char *comma = "";

	for (size_t i = 0; i < b->n; i++) {
		n += b->bits[i].chosen;
		on += b->bits[i].chosen && b->bits[i].is_on;
	}
	if (!on || on == n)
		return kd_buf_puts(out, on ? "on" : "off");
	for (size_t i = 0; i < b->n; i++) {
		if (!b->bits[i].chosen)
			continue;
		kd_buf_printf(out, "%s%s=%s", comma, b->bits[i].name,
			      b->bits[i].is_on ? "on" : "off");
		comma = ",";
	}
	return out->err;
}

int kd_ethtool_feature_get(struct kd_ethtool_link *l, const char *word,
			   const char *ifname, struct kd_buf *out,
			   struct kd_diag *d)
{
	struct bits b;
	bool fixed;
	int r = load(l, word, ifname, &b, &fixed, d);

	return r ? r : print(&b, out);
}

static int bad_value(const char *word, const char *value, struct kd_diag *d)
{
	return kd_fail(d, -EINVAL, "%s: \"%.80s\" is not on or off", word,
		       value);
}

/* "on", "off", or "a=on,b=off" of chosen bits */
static int parse_value(struct bits *b, const char *word, const char *value,
		       struct kd_diag *d)
{
	bool on;

	if (!kd_parse_bool(value, &on)) {
		for (size_t i = 0; i < b->n; i++)
			b->bits[i].wanted = on;
		return 0;
	}
	for (size_t i = 0; i < b->n; i++)
		b->bits[i].wanted = b->bits[i].is_on;
	for (const char *s = value; *s;) {
		size_t len = strcspn(s, ","), name = strcspn(s, "=");
		struct bit *bit = name < len ? find_bit(b, s, name, false) :
					       NULL;
		char state[8] = "";

		if (!bit || !bit->chosen || len - name > sizeof(state))
			return bad_value(word, value, d);
		memcpy(state, s + name + 1, len - name - 1);
		if (kd_parse_bool(state, &bit->wanted))
			return bad_value(word, value, d);
		s += len + (s[len] == ',');
	}
	return *value ? 0 : bad_value(word, value, d);
}

static int fill(struct nl_msg *msg, void *arg)
{
	const struct bits *b = arg;
	struct nlattr *set = nla_nest_start(msg, ETHTOOL_A_FEATURES_WANTED);
	struct nlattr *bits = nla_nest_start(msg, ETHTOOL_A_BITSET_BITS);

	if (!set || !bits)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++) {
		struct nlattr *bit;

		if (!b->bits[i].chosen)
			continue;
		bit = nla_nest_start(msg, ETHTOOL_A_BITSET_BITS_BIT);
		if (!bit || nla_put_string(msg, ETHTOOL_A_BITSET_BIT_NAME,
					   b->bits[i].name) ||
		    (b->bits[i].wanted &&
		     nla_put_flag(msg, ETHTOOL_A_BITSET_BIT_VALUE)))
			return -ENOMEM;
		nla_nest_end(msg, bit);
	}
	nla_nest_end(msg, bits);
	nla_nest_end(msg, set);
	return 0;
}

int kd_ethtool_feature_set(struct kd_ethtool_link *l, const char *word,
			   const char *ifname, const char *value,
			   struct kd_diag *d)
{
	char why[KD_ETHTOOL_WHY];
	struct bits b;
	bool fixed;
	int r = load(l, word, ifname, &b, &fixed, d);

	if (!r)
		r = parse_value(&b, word, value, d);
	if (r)
		return r;
	if (fixed) {
		kd_fail(d, -EACCES, "%s of %s is read-only: its driver fixes it",
			word, ifname);
		return -EACCES;
	}
	r = kd_ethtool_ask(l, ETHTOOL_MSG_FEATURES_SET, ifname, fill, NULL, &b,
			   why, sizeof(why));
	return r ? kd_ethtool_fail(d, r, "set", word, ifname, why) : 0;
}

int kd_ethtool_feature_each(struct kd_ethtool_link *l, const char *ifname,
			    void (*each)(void *arg, const char *word,
					 const char *value),
			    void *arg)
{
	char why[KD_ETHTOOL_WHY];
	struct bits b;
	bool fixed;
	int r = read_bits(l, ifname, &b, why, sizeof(why));

	if (r)
		return r;
	for (size_t i = 0; i < KD_ARRAY_SIZE(old_names); i++) {
		struct kd_buf value = { 0 };

		if (choose(&b, old_names[i].shorter, &fixed) && !fixed) {
			print(&b, &value);
			each(arg, old_names[i].shorter, kd_buf_str(&value));
		}
		kd_buf_fini(&value);
	}
	for (size_t i = 0; i < b.n; i++)
		if (b.bits[i].can_change)
			each(arg, b.bits[i].name, b.bits[i].is_on ? "on" :
								    "off");
	return 0;
}
