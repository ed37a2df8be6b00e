// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the board takes: a constant part and parts that are on while something
 * is on. meter.c sums it.
 */
#include <linux/err.h>
#include <linux/platform_device.h>

#include "internal.h"

static u64 now_uw(const struct kdchip *kd)
{
	const struct kdchip_power_params *p = kd->profile->power;
	const bool *on = kd->power.on;
	u64 uw = p->board_uw;

	if (on[KDCHIP_LOAD_RUNNING])
		uw += p->idle_uw;
	if (on[KDCHIP_LOAD_AWAKE])
		uw += p->awake_uw;
	if (on[KDCHIP_LOAD_BUS])
		uw += p->bus_uw;
	if (on[KDCHIP_LOAD_TX])
		uw += p->tx_uw;
	if (on[KDCHIP_LOAD_RX])
		uw += p->rx_uw;
	return uw;
}

void kdchip_power_set(struct kdchip *kd, enum kdchip_load load, bool on)
{
	unsigned long flags;

	spin_lock_irqsave(&kd->power.lock, flags);
	kd->power.on[load] = on;
	kdchip_meter_set(kd->power.meter, now_uw(kd));
	spin_unlock_irqrestore(&kd->power.lock, flags);
}

int kdchip_power_init(struct kdchip *kd)
{
	spin_lock_init(&kd->power.lock);
	kd->power.meter = kdchip_meter_register(&kd->pdev->dev, "kdchip",
						now_uw(kd));
	return PTR_ERR_OR_ZERO(kd->power.meter);
}

void kdchip_power_fini(struct kdchip *kd)
{
	kdchip_meter_unregister(kd->power.meter);
}
