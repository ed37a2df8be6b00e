// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /sys/bus/sdio: the card and the drivers that can have it. (The kernel's own
 * bus of that name is not loaded where this is.)
 */
#include <linux/module.h>

#include "compat.h"
#include "sdio.h"

static struct sdio_card *to_card(struct device *dev)
{
	return container_of(dev, struct sdio_card, dev);
}

static int match(struct device *dev, kdchip_match_driver *drv)
{
	/* both are for every card */
	return 1;
}

static int probe(struct device *dev)
{
	struct sdio_card_driver *drv = container_of(dev->driver,
						    struct sdio_card_driver,
						    driver);

	return kdchip_bind(to_card(dev)->kd, drv->ops);
}

static void remove(struct device *dev)
{
	kdchip_unbind(to_card(dev)->kd);
}

struct bus_type sdio_card_bus = {
	.name = "sdio",
	.match = match,
	.probe = probe,
	.remove = remove,
};

int sdio_card_register_driver(struct sdio_card_driver *drv)
{
	drv->driver.bus = &sdio_card_bus;
	return driver_register(&drv->driver);
}
EXPORT_SYMBOL_GPL(sdio_card_register_driver);

void sdio_card_unregister_driver(struct sdio_card_driver *drv)
{
	driver_unregister(&drv->driver);
}
EXPORT_SYMBOL_GPL(sdio_card_unregister_driver);
