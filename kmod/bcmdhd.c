// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bcmdhd: the other driver for the SDIO chip of bcm4359_chip.c.
 *
 * The card's interrupt is masked and wakes the thread dhd_dpc, which receives
 * aggregates of frames (a request for the descriptor, then all frames as one
 * block), hands them over to the thread dhd_rxf, and sends. dhd_rxf gives them to
 * the stack, so that the bus does not wait for TCP.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "sdio.h"

#define QUEUE_FRAMES 256
#define DESCRIPTOR_BYTES 64
#define MAX_GLOM 32
#define SCAN_AGAIN (HZ)

static unsigned int dhd_rxglom = 16;
module_param(dhd_rxglom, uint, 0644);
MODULE_PARM_DESC(dhd_rxglom, "most frames in a received aggregate");

static unsigned int dhd_txglom = 16;
module_param(dhd_txglom, uint, 0644);
MODULE_PARM_DESC(dhd_txglom, "most frames sent as one block");

static unsigned int dhd_rxbound = 50;
module_param(dhd_rxbound, uint, 0644);
MODULE_PARM_DESC(dhd_rxbound, "most frames received before what waits is sent");

struct dhd {
	struct kdchip *kd;
	struct kdchip_bus *bus;
	struct task_struct *dpc;
	struct task_struct *rxf;
	wait_queue_head_t dpc_wait;
	wait_queue_head_t rxf_wait;
	atomic_t ipend;		/* the card interrupted, and is masked */
	bool rx_more;		/* dhd_dpc's: it left frames in the chip */
	struct sk_buff_head rxq;
	struct sk_buff_head txq;
	struct delayed_work join;
};

/* frames that were received, or an error */
static int read_glom(struct dhd *d, struct sk_buff_head *frames)
{
	unsigned int max = clamp(dhd_rxglom, 1u, MAX_GLOM + 0u);
	u16 len[MAX_GLOM];
	int n = d->bus->ops->frames_peek(d->bus, DESCRIPTOR_BYTES, len, max);
	int r;

	if (n <= 0)
		return n;
	r = d->bus->ops->frames_read(d->bus, frames, n, 0);
	return r ? r : n;
}

static void read_frames(struct dhd *d)
{
	unsigned int left = dhd_rxbound;
	struct sk_buff_head frames;
	int n = 0;

	__skb_queue_head_init(&frames);
	while (left) {
		n = read_glom(d, &frames);
		if (n <= 0)
			break;
		left -= min_t(unsigned int, left, n);
		spin_lock_bh(&d->rxq.lock);
		skb_queue_splice_tail_init(&frames, &d->rxq);
		spin_unlock_bh(&d->rxq.lock);
		wake_up(&d->rxf_wait);
	}
	d->rx_more = n > 0;
	if (n < 0) {
		DEV_STATS_INC(kdchip_netdev(d->kd), rx_errors);
		net_err_ratelimited("dhdsdio_readframes: error (%d)\n", n);
	}
}

static void send_frames(struct dhd *d)
{
	struct net_device *dev = kdchip_netdev(d->kd);
	unsigned int n = 0, bytes = 0;
	struct sk_buff_head frames;
	struct sk_buff *skb;
	int r;

	__skb_queue_head_init(&frames);
	while (n < dhd_txglom && (skb = skb_dequeue(&d->txq))) {
		skb_orphan(skb);
		__skb_queue_tail(&frames, skb);
		bytes += skb->len;
		n++;
	}
	if (!n)
		return;
	r = d->bus->ops->frames_write(d->bus, &frames);
	if (r) {
		DEV_STATS_ADD(dev, tx_errors, skb_queue_len(&frames));
		net_err_ratelimited("dhdsdio_sendfromq: error (%d)\n", r);
		__skb_queue_purge(&frames);
	} else {
		DEV_STATS_ADD(dev, tx_packets, n - 1);
		kdchip_tx_sent(d->kd, bytes);
	}
	if (netif_queue_stopped(dev) &&
	    skb_queue_len(&d->txq) < QUEUE_FRAMES / 2)
		netif_wake_queue(dev);
}

/* the masked interrupt: clear it, fetch all, let it come again */
static void serve(struct dhd *d)
{
	const struct kdchip_bus_ops *ops = d->bus->ops;
	u32 status;

	if (ops->read(d->bus, KDCHIP_REG_IRQ_STATUS, &status))
		return;
	ops->write(d->bus, KDCHIP_REG_IRQ_STATUS, status);
	ops->write(d->bus, KDCHIP_REG_IRQ_MASK, KDCHIP_IRQ_RX);
	d->rx_more = true;
}

static bool dpc_work(struct dhd *d)
{
	return atomic_read(&d->ipend) || d->rx_more ||
	       !skb_queue_empty(&d->txq);
}

static int dhd_dpc(void *arg)
{
	struct dhd *d = arg;

	while (!kthread_should_stop()) {
		wait_event_interruptible(d->dpc_wait, kthread_should_stop() ||
					 dpc_work(d));
		if (kthread_should_stop())
			break;
		if (atomic_xchg(&d->ipend, 0))
			serve(d);
		if (d->rx_more)
			read_frames(d);
		send_frames(d);
	}
	return 0;
}

