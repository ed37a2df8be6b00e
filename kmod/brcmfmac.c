// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * brcmfmac: one of two drivers for the SDIO chip of bcm4359_chip.c.
 *
 * The card's interrupt reads and clears why; a work item then receives and
 * sends. Frames are received in aggregates only if the controller takes several
 * pieces of memory in a request; if not, each costs a request for its header,
 * which tells its length, and one for the rest.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/workqueue.h>

#include "sdio.h"

#define QUEUE_FRAMES 256
#define HEADER_BYTES 64
#define MAX_GLOM 32
#define SCAN_AGAIN (HZ)

static unsigned int rxbound = 50;
module_param(rxbound, uint, 0644);
MODULE_PARM_DESC(rxbound, "most frames received before what waits is sent");

static unsigned int txbound = 20;
module_param(txbound, uint, 0644);
MODULE_PARM_DESC(txbound, "most frames sent before what waits is received");

struct brcmf {
	struct kdchip *kd;
	struct kdchip_bus *bus;
	bool sg_support;
	bool rx_pending; /* the work item's own, but for its first */
	struct workqueue_struct *wq;
	struct work_struct datawork;
	struct delayed_work join;
	struct sk_buff_head txq;
	bool stopping;
};

/* an aggregate: its descriptor, then all of it; how many frames, or an error */
static int receive_glom(struct brcmf *b, struct sk_buff_head *frames)
{
	u16 len[MAX_GLOM];
	int n = b->bus->ops->frames_peek(b->bus, HEADER_BYTES, len, MAX_GLOM);
	int r;

	if (n <= 0)
		return n;
	r = b->bus->ops->frames_read(b->bus, frames, n, 0);
	return r ? r : n;
}

/* a frame: its header, then the rest; 1, 0 or an error */
static int receive_one(struct brcmf *b, struct sk_buff_head *frames)
{
	u16 len;
	int n = b->bus->ops->frames_peek(b->bus, HEADER_BYTES, &len, 1);
	int r;

	if (n <= 0)
		return n;
	r = b->bus->ops->frames_read(b->bus, frames, 1, HEADER_BYTES);
	return r ? r : n;
}

static void receive(struct brcmf *b)
{
	unsigned int left = rxbound;
	struct sk_buff_head frames;
	struct sk_buff *skb;
	int n = 0;

	__skb_queue_head_init(&frames);
	while (left) {
		n = b->sg_support ? receive_glom(b, &frames) :
				    receive_one(b, &frames);
		if (n <= 0)
			break;
		left -= min_t(unsigned int, left, n);
		while ((skb = __skb_dequeue(&frames)))
			kdchip_rx(b->kd, skb, NULL);
	}
	b->rx_pending = n > 0;
	if (n < 0) {
		DEV_STATS_INC(kdchip_netdev(b->kd), rx_errors);
		net_err_ratelimited("%s: cannot receive: error %d\n",
				    kdchip_netdev(b->kd)->name, n);
	}
}

static void transmit(struct brcmf *b)
{
	struct net_device *dev = kdchip_netdev(b->kd);
	unsigned int left = txbound;
	struct sk_buff *skb;

	while (left-- && (skb = skb_dequeue(&b->txq))) {
		unsigned int len = skb->len;
		int r;

		skb_orphan(skb);
		r = b->bus->ops->block_write(b->bus, skb);
		if (!r) {
			kdchip_tx_sent(b->kd, len);
			continue;
		}
		kfree_skb(skb);
		DEV_STATS_INC(dev, tx_errors);
		net_err_ratelimited("%s: cannot send: error %d\n", dev->name,
				    r);
	}
	if (netif_queue_stopped(dev) &&
	    skb_queue_len(&b->txq) < QUEUE_FRAMES / 2)
		netif_wake_queue(dev);
}

static void datawork(struct work_struct *work)
{
	struct brcmf *b = container_of(work, struct brcmf, datawork);

	if (b->rx_pending)
		receive(b);
	transmit(b);
	if ((b->rx_pending || !skb_queue_empty(&b->txq)) &&
	    !READ_ONCE(b->stopping))
		queue_work(b->wq, work);
}

