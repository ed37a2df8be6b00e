// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cores, their fabric and their power.
 *
 * The other core is a timer. It wakes for work of its own and for what this
 * core gives it (armada-xp-link.c), and chooses its states by the table of the
 * driver that is loaded. A core that comes back from power down takes the
 * fabric for a while, to make its caches coherent again: the other one stalls.
 */
#include <linux/cpuidle.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>

#include "armada-xp.h"
#include "compat.h"
#include "kdchip.h"

/* this core has not slept for so long: it does nothing but work */
#define BUSY_NS NSEC_PER_MSEC

static unsigned int seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "of the model's random numbers");

/* the hardware; docs/board.md says what each was calibrated on */
static unsigned int exit_ns[ARMADA_XP_STATES] = { 1000, 100000, 1000000 };
module_param_array(exit_ns, uint, NULL, 0644);
MODULE_PARM_DESC(exit_ns, "what coming back from each state really takes");

static unsigned int stall_ns[ARMADA_XP_STATES] = { 0, 70000, 70000 };
module_param_array(stall_ns, uint, NULL, 0644);
MODULE_PARM_DESC(stall_ns, "how long a core that comes back keeps the fabric");

static unsigned int own_ns = 7750000;
module_param(own_ns, uint, 0644);
MODULE_PARM_DESC(own_ns, "mean time between the other core's own wakes");

static unsigned int own_busy_ns = 250000;
module_param(own_busy_ns, uint, 0644);
MODULE_PARM_DESC(own_busy_ns, "the same while this core does nothing but work");

static unsigned int board_uw = 1760000;
module_param(board_uw, uint, 0644);
static unsigned int fabric_uw = 2500000;
module_param(fabric_uw, uint, 0644);
static unsigned int wfi_uw = 250000;
module_param(wfi_uw, uint, 0644);
static unsigned int running_uw = 3800000;
module_param(running_uw, uint, 0644);
static unsigned int refill_uw = 2000000;
module_param(refill_uw, uint, 0644);
MODULE_PARM_DESC(refill_uw, "of cache and memory while a core comes back");

enum { THIS, OTHER, CORES };

static struct {
	enum armada_xp_state state[CORES];
	/* what this core has to come back from, and since when it is back */
	enum armada_xp_state depth;
	u64 back_ns;
	/* the other core's */
	struct hrtimer own;
	u64 idle_ns;
	u64 typical_ns;
	bool refills;
	struct rnd_state rnd;
	struct kdchip_meter *meter;
	struct platform_device *pdev;
} soc;

u32 armada_xp_random(u32 mean)
{
	return reciprocal_scale(prandom_u32_state(&soc.rnd), 2 * mean);
}

static u64 core_uw(enum armada_xp_state state)
{
	return state == ARMADA_XP_RUNNING ? running_uw :
	       state == ARMADA_XP_WFI ? wfi_uw : 0;
}

static void measure(void)
{
	u64 uw = board_uw + core_uw(soc.state[THIS]) + core_uw(soc.state[OTHER]);

	if (soc.state[THIS] != ARMADA_XP_FABRIC_DOWN ||
	    soc.state[OTHER] != ARMADA_XP_FABRIC_DOWN)
		uw += fabric_uw;
	if (soc.refills)
		uw += refill_uw;
	kdchip_meter_set(soc.meter, uw);
}

/* ndelay() reads the clock all the time, which is dear to emulate */
static void spin(u64 ns)
{
	u64 end = ktime_get_ns() + ns;

	while (ktime_get_ns() < end)
		for (int i = 0; i < 200; i++)
			barrier();
}

static void refill(u64 ns)
{
	if (!ns)
		return;
	soc.refills = true;
	measure();
	spin(ns);
	soc.refills = false;
}

void armada_xp_awake(void)
{
	if (soc.state[THIS] == ARMADA_XP_RUNNING)
		return;
	soc.state[THIS] = ARMADA_XP_WFI;
	refill(exit_ns[soc.depth]);
	soc.state[THIS] = ARMADA_XP_RUNNING;
	soc.back_ns = ktime_get_ns();
	measure();
}

