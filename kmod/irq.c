// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chip's interrupt line: a real one, so that threads, affinity and
 * /proc/interrupts are what they are with hardware.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>

#include "internal.h"

static irqreturn_t hard(int irq, void *arg)
{
	struct kdchip *kd = arg;

	return kd->profile->irq(kd);
}

static irqreturn_t thread(int irq, void *arg)
{
	struct kdchip *kd = arg;

	return kd->profile->irq_thread(kd);
}

int kdchip_irq_init(struct kdchip *kd)
{
	int r;

	kd->irq = irq_alloc_desc(0);
	if (kd->irq < 0)
		return kd->irq;
	irq_set_chip_and_handler(kd->irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(kd->irq, IRQ_NOREQUEST);
	raw_spin_lock_init(&kd->irq_lock);
	strscpy(kd->irq_name, kd->profile->irq_name ?: kd->profile->name,
		sizeof(kd->irq_name));
	r = request_threaded_irq(kd->irq, hard,
				 kd->profile->irq_thread ? thread : NULL, 0,
				 kd->irq_name, kd);
	if (r)
		irq_free_desc(kd->irq);
	return r;
}

void kdchip_irq_fini(struct kdchip *kd)
{
	free_irq(kd->irq, kd);
	irq_free_desc(kd->irq);
}

void kdchip_irq_fire(struct kdchip *kd)
{
	unsigned long flags;

	/* a simple interrupt that comes while it is handled would be lost */
	raw_spin_lock_irqsave(&kd->irq_lock, flags);
	generic_handle_irq(kd->irq);
	raw_spin_unlock_irqrestore(&kd->irq_lock, flags);
}
