// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chip's inside: registers, packet memory, receive FIFO, sleep, interrupt.
 *
 * Asleep, it keeps its registers WAKE, CLOCK and IRQ_STATUS and nothing else;
 * an access to anything else is an error of the driver, counted and failed as
 * hardware fails it. Its radio goes on: received frames wake the FIFO, not
 * the host interface.
 */
#include <linux/module.h>

#include "internal.h"

/* lock held; is the interrupt line to be raised */
static bool raise(struct kdchip_core *c, u32 bits)
{
	u32 before = c->pending & c->mask;

	c->pending |= bits;
	if (!c->irq_on || !c->running || c->hung || before ||
	    !(c->pending & c->mask))
		return false;
	c->irqs++;
	return true;
}

static bool awake(const struct kdchip_core *c)
{
	return c->wanted_awake && ktime_get_ns() >= c->stable_ns;
}

/* lock held */
static int usable(struct kdchip_core *c, bool asleep_too)
{
	if (!c->running)
		return -ENODEV;
	if (c->hung)
		return -ETIMEDOUT;
	if (!asleep_too && !awake(c)) {
		c->asleep_access++;
		return -EIO;
	}
	return 0;
}

int kdchip_core_read(struct kdchip *kd, enum kdchip_reg reg, u32 *val)
{
	struct kdchip_core *c = &kd->core;
	int r;

	spin_lock_bh(&c->lock);
	r = usable(c, reg <= KDCHIP_REG_IRQ_STATUS);
	if (!r) {
		switch (reg) {
		case KDCHIP_REG_WAKE:
			*val = c->wanted_awake;
			break;
		case KDCHIP_REG_CLOCK:
			*val = awake(c);
			break;
		case KDCHIP_REG_IRQ_STATUS:
			*val = c->pending;
			break;
		case KDCHIP_REG_IRQ_MASK:
			*val = c->mask;
			break;
		case KDCHIP_REG_TX_ROOM:
			*val = kd->profile->chip->tx_bytes -
			       min(c->tx_used, kd->profile->chip->tx_bytes);
			break;
		case KDCHIP_REG_RX_COUNT:
			*val = skb_queue_len(&c->rx);
			break;
		default:
			r = -EINVAL;
		}
	}
	spin_unlock_bh(&c->lock);
	return r;
}

/* lock held: what the host has not fetched yet */
static u32 still_there(const struct kdchip_core *c)
{
	struct sk_buff *done = skb_peek(&c->done);
	u32 bits = 0;

	if (!skb_queue_empty(&c->rx))
		bits |= KDCHIP_IRQ_RX;
	if (done && kdchip_cb(done)->at_ns <= ktime_get_ns())
		bits |= KDCHIP_IRQ_TX_DONE;
	return bits;
}

/* lock held */
static void wake(struct kdchip *kd, bool on)
{
	struct kdchip_core *c = &kd->core;

	if (on && !c->wanted_awake) {
		c->stable_ns = ktime_get_ns() + kd->profile->chip->wake_ns;
		c->wakes++;
	}
	if (on != c->wanted_awake)
		kdchip_power_set(kd, KDCHIP_LOAD_AWAKE, on);
	c->wanted_awake = on;
}

int kdchip_core_write(struct kdchip *kd, enum kdchip_reg reg, u32 val)
{
	struct kdchip_core *c = &kd->core;
	bool fire = false;
	int r;

	spin_lock_bh(&c->lock);
	r = usable(c, reg <= KDCHIP_REG_IRQ_STATUS);
	if (!r) {
		switch (reg) {
		case KDCHIP_REG_WAKE:
			wake(kd, val & 1);
			break;
		case KDCHIP_REG_IRQ_STATUS:
			c->pending &= ~val;
			/* what is still there asks again */
			if (!kd->profile->chip->rx_edge)
				fire = raise(c, still_there(c) & val);
			break;
		case KDCHIP_REG_IRQ_MASK:
			fire = !(c->pending & c->mask) && c->irq_on &&
			       c->pending & val;
			c->mask = val;
			break;
		case KDCHIP_REG_DOORBELL:
			break;
		default:
			r = -EINVAL;
		}
	}
	spin_unlock_bh(&c->lock);
	if (fire)
		kdchip_irq_fire(kd);
	return r;
}

void kdchip_core_irq_enable(struct kdchip *kd, bool on)
{
	struct kdchip_core *c = &kd->core;
	bool fire;

	/* from the hard handler too, where the lock may not be taken */
	if (!on) {
		WRITE_ONCE(c->irq_on, false);
		return;
	}
	spin_lock_bh(&c->lock);
	fire = !c->irq_on && c->running && c->pending & c->mask;
	WRITE_ONCE(c->irq_on, true);
	spin_unlock_bh(&c->lock);
	if (fire)
		kdchip_irq_fire(kd);
}

/* is the line up: for the hard handler, which then disables it */
bool kdchip_core_irq_pending(struct kdchip *kd)
{
	struct kdchip_core *c = &kd->core;

	return READ_ONCE(c->irq_on) && READ_ONCE(c->running) &&
	       READ_ONCE(c->pending) & READ_ONCE(c->mask);
}

/* lengths of the oldest frames, up to @max; how many, or an error */
int kdchip_core_peek(struct kdchip *kd, u16 *len, unsigned int max)
{
	struct kdchip_core *c = &kd->core;
	struct sk_buff *skb;
	int r;

	spin_lock_bh(&c->lock);
	r = usable(c, false);
	if (!r) {
		skb_queue_walk(&c->rx, skb) {
			if (r >= max)
				break;
			len[r++] = skb->len;
		}
	}
	spin_unlock_bh(&c->lock);
	return r;
}

