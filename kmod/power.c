// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the board takes: a constant part and parts that are on while something
 * is on, summed over time, shown by hwmon as a board's sensor shows it.
 * energy1_input counts from the load of the module on; power1_input is the
 * mean since the sensor's conversion before, 10 ms or longer ago.
 */
#include <linux/err.h>
#include <linux/hwmon.h>
#include <linux/math64.h>
#include <linux/platform_device.h>

#include "internal.h"

#define CONVERSION_NS (10 * NSEC_PER_MSEC)

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

/* lock held */
static void account(struct kdchip *kd)
{
	struct kdchip_power *w = &kd->power;
	u64 now = ktime_get_ns();
	u64 rest;

	/* uW x ns = 1e-15 J = 1e-9 uJ; hours of an idle board fit 64 bits */
	w->energy_pj += div_u64((now - w->last_ns) * now_uw(kd), 1000);
	w->last_ns = now;
	w->energy_uj += div64_u64_rem(w->energy_pj, 1000000, &rest);
	w->energy_pj = rest;
}

void kdchip_power_set(struct kdchip *kd, enum kdchip_load load, bool on)
{
	unsigned long flags;

	spin_lock_irqsave(&kd->power.lock, flags);
	if (kd->power.on[load] != on) {
		account(kd);
		kd->power.on[load] = on;
	}
	spin_unlock_irqrestore(&kd->power.lock, flags);
}

static umode_t is_visible(const void *arg, enum hwmon_sensor_types type,
			  u32 attr, int channel)
{
	return 0444;
}

static int sensor_read(struct device *dev, enum hwmon_sensor_types type,
		       u32 attr, int channel, long *val)
{
	struct kdchip *kd = dev_get_drvdata(dev);
	struct kdchip_power *w = &kd->power;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	account(kd);
	if (type == hwmon_energy) {
		*val = w->energy_uj;
	} else {
		u64 ns = w->last_ns - w->read_ns;

		if (ns >= CONVERSION_NS) {
			w->mean_uw = div64_u64((w->energy_uj - w->read_uj) *
					       NSEC_PER_USEC * 1000, ns / 1000);
			w->read_ns = w->last_ns;
			w->read_uj = w->energy_uj;
		}
		*val = w->mean_uw;
	}
	spin_unlock_irqrestore(&w->lock, flags);
	return 0;
}

static int sensor_label(struct device *dev, enum hwmon_sensor_types type,
			u32 attr, int channel, const char **str)
{
	*str = "board";
	return 0;
}

static const struct hwmon_ops sensor_ops = {
	.is_visible = is_visible,
	.read = sensor_read,
	.read_string = sensor_label,
};

static const struct hwmon_channel_info *sensor_info[] = {
	HWMON_CHANNEL_INFO(power, HWMON_P_INPUT | HWMON_P_LABEL),
	HWMON_CHANNEL_INFO(energy, HWMON_E_INPUT | HWMON_E_LABEL),
	NULL
};

static const struct hwmon_chip_info sensor_chip = {
	.ops = &sensor_ops,
	.info = sensor_info,
};

int kdchip_power_init(struct kdchip *kd)
{
	struct kdchip_power *w = &kd->power;

	spin_lock_init(&w->lock);
	w->last_ns = ktime_get_ns();
	w->read_ns = w->last_ns;
	w->mean_uw = kd->profile->power->board_uw;
	w->hwmon = hwmon_device_register_with_info(&kd->pdev->dev, "kdchip", kd,
						   &sensor_chip, NULL);
	return PTR_ERR_OR_ZERO(w->hwmon);
}

void kdchip_power_fini(struct kdchip *kd)
{
	hwmon_device_unregister(kd->power.hwmon);
}
