/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device that goes and comes again with its driver: by whom it is brought up
 * and given its addresses (a network manager, a hotplug script) is the machine's
 * business; the agent waits for it.
 */
#ifndef KD_AGENT_LINK_H
#define KD_AGENT_LINK_H

#include "base/diag.h"

#include <stdint.h>

struct kd_link;

/**
 * kd_link_note() - addresses and state of a network device now
 * @ifname:	NULL: of none, for which nobody ever waits
 * Return: to be freed by kd_link_free(); NULL without memory, as none.
 */
struct kd_link *kd_link_note(const char *ifname);

/**
 * kd_link_wait() - until it is in that state and has all those addresses again
 * @why:	what made it go, for the error's words
 * @deadline_ns: on kd_now()'s clock
 * Return: 0 or -ETIMEDOUT
 */
int kd_link_wait(const struct kd_link *link, const char *why,
		 uint64_t deadline_ns, struct kd_diag *d);

void kd_link_free(struct kd_link *link);

#endif
