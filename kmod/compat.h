/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only place with conditions on the kernel's version: 6.1 to 6.12.
 */
#ifndef KDCHIP_COMPAT_H
#define KDCHIP_COMPAT_H

#include <linux/version.h>
#include <linux/hrtimer.h>
#include <linux/netdevice.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kdchip needs Linux 6.1 or newer"
#endif

/* hrtimer_setup() appeared in 6.13, hrtimer_init() went in 6.15 */
static inline void kdchip_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*fn)(struct hrtimer *),
					enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = fn;
#else
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, mode);
#endif
}

/* what a bus matches devices against is const from 6.11 on */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
typedef struct device_driver kdchip_match_driver;
#else
typedef const struct device_driver kdchip_match_driver;
#endif

#endif
