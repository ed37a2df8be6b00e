// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An SDIO host controller that cannot reach the host's memory: a request moves
 * at most what its own memory holds, and a CPU copies that. For what was written
 * the thread that asks copies, for what was read the interrupt's thread does,
 * and then wakes who asked. A register access is a request without data, which
 * ends in the hard interrupt.
 *
 * The card interrupts over the same line. A thread of the controller asks the
 * card why, and calls the driver.
 */
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/module.h>

#include "internal.h"
#include "sdio.h"

static unsigned int copy_ns(const struct kdchip_bus *bus, size_t len,
			    bool to_chip)
{
	const struct kdchip_bus_params *p = bus->params;

	return div_u64((u64)len * (to_chip ? p->tx_copy_ps : p->rx_copy_ps),
		       1000);
}

/*
 * A CPU is busy for some time. Not with udelay(), which polls the clock: under
 * emulation each look at it costs the host more than the time it waits for.
 */
static noinline void spin(unsigned long loops)
{
	while (loops--)
		barrier();
}

static void busy(const struct kdchip_bus *bus, unsigned int ns)
{
	spin(div_u64((u64)ns * bus->kd->sdio.loops_per_ms, NSEC_PER_MSEC));
}

static void measure_loops(struct kdchip_sdio *s)
{
	const unsigned long loops = 1000000;
	u64 from = ktime_get_ns(), ns;

	preempt_disable();
	spin(loops);
	preempt_enable();
	ns = ktime_get_ns() - from;
	s->loops_per_ms = div64_u64((u64)loops * NSEC_PER_MSEC, max(ns, 1ULL));
}

static enum hrtimer_restart transfer_ends(struct hrtimer *timer)
{
	struct kdchip_sdio *s = container_of(timer, struct kdchip_sdio,
					     transfer);

	atomic_set(&s->transferred, 1);
	kdchip_irq_fire(container_of(s, struct kdchip, sdio));
	return HRTIMER_NORESTART;
}

/* lock held: setup, transfer of @len bytes, interrupt, copy */
static void request(struct kdchip_bus *bus, size_t len, bool to_chip,
		    unsigned int ns, unsigned int cpu_ns)
{
	const struct kdchip_bus_params *p = bus->params;
	struct kdchip_sdio *s = &bus->kd->sdio;
	unsigned int byte_ps = to_chip ? p->tx_byte_ps : p->rx_byte_ps;

	ns += div_u64((u64)len * byte_ps, 1000);
	s->copy_ns = to_chip ? 0 : copy_ns(bus, len, false);
	reinit_completion(&s->done);
	busy(bus, cpu_ns + (to_chip ? copy_ns(bus, len, true) : 0));
	hrtimer_start(&s->transfer, ns_to_ktime(kdchip_bus_time(bus, ns)),
		      HRTIMER_MODE_REL);
	wait_for_completion(&s->done);
}

/* a block, in requests as long as the controller's memory */
static void block(struct kdchip_bus *bus, size_t len, bool to_chip)
{
	const struct kdchip_bus_params *p = bus->params;
	size_t left = bus->ops->align_size(bus, len);

	mutex_lock(&bus->kd->sdio.lock);
	kdchip_power_set(bus->kd, KDCHIP_LOAD_BUS, true);
	bus->transfers++;
	do {
		size_t now = p->max_request ? min_t(size_t, left,
						    p->max_request) : left;

		request(bus, now, to_chip, p->setup_ns +
			(to_chip ? p->tx_busy_ns : 0), p->setup_cpu_ns);
		left -= now;
	} while (left);
	kdchip_power_set(bus->kd, KDCHIP_LOAD_BUS, false);
	mutex_unlock(&bus->kd->sdio.lock);
}

static void access(struct kdchip_bus *bus)
{
	mutex_lock(&bus->kd->sdio.lock);
	bus->accesses++;
	request(bus, 0, true, bus->params->reg_ns, bus->params->reg_cpu_ns);
	mutex_unlock(&bus->kd->sdio.lock);
}

static int sdio_read(struct kdchip_bus *bus, enum kdchip_reg reg, u32 *val)
{
	access(bus);
	if (kdchip_fault_take(&bus->kd->fault.fail_next_read))
		return -EIO;
	return kdchip_core_read(bus->kd, reg, val);
}

static int sdio_write(struct kdchip_bus *bus, enum kdchip_reg reg, u32 val)
{
	access(bus);
	if (kdchip_fault_take(&bus->kd->fault.fail_next_write))
		return -EIO;
	return kdchip_core_write(bus->kd, reg, val);
}

static int sdio_transfer(struct kdchip_bus *bus, size_t len, bool to_chip)
{
	block(bus, len, to_chip);
	return kdchip_fault_take(&bus->kd->fault.fail_next_block) ? -EIO : 0;
}

static int sdio_frames_peek(struct kdchip_bus *bus, size_t bytes, u16 *len,
			    unsigned int max)
{
	int r = sdio_transfer(bus, bytes, false);

	return r ? r : kdchip_core_peek(bus->kd, len, max);
}

static int sdio_frames_read(struct kdchip_bus *bus, struct sk_buff_head *frames,
			    unsigned int count, size_t skip)
{
	struct sk_buff *skb;
	size_t len = 0;
	int r = 0;

	while (!r && count--) {
		r = kdchip_core_get(bus->kd, &skb);
		if (r || !skb)
			break;
		len += skb->len;
		__skb_queue_tail(frames, skb);
	}
	if (!r && len > skip)
		r = sdio_transfer(bus, len - skip, false);
	if (r)
		__skb_queue_purge(frames);
	return r;
}

