/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of kdchip; profiles see kdchip.h only.
 */
#ifndef KDCHIP_INTERNAL_H
#define KDCHIP_INTERNAL_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "compat.h"
#include "kdchip.h"

struct platform_device;

/* the two stations on the air */
enum kdchip_end {
	KDCHIP_DUT,
	KDCHIP_PEER,
	KDCHIP_ENDS,
};

/**
 * struct kdchip_station - what one end has to send
 * @queue:	frames for the air; each with the time from which it may go
 * @flying:	the aggregate on the air
 * @landed:	ends the aggregate
 * @eligible:	the first of @queue may go
 * @active:	on the air
 */
struct kdchip_station {
	struct kdchip *kd;
	enum kdchip_end end;
	struct sk_buff_head queue;
	struct sk_buff_head flying;
	struct hrtimer landed;
	struct hrtimer eligible;
	bool active;
	u64 aggregates;
	u64 frames;
	u64 bytes;
};

struct kdchip_air {
	spinlock_t lock; /* both stations */
	struct kdchip_station station[KDCHIP_ENDS];
	enum kdchip_end last;
};

/**
 * struct kdchip_core - the chip's inside
 * @lock:	all of it
 * @rx:		frames for the host
 * @done:	frames that the host may have back, from the time in their cb on
 * @tx_used:	bytes of packet memory in use
 * @pending, @mask, @irq_on: the interrupt
 */
struct kdchip_core {
	spinlock_t lock;
	struct sk_buff_head rx;
	struct sk_buff_head done;
	struct hrtimer done_timer;
	unsigned int tx_used;
	u32 pending;
	u32 mask;
	bool irq_on;
	bool running;
	bool hung;
	bool wanted_awake;
	u64 stable_ns;
	u64 wakes;
	u64 asleep_access;
	u64 irqs;
};

enum kdchip_load {
	KDCHIP_LOAD_RUNNING,
	KDCHIP_LOAD_AWAKE,
	KDCHIP_LOAD_BUS,
	KDCHIP_LOAD_TX,
	KDCHIP_LOAD_RX,
	KDCHIP_LOADS,
};

struct kdchip_power {
	spinlock_t lock; /* on[] */
	bool on[KDCHIP_LOADS];
	struct kdchip_meter *meter;
};

/**
 * struct kdchip_sdio - an SDIO host controller, see bus_sdio.c
 * @loops_per_ms: of spin()
 * @lock:	one request at a time
 * @transfer:	ends the transfer of the request
 * @transferred: it has; the interrupt's handler takes this back
 * @copy_ns:	what the interrupt's thread has to copy then
 * @done:	the request is
 * @irq_task:	serves the card's interrupt
 * @card_irq:	for it: there was one
 * @claim:	@handler and its calls
 * @handler:	of the card's driver
 */
struct kdchip_sdio {
	unsigned int loops_per_ms;
	struct mutex lock;
	struct hrtimer transfer;
	atomic_t transferred;
	unsigned int copy_ns;
	struct completion done;
	struct task_struct *irq_task;
	wait_queue_head_t irq_wait;
	atomic_t card_irq;
	struct mutex claim;
	void (*handler)(void *arg);
	void *handler_arg;
};

struct kdchip_fault {
	u32 fail_next_read;
	u32 fail_next_write;
	u32 fail_next_block;
	u32 drop_every;
	u32 dropped;
	u32 delay_us;
	atomic_t frame;
};

struct kdchip {
	const struct kdchip_profile *profile;
	const struct kdchip_driver *driver;
	struct platform_device *pdev;
	struct net_device *dev[KDCHIP_ENDS];
	struct kdchip_bus bus;
	struct kdchip_sdio sdio;
	struct kdchip_core core;
	struct kdchip_air air;
	struct kdchip_power power;
	struct kdchip_fault fault;
	struct rnd_state rnd;
	spinlock_t rnd_lock;
	int irq;
	raw_spinlock_t irq_lock; /* one at a time */
	char irq_name[32];
	struct dentry *dir;
	void *priv;
};

/* our part of skb->cb, between the stack's users of it */
struct kdchip_cb {
	u64 at_ns;
	unsigned int room;
};

static inline struct kdchip_cb *kdchip_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct kdchip_cb) > sizeof(skb->cb));
	return (struct kdchip_cb *)skb->cb;
}

/* core.c */
u32 kdchip_random(struct kdchip *kd, u32 below);

/* irq.c */
int kdchip_irq_init(struct kdchip *kd);
void kdchip_irq_fini(struct kdchip *kd);
void kdchip_irq_fire(struct kdchip *kd);

/* bus_virt.c */
void kdchip_bus_init(struct kdchip *kd);
u64 kdchip_bus_time(struct kdchip_bus *bus, u64 ns);

/* bus_sdio.c */
void kdchip_sdio_init(struct kdchip *kd);

/* chip.c: called by the bus */
int kdchip_core_read(struct kdchip *kd, enum kdchip_reg reg, u32 *val);
int kdchip_core_write(struct kdchip *kd, enum kdchip_reg reg, u32 val);
int kdchip_core_put(struct kdchip *kd, struct sk_buff *skb);
int kdchip_core_get(struct kdchip *kd, struct sk_buff **skb);
void kdchip_core_irq_enable(struct kdchip *kd, bool on);
bool kdchip_core_irq_pending(struct kdchip *kd);
int kdchip_core_peek(struct kdchip *kd, u16 *len, unsigned int max);
/* by the air */
void kdchip_core_sent(struct kdchip *kd, struct sk_buff_head *frames);
void kdchip_core_received(struct kdchip *kd, struct sk_buff_head *frames);
/* by net device and files */
void kdchip_core_init(struct kdchip *kd);
void kdchip_core_run(struct kdchip *kd, bool on);
void kdchip_core_hang(struct kdchip *kd, bool on);
void kdchip_core_fini(struct kdchip *kd);

/* air.c */
void kdchip_air_init(struct kdchip *kd);
void kdchip_air_send(struct kdchip *kd, enum kdchip_end end,
		     struct sk_buff *skb, u64 at_ns);
void kdchip_air_flush_dut(struct kdchip *kd);
void kdchip_air_fini(struct kdchip *kd);

/* netdev.c */
int kdchip_netdev_init(struct kdchip *kd);
void kdchip_netdev_fini(struct kdchip *kd);
int kdchip_netdev_add_dut(struct kdchip *kd);
void kdchip_netdev_del_dut(struct kdchip *kd);
void kdchip_netdev_deliver(struct kdchip *kd, struct sk_buff *skb);

/* fault.c */
void kdchip_fault_init(struct kdchip *kd, struct dentry *dir);
int kdchip_fault_take(u32 *count);
u64 kdchip_fault_delay_ns(struct kdchip *kd);
bool kdchip_fault_drops(struct kdchip *kd);

/* power.c */
int kdchip_power_init(struct kdchip *kd);
void kdchip_power_fini(struct kdchip *kd);
void kdchip_power_set(struct kdchip *kd, enum kdchip_load load, bool on);

/* debugfs.c */
void kdchip_debugfs_init(struct kdchip *kd);
void kdchip_debugfs_fini(struct kdchip *kd);

#endif
