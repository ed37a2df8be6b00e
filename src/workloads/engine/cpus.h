/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_CPUS_H
#define KD_WORKLOADS_ENGINE_CPUS_H

#include "base/diag.h"

/**
 * kd_cpus_nth() - the @nth CPU of a list such as "0,2-3", round and round
 * @list: NULL or empty means no pinning
 * Return: CPU number, -1 for no pinning, or -EINVAL.
 */
int kd_cpus_nth(const char *list, unsigned int nth);

/** kd_cpus_check() - is @list a CPU list; the words name @what */
int kd_cpus_check(const char *list, const char *what, struct kd_diag *d);

/** kd_cpus_pin() - pin the calling thread to @cpu; nothing for a negative */
int kd_cpus_pin(int cpu);

#endif