static int dhd_rxf(void *arg)
{
	struct dhd *d = arg;
	struct sk_buff *skb;

	while (!kthread_should_stop()) {
		wait_event_interruptible(d->rxf_wait, kthread_should_stop() ||
					 !skb_queue_empty(&d->rxq));
		while ((skb = skb_dequeue(&d->rxq))) {
			kdchip_rx(d->kd, skb, NULL);
			cond_resched();
		}
	}
	return 0;
}

/* from the controller's thread */
static void isr(void *arg)
{
	struct dhd *d = arg;

	if (d->bus->ops->write(d->bus, KDCHIP_REG_IRQ_MASK, 0))
		return;
	atomic_set(&d->ipend, 1);
	wake_up(&d->dpc_wait);
}

static netdev_tx_t dhd_xmit(struct kdchip *kd, struct sk_buff *skb)
{
	struct dhd *d = kdchip_priv(kd);

	skb_queue_tail(&d->txq, skb);
	if (skb_queue_len(&d->txq) >= QUEUE_FRAMES)
		netif_stop_queue(kdchip_netdev(kd));
	wake_up(&d->dpc_wait);
	return NETDEV_TX_OK;
}

/* knows the first scan request only; says so as the published log does */
static void join(struct work_struct *work)
{
	struct dhd *d = container_of(to_delayed_work(work), struct dhd, join);
	int r;

	r = bcm_fw_scan(d->kd, 1);
	if (!r) {
		netif_carrier_on(kdchip_netdev(d->kd));
		return;
	}
	pr_info("wl_run_escan: LEGACY_SCAN sync ID: 0, bssidx: 0\n");
	pr_err("CFG80211-ERROR) wl_run_escan : \n");
	pr_err(" Escan set error (%d)\n", r);
	pr_err("dhd_ioctl_entry_local invalid parameter\n");
	pr_err("CFG80211-ERROR) wl_run_escan : \n");
	pr_err("error (%d), cnt=1\n", r);
	pr_err("CFG80211-ERROR) wl_cfg80211_scan : \n");
	pr_err("scan error (%d)\n", -EAGAIN);
	queue_delayed_work(system_wq, &d->join, SCAN_AGAIN);
}

static void dhd_init_priv(struct kdchip *kd)
{
	struct dhd *d = kdchip_priv(kd);

	d->kd = kd;
	d->bus = kdchip_bus(kd);
	init_waitqueue_head(&d->dpc_wait);
	init_waitqueue_head(&d->rxf_wait);
	skb_queue_head_init(&d->rxq);
	skb_queue_head_init(&d->txq);
	INIT_DELAYED_WORK(&d->join, join);
}

static int dhd_start(struct kdchip *kd)
{
	struct dhd *d = kdchip_priv(kd);
	int r;

	atomic_set(&d->ipend, 0);
	d->rx_more = false;
	d->dpc = kthread_run(dhd_dpc, d, "dhd_dpc");
	if (IS_ERR(d->dpc))
		return PTR_ERR(d->dpc);
	d->rxf = kthread_run(dhd_rxf, d, "dhd_rxf");
	if (IS_ERR(d->rxf)) {
		r = PTR_ERR(d->rxf);
		goto dpc;
	}
	/* who reads the data takes each frame as it comes, as on a core of its
	 * own, where there is one CPU for both */
	set_user_nice(d->rxf, MAX_NICE);
	r = d->bus->ops->write(d->bus, KDCHIP_REG_IRQ_MASK, KDCHIP_IRQ_RX);
	if (r)
		goto rxf;
	kdchip_sdio_claim_irq(kd, isr, d);
	queue_delayed_work(system_wq, &d->join, 0);
	return 0;

rxf:
	kthread_stop(d->rxf);
dpc:
	kthread_stop(d->dpc);
	return r;
}

static void dhd_stop(struct kdchip *kd)
{
	struct dhd *d = kdchip_priv(kd);

	kdchip_sdio_claim_irq(kd, NULL, NULL);
	cancel_delayed_work_sync(&d->join);
	netif_carrier_off(kdchip_netdev(kd));
	kthread_stop(d->dpc);
	kthread_stop(d->rxf);
	skb_queue_purge(&d->rxq);
	skb_queue_purge(&d->txq);
}

static const struct kdchip_driver ops = {
	.joins = true,
	.tx_for_good = true,
	.priv_size = sizeof(struct dhd),
	.init = dhd_init_priv,
	.start = dhd_start,
	.stop = dhd_stop,
	.xmit = dhd_xmit,
};

static struct sdio_card_driver driver = {
	.driver = {
		.name = "bcmdhd",
		.owner = THIS_MODULE,
	},
	.ops = &ops,
};

static int __init dhd_init(void)
{
	return sdio_card_register_driver(&driver);
}
module_init(dhd_init);

static void __exit dhd_exit(void)
{
	sdio_card_unregister_driver(&driver);
}
module_exit(dhd_exit);

MODULE_DESCRIPTION("Driver of an SDIO Wi-Fi chip: threads, aggregates of frames");
MODULE_LICENSE("GPL");
