// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * qdisc:eth0, or qdisc for the experiment's interface: its root queueing
 * discipline.
 *
 * Values: "default" (what the kernel takes by itself), a kind alone ("fq_codel")
 * with its defaults, or with options: "pfifo limit 100", "bfifo limit 64KiB",
 * "tbf rate 100mbit burst 32KiB limit 128KiB". Reading adds "raw=HEX", the
 * options as the kernel has them, with which any discipline without classes can
 * be put back as it was.
 */
#include "base/buf.h"
#include "base/parse.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/knob.h"
#include "knobs/qdisc_link.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 16
#define DEFAULT "default"
/* linux/pkt_sched.h: times of a tbf are in units of 64 ns */
#define TICK_SHIFT 6

/* a value cut into words */
struct words {
	char text[4096];
	char *at[WORDS_MAX];
	size_t n;
};

struct tbf {
	uint64_t rate_bps, burst, limit;
};

static int check(const char *name, struct kd_diag *d)
{
	if (strlen(name) < IFNAMSIZ && !strchr(name, '/') &&
	    !strchr(name, ' '))
		return 0;
	return kd_fail(d, -EINVAL, "\"%.60s\" is no name of an interface",
		       name);
}

static int locate(const struct kd_knob_env *env, const char *name,
		  const char **ifname, int *index, struct kd_diag *d)
{
	int r = check(name, d);

	if (r)
		return r;
	*ifname = *name ? name : env->ifname;
	if (!*ifname)
		return kd_fail(d, -EINVAL,
			       "of which interface? write qdisc:eth0");
	*index = (int)if_nametoindex(*ifname);
	if (*index)
		return 0;
	kd_fail(d, -ENOENT, "there is no interface %s: %s", *ifname,
		strerror(ENODEV));
	kd_diag_hint(d, "kdelta knobs \"qdisc:*\" lists what there is in this network namespace");
	return -ENOENT;
}

static void split(const char *value, struct words *w)
{
	char *rest = w->text, *word;

	snprintf(w->text, sizeof(w->text), "%s", value);
	w->n = 0;
	while ((word = strsep(&rest, " \t")) && w->n < WORDS_MAX)
		if (*word)
			w->at[w->n++] = word;
}

static const char *option(const struct words *w, const char *name)
{
	for (size_t i = 1; i + 1 < w->n; i++)
		if (!strcmp(w->at[i], name))
			return w->at[i + 1];
	return NULL;
}

static const char *raw_of(const struct words *w)
{
	for (size_t i = 1; i < w->n; i++)
		if (kd_str_has_prefix(w->at[i], "raw="))
			return w->at[i] + strlen("raw=");
	return NULL;
}

static int nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_raw(const char *hex, struct kd_qdisc *q)
{
	size_t n = strlen(hex);

	if (n % 2 || n / 2 > sizeof(q->options))
		return false;
	for (size_t i = 0; i < n; i += 2) {
		int high = nibble(hex[i]), low = nibble(hex[i + 1]);

		if (high < 0 || low < 0)
			return false;
		q->options[i / 2] = (unsigned char)(high << 4 | low);
	}
	q->len = n / 2;
	return true;
}

static bool size_option(const struct words *w, const char *name, uint64_t *out)
{
	const char *text = option(w, name);

	return text && !kd_parse_size(text, out) && *out &&
	       *out <= UINT32_MAX;
}

static void put_fifo(uint64_t limit, struct kd_qdisc *q)
{
	struct tc_fifo_qopt fifo = { .limit = (uint32_t)limit };

	memcpy(q->options, &fifo, sizeof(fifo));
	q->len = sizeof(fifo);
}

static bool put_tbf(const struct tbf *t, struct kd_qdisc *q)
{
	uint64_t rate = t->rate_bps / 8;
	struct tc_tbf_qopt parms = {
		.rate = { .rate = rate > UINT32_MAX ? UINT32_MAX :
						      (uint32_t)rate,
			  .linklayer = TC_LINKLAYER_ETHERNET },
		.limit = (uint32_t)t->limit,
	};
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *first;
	bool ok;

	ok = msg && !nla_put(msg, TCA_TBF_PARMS, sizeof(parms), &parms) &&
	     !nla_put_u32(msg, TCA_TBF_BURST, (uint32_t)t->burst) &&
	     (rate <= UINT32_MAX ||
	      !nla_put_u64(msg, TCA_TBF_RATE64, rate));
	if (ok) {
		first = nlmsg_data(nlmsg_hdr(msg));
		q->len = nlmsg_hdr(msg)->nlmsg_len - NLMSG_HDRLEN;
		memcpy(q->options, first, q->len);
	}
	nlmsg_free(msg);
	return ok;
}

