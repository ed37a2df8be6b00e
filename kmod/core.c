// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Making and unmaking of a chip.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "internal.h"

static unsigned int seed;
/* not in sysfs: modules' parameters are part of what runs are compared by */
module_param(seed, uint, 0);
MODULE_PARM_DESC(seed, "of the model's random numbers (jitter, losses)");

u32 kdchip_random(struct kdchip *kd, u32 below)
{
	unsigned long flags;
	u32 r;

	if (!below)
		return 0;
	spin_lock_irqsave(&kd->rnd_lock, flags);
	r = prandom_u32_state(&kd->rnd);
	spin_unlock_irqrestore(&kd->rnd_lock, flags);
	return reciprocal_scale(r, below);
}

void *kdchip_priv(struct kdchip *kd)
{
	return kd->priv;
}
EXPORT_SYMBOL_GPL(kdchip_priv);

struct kdchip_bus *kdchip_bus(struct kdchip *kd)
{
	return &kd->bus;
}
EXPORT_SYMBOL_GPL(kdchip_bus);

struct net_device *kdchip_netdev(struct kdchip *kd)
{
	return kd->dev[KDCHIP_DUT];
}
EXPORT_SYMBOL_GPL(kdchip_netdev);

/* before anything of the driver can be called */
static int attach(struct kdchip *kd, const struct kdchip_driver *driver)
{
	kd->priv = kzalloc(max_t(size_t, driver->priv_size, 1), GFP_KERNEL);
	if (!kd->priv)
		return -ENOMEM;
	kd->driver = driver;
	if (driver->init)
		driver->init(kd);
	return 0;
}

static void detach(struct kdchip *kd)
{
	kfree(kd->priv);
	kd->priv = NULL;
	kd->driver = NULL;
}

int kdchip_bind(struct kdchip *kd, const struct kdchip_driver *driver)
{
	int r;

	if (kd->driver)
		return -EBUSY;
	r = attach(kd, driver);
	if (r)
		return r;
	r = kdchip_netdev_add_dut(kd);
	if (r)
		detach(kd);
	return r;
}
EXPORT_SYMBOL_GPL(kdchip_bind);

void kdchip_unbind(struct kdchip *kd)
{
	kdchip_netdev_del_dut(kd);
	detach(kd);
}
EXPORT_SYMBOL_GPL(kdchip_unbind);

struct kdchip *kdchip_register(const struct kdchip_profile *profile)
{
	struct kdchip *kd;
	int r = -ENOMEM;

	kd = kzalloc(sizeof(*kd), GFP_KERNEL);
	if (!kd)
		return ERR_PTR(-ENOMEM);
	kd->profile = profile;
	spin_lock_init(&kd->rnd_lock);
	prandom_seed_state(&kd->rnd, 0x6b646368ULL + seed);

	/* one chip: the name is taken while there is another */
	kd->pdev = platform_device_register_simple("kdchip", PLATFORM_DEVID_NONE,
						   NULL, 0);
	if (IS_ERR(kd->pdev)) {
		r = PTR_ERR(kd->pdev);
		goto free;
	}
	kdchip_bus_init(kd);
	kdchip_core_init(kd);
	kdchip_air_init(kd);
	kdchip_sdio_init(kd);
	r = profile->xmit ? attach(kd, &profile->driver) : 0;
	if (r)
		goto unregister;
	r = kdchip_power_init(kd);
	if (r)
		goto unregister;
	r = kdchip_irq_init(kd);
	if (r)
		goto power;
	r = kdchip_netdev_init(kd);
	if (r)
		goto irq;
	r = kd->driver ? kdchip_netdev_add_dut(kd) : 0;
	if (r)
		goto netdev;
	kdchip_debugfs_init(kd);
	return kd;

netdev:
	kdchip_netdev_fini(kd);
irq:
	kdchip_irq_fini(kd);
power:
	kdchip_power_fini(kd);
unregister:
	platform_device_unregister(kd->pdev);
free:
	kfree(kd->priv);
	kfree(kd);
	return ERR_PTR(r);
}
EXPORT_SYMBOL_GPL(kdchip_register);

void kdchip_unregister(struct kdchip *kd)
{
	kdchip_debugfs_fini(kd);
	if (kd->driver)
		kdchip_netdev_del_dut(kd);
	kdchip_netdev_fini(kd);
	kdchip_irq_fini(kd);
	kdchip_power_fini(kd);
	platform_device_unregister(kd->pdev);
	kfree(kd->priv);
	kfree(kd);
}
EXPORT_SYMBOL_GPL(kdchip_unregister);

MODULE_DESCRIPTION("Network chip behind a modelled host bus");
MODULE_LICENSE("GPL");
