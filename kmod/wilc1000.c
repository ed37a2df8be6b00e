// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wilc1000: an SPI Wi-Fi chip that may sleep between uses of its bus.
 *
 * One mutex guards the bus. Who takes it wakes the chip and waits for its
 * clock, polling; who gives it back lets the chip sleep (enable_sleep). To
 * send, the driver takes the bus twice: to agree with the firmware on memory
 * for a group of frames, and to move the group.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include "kdchip.h"

#define QUEUE_FRAMES 64

static bool enable_sleep = true;
module_param(enable_sleep, bool, 0644);
MODULE_PARM_DESC(enable_sleep, "let the chip sleep between uses of the bus");

/* the hardware; docs/board.md says what each was calibrated on */
static struct kdchip_bus_params bus = {
	.name = "spi",
	.setup_ns = 100000,
	.setup_cpu_ns = 5000,
	.tx_byte_ps = 295000,
	.rx_byte_ps = 160000,
	.reg_ns = 100000,
	.reg_cpu_ns = 5000,
	.jitter_pct = 4,
	.align = 4,
};
module_param_named(bus_setup_ns, bus.setup_ns, uint, 0644);
module_param_named(bus_tx_byte_ps, bus.tx_byte_ps, uint, 0644);
module_param_named(bus_rx_byte_ps, bus.rx_byte_ps, uint, 0644);
module_param_named(bus_reg_ns, bus.reg_ns, uint, 0644);

static struct kdchip_params chip = {
	.wake_ns = 650000,
	.tx_bytes = 12800,
	.rx_frames = 128,
	.fw_ns = 50000,
};
module_param_named(wake_ns, chip.wake_ns, uint, 0644);

static const struct kdchip_air_params air = {
	.kbps = 65000,
	.txop_ns = 250000,
	.peer_txop_ns = 250000,
	.frames = 16,
	.overhead_bytes = 40,
	.half_duplex = true,
};

static const struct kdchip_power_params power = {
	.board_uw = 1180000,
	.idle_uw = 274000,
	.awake_uw = 6000,
	.bus_uw = 15000,
	.tx_uw = 600000,
	.rx_uw = 60000,
};

/* the driver's own */
static unsigned int wake_poll_us = 100;
module_param(wake_poll_us, uint, 0644);
MODULE_PARM_DESC(wake_poll_us, "between two looks at the clock of a waking chip");

static unsigned int wake_polls = 250;
module_param(wake_polls, uint, 0644);
MODULE_PARM_DESC(wake_polls, "looks until a chip that does not wake is an error");

static unsigned int tx_group_bytes = 1600;
module_param(tx_group_bytes, uint, 0644);
MODULE_PARM_DESC(tx_group_bytes, "most bytes that one agreement on memory covers");

static unsigned int rx_group_frames = 3;
module_param(rx_group_frames, uint, 0644);
MODULE_PARM_DESC(rx_group_frames, "most frames read by one use of the bus");

struct wilc {
	struct kdchip *kd;
	struct kdchip_bus *bus;
	struct mutex bus_lock; /* the bus, and @awake */
	bool awake;
	struct sk_buff_head txq;
	wait_queue_head_t txq_wait;
	struct task_struct *txq_task;
};

static int chip_wakeup(struct wilc *w)
{
	u32 stable = 0;
	int r;

	r = w->bus->ops->write(w->bus, KDCHIP_REG_WAKE, 1);
	for (unsigned int i = 0; !r && i < wake_polls; i++) {
		r = w->bus->ops->read(w->bus, KDCHIP_REG_CLOCK, &stable);
		if (r || stable)
			break;
		usleep_range(wake_poll_us, wake_poll_us + 10);
	}
	if (!r && !stable)
		r = -ETIMEDOUT;
	if (!r)
		w->awake = true;
	return r;
}

static int acquire_bus(struct wilc *w)
{
	int r = 0;

	mutex_lock(&w->bus_lock);
	if (!w->awake)
		r = chip_wakeup(w);
	if (r)
		mutex_unlock(&w->bus_lock);
	return r;
}

static void release_bus(struct wilc *w)
{
	if (enable_sleep && !w->bus->ops->write(w->bus, KDCHIP_REG_WAKE, 0))
		w->awake = false;
	mutex_unlock(&w->bus_lock);
}

/* memory for a group that begins with a frame of @first bytes */
static int tx_negotiate(struct wilc *w, unsigned int first, u32 *room)
{
	int r = acquire_bus(w);

	if (r)
		return r;
	for (unsigned int i = 0; i < wake_polls; i++) {
		r = w->bus->ops->read(w->bus, KDCHIP_REG_TX_ROOM, room);
		if (r || *room >= first)
			break;
		usleep_range(200, 210);
	}
	if (!r && *room < first)
		r = -ETIMEDOUT;
	release_bus(w);
	return r;
}

static int tx_move(struct wilc *w, struct sk_buff_head *group)
{
	struct sk_buff *skb;
	int r = acquire_bus(w);

	if (r)
		return r;
	while (!r && (skb = __skb_dequeue(group))) {
		unsigned int len = skb->len;

		skb_orphan(skb);
		r = w->bus->ops->block_write(w->bus, skb);
		if (r)
			kfree_skb(skb);
		else
			kdchip_tx_sent(w->kd, len);
	}
	release_bus(w);
	return r;
}

