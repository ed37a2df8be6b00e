// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpuidle driver of the Armada XP. What a state costs is the hardware's; what
 * the governor is told of it is given at load, as the latency and residency of
 * each state in us.
 */
#include <linux/cpuidle.h>
#include <linux/module.h>

#include "armada-xp.h"

static unsigned int exit_latency[ARMADA_XP_STATES] = { 1, 10, 100 };
module_param_array(exit_latency, uint, NULL, 0444);
MODULE_PARM_DESC(exit_latency, "us, of each state");

static unsigned int target_residency[ARMADA_XP_STATES] = { 1, 100, 1000 };
module_param_array(target_residency, uint, NULL, 0444);
MODULE_PARM_DESC(target_residency, "us, of each state");

static __cpuidle int armada_xp_enter(struct cpuidle_device *dev,
				     struct cpuidle_driver *drv, int index)
{
	armada_xp_sleep(index);
	return index;
}

/* no .owner: a registered device would hold the module for good */
static struct cpuidle_driver driver = {
	.name = "armada_xp_idle",
	.states = {
		[ARMADA_XP_WFI] = {
			.name = "WFI",
			.desc = "Wait for interrupt",
			.enter = armada_xp_enter,
		},
		[ARMADA_XP_CPU_DOWN] = {
			.name = "MV CPU IDLE",
			.desc = "CPU power down",
			.enter = armada_xp_enter,
		},
		[ARMADA_XP_FABRIC_DOWN] = {
			.name = "MV CPU DEEP",
			.desc = "CPU and L2 fabric power down",
			.enter = armada_xp_enter,
		},
	},
	.state_count = ARMADA_XP_STATES,
};

static int __init armada_xp_cpuidle_init(void)
{
	for (int i = 0; i < ARMADA_XP_STATES; i++) {
		if (i && (exit_latency[i] < exit_latency[i - 1] ||
			  target_residency[i] < target_residency[i - 1])) {
			pr_err("armada-xp-cpuidle: state %d is shallower than the one before\n",
			       i);
			return -EINVAL;
		}
		driver.states[i].exit_latency = exit_latency[i];
		driver.states[i].target_residency = target_residency[i];
	}
	return cpuidle_register(&driver, NULL);
}
module_init(armada_xp_cpuidle_init);

static void __exit armada_xp_cpuidle_exit(void)
{
	cpuidle_unregister(&driver);
}
module_exit(armada_xp_cpuidle_exit);

MODULE_DESCRIPTION("Armada XP idle states");
MODULE_LICENSE("GPL");
