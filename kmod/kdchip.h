/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kdchip: a network chip behind a modelled host bus, and the other station.
 *
 * A profile (wilc1000.c, ath10k.c, ...) gives the chip's figures and is its
 * driver too, or leaves that to a driver bound later (bcm4359.c), and gets a net
 * device pair.
 *
 *   dut0 -> profile->xmit -> bus -> chip memory, firmware -> air -> peer0
 *   dut0 <- profile's irq <- bus <- chip receive FIFO     <- air <- peer0
 */
#ifndef KDCHIP_H
#define KDCHIP_H

#include <linux/bits.h>
#include <linux/interrupt.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/stddef.h>

#include "bus.h"

struct dentry;
struct device;
struct kdchip;
struct kdchip_meter;
struct module;

/**
 * struct kdchip_params - the chip itself
 * @wake_ns:	from the request until the clock is stable
 * @tx_bytes:	memory for frames from the host
 * @rx_frames:	frames kept for the host; more are lost
 * @rx_edge:	a frame's coming interrupts, not its being there: who clears
 *		the interrupt has to fetch all
 * @fw_ns:	a frame's way through host interface and firmware, before it
 *		may compete for the air
 * @done_ns:	from delivery until the host can know of it
 */
struct kdchip_params {
	unsigned int wake_ns;
	unsigned int tx_bytes;
	unsigned int rx_frames;
	bool rx_edge;
	unsigned int fw_ns;
	unsigned int done_ns;
};

/**
 * struct kdchip_air_params - the medium
 * @kbps:	rate of the payload
 * @txop_ns:	cost of one access by the device: contention, preamble, ack
 * @peer_txop_ns: the same by the peer
 * @backoff_ns:	a random part of each access, up to this
 * @frames:	most frames in one aggregate
 * @overhead_bytes: each frame's header and delimiter
 * @half_duplex: one station at a time, in turns when both want to
 */
struct kdchip_air_params {
	unsigned int kbps;
	unsigned int txop_ns;
	unsigned int peer_txop_ns;
	unsigned int backoff_ns;
	unsigned int frames;
	unsigned int overhead_bytes;
	bool half_duplex;
};

/**
 * struct kdchip_power_params - where the board's power goes
 * @board_uw:	all but the chip, which is held in reset
 * @idle_uw:	added by a chip that listens, asleep
 * @awake_uw:	added while its host interface and core are awake
 * @bus_uw:	added while the bus works
 * @tx_uw:	added while it transmits
 * @rx_uw:	added while it receives
 */
struct kdchip_power_params {
	unsigned int board_uw;
	unsigned int idle_uw;
	unsigned int awake_uw;
	unsigned int bus_uw;
	unsigned int tx_uw;
	unsigned int rx_uw;
};

/**
 * struct kdchip_profile - a kind of hardware and its driver
 * @name:	of the hardware and its interrupt
 * @irq_name:	of the interrupt, where it has another; may be NULL
 * @bus_ops:	the bus; NULL: kdchip_bus_virt_ops
 * @bus, @chip, @air, @power: its figures; read at each use, so module
 *		parameters may point into them
 * @queue_frames: the peer's queue is stopped when it holds so many
 * @peer_features: of the peer's net device, where its CPU time should not count
 * @irq:	the interrupt's hard handler
 * @irq_thread:	its thread, may be NULL
 * @debugfs:	add files; may be NULL
 * @driver:	the driver; without @xmit: none, until kdchip_bind()
 * @features:	of the net device
 * @tso_max_size: largest packet from the stack, 0: the kernel's default
 * @joins:	the link is down until the driver finds a network
 * @tx_for_good: frames are the chip's for good, none come back to be reaped
 * @priv_size:	for kdchip_priv()
 * @init:	set kdchip_priv() up, before anything can be called
 * @start:	the interface goes up; the chip is awake and running
 * @stop:	the interface goes down
 * @xmit:	as ndo_start_xmit
 */
struct kdchip_profile {
	const char *name;
	struct module *owner;
	const char *irq_name;
	const struct kdchip_bus_ops *bus_ops;
	const struct kdchip_bus_params *bus;
	const struct kdchip_params *chip;
	const struct kdchip_air_params *air;
	const struct kdchip_power_params *power;
	unsigned int queue_frames;
	netdev_features_t peer_features;
	irqreturn_t (*irq)(struct kdchip *kd);
	irqreturn_t (*irq_thread)(struct kdchip *kd);
	void (*debugfs)(struct kdchip *kd, struct dentry *dir);
	struct_group_tagged(kdchip_driver, driver,
		netdev_features_t features;
		const unsigned int *tso_max_size;
		bool joins;
		bool tx_for_good;
		size_t priv_size;
		void (*init)(struct kdchip *kd);
		int (*start)(struct kdchip *kd);
		void (*stop)(struct kdchip *kd);
		netdev_tx_t (*xmit)(struct kdchip *kd, struct sk_buff *skb);
	);
};

/**
 * kdchip_register() - make the chip, its net devices and files
 * Return: the chip or an ERR_PTR(). One chip at a time.
 */
struct kdchip *kdchip_register(const struct kdchip_profile *profile);
void kdchip_unregister(struct kdchip *kd);

/**
 * kdchip_bind() - give a chip without a driver one, and so its net device
 * kdchip_unbind() - take both away; the peer stays, the link is down
 */
int kdchip_bind(struct kdchip *kd, const struct kdchip_driver *driver);
void kdchip_unbind(struct kdchip *kd);

void *kdchip_priv(struct kdchip *kd);
struct kdchip_bus *kdchip_bus(struct kdchip *kd);
struct net_device *kdchip_netdev(struct kdchip *kd);

/* a frame for the host's stack, from process context or NAPI */
void kdchip_rx(struct kdchip *kd, struct sk_buff *skb, struct napi_struct *napi);

/* account a frame that the chip took, and let the stack go on */
void kdchip_tx_sent(struct kdchip *kd, unsigned int len);

/* Frames that are done with, to be freed by the driver; a driver that hands
 * over its frames for good (SPI, SDIO) has none. */
struct sk_buff *kdchip_tx_reap(struct kdchip *kd);

/**
 * kdchip_meter_register() - a power sensor that sums what it is told
 * @uw:	the power from now on
 * kdchip_meter_set() says when it changes; from any context.
 * Return: the meter or an ERR_PTR().
 */
struct kdchip_meter *kdchip_meter_register(struct device *parent,
					   const char *name, u64 uw);
void kdchip_meter_set(struct kdchip_meter *m, u64 uw);
void kdchip_meter_unregister(struct kdchip_meter *m);

#endif
