// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ethtool:gro, ethtool:eth1.rx-usecs: offloads, rings, coalescing and channels
 * of an interface, by the ethtool ioctl (linux/ethtool.h), which every kernel
 * and driver with ethtool support answers.
 */
#include "base/buf.h"
#include "base/parse.h"
#include "base/str.h"
#include "knobs/knob.h"

#include <fnmatch.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/**
 * struct setting - one name
 * @get, @set: commands; @offset: of the u32 in the command's structure
 */
struct setting {
	const char *name;
	uint32_t get, set;
	size_t offset;
	size_t size;
	bool onoff;
};

#define FEATURE(name, what) \
	{ name, ETHTOOL_G##what, ETHTOOL_S##what, \
	  offsetof(struct ethtool_value, data), sizeof(struct ethtool_value), \
	  true }
#define FIELD(name, what, type, member) \
	{ name, ETHTOOL_G##what, ETHTOOL_S##what, offsetof(struct type, member), \
	  sizeof(struct type), false }

static const struct setting settings[] = {
	FEATURE("tso", TSO),
	FEATURE("gso", GSO),
	FEATURE("gro", GRO),
	FEATURE("sg", SG),
	FEATURE("tx", TXCSUM),
	FEATURE("rx", RXCSUM),
	FIELD("rx-ring", RINGPARAM, ethtool_ringparam, rx_pending),
	FIELD("tx-ring", RINGPARAM, ethtool_ringparam, tx_pending),
	FIELD("rx-usecs", COALESCE, ethtool_coalesce, rx_coalesce_usecs),
	FIELD("rx-frames", COALESCE, ethtool_coalesce, rx_max_coalesced_frames),
	FIELD("tx-usecs", COALESCE, ethtool_coalesce, tx_coalesce_usecs),
	FIELD("tx-frames", COALESCE, ethtool_coalesce, tx_max_coalesced_frames),
	FIELD("rx-channels", CHANNELS, ethtool_channels, rx_count),
	FIELD("tx-channels", CHANNELS, ethtool_channels, tx_count),
	FIELD("combined", CHANNELS, ethtool_channels, combined_count),
};

union request {
	uint32_t cmd;
	struct ethtool_value value;
	struct ethtool_ringparam ring;
	struct ethtool_coalesce coalesce;
	struct ethtool_channels channels;
};

static const struct setting *find(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *word = dot ? dot + 1 : name;

	for (size_t i = 0; i < KD_ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].name, word))
			return &settings[i];
	return NULL;
}

static int check(const char *name, struct kd_diag *d)
{
	const char *dot = strrchr(name, '.');
	const char *word = dot ? dot + 1 : name;
	const char *near;

	if (find(name))
		return 0;
	kd_fail(d, -EINVAL, "ethtool has no setting \"%s\" here", word);
	near = kd_str_nearest(word, settings, KD_ARRAY_SIZE(settings),
			      sizeof(settings[0]));
	if (near)
		kd_diag_hint(d, "did you mean \"%s\"?", near);
	return -EINVAL;
}

static int interface(const struct kd_knob_env *env, const char *name,
		     struct ifreq *ifr, struct kd_diag *d)
{
	const char *dot = strrchr(name, '.');

	memset(ifr, 0, sizeof(*ifr));
	if (dot && dot - name < IFNAMSIZ)
		memcpy(ifr->ifr_name, name, (size_t)(dot - name));
	else if (!dot && env->ifname && strlen(env->ifname) < IFNAMSIZ)
		strcpy(ifr->ifr_name, env->ifname);
	else
		return kd_fail(d, -EINVAL,
			       "which interface? write ethtool:eth0.%s", name);
	return 0;
}

static int call(struct ifreq *ifr, void *request, const char *what,
		const char *name, struct kd_diag *d)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r = 0;

	ifr->ifr_data = request;
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, ifr))
		r = kd_fail_errno(d, "cannot %s %s of %s", what, name,
				  ifr->ifr_name);
	if (fd >= 0)
		close(fd);
	if (r == -EOPNOTSUPP)
		kd_diag_hint(d, "the driver of %s does not have it",
			     ifr->ifr_name);
	return r;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	const struct setting *s = find(name);
	union request q = { 0 };
	struct ifreq ifr;
	uint32_t v;
	int r = s ? interface(env, name, &ifr, d) : check(name, d);

	if (r)
		return r;
	q.cmd = s->get;
	r = call(&ifr, &q, "read", s->name, d);
	if (r)
		return r;
	memcpy(&v, (char *)&q + s->offset, sizeof(v));
	return s->onoff ? kd_buf_puts(out, v ? "on" : "off") :
			  kd_buf_printf(out, "%u", v);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	const struct setting *s = find(name);
	union request q = { 0 };
	struct ifreq ifr;
	uint64_t number = 0;
	uint32_t v;
	bool on = false;
	int r = s ? interface(env, name, &ifr, d) : check(name, d);

	if (r)
		return r;
	if (s->onoff ? kd_parse_bool(value, &on) :
		       kd_parse_u64(value, &number) || number > UINT32_MAX)
		return kd_fail(d, -EINVAL, "%s: \"%s\" is not %s", name, value,
			       s->onoff ? "on or off" : "a whole number");
	v = s->onoff ? on : (uint32_t)number;
	q.cmd = s->get;
	r = call(&ifr, &q, "read", s->name, d);
	if (r)
		return r;
	memcpy((char *)&q + s->offset, &v, sizeof(v));
	q.cmd = s->set;
	return call(&ifr, &q, "set", s->name, d);
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	struct if_nameindex *all = if_nameindex();

	for (struct if_nameindex *i = all; i && i->if_index; i++) {
		for (size_t k = 0; k < KD_ARRAY_SIZE(settings); k++) {
			struct kd_buf value = { 0 };
			char name[IFNAMSIZ + 32];

			snprintf(name, sizeof(name), "%s.%s", i->if_name,
				 settings[k].name);
			if ((!pattern || !fnmatch(pattern, name, 0)) &&
			    !get(env, name, &value, NULL))
				found(arg, name, kd_buf_str(&value),
				      KD_KNOB_NETNS);
			kd_buf_fini(&value);
		}
	}
	if_freenameindex(all);
	return 0;
}

/* drivers round ring sizes and delays to what the hardware has */
static enum kd_knob_match match(const char *wanted, const char *seen)
{
	uint64_t a, b;

	if (kd_knob_match_text(wanted, seen) == KD_KNOB_SAME)
		return KD_KNOB_SAME;
	if (!kd_parse_u64(wanted, &a) && !kd_parse_u64(seen, &b) && b &&
	    (a > b ? a - b : b - a) <= a / 2)
		return KD_KNOB_ROUNDED;
	return KD_KNOB_DIFFERS;
}

const struct kd_knob_ops kd_knob_ethtool_ops = {
	.name = "ethtool",
	.summary = "offloads, rings, coalescing and channels of an interface",
	.flags = KD_KNOB_NETNS,
	.check = check,
	.list = list,
	.get = get,
	.set = set,
	.match = match,
};
