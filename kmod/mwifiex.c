// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mwifiex: a PCIe Wi-Fi chip whose registers are slow to read, served by one
 * thread that first looks why it was interrupted and then sends. With int_loop
 * it looks again until the interrupt status is clear; without, once. The chip
 * gets the next packet (an A-MSDU) when it is done with the one before.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>

#include "kdchip.h"

#define QUEUE_FRAMES 400
#define AMSDU_BYTES 2048
#define MAX_PASSES 15

static bool int_loop = true;
module_param(int_loop, bool, 0644);
MODULE_PARM_DESC(int_loop, "read the interrupt status again until it is clear");

/* the hardware; docs/board.md says what each was calibrated on */
static struct kdchip_bus_params bus = {
	.name = "pcie",
	.setup_ns = 300,
	.setup_cpu_ns = 300,
	.rx_byte_ps = 1800,
	.reg_ns = 24000,
	.reg_cpu_ns = 24000,
	.reg_write_ns = 500,
};
module_param_named(reg_ns, bus.reg_ns, uint, 0644);
module_param_named(rx_byte_ps, bus.rx_byte_ps, uint, 0644);

static struct kdchip_params chip = {
	.fw_ns = 5000,
	.done_ns = 36000,
	.rx_frames = 512,
	.rx_edge = true,
};
module_param_named(done_ns, chip.done_ns, uint, 0644);

static struct kdchip_air_params air = {
	.kbps = 600000,
	.txop_ns = 12000,
	.peer_txop_ns = 71000,
	.backoff_ns = 60000,
	.frames = 4,
	.overhead_bytes = 40,
	.half_duplex = true,
};
module_param_named(air_kbps, air.kbps, uint, 0644);
module_param_named(air_txop_ns, air.txop_ns, uint, 0644);
module_param_named(air_peer_txop_ns, air.peer_txop_ns, uint, 0644);
module_param_named(air_backoff_ns, air.backoff_ns, uint, 0644);
module_param_named(air_frames, air.frames, uint, 0644);

static const struct kdchip_power_params power = {
	.board_uw = 4000000,
	.idle_uw = 400000,
	.awake_uw = 100000,
	.bus_uw = 50000,
	.tx_uw = 1200000,
	.rx_uw = 400000,
};

/**
 * struct mwifiex - the driver
 * @lock:	@queue, @flying, @busy
 * @queue:	frames from the stack
 * @flying:	frames that the chip has
 * @busy:	the thread is at work and will send when it is through
 * @passes:	interrupts by how often the status was read as set
 */
struct mwifiex {
	struct kdchip *kd;
	struct kdchip_bus *bus;
	spinlock_t lock;
	struct sk_buff_head queue;
	unsigned int flying;
	bool busy;
	u64 passes[MAX_PASSES + 1];
};

/* lock held: the next packet, if the chip is done with the last */
static void send_packet(struct mwifiex *m)
{
	struct net_device *dev = kdchip_netdev(m->kd);
	unsigned int bytes = 0, len;
	struct sk_buff *skb;

	if (m->busy || m->flying)
		return;
	while ((skb = skb_peek(&m->queue)) &&
	       (!bytes || bytes + skb->len <= AMSDU_BYTES)) {
		__skb_unlink(skb, &m->queue);
		len = skb->len;
		if (m->bus->ops->block_write(m->bus, skb)) {
			DEV_STATS_INC(dev, tx_errors);
			dev_kfree_skb_any(skb);
			continue;
		}
		kdchip_tx_sent(m->kd, len);
		m->flying++;
		bytes += len;
	}
	if (netif_queue_stopped(dev) &&
	    skb_queue_len(&m->queue) < QUEUE_FRAMES / 2)
		netif_wake_queue(dev);
}

static netdev_tx_t mwifiex_xmit(struct kdchip *kd, struct sk_buff *skb)
{
	struct mwifiex *m = kdchip_priv(kd);

	spin_lock_bh(&m->lock);
	__skb_queue_tail(&m->queue, skb);
	if (skb_queue_len(&m->queue) >= QUEUE_FRAMES)
		netif_stop_queue(kdchip_netdev(kd));
	send_packet(m);
	spin_unlock_bh(&m->lock);
	return NETDEV_TX_OK;
}