static void tx_group(struct wilc *w)
{
	struct net_device *dev = kdchip_netdev(w->kd);
	struct sk_buff_head group;
	unsigned int bytes = 0;
	struct sk_buff *skb;
	u32 room;
	int r;

	__skb_queue_head_init(&group);
	skb = skb_peek(&w->txq);
	if (!skb)
		return;
	r = tx_negotiate(w, skb->len, &room);
	room = r ? 0 : min(room, tx_group_bytes);
	while ((skb = skb_peek(&w->txq)) &&
	       (!bytes || bytes + skb->len <= room)) {
		bytes += skb->len;
		__skb_queue_tail(&group, skb_dequeue(&w->txq));
	}
	if (!r)
		r = tx_move(w, &group);
	if (r) {
		DEV_STATS_INC(dev, tx_errors);
		net_err_ratelimited("%s: cannot send: error %d\n", dev->name,
				    r);
	}
	__skb_queue_purge(&group);
	if (netif_queue_stopped(dev) &&
	    skb_queue_len(&w->txq) < QUEUE_FRAMES / 2)
		netif_wake_queue(dev);
}

static int txq_task(void *arg)
{
	struct wilc *w = arg;

	while (!kthread_should_stop()) {
		wait_event_interruptible(w->txq_wait, kthread_should_stop() ||
					 !skb_queue_empty(&w->txq));
		if (!kthread_should_stop())
			tx_group(w);
	}
	return 0;
}

static netdev_tx_t wilc_xmit(struct kdchip *kd, struct sk_buff *skb)
{
	struct wilc *w = kdchip_priv(kd);

	skb_queue_tail(&w->txq, skb);
	if (skb_queue_len(&w->txq) >= QUEUE_FRAMES)
		netif_stop_queue(kdchip_netdev(kd));
	wake_up(&w->txq_wait);
	return NETDEV_TX_OK;
}

static irqreturn_t wilc_irq(struct kdchip *kd)
{
	return IRQ_WAKE_THREAD;
}

/* bus held: what the chip has, up to a group of frames */
static int rx_group(struct wilc *w, struct sk_buff_head *frames)
{
	struct sk_buff *skb;
	u32 status, count;
	int r;

	r = w->bus->ops->read(w->bus, KDCHIP_REG_IRQ_STATUS, &status);
	if (!r)
		r = w->bus->ops->read(w->bus, KDCHIP_REG_RX_COUNT, &count);
	if (r)
		return r;
	count = min(count, rx_group_frames);
	while (!r && count--) {
		r = w->bus->ops->block_read(w->bus, &skb);
		if (!r && skb)
			__skb_queue_tail(frames, skb);
	}
	/* the chip asks again for what it still has */
	w->bus->ops->write(w->bus, KDCHIP_REG_IRQ_STATUS, status);
	return r;
}

static irqreturn_t wilc_irq_thread(struct kdchip *kd)
{
	struct wilc *w = kdchip_priv(kd);
	struct sk_buff_head frames;
	struct sk_buff *skb;
	int r;

	__skb_queue_head_init(&frames);
	r = acquire_bus(w);
	if (!r) {
		r = rx_group(w, &frames);
		release_bus(w);
	}
	if (r)
		net_err_ratelimited("%s: cannot receive: error %d\n",
				    kdchip_netdev(kd)->name, r);
	while ((skb = __skb_dequeue(&frames)))
		kdchip_rx(kd, skb, NULL);
	return IRQ_HANDLED;
}

static void wilc_init_priv(struct kdchip *kd)
{
	struct wilc *w = kdchip_priv(kd);

	w->kd = kd;
	w->bus = kdchip_bus(kd);
	mutex_init(&w->bus_lock);
	skb_queue_head_init(&w->txq);
	init_waitqueue_head(&w->txq_wait);
}

static int wilc_start(struct kdchip *kd)
{
	struct wilc *w = kdchip_priv(kd);
	int r;

	w->awake = true;
	w->txq_task = kthread_run(txq_task, w, "wilc1000-tx");
	if (IS_ERR(w->txq_task))
		return PTR_ERR(w->txq_task);
	r = acquire_bus(w);
	if (r)
		goto stop;
	r = w->bus->ops->write(w->bus, KDCHIP_REG_IRQ_MASK, KDCHIP_IRQ_RX);
	w->bus->ops->irq_enable(w->bus, true);
	release_bus(w);
	if (!r)
		return 0;
stop:
	kthread_stop(w->txq_task);
	return r;
}

static void wilc_stop(struct kdchip *kd)
{
	struct wilc *w = kdchip_priv(kd);

	kthread_stop(w->txq_task);
	skb_queue_purge(&w->txq);
}

static const struct kdchip_profile profile = {
	.name = "wilc1000",
	.owner = THIS_MODULE,
	.bus = &bus,
	.chip = &chip,
	.air = &air,
	.power = &power,
	.queue_frames = 256,
	.tx_for_good = true,
	.priv_size = sizeof(struct wilc),
	.start = wilc_start,
	.stop = wilc_stop,
	.xmit = wilc_xmit,
	.irq = wilc_irq,
	.irq_thread = wilc_irq_thread,
	.init = wilc_init_priv,
};

static struct kdchip *the_chip;

static int __init wilc_init(void)
{
	the_chip = kdchip_register(&profile);
	return PTR_ERR_OR_ZERO(the_chip);
}
module_init(wilc_init);

static void __exit wilc_exit(void)
{
	kdchip_unregister(the_chip);
}
module_exit(wilc_exit);

MODULE_DESCRIPTION("SPI Wi-Fi chip with sleep, on a modelled bus");
MODULE_LICENSE("GPL");
