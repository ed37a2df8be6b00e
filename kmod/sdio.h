/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network card on an SDIO bus, as its drivers see it: the card binds to one of
 * them under /sys/bus/sdio, as hardware does. Its host controller is
 * bus_sdio.c, its hardware and firmware bcm4359.c.
 */
#ifndef KDCHIP_SDIO_H
#define KDCHIP_SDIO_H

#include <linux/device.h>

#include "kdchip.h"

/**
 * kdchip_sdio_claim_irq() - who serves the card's interrupt
 * @handler:	called by the thread ksdioirqd; NULL: nobody, and the last call
 *		has ended
 */
void kdchip_sdio_claim_irq(struct kdchip *kd, void (*handler)(void *arg),
			   void *arg);

/* for a profile of an SDIO card */
irqreturn_t kdchip_sdio_irq(struct kdchip *kd);
irqreturn_t kdchip_sdio_irq_thread(struct kdchip *kd);
/* the controller's thread; NAME as in "mmc2" */
int kdchip_sdio_start(struct kdchip *kd, const char *name);
void kdchip_sdio_stop(struct kdchip *kd);

/**
 * struct sdio_card - one network function of a card
 * @chip_id:	what the card says it is
 * @max_segs:	pieces of memory that the controller takes in one request
 */
struct sdio_card {
	struct device dev;
	struct kdchip *kd;
	unsigned int chip_id;
	unsigned int max_segs;
};

/**
 * struct sdio_card_driver - one of the drivers that can have it
 */
struct sdio_card_driver {
	struct device_driver driver;
	const struct kdchip_driver *ops;
};

extern struct bus_type sdio_card_bus;

int sdio_card_register_driver(struct sdio_card_driver *drv);
void sdio_card_unregister_driver(struct sdio_card_driver *drv);
struct sdio_card *sdio_card_of(struct kdchip *kd);

/* errors of the firmware */
#define BCME_UNSUPPORTED	(-23)
#define BCME_VERSION		(-37)

/**
 * bcm_fw_scan_version() - which scan request does the firmware know
 * Return: a version, BCME_UNSUPPORTED where it has no such question, or a
 * negative errno of the bus (see bcm_fw_is_error()).
 */
int bcm_fw_scan_version(struct kdchip *kd);

/**
 * bcm_fw_scan() - scan, and join the network that is found
 * @version:	of the request
 * Return: 0, BCME_VERSION, or a negative errno of the bus
 */
int bcm_fw_scan(struct kdchip *kd, unsigned int version);

#endif
