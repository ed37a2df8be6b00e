// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two anonymous network namespaces and a veth pair between them. See netlab.h.
 *
 * A short-lived thread does the unsharing, so that the caller's own network
 * is never touched; a netlink socket opened there stays in that namespace.
 * Messages as in linux/rtnetlink.h, linux/if_link.h, linux/pkt_sched.h.
 */
#include "transports/netlab.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define PEER_IF "peer0"
#define IFINDEX_VETH 2
#define IFINDEX_LO 1

const struct kd_opt kd_netlab_opts[] = {
	{ "rate", KD_OPT_RATE, offsetof(struct kd_netlab_options, rate_bps),
	  .max = 1e12, .help = "shape the device's side to this rate" },
	{ "burst", KD_OPT_SIZE, offsetof(struct kd_netlab_options, burst_bytes),
	  .min = 1600, .max = 1 << 30, .def = "64KiB",
	  .help = "bytes that may go at once under a rate" },
	{ "queue", KD_OPT_SIZE, offsetof(struct kd_netlab_options, queue_bytes),
	  .min = 1600, .max = 1 << 30, .def = "256KiB",
	  .help = "bytes that wait under a rate before they are dropped" },
	{ "delay", KD_OPT_TIME, offsetof(struct kd_netlab_options, delay_ns),
	  .max = 10e9, .help = "delay each way (needs netem)" },
	{ "loss", KD_OPT_PCT, offsetof(struct kd_netlab_options, loss_pct),
	  .max = 100, .help = "random loss each way (needs netem)" },
	{ 0 },
};

struct side {
	int ns;
	struct nl_sock *sock;
};

struct lab_thread {
	struct side dut, peer;
	struct kd_diag *d;
	int r;
};

static int make_side(struct side *s, struct kd_diag *d)
{
	int r;

	if (unshare(CLONE_NEWNET)) {
		r = kd_fail_errno(d, "cannot make a network namespace");
		kd_diag_hint(d, "run as root, or use dut: local");
		return r;
	}
	s->ns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (s->ns < 0)
		return kd_fail_errno(d, "cannot hold a network namespace");
	s->sock = nl_socket_alloc();
	r = s->sock ? nl_connect(s->sock, NETLINK_ROUTE) : -NLE_NOMEM;
	if (r < 0)
		return kd_fail(d, -EIO, "cannot open a netlink socket: %s",
			       nl_geterror(r));
	return 0;
}

static void *make_sides(void *arg)
{
	struct lab_thread *t = arg;

	t->r = make_side(&t->dut, t->d);
	if (!t->r)
		t->r = make_side(&t->peer, t->d);
	return NULL;
}

static int request(struct nl_sock *sock, struct nl_msg *msg, const char *what,
		   struct kd_diag *d)
{
	int r = nl_send_sync(sock, msg);

	if (r >= 0)
		return 0;
	return kd_fail(d, r == -NLE_OBJ_NOTFOUND ? -EOPNOTSUPP : -EIO,
		       "cannot %s: %s", what, nl_geterror(r));
}

static void put_veth_end(struct nl_msg *msg, const char *name)
{
	nla_put_string(msg, IFLA_IFNAME, name);
	nla_put_u32(msg, IFLA_TXQLEN, 1000);
}

/* both ends get index 2: the first link after lo in a new namespace */
static int add_veth(struct side *dut, struct side *peer, struct kd_diag *d)
{
	struct ifinfomsg ifi = { .ifi_index = IFINDEX_VETH };
	struct nl_msg *msg = nlmsg_alloc_simple(
		RTM_NEWLINK, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *info, *data, *end;

	if (!msg)
		return kd_fail(d, -ENOMEM, "out of memory");
	nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO);
	put_veth_end(msg, KD_NETLAB_DUT_IF);
	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "veth");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	end = nla_nest_start(msg, VETH_INFO_PEER);
	nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO);
	put_veth_end(msg, PEER_IF);
	nla_put_u32(msg, IFLA_NET_NS_FD, (uint32_t)peer->ns);
	nla_nest_end(msg, end);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return request(dut->sock, msg, "make a veth pair", d);
}

static int set_up(struct side *s, int index, struct kd_diag *d)
{
	struct ifinfomsg ifi = {
		.ifi_index = index,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_NEWLINK, NLM_F_REQUEST);

	if (!msg)
		return kd_fail(d, -ENOMEM, "out of memory");
	nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO);
	return request(s->sock, msg, "set a link up", d);
}

static int add_address(struct side *s, int family, const char *text, int bits,
		       struct kd_diag *d)
{
	struct ifaddrmsg ifa = {
		.ifa_family = (uint8_t)family,
		.ifa_prefixlen = (uint8_t)bits,
		.ifa_flags = family == AF_INET6 ? IFA_F_NODAD : 0,
		.ifa_index = IFINDEX_VETH,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(
		RTM_NEWADDR, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL);
	unsigned char addr[16];
	int len = family == AF_INET6 ? 16 : 4;

	if (!msg || inet_pton(family, text, addr) != 1)
		return kd_fail(d, -EINVAL, "cannot add address %s", text);
	nlmsg_append(msg, &ifa, sizeof(ifa), NLMSG_ALIGNTO);
	nla_put(msg, IFA_LOCAL, len, addr);
	nla_put(msg, IFA_ADDRESS, len, addr);
	return request(s->sock, msg, "add an address", d);
}

static struct nl_msg *qdisc_msg(const char *kind)
{
	struct tcmsg tc = { .tcm_family = AF_UNSPEC,
			    .tcm_ifindex = IFINDEX_VETH,
			    .tcm_handle = 1 << 16,
			    .tcm_parent = TC_H_ROOT };
	struct nl_msg *msg = nlmsg_alloc_simple(
		RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_REPLACE);

