// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults on demand, in debugfs: what a rig sees of real boards, so that what
 * drives the rig can be tested.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "internal.h"

int kdchip_fault_take(u32 *count)
{
	u32 n = READ_ONCE(*count);

	while (n) {
		u32 seen = cmpxchg(count, n, n - 1);

		if (seen == n)
			return 1;
		n = seen;
	}
	return 0;
}

u64 kdchip_fault_delay_ns(struct kdchip *kd)
{
	return (u64)READ_ONCE(kd->fault.delay_us) * NSEC_PER_USEC;
}

bool kdchip_fault_drops(struct kdchip *kd)
{
	u32 every = READ_ONCE(kd->fault.drop_every);

	if (!every || atomic_inc_return(&kd->fault.frame) % every)
		return false;
	kd->fault.dropped++;
	return true;
}

static int hang_set(void *arg, u64 val)
{
	kdchip_core_hang(arg, val);
	return 0;
}

static int hang_get(void *arg, u64 *val)
{
	struct kdchip *kd = arg;

	*val = kd->core.hung;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(hang_fops, hang_get, hang_set, "%llu\n");

static int oops_set(void *arg, u64 val)
{
	if (val)
		*(volatile int *)NULL = val;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(oops_fops, NULL, oops_set, "%llu\n");

static int panic_set(void *arg, u64 val)
{
	if (val)
		panic("kdchip: asked for by debugfs");
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(panic_fops, NULL, panic_set, "%llu\n");

static int lockup_set(void *arg, u64 val)
{
	if (!val)
		return 0;
	local_irq_disable();
	for (;;)
		cpu_relax();
}
DEFINE_DEBUGFS_ATTRIBUTE(lockup_fops, NULL, lockup_set, "%llu\n");

void kdchip_fault_init(struct kdchip *kd, struct dentry *dir)
{
	struct kdchip_fault *f = &kd->fault;

	dir = debugfs_create_dir("fault", dir);
	debugfs_create_u32("fail_next_read", 0600, dir, &f->fail_next_read);
	debugfs_create_u32("fail_next_write", 0600, dir, &f->fail_next_write);
	debugfs_create_u32("fail_next_block", 0600, dir, &f->fail_next_block);
	debugfs_create_u32("drop_every", 0600, dir, &f->drop_every);
	debugfs_create_u32("dropped", 0400, dir, &f->dropped);
	debugfs_create_u32("delay_us", 0600, dir, &f->delay_us);
	debugfs_create_file_unsafe("hang", 0600, dir, kd, &hang_fops);
	debugfs_create_file_unsafe("oops", 0200, dir, kd, &oops_fops);
	debugfs_create_file_unsafe("panic", 0200, dir, kd, &panic_fops);
	debugfs_create_file_unsafe("lockup", 0200, dir, kd, &lockup_fops);
}
