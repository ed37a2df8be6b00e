// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The medium between the chip and the peer: aggregates of frames, each with
 * the fixed cost of an access to the medium, at a rate; on a half-duplex
 * medium one station at a time, in turns when both want to.
 */
#include <linux/math64.h>

#include "internal.h"

/* lock held: begin an aggregate if there is something to send and the medium
 * is free */
static void kick(struct kdchip_station *s)
{
	struct kdchip *kd = s->kd;
	const struct kdchip_air_params *p = kd->profile->air;
	struct kdchip_station *other = &kd->air.station[!s->end];
	u64 now = ktime_get_ns(), bytes = 0, ns;
	struct sk_buff *skb;

	if (s->active || (p->half_duplex && other->active))
		return;
	while (skb_queue_len(&s->flying) < p->frames &&
	       (skb = skb_peek(&s->queue))) {
		u64 at = kdchip_cb(skb)->at_ns;

		if (at > now) {
			if (skb_queue_empty(&s->flying) &&
			    !hrtimer_is_queued(&s->eligible))
				hrtimer_start(&s->eligible, ns_to_ktime(at),
					      HRTIMER_MODE_ABS_SOFT);
			break;
		}
		__skb_unlink(skb, &s->queue);
		__skb_queue_tail(&s->flying, skb);
		bytes += skb->len + p->overhead_bytes;
	}
	if (skb_queue_empty(&s->flying))
		return;
	s->active = true;
	s->aggregates++;
	s->frames += skb_queue_len(&s->flying);
	s->bytes += bytes;
	ns = (s->end == KDCHIP_DUT ? p->txop_ns : p->peer_txop_ns) +
	     div_u64(bytes * 8 * USEC_PER_SEC, p->kbps);
	if (p->backoff_ns)
		ns += kdchip_random(kd, p->backoff_ns);
	kdchip_power_set(kd, s->end == KDCHIP_DUT ? KDCHIP_LOAD_TX :
			 KDCHIP_LOAD_RX, true);
	hrtimer_start(&s->landed, ns_to_ktime(ns), HRTIMER_MODE_REL_SOFT);
}

static void kick_both(struct kdchip *kd, enum kdchip_end first)
{
	kick(&kd->air.station[first]);
	kick(&kd->air.station[!first]);
}

/* the frames as the other station gets them; a copy where the sender's stack
 * keeps its own until it is told */
static void take_off(struct kdchip_station *s, struct sk_buff_head *arrived,
		     struct sk_buff_head *sent)
{
	struct sk_buff *skb, *copy;

	while ((skb = __skb_dequeue(&s->flying))) {
		copy = skb;
		if (s->end == KDCHIP_DUT) {
			copy = skb_clone(skb, GFP_ATOMIC);
			__skb_queue_tail(sent, skb);
		}
		if (copy && kdchip_fault_drops(s->kd)) {
			kfree_skb(copy);
			copy = NULL;
		}
		if (copy)
			__skb_queue_tail(arrived, copy);
	}
}

static enum hrtimer_restart landed(struct hrtimer *timer)
{
	struct kdchip_station *s = container_of(timer, struct kdchip_station,
						landed);
	struct kdchip *kd = s->kd;
	struct sk_buff_head arrived, sent;
	struct sk_buff *skb;

	__skb_queue_head_init(&arrived);
	__skb_queue_head_init(&sent);
	spin_lock_bh(&kd->air.lock);
	take_off(s, &arrived, &sent);
	s->active = false;
	kd->air.last = s->end;
	kdchip_power_set(kd, s->end == KDCHIP_DUT ? KDCHIP_LOAD_TX :
			 KDCHIP_LOAD_RX, false);
	kick_both(kd, !s->end);
	spin_unlock_bh(&kd->air.lock);

	if (s->end == KDCHIP_PEER) {
		if (netif_queue_stopped(kd->dev[KDCHIP_PEER]) &&
		    skb_queue_len(&s->queue) < kd->profile->queue_frames / 2)
			netif_wake_queue(kd->dev[KDCHIP_PEER]);
		kdchip_core_received(kd, &arrived);
		return HRTIMER_NORESTART;
	}
	kdchip_core_sent(kd, &sent);
	while ((skb = __skb_dequeue(&arrived)))
		kdchip_netdev_deliver(kd, skb);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart eligible(struct hrtimer *timer)
{
	struct kdchip_station *s = container_of(timer, struct kdchip_station,
						eligible);

	spin_lock_bh(&s->kd->air.lock);
	kick_both(s->kd, !s->kd->air.last);
	spin_unlock_bh(&s->kd->air.lock);
	return HRTIMER_NORESTART;
}

void kdchip_air_send(struct kdchip *kd, enum kdchip_end end,
		     struct sk_buff *skb, u64 at_ns)
{
	struct kdchip_station *s = &kd->air.station[end];

	kdchip_cb(skb)->at_ns = at_ns;
	spin_lock_bh(&kd->air.lock);
	__skb_queue_tail(&s->queue, skb);
	if (end == KDCHIP_PEER &&
	    skb_queue_len(&s->queue) >= kd->profile->queue_frames)
		netif_stop_queue(kd->dev[KDCHIP_PEER]);
	kick_both(kd, !kd->air.last);
	spin_unlock_bh(&kd->air.lock);
}

void kdchip_air_init(struct kdchip *kd)
{
	spin_lock_init(&kd->air.lock);
	for (int end = 0; end < KDCHIP_ENDS; end++) {
		struct kdchip_station *s = &kd->air.station[end];

		s->kd = kd;
		s->end = end;
		__skb_queue_head_init(&s->queue);
		__skb_queue_head_init(&s->flying);
		kdchip_hrtimer_setup(&s->landed, landed, HRTIMER_MODE_REL_SOFT);
		kdchip_hrtimer_setup(&s->eligible, eligible,
				     HRTIMER_MODE_ABS_SOFT);
	}
}

/* nothing of the device's is under way any more; it has stopped sending */
void kdchip_air_flush_dut(struct kdchip *kd)
{
	struct kdchip_station *s = &kd->air.station[KDCHIP_DUT];

	spin_lock_bh(&kd->air.lock);
	__skb_queue_purge(&s->queue);
	spin_unlock_bh(&kd->air.lock);
	hrtimer_cancel(&s->eligible);
	hrtimer_cancel(&s->landed);
	spin_lock_bh(&kd->air.lock);
	__skb_queue_purge(&s->flying);
	s->active = false;
	kdchip_power_set(kd, KDCHIP_LOAD_TX, false);
	kick_both(kd, KDCHIP_PEER);
	spin_unlock_bh(&kd->air.lock);
}

void kdchip_air_fini(struct kdchip *kd)
{
	for (int end = 0; end < KDCHIP_ENDS; end++) {
		struct kdchip_station *s = &kd->air.station[end];

		/* each can start the other */
		while (hrtimer_cancel(&s->landed) + hrtimer_cancel(&s->eligible))
			;
		__skb_queue_purge(&s->queue);
		__skb_queue_purge(&s->flying);
	}
}
