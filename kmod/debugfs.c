// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /sys/kernel/debug/kdchip: what the chip counted, faults, and its reset pin.
 */
#include <linux/debugfs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>

#include "internal.h"

static void show_station(struct seq_file *m, const char *name,
			 const struct kdchip_station *s)
{
	seq_printf(m, "%s_aggregates %llu\n%s_frames %llu\n%s_bytes %llu\n",
		   name, s->aggregates, name, s->frames, name, s->bytes);
}

static int stats_show(struct seq_file *m, void *arg)
{
	struct kdchip *kd = m->private;

	seq_printf(m, "wakes %llu\nasleep_access %llu\nirqs %llu\n",
		   kd->core.wakes, kd->core.asleep_access, kd->core.irqs);
	seq_printf(m, "bus_busy_ns %llu\nbus_transfers %llu\nbus_accesses %llu\n",
		   kd->bus.busy_ns, kd->bus.transfers, kd->bus.accesses);
	show_station(m, "air_dut", &kd->air.station[KDCHIP_DUT]);
	show_station(m, "air_peer", &kd->air.station[KDCHIP_PEER]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int reset_set(void *arg, u64 val)
{
	struct net_device *dev = kdchip_netdev(arg);
	int r = 0;

	rtnl_lock();
	if (!dev)
		r = -ENODEV;
	else if (val)
		dev_close(dev);
	else
		r = dev_open(dev, NULL);
	rtnl_unlock();
	return r;
}

static int reset_get(void *arg, u64 *val)
{
	struct kdchip *kd = arg;

	*val = !kd->core.running;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(reset_fops, reset_get, reset_set, "%llu\n");

void kdchip_debugfs_init(struct kdchip *kd)
{
	kd->dir = debugfs_create_dir("kdchip", NULL);
	debugfs_create_file("stats", 0400, kd->dir, kd, &stats_fops);
	debugfs_create_file_unsafe("reset", 0600, kd->dir, kd, &reset_fops);
	kdchip_fault_init(kd, kd->dir);
	if (kd->profile->debugfs)
		kd->profile->debugfs(kd, kd->dir);
}

void kdchip_debugfs_fini(struct kdchip *kd)
{
	debugfs_remove_recursive(kd->dir);
}
