// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A power meter: power summed over time, shown by hwmon as a board's sensor
 * shows it. energy1_input counts from the start on; power1_input is the mean
 * since the sensor's conversion before, 10 ms or longer ago.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hwmon.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "internal.h"

#define CONVERSION_NS (10 * NSEC_PER_MSEC)

struct kdchip_meter {
	spinlock_t lock; /* all of it */
	u64 uw;
	u64 last_ns;
	u64 energy_pj; /* pico, so that short states do not vanish */
	u64 energy_uj;
	u64 read_ns;
	u64 read_uj;
	u64 mean_uw;
	struct device *hwmon;
};

/* lock held */
static void account(struct kdchip_meter *m)
{
	u64 now = ktime_get_ns();
	u64 rest;

	/* uW x ns = 1e-15 J = 1e-9 uJ; hours of an idle board fit 64 bits */
	m->energy_pj += div_u64((now - m->last_ns) * m->uw, 1000);
	m->last_ns = now;
	m->energy_uj += div64_u64_rem(m->energy_pj, 1000000, &rest);
	m->energy_pj = rest;
}

void kdchip_meter_set(struct kdchip_meter *m, u64 uw)
{
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	if (m->uw != uw) {
		account(m);
		m->uw = uw;
	}
	spin_unlock_irqrestore(&m->lock, flags);
}
EXPORT_SYMBOL_GPL(kdchip_meter_set);

static umode_t is_visible(const void *arg, enum hwmon_sensor_types type,
			  u32 attr, int channel)
{
	return 0444;
}

static int sensor_read(struct device *dev, enum hwmon_sensor_types type,
		       u32 attr, int channel, long *val)
{
	struct kdchip_meter *m = dev_get_drvdata(dev);
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	account(m);
	if (type == hwmon_energy) {
		*val = m->energy_uj;
	} else {
		u64 ns = m->last_ns - m->read_ns;

		if (ns >= CONVERSION_NS) {
			/* uJ / ns = 1e9 uW */
			m->mean_uw = div64_u64((m->energy_uj - m->read_uj) *
					       USEC_PER_SEC, ns / 1000);
			m->read_ns = m->last_ns;
			m->read_uj = m->energy_uj;
		}
		*val = m->mean_uw;
	}
	spin_unlock_irqrestore(&m->lock, flags);
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

struct kdchip_meter *kdchip_meter_register(struct device *parent,
					   const char *name, u64 uw)
{
	struct kdchip_meter *m = kzalloc(sizeof(*m), GFP_KERNEL);
	struct device *hwmon;

	if (!m)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&m->lock);
	m->uw = uw;
	m->mean_uw = uw;
	m->last_ns = ktime_get_ns();
	m->read_ns = m->last_ns;
	hwmon = hwmon_device_register_with_info(parent, name, m, &sensor_chip,
						NULL);
	if (IS_ERR(hwmon)) {
		kfree(m);
		return ERR_CAST(hwmon);
	}
	m->hwmon = hwmon;
	return m;
}
EXPORT_SYMBOL_GPL(kdchip_meter_register);

void kdchip_meter_unregister(struct kdchip_meter *m)
{
	hwmon_device_unregister(m->hwmon);
	kfree(m);
}
EXPORT_SYMBOL_GPL(kdchip_meter_unregister);
