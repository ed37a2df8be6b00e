// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Questions to nl80211. See wifi.h.
 *
 * Of libnl only what happens before the window: its receiving allocates.
 */
#include "observers/wifi.h"

#include <errno.h>
#include <linux/nl80211.h>
#include <net/if.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdlib.h>
#include <sys/socket.h>

/* the kernel makes the parts of an answer no larger than the buffer */
#define ANSWER_SIZE (32 << 10)
#define MAX_PARTS 64
#define REQUEST_SIZE 64

struct kd_wifi {
	struct nl_sock *sock;
	int family;
	uint32_t seq;
	struct nl_msg *stations, *channel;
	_Alignas(struct nlmsghdr) char answer[ANSWER_SIZE];
};

/* the kernel answers within send() and recv(), so there is nothing to wait for */
static int ask(struct kd_wifi *w, struct nl_msg *question, struct kd_air *air)
{
	struct nlmsghdr *h = nlmsg_hdr(question);
	int fd = nl_socket_get_fd(w->sock);
	int r = 1;

	h->nlmsg_seq = ++w->seq;
	if (send(fd, h, h->nlmsg_len, 0) < 0)
		return -errno;
	for (int i = 0; r == 1 && i < MAX_PARTS; i++) {
		ssize_t n = recv(fd, w->answer, sizeof(w->answer),
				 MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0)
			return -errno;
		if ((size_t)n > sizeof(w->answer))
			return -EMSGSIZE;
		r = kd_station_parse(w->answer, (size_t)n, w->family, w->seq,
				     air);
	}
	return r == 1 ? -EMSGSIZE : r;
}

static struct nl_msg *question(const struct kd_wifi *w, uint8_t command,
			       int flags, unsigned int ifindex)
{
	struct nl_msg *msg = nlmsg_alloc_size(REQUEST_SIZE);

	if (msg && genlmsg_put(msg, nl_socket_get_local_port(w->sock), 0,
			       w->family, 0, NLM_F_REQUEST | flags, command,
			       0) &&
	    !nla_put_u32(msg, NL80211_ATTR_IFINDEX, ifindex))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

struct kd_wifi *kd_wifi_open(const char *ifname)
{
	unsigned int ifindex = if_nametoindex(ifname);
	struct kd_wifi *w = calloc(1, sizeof(*w));
	struct kd_air air = { 0 };

	if (!w || !ifindex)
		goto none;
	w->sock = nl_socket_alloc();
	if (!w->sock || genl_connect(w->sock) < 0)
		goto none;
	w->family = genl_ctrl_resolve(w->sock, NL80211_GENL_NAME);
	if (w->family < 0)
		goto none;
	w->stations = question(w, NL80211_CMD_GET_STATION, NLM_F_DUMP, ifindex);
	w->channel = question(w, NL80211_CMD_GET_INTERFACE, NLM_F_ACK, ifindex);
	if (w->stations && w->channel && !kd_wifi_channel(w, &air))
		return w;
none:
	kd_wifi_close(w);
	return NULL;
}

void kd_wifi_close(struct kd_wifi *w)
{
	if (!w)
		return;
	nlmsg_free(w->stations);
	nlmsg_free(w->channel);
	if (w->sock)
		nl_socket_free(w->sock);
	free(w);
}

int kd_wifi_stations(struct kd_wifi *w, struct kd_air *air)
{
	return ask(w, w->stations, air);
}

int kd_wifi_channel(struct kd_wifi *w, struct kd_air *air)
{
	return ask(w, w->channel, air);
}