void armada_xp_sleep(enum armada_xp_state state)
{
	soc.state[THIS] = state;
	soc.depth = min(state, max(soc.state[OTHER], ARMADA_XP_CPU_DOWN));
	measure();
	raw_safe_halt();
	raw_local_irq_disable();
	armada_xp_awake();
}
EXPORT_SYMBOL_GPL(armada_xp_sleep);

static enum armada_xp_state choose(u64 ns)
{
	const struct cpuidle_driver *drv = cpuidle_get_driver();
	int state = 0;

	while (drv && state + 1 < drv->state_count &&
	       drv->states[state + 1].target_residency_ns <= ns &&
	       drv->states[state + 1].exit_latency_ns <= ns)
		state++;
	return state;
}

void armada_xp_other_idle(void)
{
	u64 now = ktime_get_ns();
	u64 own = ktime_to_ns(hrtimer_get_expires(&soc.own));

	/* it knows its own timer, and takes the rest to be as the last time */
	own = own > now ? own - now : 0;
	soc.idle_ns = now;
	soc.state[OTHER] = choose(min(own, soc.typical_ns));
	measure();
}

/* Return: ns until it can work */
static u64 other_back(void)
{
	enum armada_xp_state depth = soc.state[OTHER];
	u64 stall = 0;

	if (depth == ARMADA_XP_RUNNING)
		return 0;
	soc.state[OTHER] = ARMADA_XP_WFI;
	if (soc.state[THIS] == ARMADA_XP_RUNNING) {
		/* which kept the fabric up */
		depth = min(depth, ARMADA_XP_CPU_DOWN);
		stall = stall_ns[depth];
		refill(stall);
	}
	soc.state[OTHER] = ARMADA_XP_RUNNING;
	measure();
	return exit_ns[depth] > stall ? exit_ns[depth] - stall : 0;
}

u64 armada_xp_other_wake(void)
{
	soc.typical_ns = ktime_get_ns() - soc.idle_ns;
	return other_back();
}

static enum hrtimer_restart own_work(struct hrtimer *timer)
{
	u64 now = ktime_get_ns();
	bool busy = soc.state[THIS] == ARMADA_XP_RUNNING &&
		    now - soc.back_ns > BUSY_NS;
	bool idle = soc.state[OTHER] != ARMADA_XP_RUNNING;

	if (idle)
		other_back();
	hrtimer_forward_now(timer, 1 + armada_xp_random(busy ? own_busy_ns :
							       own_ns));
	if (idle) {
		soc.typical_ns = U64_MAX;
		armada_xp_other_idle();
	}
	armada_xp_awake();
	return HRTIMER_RESTART;
}

static int __init armada_xp_init(void)
{
	int r;

	if (num_possible_cpus() > 1) {
		pr_err("armada-xp: the second core is modelled; this needs a machine with one\n");
		return -ENODEV;
	}
	prandom_seed_state(&soc.rnd, 0x61726d61ULL + seed);
	soc.state[THIS] = ARMADA_XP_RUNNING;
	soc.typical_ns = U64_MAX;
	soc.pdev = platform_device_register_simple("armada-xp",
						   PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(soc.pdev))
		return PTR_ERR(soc.pdev);
	soc.meter = kdchip_meter_register(&soc.pdev->dev, "armada_xp", board_uw);
	if (IS_ERR(soc.meter)) {
		r = PTR_ERR(soc.meter);
		goto unregister;
	}
	r = armada_xp_link_init(&soc.pdev->dev);
	if (r)
		goto meter;
	kdchip_hrtimer_setup(&soc.own, own_work, HRTIMER_MODE_REL_SOFT);
	hrtimer_start(&soc.own, own_ns, HRTIMER_MODE_REL_SOFT);
	local_bh_disable();
	armada_xp_other_idle();
	local_bh_enable();
	return 0;

meter:
	kdchip_meter_unregister(soc.meter);
unregister:
	platform_device_unregister(soc.pdev);
	return r;
}
module_init(armada_xp_init);

static void __exit armada_xp_exit(void)
{
	armada_xp_link_fini();
	hrtimer_cancel(&soc.own);
	kdchip_meter_unregister(soc.meter);
	platform_device_unregister(soc.pdev);
}
module_exit(armada_xp_exit);

MODULE_DESCRIPTION("Two cores that share a fabric, one of them modelled");
MODULE_LICENSE("GPL");
