// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two net devices: "dut0" is the chip's, "peer0" the other station's,
 * which has no host bus and goes to the air directly.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#include "internal.h"

struct end_priv {
	struct kdchip *kd;
};

static struct kdchip *kd_of(struct net_device *dev)
{
	struct end_priv *p = netdev_priv(dev);

	return p->kd;
}

static int dut_open(struct net_device *dev)
{
	struct kdchip *kd = kd_of(dev);
	int r = 0;

	kdchip_core_run(kd, true);
	if (kd->driver->start)
		r = kd->driver->start(kd);
	if (r) {
		kdchip_core_run(kd, false);
		return r;
	}
	if (!kd->driver->joins)
		netif_carrier_on(dev);
	netif_start_queue(dev);
	return 0;
}

static int dut_stop(struct net_device *dev)
{
	struct kdchip *kd = kd_of(dev);

	netif_stop_queue(dev);
	netif_carrier_off(dev);
	kdchip_core_irq_enable(kd, false);
	synchronize_irq(kd->irq);
	if (kd->driver->stop)
		kd->driver->stop(kd);
	kdchip_core_run(kd, false);
	return 0;
}

static netdev_tx_t dut_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct kdchip *kd = kd_of(dev);

	return kd->driver->xmit(kd, skb);
}

static void dut_timeout(struct net_device *dev, unsigned int queue)
{
	netdev_err(dev, "transmit queue %u stalled: the chip does not answer\n",
		   queue);
	DEV_STATS_INC(dev, tx_errors);
}

static const struct net_device_ops dut_ops = {
	.ndo_open = dut_open,
	.ndo_stop = dut_stop,
	.ndo_start_xmit = dut_xmit,
	.ndo_tx_timeout = dut_timeout,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static int peer_open(struct net_device *dev)
{
	netif_carrier_on(dev);
	netif_start_queue(dev);
	return 0;
}

static int peer_stop(struct net_device *dev)
{
	netif_stop_queue(dev);
	netif_carrier_off(dev);
	return 0;
}

static netdev_tx_t peer_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct kdchip *kd = kd_of(dev);

	DEV_STATS_INC(dev, tx_packets);
	DEV_STATS_ADD(dev, tx_bytes, skb->len);
	skb_orphan(skb);
	kdchip_air_send(kd, KDCHIP_PEER, skb, 0);
	return NETDEV_TX_OK;
}

static const struct net_device_ops peer_ops = {
	.ndo_open = peer_open,
	.ndo_stop = peer_stop,
	.ndo_start_xmit = peer_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

void kdchip_rx(struct kdchip *kd, struct sk_buff *skb, struct napi_struct *napi)
{
	struct net_device *dev = kd->dev[KDCHIP_DUT];

	DEV_STATS_INC(dev, rx_packets);
	DEV_STATS_ADD(dev, rx_bytes, skb->len);
	skb->protocol = eth_type_trans(skb, dev);
	if (napi)
		napi_gro_receive(napi, skb);
	else
		netif_rx(skb);
}
EXPORT_SYMBOL_GPL(kdchip_rx);

void kdchip_tx_sent(struct kdchip *kd, unsigned int len)
{
	struct net_device *dev = kd->dev[KDCHIP_DUT];

	DEV_STATS_INC(dev, tx_packets);
	DEV_STATS_ADD(dev, tx_bytes, len);
}
EXPORT_SYMBOL_GPL(kdchip_tx_sent);

/* a frame that reached the peer */
void kdchip_netdev_deliver(struct kdchip *kd, struct sk_buff *skb)
{
	struct net_device *dev = kd->dev[KDCHIP_PEER];

	if (!netif_running(dev)) {
		kfree_skb(skb);
		return;
	}
	DEV_STATS_INC(dev, rx_packets);
	DEV_STATS_ADD(dev, rx_bytes, skb->len);
	skb_orphan(skb);
	skb->protocol = eth_type_trans(skb, dev);
	netif_rx(skb);
}

static void setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->features |= NETIF_F_HW_CSUM;
	dev->hw_features |= NETIF_F_HW_CSUM;
}

static int add(struct kdchip *kd, enum kdchip_end end, const char *name,
	       const struct net_device_ops *ops)
{
	u8 mac[ETH_ALEN] = { 0x02, 'k', 'd', 0, 0, end + 1 };
	struct net_device *dev;
	struct end_priv *p;
	int r;

	dev = alloc_netdev(sizeof(*p), name, NET_NAME_ENUM, setup);
	if (!dev)
		return -ENOMEM;
	p = netdev_priv(dev);
	p->kd = kd;
	dev->netdev_ops = ops;
	dev->watchdog_timeo = 5 * HZ;
	SET_NETDEV_DEV(dev, &kd->pdev->dev);
	eth_hw_addr_set(dev, mac);
	if (end == KDCHIP_DUT) {
		const struct kdchip_driver *drv = kd->driver;

		dev->features |= drv->features;
		dev->hw_features |= drv->features;
		if (drv->tso_max_size && *drv->tso_max_size)
			netif_set_tso_max_size(dev, *drv->tso_max_size);
	} else {
		dev->features |= kd->profile->peer_features;
		dev->hw_features |= kd->profile->peer_features;
	}
	kd->dev[end] = dev;
	netif_carrier_off(dev);
	r = register_netdev(dev);
	if (r) {
		free_netdev(dev);
		kd->dev[end] = NULL;
	}
	return r;
}

int kdchip_netdev_init(struct kdchip *kd)
{
	return add(kd, KDCHIP_PEER, "peer%d", &peer_ops);
}

int kdchip_netdev_add_dut(struct kdchip *kd)
{
	return add(kd, KDCHIP_DUT, "dut%d", &dut_ops);
}

/* what is under way may still name a device: it is freed after that */
void kdchip_netdev_del_dut(struct kdchip *kd)
{
	struct net_device *dev = kd->dev[KDCHIP_DUT];

	unregister_netdev(dev);
	kdchip_air_flush_dut(kd);
	kdchip_core_fini(kd);
	spin_lock_bh(&kd->core.lock);
	kd->dev[KDCHIP_DUT] = NULL;
	spin_unlock_bh(&kd->core.lock);
	free_netdev(dev);
}

void kdchip_netdev_fini(struct kdchip *kd)
{
	unregister_netdev(kd->dev[KDCHIP_PEER]);
	kdchip_air_fini(kd);
	kdchip_core_fini(kd);
	free_netdev(kd->dev[KDCHIP_PEER]);
}