static int sdio_frames_write(struct kdchip_bus *bus,
			     struct sk_buff_head *frames)
{
	struct sk_buff *skb;
	size_t len = 0;
	int r;

	skb_queue_walk(frames, skb)
		len += skb->len;
	r = sdio_transfer(bus, len, true);
	while (!r && (skb = skb_peek(frames))) {
		__skb_unlink(skb, frames);
		r = kdchip_core_put(bus->kd, skb);
		if (r)
			__skb_queue_head(frames, skb);
	}
	return r;
}

static int sdio_block_write(struct kdchip_bus *bus, struct sk_buff *skb)
{
	int r = sdio_transfer(bus, skb->len, true);

	return r ? r : kdchip_core_put(bus->kd, skb);
}

static int sdio_block_read(struct kdchip_bus *bus, struct sk_buff **skb)
{
	struct sk_buff_head one;
	int r;

	__skb_queue_head_init(&one);
	r = sdio_frames_read(bus, &one, 1, 0);
	*skb = __skb_dequeue(&one);
	return r;
}

static size_t sdio_align_size(struct kdchip_bus *bus, size_t len)
{
	unsigned int align = bus->params->align;

	/* short ones go in byte mode, in words */
	return len < align ? roundup(len, 4) : roundup(len, max(align, 1u));
}

static void sdio_irq_enable(struct kdchip_bus *bus, bool on)
{
	kdchip_core_irq_enable(bus->kd, on);
}

const struct kdchip_bus_ops kdchip_bus_sdio_ops = {
	.read = sdio_read,
	.write = sdio_write,
	.block_write = sdio_block_write,
	.block_read = sdio_block_read,
	.align_size = sdio_align_size,
	.irq_enable = sdio_irq_enable,
	.transfer = sdio_transfer,
	.frames_peek = sdio_frames_peek,
	.frames_read = sdio_frames_read,
	.frames_write = sdio_frames_write,
};
EXPORT_SYMBOL_GPL(kdchip_bus_sdio_ops);

irqreturn_t kdchip_sdio_irq(struct kdchip *kd)
{
	struct kdchip_sdio *s = &kd->sdio;

	if (kdchip_core_irq_pending(kd)) {
		kdchip_core_irq_enable(kd, false);
		atomic_set(&s->card_irq, 1);
		wake_up(&s->irq_wait);
	}
	if (!atomic_xchg(&s->transferred, 0))
		return IRQ_HANDLED;
	if (s->copy_ns)
		return IRQ_WAKE_THREAD;
	complete(&s->done);
	return IRQ_HANDLED;
}
EXPORT_SYMBOL_GPL(kdchip_sdio_irq);

irqreturn_t kdchip_sdio_irq_thread(struct kdchip *kd)
{
	busy(&kd->bus, kd->sdio.copy_ns);
	complete(&kd->sdio.done);
	return IRQ_HANDLED;
}
EXPORT_SYMBOL_GPL(kdchip_sdio_irq_thread);

static void serve_card(struct kdchip *kd)
{
	struct kdchip_sdio *s = &kd->sdio;
	struct kdchip_bus *bus = &kd->bus;
	u32 status = 0;

	/* as a function's pending bit, which every card has */
	if (!bus->ops->read(bus, KDCHIP_REG_IRQ_STATUS, &status) && status &&
	    s->handler)
		s->handler(s->handler_arg);
	kdchip_core_irq_enable(kd, true);
}

static int irq_task(void *arg)
{
	struct kdchip *kd = arg;
	struct kdchip_sdio *s = &kd->sdio;

	while (!kthread_should_stop()) {
		wait_event_interruptible(s->irq_wait, kthread_should_stop() ||
					 atomic_read(&s->card_irq));
		mutex_lock(&s->claim);
		if (atomic_xchg(&s->card_irq, 0) && s->handler)
			serve_card(kd);
		mutex_unlock(&s->claim);
	}
	return 0;
}

void kdchip_sdio_claim_irq(struct kdchip *kd, void (*handler)(void *arg),
			   void *arg)
{
	struct kdchip_sdio *s = &kd->sdio;

	mutex_lock(&s->claim);
	s->handler = handler;
	s->handler_arg = arg;
	kdchip_core_irq_enable(kd, handler);
	mutex_unlock(&s->claim);
}
EXPORT_SYMBOL_GPL(kdchip_sdio_claim_irq);

int kdchip_sdio_start(struct kdchip *kd, const char *name)
{
	struct task_struct *t;

	measure_loops(&kd->sdio);
	t = kthread_run(irq_task, kd, "ksdioirqd/%s", name);
	if (IS_ERR(t))
		return PTR_ERR(t);
	sched_set_fifo_low(t);
	kd->sdio.irq_task = t;
	return 0;
}
EXPORT_SYMBOL_GPL(kdchip_sdio_start);

void kdchip_sdio_stop(struct kdchip *kd)
{
	kthread_stop(kd->sdio.irq_task);
	hrtimer_cancel(&kd->sdio.transfer);
}
EXPORT_SYMBOL_GPL(kdchip_sdio_stop);

void kdchip_sdio_init(struct kdchip *kd)
{
	struct kdchip_sdio *s = &kd->sdio;

	mutex_init(&s->lock);
	mutex_init(&s->claim);
	init_completion(&s->done);
	init_waitqueue_head(&s->irq_wait);
	kdchip_hrtimer_setup(&s->transfer, transfer_ends, HRTIMER_MODE_REL);
}
