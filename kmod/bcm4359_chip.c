// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bcm4359: an SDIO Wi-Fi chip on a board whose SDIO controller has 1536 bytes of
 * memory of its own (S905X2: the controller does not reach the host's). All
 * figures of the hardware are here, so no driver can have others.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "sdio.h"

#define CONTROL_BYTES 512
#define SCAN_MS 20

/* the report does not name its second chip */
#define CHIP_4359 0x4359
#define CHIP_SECOND 0x43ff

static unsigned int chip_id = CHIP_4359;
module_param(chip_id, uint, 0444);
MODULE_PARM_DESC(chip_id, "0x4359, or 0x43ff: its firmware knows the second scan request only");

static unsigned int max_segs = 1;
module_param(max_segs, uint, 0444);
MODULE_PARM_DESC(max_segs, "pieces of memory that the controller takes in one request");

/* docs/board.md says what each was calibrated on */
static struct kdchip_bus_params bus = {
	.name = "sdio",
	.setup_ns = 9000,
	.setup_cpu_ns = 1000,
	.tx_byte_ps = 10000,
	.rx_byte_ps = 10000,
	.reg_ns = 8000,
	.reg_cpu_ns = 1000,
	.jitter_pct = 4,
	.align = 512,
	.max_request = 1536,
	.tx_busy_ns = 33000,
	.tx_copy_ps = 5000,
	.rx_copy_ps = 22000,
};
module_param_named(bus_setup_ns, bus.setup_ns, uint, 0644);
module_param_named(bus_setup_cpu_ns, bus.setup_cpu_ns, uint, 0644);
module_param_named(bus_tx_byte_ps, bus.tx_byte_ps, uint, 0644);
module_param_named(bus_rx_byte_ps, bus.rx_byte_ps, uint, 0644);
module_param_named(bus_reg_ns, bus.reg_ns, uint, 0644);
module_param_named(bus_max_request, bus.max_request, uint, 0644);
module_param_named(bus_tx_busy_ns, bus.tx_busy_ns, uint, 0644);
module_param_named(bus_tx_copy_ps, bus.tx_copy_ps, uint, 0644);
module_param_named(bus_rx_copy_ps, bus.rx_copy_ps, uint, 0644);

static struct kdchip_params chip = {
	.tx_bytes = 65536,
	.rx_frames = 256,
	.rx_edge = true,
	.fw_ns = 50000,
};
module_param_named(rx_frames, chip.rx_frames, uint, 0644);

static struct kdchip_air_params air = {
	.kbps = 600000,
	.txop_ns = 60000,
	.peer_txop_ns = 60000,
	.frames = 32,
	.overhead_bytes = 40,
	.half_duplex = true,
};
module_param_named(air_kbps, air.kbps, uint, 0644);
module_param_named(air_txop_ns, air.txop_ns, uint, 0644);
module_param_named(air_peer_txop_ns, air.peer_txop_ns, uint, 0644);

static const struct kdchip_power_params power = {
	.board_uw = 2500000,
	.idle_uw = 300000,
	.awake_uw = 50000,
	.bus_uw = 60000,
	.tx_uw = 900000,
	.rx_uw = 250000,
};

static struct sdio_card *the_card;

struct sdio_card *sdio_card_of(struct kdchip *kd)
{
	return the_card;
}
EXPORT_SYMBOL_GPL(sdio_card_of);

/* a command to the firmware, and its answer */
static int control(struct kdchip *kd)
{
	struct kdchip_bus *b = kdchip_bus(kd);
	int r = b->ops->transfer(b, CONTROL_BYTES, true);

	return r ? r : b->ops->transfer(b, CONTROL_BYTES, false);
}

/* the firmware of the older chip has never heard of versions */
static int scan_version(struct kdchip *kd)
{
	return sdio_card_of(kd)->chip_id == CHIP_SECOND ? 2 : 1;
}

int bcm_fw_scan_version(struct kdchip *kd)
{
	int r = control(kd);

	if (r)
		return r;
	return scan_version(kd) == 1 ? BCME_UNSUPPORTED : scan_version(kd);
}
EXPORT_SYMBOL_GPL(bcm_fw_scan_version);

int bcm_fw_scan(struct kdchip *kd, unsigned int version)
{
	int r = control(kd);

	if (r)
		return r;
	if (version != scan_version(kd))
		return BCME_VERSION;
	msleep(SCAN_MS);
	return 0;
}
EXPORT_SYMBOL_GPL(bcm_fw_scan);

static const struct kdchip_profile profile = {
	.name = "bcm4359",
	.irq_name = "ffe03000.sd",
	.owner = THIS_MODULE,
	.bus_ops = &kdchip_bus_sdio_ops,
	.bus = &bus,
	.chip = &chip,
	.air = &air,
	.power = &power,
	.queue_frames = 256,
	.peer_features = NETIF_F_SG,
	.irq = kdchip_sdio_irq,
	.irq_thread = kdchip_sdio_irq_thread,
};

static void card_release(struct device *dev)
{
	kfree(container_of(dev, struct sdio_card, dev));
}

static int card_add(struct kdchip *kd)
{
	struct sdio_card *card = kzalloc(sizeof(*card), GFP_KERNEL);
	int r;

	if (!card)
		return -ENOMEM;
	card->kd = kd;
	card->chip_id = chip_id;
	card->max_segs = max_segs;
	card->dev.bus = &sdio_card_bus;
	card->dev.release = card_release;
	dev_set_name(&card->dev, "mmc2:0001:1");
	the_card = card;
	r = device_register(&card->dev);
	if (r)
		put_device(&card->dev);
	return r;
}

static int __init bcm4359_init(void)
{
	struct kdchip *kd;
	int r;

	if (chip_id != CHIP_4359 && chip_id != CHIP_SECOND)
		return -ENODEV;
	r = bus_register(&sdio_card_bus);
	if (r)
		return r;
	kd = kdchip_register(&profile);
	if (IS_ERR(kd)) {
		r = PTR_ERR(kd);
		goto bus;
	}
	r = kdchip_sdio_start(kd, "mmc2");
	if (r)
		goto chip;
	r = card_add(kd);
	if (r)
		goto controller;
	return 0;

controller:
	kdchip_sdio_stop(kd);
chip:
	kdchip_unregister(kd);
bus:
	bus_unregister(&sdio_card_bus);
	return r;
}
module_init(bcm4359_init);

static void __exit bcm4359_exit(void)
{
	struct kdchip *kd = the_card->kd;

	device_unregister(&the_card->dev);
	kdchip_sdio_stop(kd);
	kdchip_unregister(kd);
	bus_unregister(&sdio_card_bus);
}
module_exit(bcm4359_exit);

MODULE_DESCRIPTION("SDIO Wi-Fi chip that two drivers can have, on a modelled bus");
MODULE_LICENSE("GPL");
