// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests to the kernel's ethtool netlink family, as
 * Documentation/networking/ethtool-netlink.rst has them (Linux 5.6 and later).
 */
#include "knobs/ethtool_link.h"

#include "base/str.h"

#include <linux/ethtool_netlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* the header is attribute 1 of every message */
#define HEADER 1

struct talk {
	void (*answer)(struct nlattr **attrs, size_t n, void *arg);
	void *arg;
	char *why;
	size_t size;
	int err;
	bool is_over;
};

int kd_ethtool_open(struct kd_ethtool_link *l, struct kd_diag *d)
{
	int on = 1;

	l->sock = nl_socket_alloc();
	if (!l->sock)
		return kd_fail(d, -ENOMEM, "out of memory");
	if (genl_connect(l->sock) < 0) {
		kd_ethtool_close(l);
		return kd_fail_errno(d, "cannot open a netlink socket");
	}
	/* the kernel's own words for a refusal; older ones have none */
	setsockopt(nl_socket_get_fd(l->sock), SOL_NETLINK, NETLINK_EXT_ACK, &on,
		   sizeof(on));
	l->family = genl_ctrl_resolve(l->sock, ETHTOOL_GENL_NAME);
	if (l->family < 0) {
		kd_ethtool_close(l);
		kd_fail(d, -EOPNOTSUPP,
			"this kernel has no ethtool over netlink");
		kd_diag_hint(d, "it needs Linux 5.6 with CONFIG_ETHTOOL_NETLINK; a command knob can call ethtool(8)");
		return -EOPNOTSUPP;
	}
	return 0;
}

void kd_ethtool_close(struct kd_ethtool_link *l)
{
	nl_socket_free(l->sock);
	l->sock = NULL;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;
	struct nlattr *attrs[KD_ETHTOOL_ATTRS];

	if (t->answer &&
	    genlmsg_parse(nlmsg_hdr(msg), 0, attrs, KD_ETHTOOL_ATTRS - 1,
			  NULL) >= 0)
		t->answer(attrs, KD_ETHTOOL_ATTRS, t->arg);
	return NL_OK;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	((struct talk *)arg)->is_over = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct talk *t = arg;
	const struct nlmsghdr *h =
		(const struct nlmsghdr *)((const char *)e - NLMSG_HDRLEN);
	size_t skip = sizeof(*e), len = h->nlmsg_len - NLMSG_HDRLEN;
	struct nlattr *words;

	t->err = e->error;
	t->is_over = true;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || len <= skip)
		return NL_STOP;
	words = nla_find((struct nlattr *)((char *)e + skip), (int)(len - skip),
			 NLMSGERR_ATTR_MSG);
	if (words)
		snprintf(t->why, t->size, "%.*s", nla_len(words),
			 nla_get_string(words));
	return NL_STOP;
}

static int converse(struct kd_ethtool_link *l, struct nl_msg *msg,
		    struct talk *t)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int r;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, t);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, t);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, t);
	r = nl_send_auto(l->sock, msg);
	while (r >= 0 && !t->is_over)
		r = nl_recvmsgs(l->sock, cb);
	nl_cb_put(cb);
	return t->err ? t->err : r < 0 ? -EIO : 0;
}

int kd_ethtool_ask(struct kd_ethtool_link *l, uint8_t command,
		   const char *ifname,
		   int (*fill)(struct nl_msg *msg, void *arg),
		   void (*answer)(struct nlattr **attrs, size_t n, void *arg),
		   void *arg, char *why, size_t size)
{
	struct talk t = { .answer = answer, .arg = arg, .why = why,
			  .size = size };
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *header;
	int r = -ENOMEM;

	*why = '\0';
	if (!msg)
		return r;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, l->family, 0,
			 NLM_F_REQUEST | NLM_F_ACK, command,
			 ETHTOOL_GENL_VERSION))
		goto out;
	header = nla_nest_start(msg, HEADER);
	if (!header ||
	    nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, ifname) ||
	    (!answer && nla_put_u32(msg, ETHTOOL_A_HEADER_FLAGS,
				    ETHTOOL_FLAG_OMIT_REPLY)))
		goto out;
	nla_nest_end(msg, header);
	r = fill ? fill(msg, arg) : 0;
	if (!r)
		r = converse(l, msg, &t);
out:
	nlmsg_free(msg);
	return r;
}

static void hint_interface(struct kd_diag *d, const char *ifname)
{
	struct if_nameindex *all = if_nameindex();
	const char *near = NULL;
	size_t n = 0;

	while (all && all[n].if_index)
		n++;
	if (n)
		near = kd_str_nearest(ifname, &all[0].if_name, n,
				      sizeof(all[0]));
	if (near)
		kd_diag_hint(d, "did you mean \"%s\"?", near);
	else
		kd_diag_hint(d, "kdelta knobs \"ethtool:*\" lists what there is in this network namespace");
	if_freenameindex(all);
}

int kd_ethtool_fail(struct kd_diag *d, int err, const char *what,
		    const char *word, const char *ifname, const char *why)
{
	switch (err) {
	case -ENODEV:
		err = kd_fail(d, -ENOENT, "there is no interface %s: %s",
			      ifname, strerror(ENODEV));
		hint_interface(d, ifname);
		return err;
	case -EPERM:
		kd_fail(d, err, "cannot %s %s of %s: %s", what, word, ifname,
			strerror(EPERM));
		kd_diag_hint(d, "it needs root");
		return err;
	case -EOPNOTSUPP:
		kd_fail(d, err, "%s has no %s: %s%s%s", ifname, word,
			strerror(EOPNOTSUPP), *why ? ": " : "", why);
		kd_diag_hint(d, "its driver does not have it");
		return err;
	default:
		return kd_fail(d, err, "cannot %s %s of %s: %s%s%s", what, word,
			       ifname, strerror(-err), *why ? ": " : "", why);
	}
}