/* a kind and its options out of @value */
static int parse(const char *value, struct kd_qdisc *q, struct kd_diag *d)
{
	struct words w;
	struct tbf t;
	const char *raw, *rate;
	uint64_t limit;

	memset(q, 0, sizeof(*q));
	split(value, &w);
	if (!w.n || strlen(w.at[0]) >= sizeof(q->kind))
		goto bad;
	strcpy(q->kind, w.at[0]);
	raw = raw_of(&w);
	if (raw)
		return parse_raw(raw, q) ? 0 :
			kd_fail(d, -EINVAL, "\"%.80s\" has bad raw options",
				value);
	if (w.n == 1 && strcmp(q->kind, "tbf"))
		return 0;
	if (!strcmp(q->kind, "pfifo") && w.n == 3 &&
	    size_option(&w, "limit", &limit)) {
		put_fifo(limit, q);
		return 0;
	}
	if (!strcmp(q->kind, "bfifo") && w.n == 3 &&
	    size_option(&w, "limit", &limit)) {
		put_fifo(limit, q);
		return 0;
	}
	rate = option(&w, "rate");
	if (!strcmp(q->kind, "tbf") && w.n == 7 && rate &&
	    !kd_parse_rate(rate, &t.rate_bps) && t.rate_bps >= 8 &&
	    size_option(&w, "burst", &t.burst) &&
	    size_option(&w, "limit", &t.limit) && put_tbf(&t, q))
		return 0;
bad:
	kd_fail(d, -EINVAL, "\"%.80s\" is no queueing discipline that can be set here",
		value);
	kd_diag_hint(d, "write \"default\", a kind alone, \"pfifo limit 100\", or \"tbf rate 100mbit burst 32KiB limit 128KiB\"; a command knob can call tc(8)");
	return -EINVAL;
}

static void print_tbf(const struct kd_qdisc *q, struct kd_buf *out)
{
	struct nlattr *a[TCA_TBF_MAX + 1];
	struct tc_tbf_qopt parms;
	uint64_t rate;

	if (nla_parse(a, TCA_TBF_MAX, (struct nlattr *)q->options, (int)q->len,
		      NULL) < 0 || !a[TCA_TBF_PARMS] ||
	    nla_len(a[TCA_TBF_PARMS]) < (int)sizeof(parms))
		return;
	memcpy(&parms, nla_data(a[TCA_TBF_PARMS]), sizeof(parms));
	rate = a[TCA_TBF_RATE64] && nla_len(a[TCA_TBF_RATE64]) == 8 ?
		       nla_get_u64(a[TCA_TBF_RATE64]) :
		       parms.rate.rate;
	kd_buf_printf(out, " rate %" PRIu64 "bit burst %.0f limit %u", rate * 8,
		      (double)((uint64_t)parms.buffer << TICK_SHIFT) *
			      (double)rate / 1e9, parms.limit);
}

static void print(const struct kd_qdisc *q, struct kd_buf *out)
{
	kd_buf_printf(out, "%s%s", q->is_default ? DEFAULT " " : "", q->kind);
	if (q->is_default)
		return;
	if ((!strcmp(q->kind, "pfifo") || !strcmp(q->kind, "bfifo")) &&
	    q->len >= sizeof(struct tc_fifo_qopt)) {
		struct tc_fifo_qopt fifo;

		memcpy(&fifo, q->options, sizeof(fifo));
		kd_buf_printf(out, " limit %u", fifo.limit);
	}
	if (!strcmp(q->kind, "tbf"))
		print_tbf(q, out);
	if (q->len)
		kd_buf_puts(out, " raw=");
	for (size_t i = 0; i < q->len; i++)
		kd_buf_printf(out, "%02x", q->options[i]);
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	const char *ifname;
	struct kd_qdisc q;
	int index, r = locate(env, name, &ifname, &index, d);

	if (r)
		return r;
	r = kd_qdisc_read(index, &q);
	if (r)
		return kd_fail(d, r, "cannot read the queueing discipline of %s: %s",
			       ifname, strerror(-r));
	print(&q, out);
	return out->err;
}