static void reap(struct mwifiex *m)
{
	struct sk_buff *skb;

	spin_lock_bh(&m->lock);
	while ((skb = kdchip_tx_reap(m->kd))) {
		dev_consume_skb_any(skb);
		m->flying--;
	}
	spin_unlock_bh(&m->lock);
}

static void receive(struct mwifiex *m)
{
	struct sk_buff *skb;

	local_bh_disable();
	while (!m->bus->ops->block_read(m->bus, &skb) && skb)
		kdchip_rx(m->kd, skb, NULL);
	local_bh_enable();
}

static irqreturn_t mwifiex_irq(struct kdchip *kd)
{
	struct mwifiex *m = kdchip_priv(kd);

	m->bus->ops->irq_enable(m->bus, false);
	return IRQ_WAKE_THREAD;
}

static irqreturn_t mwifiex_thread(struct kdchip *kd)
{
	struct mwifiex *m = kdchip_priv(kd);
	unsigned int passes = 0;
	u32 status;

	spin_lock_bh(&m->lock);
	m->busy = true;
	spin_unlock_bh(&m->lock);
	do {
		if (m->bus->ops->read(m->bus, KDCHIP_REG_IRQ_STATUS, &status) ||
		    !status)
			break;
		passes++;
		/* before the work: what comes meanwhile is set again */
		m->bus->ops->write(m->bus, KDCHIP_REG_IRQ_STATUS, status);
		if (status & KDCHIP_IRQ_TX_DONE)
			reap(m);
		if (status & KDCHIP_IRQ_RX)
			receive(m);
	} while (READ_ONCE(int_loop));
	m->passes[min_t(unsigned int, passes, MAX_PASSES)]++;

	spin_lock_bh(&m->lock);
	m->busy = false;
	send_packet(m);
	spin_unlock_bh(&m->lock);
	m->bus->ops->irq_enable(m->bus, true);
	return IRQ_HANDLED;
}

static int passes_show(struct seq_file *s, void *arg)
{
	struct mwifiex *m = kdchip_priv(s->private);

	for (int i = 0; i <= MAX_PASSES; i++)
		if (m->passes[i])
			seq_printf(s, "%d %llu\n", i, m->passes[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(passes);

static void mwifiex_debugfs(struct kdchip *kd, struct dentry *dir)
{
	debugfs_create_file("int_passes", 0444, dir, kd, &passes_fops);
}

static void mwifiex_init_priv(struct kdchip *kd)
{
	struct mwifiex *m = kdchip_priv(kd);

	m->kd = kd;
	m->bus = kdchip_bus(kd);
	spin_lock_init(&m->lock);
	__skb_queue_head_init(&m->queue);
}

static int mwifiex_start(struct kdchip *kd)
{
	struct mwifiex *m = kdchip_priv(kd);
	int r;

	m->flying = 0;
	m->busy = false;
	r = m->bus->ops->write(m->bus, KDCHIP_REG_IRQ_MASK,
			       KDCHIP_IRQ_RX | KDCHIP_IRQ_TX_DONE);
	m->bus->ops->irq_enable(m->bus, true);
	return r;
}

static void mwifiex_stop(struct kdchip *kd)
{
	struct mwifiex *m = kdchip_priv(kd);

	spin_lock_bh(&m->lock);
	__skb_queue_purge(&m->queue);
	spin_unlock_bh(&m->lock);
}

static const struct kdchip_profile profile = {
	.name = "mwifiex",
	.owner = THIS_MODULE,
	.bus = &bus,
	.chip = &chip,
	.air = &air,
	.power = &power,
	.queue_frames = QUEUE_FRAMES,
	.irq = mwifiex_irq,
	.irq_thread = mwifiex_thread,
	.debugfs = mwifiex_debugfs,
	.priv_size = sizeof(struct mwifiex),
	.init = mwifiex_init_priv,
	.start = mwifiex_start,
	.stop = mwifiex_stop,
	.xmit = mwifiex_xmit,
};

static struct kdchip *the_chip;

static int __init mwifiex_init(void)
{
	the_chip = kdchip_register(&profile);
	return PTR_ERR_OR_ZERO(the_chip);
}
module_init(mwifiex_init);

static void __exit mwifiex_exit(void)
{
	kdchip_unregister(the_chip);
}
module_exit(mwifiex_exit);

MODULE_DESCRIPTION("PCIe Wi-Fi chip with slow registers, on a modelled bus");
MODULE_LICENSE("GPL");
