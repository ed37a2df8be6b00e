/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an Armada XP that matter to idle: two cores, the fabric with the
 * L2 cache that they share, and what they take. One core is the CPU that runs
 * this kernel; the other is modelled.
 */
#ifndef ARMADA_XP_H
#define ARMADA_XP_H

#include <linux/types.h>

/* a core's states; those from WFI on are the driver's, by the same number */
enum armada_xp_state {
	ARMADA_XP_RUNNING = -1,
	ARMADA_XP_WFI,
	ARMADA_XP_CPU_DOWN,
	ARMADA_XP_FABRIC_DOWN,
	ARMADA_XP_STATES,
};

/**
 * armada_xp_sleep() - this core sleeps until an interrupt
 * @state:	how deep; the fabric goes down when both cores let it
 * Interrupts are off at call and return.
 */
void armada_xp_sleep(enum armada_xp_state state);

/* between the files of the module; all with bottom halves off */

/* the interrupt is served when this core has come back */
void armada_xp_awake(void);
/* the other core has work from now on; Return: ns until it can begin */
u64 armada_xp_other_wake(void);
/* the other core has none left */
void armada_xp_other_idle(void);
/* Return: a number from 0 to 2 * @mean - 1 */
u32 armada_xp_random(u32 mean);

struct device;
int armada_xp_link_init(struct device *parent);
void armada_xp_link_fini(void);

#endif