/* from the controller's thread */
static void isr(void *arg)
{
	struct brcmf *b = arg;
	u32 status;

	if (b->bus->ops->read(b->bus, KDCHIP_REG_IRQ_STATUS, &status) ||
	    !(status & KDCHIP_IRQ_RX) ||
	    b->bus->ops->write(b->bus, KDCHIP_REG_IRQ_STATUS, status))
		return;
	WRITE_ONCE(b->rx_pending, true);
	queue_work(b->wq, &b->datawork);
}

static netdev_tx_t brcmf_xmit(struct kdchip *kd, struct sk_buff *skb)
{
	struct brcmf *b = kdchip_priv(kd);

	skb_queue_tail(&b->txq, skb);
	if (skb_queue_len(&b->txq) >= QUEUE_FRAMES)
		netif_stop_queue(kdchip_netdev(kd));
	queue_work(b->wq, &b->datawork);
	return NETDEV_TX_OK;
}

/* asks the firmware which scan request it knows */
static void join(struct work_struct *work)
{
	struct brcmf *b = container_of(to_delayed_work(work), struct brcmf,
				       join);
	int version = bcm_fw_scan_version(b->kd);
	int r = bcm_fw_scan(b->kd, version > 0 ? version : 1);

	if (!r) {
		netif_carrier_on(kdchip_netdev(b->kd));
		return;
	}
	net_err_ratelimited("brcmfmac: brcmf_run_escan: error (%d)\n", r);
	queue_delayed_work(system_wq, &b->join, SCAN_AGAIN);
}

static void brcmf_init_priv(struct kdchip *kd)
{
	struct brcmf *b = kdchip_priv(kd);

	b->kd = kd;
	b->bus = kdchip_bus(kd);
	b->sg_support = sdio_card_of(kd)->max_segs > 1;
	skb_queue_head_init(&b->txq);
	INIT_WORK(&b->datawork, datawork);
	INIT_DELAYED_WORK(&b->join, join);
}

static int brcmf_start(struct kdchip *kd)
{
	struct brcmf *b = kdchip_priv(kd);
	int r;

	b->stopping = false;
	b->rx_pending = false;
	b->wq = alloc_ordered_workqueue("brcmf_wq/%s", WQ_MEM_RECLAIM,
					dev_name(&sdio_card_of(kd)->dev));
	if (!b->wq)
		return -ENOMEM;
	r = b->bus->ops->write(b->bus, KDCHIP_REG_IRQ_MASK, KDCHIP_IRQ_RX);
	if (r) {
		destroy_workqueue(b->wq);
		return r;
	}
	kdchip_sdio_claim_irq(kd, isr, b);
	queue_delayed_work(system_wq, &b->join, 0);
	return 0;
}

static void brcmf_stop(struct kdchip *kd)
{
	struct brcmf *b = kdchip_priv(kd);

	WRITE_ONCE(b->stopping, true);
	kdchip_sdio_claim_irq(kd, NULL, NULL);
	cancel_delayed_work_sync(&b->join);
	netif_carrier_off(kdchip_netdev(kd));
	destroy_workqueue(b->wq);
	skb_queue_purge(&b->txq);
}

static const struct kdchip_driver ops = {
	.joins = true,
	.tx_for_good = true,
	.priv_size = sizeof(struct brcmf),
	.init = brcmf_init_priv,
	.start = brcmf_start,
	.stop = brcmf_stop,
	.xmit = brcmf_xmit,
};

static struct sdio_card_driver driver = {
	.driver = {
		.name = "brcmfmac",
		.owner = THIS_MODULE,
	},
	.ops = &ops,
};

static int __init brcmf_init(void)
{
	return sdio_card_register_driver(&driver);
}
module_init(brcmf_init);

static void __exit brcmf_exit(void)
{
	sdio_card_unregister_driver(&driver);
}
module_exit(brcmf_exit);

MODULE_DESCRIPTION("Driver of an SDIO Wi-Fi chip: a work item, frame by frame");
MODULE_LICENSE("GPL");
