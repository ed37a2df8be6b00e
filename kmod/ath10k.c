// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ath10k: a PCIe Wi-Fi chip whose firmware keeps a frame for some time before
 * it goes to the air, and so owns it long after the driver queued it. How much
 * the stack may have waiting below TCP is sk_pacing_shift; all the rest is the
 * kernel's TCP small queues.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <net/sock.h>

#include "kdchip.h"

#define QUEUE_FRAMES 1000

static unsigned int sk_pacing_shift = 8;
module_param(sk_pacing_shift, uint, 0644);
MODULE_PARM_DESC(sk_pacing_shift, "a socket may have its pacing rate >> this queued below it");

/* the hardware; docs/board.md says what each was calibrated on */
static struct kdchip_bus_params bus = {
	.name = "pcie",
	.setup_ns = 300,
	.setup_cpu_ns = 300,
	.reg_ns = 100,
	.reg_cpu_ns = 100,
};

static struct kdchip_params chip = {
	.fw_ns = 9000000,
	.done_ns = 200000,
	.rx_frames = 512,
};
module_param_named(fw_ns, chip.fw_ns, uint, 0644);
module_param_named(done_ns, chip.done_ns, uint, 0644);

static struct kdchip_air_params air = {
	.kbps = 930000,
	.txop_ns = 250000,
	.peer_txop_ns = 100000,
	.frames = 64,
	.overhead_bytes = 40,
	.half_duplex = true,
};
module_param_named(air_kbps, air.kbps, uint, 0644);
module_param_named(air_txop_ns, air.txop_ns, uint, 0644);
module_param_named(air_peer_txop_ns, air.peer_txop_ns, uint, 0644);
module_param_named(air_frames, air.frames, uint, 0644);
module_param_named(air_half_duplex, air.half_duplex, bool, 0644);

static const struct kdchip_power_params power = {
	.board_uw = 2000000,
	.idle_uw = 500000,
	.awake_uw = 100000,
	.bus_uw = 50000,
	.tx_uw = 1500000,
	.rx_uw = 400000,
};

static unsigned int tso_max_size = 32768;
module_param(tso_max_size, uint, 0444);
MODULE_PARM_DESC(tso_max_size, "largest packet taken from the stack");

struct ath10k {
	struct kdchip *kd;
	struct kdchip_bus *bus;
	struct napi_struct napi;
	atomic_t queued;
};

static netdev_tx_t ath10k_xmit(struct kdchip *kd, struct sk_buff *skb)
{
	struct net_device *dev = kdchip_netdev(kd);
	struct ath10k *a = kdchip_priv(kd);
	unsigned int len = skb->len;

	if (skb->sk)
		sk_pacing_shift_update(skb->sk, sk_pacing_shift);
	if (a->bus->ops->block_write(a->bus, skb)) {
		DEV_STATS_INC(dev, tx_errors);
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}
	kdchip_tx_sent(kd, len);
	if (atomic_inc_return(&a->queued) >= QUEUE_FRAMES)
		netif_stop_queue(dev);
	return NETDEV_TX_OK;
}

static irqreturn_t ath10k_irq(struct kdchip *kd)
{
	struct ath10k *a = kdchip_priv(kd);

	a->bus->ops->irq_enable(a->bus, false);
	napi_schedule(&a->napi);
	return IRQ_HANDLED;
}

static int ath10k_poll(struct napi_struct *napi, int budget)
{
	struct ath10k *a = container_of(napi, struct ath10k, napi);
	struct net_device *dev = kdchip_netdev(a->kd);
	struct sk_buff *skb;
	int done = 0;

	while ((skb = kdchip_tx_reap(a->kd))) {
		napi_consume_skb(skb, budget);
		atomic_dec(&a->queued);
	}
	if (netif_queue_stopped(dev) &&
	    atomic_read(&a->queued) < QUEUE_FRAMES / 2)
		netif_wake_queue(dev);
	while (done < budget && !a->bus->ops->block_read(a->bus, &skb) && skb) {
		kdchip_rx(a->kd, skb, napi);
		done++;
	}
	if (done < budget && napi_complete_done(napi, done)) {
		a->bus->ops->write(a->bus, KDCHIP_REG_IRQ_STATUS,
				   KDCHIP_IRQ_RX | KDCHIP_IRQ_TX_DONE);
		a->bus->ops->irq_enable(a->bus, true);
	}
	return done;
}

static void ath10k_init_priv(struct kdchip *kd)
{
	struct ath10k *a = kdchip_priv(kd);

	a->kd = kd;
	a->bus = kdchip_bus(kd);
}

static int ath10k_start(struct kdchip *kd)
{
	struct ath10k *a = kdchip_priv(kd);
	int r;

	atomic_set(&a->queued, 0);
	netif_napi_add(kdchip_netdev(kd), &a->napi, ath10k_poll);
	napi_enable(&a->napi);
	r = a->bus->ops->write(a->bus, KDCHIP_REG_IRQ_MASK,
			       KDCHIP_IRQ_RX | KDCHIP_IRQ_TX_DONE);
	a->bus->ops->irq_enable(a->bus, true);
	return r;
}

static void ath10k_stop(struct kdchip *kd)
{
	struct ath10k *a = kdchip_priv(kd);

	napi_disable(&a->napi);
	netif_napi_del(&a->napi);
}

static const struct kdchip_profile profile = {
	.name = "ath10k",
	.owner = THIS_MODULE,
	.bus = &bus,
	.chip = &chip,
	.air = &air,
	.power = &power,
	.tso_max_size = &tso_max_size,
	.queue_frames = QUEUE_FRAMES,
	.priv_size = sizeof(struct ath10k),
	.init = ath10k_init_priv,
	.start = ath10k_start,
	.stop = ath10k_stop,
	.xmit = ath10k_xmit,
	.irq = ath10k_irq,
};

static struct kdchip *the_chip;

static int __init ath10k_init(void)
{
	the_chip = kdchip_register(&profile);
	return PTR_ERR_OR_ZERO(the_chip);
}
module_init(ath10k_init);

static void __exit ath10k_exit(void)
{
	kdchip_unregister(the_chip);
}
module_exit(ath10k_exit);

MODULE_DESCRIPTION("PCIe Wi-Fi chip with a slow firmware, on a modelled bus");
MODULE_LICENSE("GPL");
