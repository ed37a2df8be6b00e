// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host bus as a cost: every access takes the time that SPI, SDIO or PCIe
 * would take, out of the thread that made it. Part of it the CPU is busy
 * (programmed transfers, a PCIe read that stalls), the rest the thread sleeps
 * (a transfer by DMA that ends with an interrupt).
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include "internal.h"

/* below this a sleep costs more than it frees */
#define SHORTEST_SLEEP_NS 5000

/* what an operation of @ns takes this time; accounts it */
u64 kdchip_bus_time(struct kdchip_bus *bus, u64 ns)
{
	unsigned int jitter_pct = bus->params->jitter_pct;

	ns += kdchip_fault_delay_ns(bus->kd);
	if (jitter_pct)
		ns += div_u64(ns * kdchip_random(bus->kd, jitter_pct * 100),
			      10000);
	bus->busy_ns += ns;
	return ns;
}

static void spend(struct kdchip *kd, u64 ns, u64 cpu_ns)
{
	ktime_t t;

	ns = kdchip_bus_time(&kd->bus, ns);
	cpu_ns = min(cpu_ns, ns);
	ns -= cpu_ns;
	if (ns < SHORTEST_SLEEP_NS || in_atomic() || irqs_disabled()) {
		cpu_ns += ns;
		ns = 0;
	}
	if (cpu_ns)
		ndelay(cpu_ns);
	if (!ns)
		return;
	t = ns_to_ktime(ns);
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&t, HRTIMER_MODE_REL);
}

static size_t align_size(struct kdchip_bus *bus, size_t len)
{
	return bus->params->align > 1 ? roundup(len, bus->params->align) : len;
}

static void spend_block(struct kdchip_bus *bus, size_t len, unsigned int ps)
{
	const struct kdchip_bus_params *p = bus->params;
	u64 ns = div_u64((u64)align_size(bus, len) * ps, 1000);

	bus->transfers++;
	kdchip_power_set(bus->kd, KDCHIP_LOAD_BUS, true);
	spend(bus->kd, p->setup_ns + ns + p->turnaround_ns, p->setup_cpu_ns);
	kdchip_power_set(bus->kd, KDCHIP_LOAD_BUS, false);
}

static void spend_reg(struct kdchip_bus *bus, unsigned int ns)
{
	bus->accesses++;
	if (ns)
		spend(bus->kd, ns, bus->params->reg_cpu_ns);
}

static int bus_read(struct kdchip_bus *bus, enum kdchip_reg reg, u32 *val)
{
	spend_reg(bus, bus->params->reg_ns);
	if (kdchip_fault_take(&bus->kd->fault.fail_next_read))
		return -EIO;
	return kdchip_core_read(bus->kd, reg, val);
}

static int bus_write(struct kdchip_bus *bus, enum kdchip_reg reg, u32 val)
{
	spend_reg(bus, bus->params->reg_write_ns ?: bus->params->reg_ns);
	if (kdchip_fault_take(&bus->kd->fault.fail_next_write))
		return -EIO;
	return kdchip_core_write(bus->kd, reg, val);
}

static int bus_block_write(struct kdchip_bus *bus, struct sk_buff *skb)
{
	spend_block(bus, skb->len, bus->params->tx_byte_ps);
	if (kdchip_fault_take(&bus->kd->fault.fail_next_block))
		return -EIO;
	return kdchip_core_put(bus->kd, skb);
}

static int bus_block_read(struct kdchip_bus *bus, struct sk_buff **skb)
{
	int r;

	if (kdchip_fault_take(&bus->kd->fault.fail_next_block))
		return -EIO;
	r = kdchip_core_get(bus->kd, skb);
	if (!r && *skb)
		spend_block(bus, (*skb)->len, bus->params->rx_byte_ps);
	return r;
}

static void bus_irq_enable(struct kdchip_bus *bus, bool on)
{
	kdchip_core_irq_enable(bus->kd, on);
}

const struct kdchip_bus_ops kdchip_bus_virt_ops = {
	.read = bus_read,
	.write = bus_write,
	.block_write = bus_block_write,
	.block_read = bus_block_read,
	.align_size = align_size,
	.irq_enable = bus_irq_enable,
};

void kdchip_bus_init(struct kdchip *kd)
{
	kd->bus.ops = kd->profile->bus_ops ?: &kdchip_bus_virt_ops;
	kd->bus.params = kd->profile->bus;
	kd->bus.kd = kd;
}