	if (msg) {
		nlmsg_append(msg, &tc, sizeof(tc), NLMSG_ALIGNTO);
		nla_put_string(msg, TCA_KIND, kind);
	}
	return msg;
}

static int add_tbf(struct side *s, const struct kd_netlab_options *o,
		   struct kd_diag *d)
{
	uint64_t rate = o->rate_bps / 8;
	struct tc_tbf_qopt q = {
		.rate = { .rate = rate > UINT32_MAX ? UINT32_MAX :
						      (uint32_t)rate,
			  .linklayer = TC_LINKLAYER_ETHERNET },
		.limit = (uint32_t)o->queue_bytes,
	};
	struct nl_msg *msg = qdisc_msg("tbf");
	struct nlattr *opts;

	if (!msg)
		return kd_fail(d, -ENOMEM, "out of memory");
	opts = nla_nest_start(msg, TCA_OPTIONS);
	nla_put(msg, TCA_TBF_PARMS, sizeof(q), &q);
	nla_put_u32(msg, TCA_TBF_BURST, (uint32_t)o->burst_bytes);
	if (rate > UINT32_MAX)
		nla_put_u64(msg, TCA_TBF_RATE64, rate);
	nla_nest_end(msg, opts);
	return request(s->sock, msg, "shape the link with tbf", d);
}

static int add_netem(struct side *s, const struct kd_netlab_options *o,
		     struct kd_diag *d)
{
	struct tc_netem_qopt q = {
		.limit = 10000,
		.loss = (uint32_t)(o->loss_pct / 100 * UINT32_MAX),
	};
	struct tc_netem_rate rate = {
		.rate = o->rate_bps / 8 > UINT32_MAX ?
				UINT32_MAX :
				(uint32_t)(o->rate_bps / 8),
	};
	struct nl_msg *msg = qdisc_msg("netem");
	struct nlattr *opts;
	int r;

	if (!msg)
		return kd_fail(d, -ENOMEM, "out of memory");
	/* netem's attributes follow its structure inside TCA_OPTIONS */
	opts = nla_nest_start(msg, TCA_OPTIONS);
	nlmsg_append(msg, &q, sizeof(q), NLMSG_ALIGNTO);
	nla_put_u64(msg, TCA_NETEM_LATENCY64, o->delay_ns);
	if (rate.rate) {
		nla_put(msg, TCA_NETEM_RATE, sizeof(rate), &rate);
		nla_put_u64(msg, TCA_NETEM_RATE64, o->rate_bps / 8);
	}
	nla_nest_end(msg, opts);
	r = request(s->sock, msg, "add delay or loss with netem", d);
	if (r)
		kd_diag_hint(d, "this kernel may have no netem "
				"(CONFIG_NET_SCH_NETEM); rate works without");
	return r;
}

static int shape(struct side *dut, struct side *peer,
		 const struct kd_netlab_options *o, struct kd_diag *d)
{
	int r;

	if (o->delay_ns || o->loss_pct > 0) {
		r = add_netem(dut, o, d);
		return r ? r : add_netem(peer, o, d);
	}
	if (!o->rate_bps)
		return 0;
	r = add_tbf(dut, o, d);
	return r ? r : add_tbf(peer, o, d);
}

static int set_up_side(struct side *s, const char *v4, const char *v6,
		       struct kd_diag *d)
{
	int r = set_up(s, IFINDEX_LO, d);

	if (!r)
		r = add_address(s, AF_INET, v4, 24, d);
	if (!r)
		r = add_address(s, AF_INET6, v6, 64, d);
	return r ? r : set_up(s, IFINDEX_VETH, d);
}

int kd_netlab_open(const struct kd_netlab_options *o, struct kd_netlab *lab,
		   struct kd_diag *d)
{
	struct lab_thread t = { .dut = { .ns = -1 }, .peer = { .ns = -1 },
				.d = d };
	pthread_t thread;
	int r = -pthread_create(&thread, NULL, make_sides, &t);

	if (r)
		return kd_fail(d, r, "cannot start a thread");
	pthread_join(thread, NULL);
	r = t.r;
	if (!r)
		r = add_veth(&t.dut, &t.peer, d);
	if (!r)
		r = set_up_side(&t.dut, KD_NETLAB_DUT_ADDR, "fd77::1", d);
	if (!r)
		r = set_up_side(&t.peer, KD_NETLAB_PEER_ADDR, "fd77::2", d);
	if (!r)
		r = shape(&t.dut, &t.peer, o, d);
	nl_socket_free(t.dut.sock);
	nl_socket_free(t.peer.sock);
	*lab = (struct kd_netlab){ .dut_ns = t.dut.ns, .peer_ns = t.peer.ns };
	if (r)
		kd_netlab_close(lab);
	return r;
}

void kd_netlab_close(struct kd_netlab *lab)
{
	if (lab->dut_ns >= 0)
		close(lab->dut_ns);
	if (lab->peer_ns >= 0)
		close(lab->peer_ns);
	*lab = (struct kd_netlab){ .dut_ns = -1, .peer_ns = -1 };
}
