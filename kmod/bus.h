/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host bus as a driver sees it. A driver knows these operations and
 * nothing about the bus behind them; what they cost is the bus's business
 * (bus_virt.c).
 */
#ifndef KDCHIP_BUS_H
#define KDCHIP_BUS_H

#include <linux/types.h>

struct kdchip;
struct kdchip_bus;
struct sk_buff;
struct sk_buff_head;

/* registers of the chip */
enum kdchip_reg {
	KDCHIP_REG_WAKE,	/* w: 1 keep awake, 0 may sleep */
	KDCHIP_REG_CLOCK,	/* r: 1 once the clock is stable after a wake */
	KDCHIP_REG_IRQ_STATUS,	/* r: pending KDCHIP_IRQ_*; w: clears these */
	KDCHIP_REG_IRQ_MASK,	/* w: which may interrupt */
	KDCHIP_REG_TX_ROOM,	/* r: bytes the chip can take */
	KDCHIP_REG_RX_COUNT,	/* r: frames waiting for the host */
	KDCHIP_REG_DOORBELL,	/* w: frames were queued */
};

#define KDCHIP_IRQ_RX		BIT(0)	/* a frame waits for the host */
#define KDCHIP_IRQ_TX_DONE	BIT(1)	/* a frame is done with */
#define KDCHIP_IRQ_EVENT	BIT(2)	/* anything else */

/**
 * struct kdchip_bus_params - what a bus costs the thread that uses it
 * @name:	for humans
 * @setup_ns:	from the call to the first byte of a block
 * @setup_cpu_ns: of it, how long the CPU is busy (the rest it may sleep)
 * @tx_byte_ps:	a byte to the chip, picoseconds
 * @rx_byte_ps:	a byte from the chip, picoseconds
 * @turnaround_ns: from the last byte to the known result
 * @reg_ns:	one register access
 * @reg_cpu_ns:	of it, how long the CPU is busy
 * @reg_write_ns: a register write, where nobody waits for its end; 0: @reg_ns
 * @jitter_pct:	every wait is longer by a random part of up to this
 * @align:	blocks are padded to a multiple of it
 * @max_request: SDIO: longer blocks take several requests
 * @tx_busy_ns:	SDIO: a card that was written to is busy, before the next request
 * @tx_copy_ps, @rx_copy_ps: SDIO: a byte to or from the controller's own memory,
 *		by a CPU
 */
struct kdchip_bus_params {
	const char *name;
	unsigned int setup_ns;
	unsigned int setup_cpu_ns;
	unsigned int tx_byte_ps;
	unsigned int rx_byte_ps;
	unsigned int turnaround_ns;
	unsigned int reg_ns;
	unsigned int reg_cpu_ns;
	unsigned int reg_write_ns;
	unsigned int jitter_pct;
	unsigned int align;
	unsigned int max_request;
	unsigned int tx_busy_ns;
	unsigned int tx_copy_ps;
	unsigned int rx_copy_ps;
};

/**
 * struct kdchip_bus_ops - what a bus can do
 * @read:	a register
 * @write:	a register
 * @block_write: a frame into the chip, which owns it when 0 is returned
 * @block_read:	the oldest frame out of the chip, the caller's; NULL: none
 * @align_size:	what a block of @len bytes occupies
 * @irq_enable:	let the chip interrupt, or not
 *
 * The first four may sleep where the bus's accesses do. A bus that moves more
 * than a frame in a block, or less, has also:
 *
 * @transfer:	a block of @len bytes that is no frame: a command, its answer
 * @frames_peek: a block of @bytes out of the chip that tells the lengths of the
 *		oldest frames, up to @max; how many, or an error
 * @frames_read: the @count oldest frames as one block, without the first @skip
 *		bytes, which were read before
 * @frames_write: all of @frames as one block; the chip owns those that are
 *		gone from the list, also with an error
 */
struct kdchip_bus_ops {
	int (*read)(struct kdchip_bus *bus, enum kdchip_reg reg, u32 *val);
	int (*write)(struct kdchip_bus *bus, enum kdchip_reg reg, u32 val);
	int (*block_write)(struct kdchip_bus *bus, struct sk_buff *skb);
	int (*block_read)(struct kdchip_bus *bus, struct sk_buff **skb);
	size_t (*align_size)(struct kdchip_bus *bus, size_t len);
	void (*irq_enable)(struct kdchip_bus *bus, bool on);
	int (*transfer)(struct kdchip_bus *bus, size_t len, bool to_chip);
	int (*frames_peek)(struct kdchip_bus *bus, size_t bytes, u16 *len,
			   unsigned int max);
	int (*frames_read)(struct kdchip_bus *bus, struct sk_buff_head *frames,
			   unsigned int count, size_t skip);
	int (*frames_write)(struct kdchip_bus *bus,
			    struct sk_buff_head *frames);
};

struct kdchip_bus {
	const struct kdchip_bus_ops *ops;
	const struct kdchip_bus_params *params;
	struct kdchip *kd;
	u64 busy_ns;
	u64 transfers;
	u64 accesses;
};

extern const struct kdchip_bus_ops kdchip_bus_virt_ops;
extern const struct kdchip_bus_ops kdchip_bus_sdio_ops;

#endif