static int refuse(int r, const struct kd_qdisc *q, const char *ifname,
		  struct kd_diag *d)
{
	kd_fail(d, r, "cannot set the queueing discipline of %s to %s: %s",
		ifname, q->kind, strerror(-r));
	if (r == -ENOENT)
		kd_diag_hint(d, "this kernel has no %s: CONFIG_NET_SCH_..., or its module is not there",
			     q->kind);
	else if (r == -EPERM)
		kd_diag_hint(d, "it needs root");
	else if (r == -EINVAL || r == -ERANGE)
		kd_diag_hint(d, "the kernel refused the options: out of range, or it needs some");
	return r;
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	bool to_default = !strcmp(value, DEFAULT) ||
			  kd_str_has_prefix(value, DEFAULT " ");
	struct kd_qdisc now, wanted = { .kind = DEFAULT };
	const char *ifname;
	int index, r = locate(env, name, &ifname, &index, d);

	if (!r && !to_default)
		r = parse(value, &wanted, d);
	if (r)
		return r;
	r = kd_qdisc_read(index, &now);
	if (!r && now.has_classes) {
		kd_fail(d, -EBUSY, "%s has a %s with classes, which could not be put back",
			ifname, now.kind);
		kd_diag_hint(d, "a command knob can call tc(8), with a restore command");
		return -EBUSY;
	}
	if (!r && !now.is_default)
		r = kd_qdisc_remove(index);
	if (!r && !to_default)
		r = kd_qdisc_add(index, &wanted);
	return r ? refuse(r, &wanted, ifname, d) : 0;
}

static int device(const struct kd_knob_env *env, const char *name,
		  struct kd_buf *out)
{
	const char *ifname;
	int index = 0, r = locate(env, name, &ifname, &index, NULL);

	return r ? r : kd_buf_printf(out, "%s#%d", ifname, index);
}

static bool near(const char *wanted, const char *seen)
{
	uint64_t a, b;

	if ((kd_parse_size(wanted, &a) || kd_parse_size(seen, &b)) &&
	    (kd_parse_rate(wanted, &a) || kd_parse_rate(seen, &b)))
		return !strcmp(wanted, seen);
	/* a burst is kept as a time */
	return (a > b ? a - b : b - a) <= a / 100 + 1;
}

/* all that was asked for, by its readable options or the raw ones */
static enum kd_knob_match match(const char *wanted, const char *seen)
{
	struct words w, s;
	const char *raw;

	split(wanted, &w);
	split(seen, &s);
	if (!w.n || !s.n || strcmp(w.at[0], s.at[0]))
		return KD_KNOB_DIFFERS;
	if (!strcmp(w.at[0], DEFAULT))
		return KD_KNOB_SAME;
	raw = raw_of(&w);
	if (raw)
		return raw_of(&s) && !strcmp(raw, raw_of(&s)) ?
			       KD_KNOB_SAME : KD_KNOB_DIFFERS;
	for (size_t i = 1; i + 1 < w.n; i += 2) {
		const char *there = option(&s, w.at[i]);

		if (!there || !near(w.at[i + 1], there))
			return KD_KNOB_DIFFERS;
	}
	return KD_KNOB_SAME;
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	struct if_nameindex *all = kd_root_is_live(env->root) ?
		if_nameindex() : NULL;

	for (struct if_nameindex *i = all; i && i->if_index; i++) {
		struct kd_buf value = { 0 };

		if ((!pattern || !fnmatch(pattern, i->if_name, 0)) &&
		    !get(env, i->if_name, &value, NULL))
			found(arg, i->if_name, kd_buf_str(&value),
			      KD_KNOB_NETNS);
		kd_buf_fini(&value);
	}
	if (all)
		if_freenameindex(all);
	return 0;
}

const struct kd_knob_ops kd_knob_qdisc_ops = {
	.name = "qdisc",
	.summary = "root queueing discipline of an interface: qdisc:eth0 to default, fq, or \"tbf rate 100mbit burst 32KiB limit 128KiB\"",
	.flags = KD_KNOB_NETNS,
	.check = check,
	.device = device,
	.list = list,
	.get = get,
	.set = set,
	.match = match,
};