int kdchip_core_put(struct kdchip *kd, struct sk_buff *skb)
{
	const struct kdchip_params *p = kd->profile->chip;
	struct kdchip_core *c = &kd->core;
	int r;

	spin_lock_bh(&c->lock);
	r = usable(c, false);
	if (!r && p->tx_bytes && c->tx_used &&
	    c->tx_used + skb->len > p->tx_bytes)
		r = -ENOSPC;
	if (!r) {
		kdchip_cb(skb)->room = skb->len;
		c->tx_used += skb->len;
	}
	spin_unlock_bh(&c->lock);
	if (!r)
		kdchip_air_send(kd, KDCHIP_DUT, skb, ktime_get_ns() + p->fw_ns);
	return r;
}

int kdchip_core_get(struct kdchip *kd, struct sk_buff **skb)
{
	struct kdchip_core *c = &kd->core;
	int r;

	*skb = NULL;
	spin_lock_bh(&c->lock);
	r = usable(c, false);
	if (!r)
		*skb = __skb_dequeue(&c->rx);
	spin_unlock_bh(&c->lock);
	return r;
}

struct sk_buff *kdchip_tx_reap(struct kdchip *kd)
{
	struct kdchip_core *c = &kd->core;
	struct sk_buff *skb;

	spin_lock_bh(&c->lock);
	skb = skb_peek(&c->done);
	if (skb && kdchip_cb(skb)->at_ns <= ktime_get_ns())
		__skb_unlink(skb, &c->done);
	else
		skb = NULL;
	spin_unlock_bh(&c->lock);
	return skb;
}
EXPORT_SYMBOL_GPL(kdchip_tx_reap);

static enum hrtimer_restart done_timer(struct hrtimer *timer)
{
	struct kdchip *kd = container_of(timer, struct kdchip, core.done_timer);
	struct kdchip_core *c = &kd->core;
	struct sk_buff *last;
	bool fire;
	u64 now;

	spin_lock_bh(&c->lock);
	now = ktime_get_ns();
	fire = raise(c, KDCHIP_IRQ_TX_DONE);
	/* the next report: frames of later aggregates come later */
	last = skb_peek_tail(&c->done);
	if (last && kdchip_cb(last)->at_ns > now)
		hrtimer_set_expires(timer,
				    ns_to_ktime(kdchip_cb(last)->at_ns));
	else
		last = NULL;
	spin_unlock_bh(&c->lock);
	if (fire)
		kdchip_irq_fire(kd);
	return last ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

void kdchip_core_sent(struct kdchip *kd, struct sk_buff_head *frames)
{
	struct kdchip_core *c = &kd->core;
	u64 at = ktime_get_ns() + kd->profile->chip->done_ns;
	struct sk_buff *skb;

	spin_lock_bh(&c->lock);
	skb_queue_walk(frames, skb) {
		c->tx_used -= min(c->tx_used, kdchip_cb(skb)->room);
		kdchip_cb(skb)->at_ns = at;
	}
	if (kd->driver->tx_for_good)
		__skb_queue_purge(frames);
	skb_queue_splice_tail_init(frames, &c->done);
	if (!skb_queue_empty(&c->done) && !hrtimer_is_queued(&c->done_timer))
		hrtimer_start(&c->done_timer, ns_to_ktime(at),
			      HRTIMER_MODE_ABS_SOFT);
	spin_unlock_bh(&c->lock);
}

void kdchip_core_received(struct kdchip *kd, struct sk_buff_head *frames)
{
	struct kdchip_core *c = &kd->core;
	struct net_device *dev;
	struct sk_buff *skb;
	bool fire;

	spin_lock_bh(&c->lock);
	dev = kd->dev[KDCHIP_DUT];
	while ((skb = __skb_dequeue(frames))) {
		if (!c->running || c->hung ||
		    skb_queue_len(&c->rx) >= kd->profile->chip->rx_frames) {
			if (dev)
				DEV_STATS_INC(dev, rx_missed_errors);
			kfree_skb(skb);
			continue;
		}
		__skb_queue_tail(&c->rx, skb);
	}
	fire = !skb_queue_empty(&c->rx) && raise(c, KDCHIP_IRQ_RX);
	spin_unlock_bh(&c->lock);
	if (fire)
		kdchip_irq_fire(kd);
}

void kdchip_core_init(struct kdchip *kd)
{
	struct kdchip_core *c = &kd->core;

	spin_lock_init(&c->lock);
	__skb_queue_head_init(&c->rx);
	__skb_queue_head_init(&c->done);
	kdchip_hrtimer_setup(&c->done_timer, done_timer, HRTIMER_MODE_ABS_SOFT);
}

/* out of reset, awake, firmware running; or back into reset */
void kdchip_core_run(struct kdchip *kd, bool on)
{
	struct kdchip_core *c = &kd->core;

	spin_lock_bh(&c->lock);
	c->running = on;
	c->hung = false;
	c->pending = 0;
	c->mask = 0;
	c->irq_on = false;
	c->wanted_awake = on;
	c->stable_ns = 0;
	c->tx_used = 0;
	__skb_queue_purge(&c->rx);
	kdchip_power_set(kd, KDCHIP_LOAD_RUNNING, on);
	kdchip_power_set(kd, KDCHIP_LOAD_AWAKE, on);
	spin_unlock_bh(&c->lock);
}

void kdchip_core_hang(struct kdchip *kd, bool on)
{
	spin_lock_bh(&kd->core.lock);
	kd->core.hung = on;
	spin_unlock_bh(&kd->core.lock);
}

void kdchip_core_fini(struct kdchip *kd)
{
	hrtimer_cancel(&kd->core.done_timer);
	__skb_queue_purge(&kd->core.rx);
	__skb_queue_purge(&kd->core.done);
}
