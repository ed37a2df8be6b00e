// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ethtool:gro, ethtool:eth1.rx-usecs: what ethtool(8) shows with -k, -g, -c, -l
 * and -a, by netlink. Without an interface in the name it is the experiment's.
 */
#include "base/buf.h"
#include "base/root.h"
#include "knobs/ethtool_link.h"
#include "knobs/knob.h"

#include <ctype.h>
#include <fnmatch.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

struct place {
	char ifname[IFNAMSIZ];
	const char *word;
};

struct listing {
	const char *ifname;
	const char *pattern;
	void (*found)(void *arg, const char *name, const char *value,
		      unsigned int flags);
	void *arg;
};

/* an interface may have dots in its name ("eth0.100"), a setting has none */
static int check(const char *name, struct kd_diag *d)
{
	const char *dot = strrchr(name, '.');
	const char *word = dot ? dot + 1 : name;
	size_t n = 0;

	if (dot && (dot == name || dot - name >= IFNAMSIZ))
		return kd_fail(d, -EINVAL, "\"%.*s\" is no name of an interface",
			       (int)(dot - name), name);
	while (islower((unsigned char)word[n]) ||
	       isdigit((unsigned char)word[n]) || word[n] == '-' ||
	       word[n] == '_')
		n++;
	if (n && !word[n])
		return 0;
	kd_fail(d, -EINVAL, "\"%.60s\" is no setting of ethtool", word);
	kd_diag_hint(d, "write ethtool:gro, or ethtool:eth1.gro for another interface");
	return -EINVAL;
}

static int locate(const struct kd_knob_env *env, const char *name,
		  struct place *p, struct kd_diag *d)
{
	const char *dot = strrchr(name, '.');
	int r = check(name, d);

	if (r)
		return r;
	p->word = dot ? dot + 1 : name;
	if (dot)
		snprintf(p->ifname, sizeof(p->ifname), "%.*s",
			 (int)(dot - name), name);
	else if (env->ifname && strlen(env->ifname) < sizeof(p->ifname))
		strcpy(p->ifname, env->ifname);
	else
		return kd_fail(d, -EINVAL,
			       "of which interface? write ethtool:eth0.%s",
			       name);
	return 0;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	const struct kd_ethtool_param *param;
	struct kd_ethtool_link l;
	struct place p;
	int r = locate(env, name, &p, d);

	if (!r)
		r = kd_ethtool_open(&l, d);
	if (r)
		return r;
	param = kd_ethtool_param_find(p.word);
	r = param ? kd_ethtool_param_get(&l, param, p.ifname, out, d) :
		    kd_ethtool_feature_get(&l, p.word, p.ifname, out, d);
	kd_ethtool_close(&l);
	return r;
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	const struct kd_ethtool_param *param;
	struct kd_ethtool_link l;
	struct place p;
	int r = locate(env, name, &p, d);

	if (!r)
		r = kd_ethtool_open(&l, d);
	if (r)
		return r;
	param = kd_ethtool_param_find(p.word);
	r = param ? kd_ethtool_param_set(&l, param, p.ifname, value, d) :
		    kd_ethtool_feature_set(&l, p.word, p.ifname, value, d);
	kd_ethtool_close(&l);
	return r;
}

/* the kernel counts interfaces up in a namespace and uses no number again */
static int device(const struct kd_knob_env *env, const char *name,
		  struct kd_buf *out)
{
	struct place p;
	int r = locate(env, name, &p, NULL);
	unsigned int index = r ? 0 : if_nametoindex(p.ifname);

	if (!index)
		return r ? r : -ENODEV;
	return kd_buf_printf(out, "%s#%u", p.ifname, index);
}

static void each(void *arg, const char *word, const char *value)
{
	const struct listing *l = arg;
	char name[128];

	snprintf(name, sizeof(name), "%s.%s", l->ifname, word);
	if (!l->pattern || !fnmatch(l->pattern, name, 0) ||
	    !fnmatch(l->pattern, word, 0))
		l->found(l->arg, name, value, KD_KNOB_NETNS);
}

static void each_param(struct kd_ethtool_link *link, struct listing *l)
{
	const char *name;

	for (size_t i = 0; (name = kd_ethtool_param_name(i)); i++) {
		struct kd_buf value = { 0 };

		if (!kd_ethtool_param_get(link, kd_ethtool_param_find(name),
					  l->ifname, &value, NULL))
			each(l, name, kd_buf_str(&value));
		kd_buf_fini(&value);
	}
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	struct listing l = { .pattern = pattern, .found = found, .arg = arg };
	struct kd_ethtool_link link;
	struct if_nameindex *all;

	if (!kd_root_is_live(env->root) || kd_ethtool_open(&link, NULL))
		return 0;
	all = if_nameindex();
	for (struct if_nameindex *i = all; i && i->if_index; i++) {
		l.ifname = i->if_name;
		kd_ethtool_feature_each(&link, l.ifname, each, &l);
		each_param(&link, &l);
	}
	if_freenameindex(all);
	kd_ethtool_close(&link);
	return 0;
}

const struct kd_knob_ops kd_knob_ethtool_ops = {
	.name = "ethtool",
	.summary = "offloads, rings, coalescing, channels and pause of an interface: ethtool:gro, ethtool:eth1.rx-ring",
	.flags = KD_KNOB_NETNS,
	.check = check,
	.device = device,
	.list = list,
	.get = get,
	.set = set,
	.match = kd_knob_match_rounded,
};
