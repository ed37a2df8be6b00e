// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Root queueing disciplines by rtnetlink: linux/rtnetlink.h,
 * net/sched/sch_api.c.
 */
#include "knobs/qdisc_link.h"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <string.h>

struct talk {
	int ifindex;
	struct kd_qdisc *q;
	bool found, has_children, any, is_over;
	int err;
};

static int on_end(struct nl_msg *msg, void *arg)
{
	((struct talk *)arg)->is_over = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct talk *t = arg;

	t->err = e->error;
	t->is_over = true;
	return NL_STOP;
}

static int on_qdisc(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;
	const struct tcmsg *tc = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *a[TCA_MAX + 1];

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*tc), a, TCA_MAX, NULL) < 0 ||
	    tc->tcm_ifindex != t->ifindex || !a[TCA_KIND] ||
	    tc->tcm_parent == TC_H_INGRESS)
		return NL_OK;
	/* one that somebody has put below the root: the kernel's own are not
	 * shown */
	if (tc->tcm_parent != TC_H_ROOT) {
		t->has_children = true;
		return NL_OK;
	}
	t->found = true;
	nla_strlcpy(t->q->kind, a[TCA_KIND], sizeof(t->q->kind));
	/* the kernel's own choice has no handle */
	t->q->is_default = !tc->tcm_handle;
	if (!a[TCA_OPTIONS])
		return NL_OK;
	if (nla_len(a[TCA_OPTIONS]) > (int)sizeof(t->q->options)) {
		t->err = -E2BIG;
		return NL_OK;
	}
	t->q->len = (size_t)nla_len(a[TCA_OPTIONS]);
	memcpy(t->q->options, nla_data(a[TCA_OPTIONS]), t->q->len);
	return NL_OK;
}

static int on_class(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;
	const struct tcmsg *tc = nlmsg_data(nlmsg_hdr(msg));

	if (tc->tcm_ifindex == t->ifindex)
		t->any = true;
	return NL_OK;
}

static int talk(struct nl_sock *sock, struct nl_msg *msg, struct talk *t,
		int (*valid)(struct nl_msg *msg, void *arg))
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int r = -1;

	t->is_over = false;
	if (cb && msg) {
		if (valid)
			nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, valid, t);
		nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, t);
		nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, t);
		nl_cb_err(cb, NL_CB_CUSTOM, on_error, t);
		r = nl_send_auto(sock, msg);
	}
	while (r >= 0 && !t->is_over)
		r = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	nlmsg_free(msg);
	return t->err ? t->err : r < 0 ? -EIO : 0;
}

static struct nl_sock *connect_route(void)
{
	struct nl_sock *sock = nl_socket_alloc();

	if (sock && nl_connect(sock, NETLINK_ROUTE) < 0) {
		nl_socket_free(sock);
		return NULL;
	}
	return sock;
}

static struct nl_msg *message(int type, int flags, int ifindex,
			      uint32_t parent)
{
	struct tcmsg tc = { .tcm_ifindex = ifindex, .tcm_parent = parent };
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (msg && nlmsg_append(msg, &tc, sizeof(tc), NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* kinds whose classes are made one by one, not by their options */
static bool has_made_classes(const char *kind)
{
	static const char *const kinds[] = {
		"htb", "hfsc", "drr", "qfq", "cbq",
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i], kind))
			return true;
	return false;
}

int kd_qdisc_read(int ifindex, struct kd_qdisc *q)
{
	struct talk t = { .ifindex = ifindex, .q = q };
	struct nl_sock *sock = connect_route();
	int r;

	memset(q, 0, sizeof(*q));
	if (!sock)
		return -EIO;
	r = talk(sock, message(RTM_GETQDISC, NLM_F_DUMP, ifindex, 0), &t,
		 on_qdisc);
	if (!r)
		r = talk(sock, message(RTM_GETTCLASS, NLM_F_DUMP, ifindex, 0), &t,
			 on_class);
	q->has_classes = t.has_children || (t.any && has_made_classes(q->kind));
	if (q->is_default)
		q->has_classes = false;
	nl_socket_free(sock);
	/* an interface that is down may have none at all */
	if (!r && !t.found) {
		strcpy(q->kind, "noqueue");
		q->is_default = true;
	}
	return r;
}

static int command(struct nl_msg *msg)
{
	struct nl_sock *sock = connect_route();
	struct talk t = { 0 };
	int r;

	if (!sock) {
		nlmsg_free(msg);
		return -EIO;
	}
	r = talk(sock, msg, &t, NULL);
	nl_socket_free(sock);
	return r;
}

int kd_qdisc_remove(int ifindex)
{
	return command(message(RTM_DELQDISC, NLM_F_ACK, ifindex, TC_H_ROOT));
}

int kd_qdisc_add(int ifindex, const struct kd_qdisc *q)
{
	struct nl_msg *msg = message(RTM_NEWQDISC, NLM_F_ACK | NLM_F_CREATE |
				     NLM_F_REPLACE, ifindex, TC_H_ROOT);

	if (!msg)
		return -ENOMEM;
	if (nla_put_string(msg, TCA_KIND, q->kind) ||
	    (q->len && nla_put(msg, TCA_OPTIONS, (int)q->len, q->options))) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	return command(msg);
}
