// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Between two processes on the two cores: as the loopback device, but what one
 * gives the other waits until that core is awake and has got to it.
 *
 *   dut0 (this core) -> the other core's queue -> peer0
 *   dut0             <--------------------------  peer0
 */
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "armada-xp.h"
#include "compat.h"

/* the loopback device's */
#define LINK_MTU 65536
#define LINK_FEATURES (NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM | \
		       NETIF_F_RXCSUM | NETIF_F_HIGHDMA | NETIF_F_GSO_SOFTWARE)

static unsigned int serve_ns = 150000;
module_param(serve_ns, uint, 0644);
MODULE_PARM_DESC(serve_ns, "mean time the other core takes for 64 KiB");

static struct {
	struct net_device *dut;
	struct net_device *peer;
	struct sk_buff_head queue;
	struct hrtimer served;
	bool serves;
} link;

static u64 serve_time(const struct sk_buff *skb)
{
	return armada_xp_random((u64)serve_ns * skb->len >> 16);
}

/* takes the frame */
static void pass(struct net_device *to, struct sk_buff *skb)
{
	unsigned int len = skb->len;

	if (dev_forward_skb(to, skb) == NET_RX_SUCCESS) {
		DEV_STATS_INC(to, rx_packets);
		DEV_STATS_ADD(to, rx_bytes, len);
	} else {
		DEV_STATS_INC(to, rx_dropped);
	}
}

static enum hrtimer_restart served(struct hrtimer *timer)
{
	struct sk_buff *skb = __skb_dequeue(&link.queue);
	struct sk_buff *next = skb_peek(&link.queue);

	link.serves = next;
	if (!next)
		armada_xp_other_idle();
	armada_xp_awake();
	pass(link.peer, skb);
	if (!next)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, 1 + serve_time(next));
	return HRTIMER_RESTART;
}

static void count_sent(struct net_device *dev, const struct sk_buff *skb)
{
	DEV_STATS_INC(dev, tx_packets);
	DEV_STATS_ADD(dev, tx_bytes, skb->len);
}

static netdev_tx_t dut_xmit(struct sk_buff *skb, struct net_device *dev)
{
	u64 ns;

	skb_tx_timestamp(skb);
	count_sent(dev, skb);
	/* as the loopback device: what lies here is the receiver's */
	skb_orphan(skb);
	__skb_queue_tail(&link.queue, skb);
	if (!link.serves) {
		link.serves = true;
		ns = armada_xp_other_wake() + serve_time(skb);
		hrtimer_start(&link.served, ns, HRTIMER_MODE_REL_SOFT);
	}
	return NETDEV_TX_OK;
}

static netdev_tx_t peer_xmit(struct sk_buff *skb, struct net_device *dev)
{
	skb_tx_timestamp(skb);
	count_sent(dev, skb);
	pass(link.dut, skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops dut_ops = {
	.ndo_start_xmit = dut_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static const struct net_device_ops peer_ops = {
	.ndo_start_xmit = peer_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->max_mtu = LINK_MTU;
	dev->mtu = LINK_MTU;
	dev->features |= LINK_FEATURES;
	dev->hw_features |= LINK_FEATURES;
	dev->priv_flags |= IFF_NO_QUEUE;
}

static struct net_device *add(struct device *parent, const char *name,
			      const struct net_device_ops *ops, u8 last)
{
	u8 mac[ETH_ALEN] = { 0x02, 'a', 'x', 0, 0, last };
	struct net_device *dev;
	int r;

	dev = alloc_netdev(0, name, NET_NAME_ENUM, setup);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev->netdev_ops = ops;
	SET_NETDEV_DEV(dev, parent);
	eth_hw_addr_set(dev, mac);
	r = register_netdev(dev);
	if (r) {
		free_netdev(dev);
		return ERR_PTR(r);
	}
	return dev;
}

int armada_xp_link_init(struct device *parent)
{
	__skb_queue_head_init(&link.queue);
	kdchip_hrtimer_setup(&link.served, served, HRTIMER_MODE_REL_SOFT);
	link.peer = add(parent, "peer%d", &peer_ops, 2);
	if (IS_ERR(link.peer))
		return PTR_ERR(link.peer);
	link.dut = add(parent, "dut%d", &dut_ops, 1);
	if (IS_ERR(link.dut)) {
		unregister_netdev(link.peer);
		free_netdev(link.peer);
		return PTR_ERR(link.dut);
	}
	return 0;
}

void armada_xp_link_fini(void)
{
	unregister_netdev(link.dut);
	hrtimer_cancel(&link.served);
	__skb_queue_purge(&link.queue);
	unregister_netdev(link.peer);
	free_netdev(link.dut);
	free_netdev(link.peer);
}
