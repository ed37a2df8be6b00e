/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_REPORTS_ENERGY_H
#define KD_REPORTS_ENERGY_H

#include "stats/bootstrap.h"

struct kd_analysis;
struct kd_dataset;

/**
 * struct kd_rep_energy - what a gigabyte costs under one variant
 * @n:   runs with both figures
 * @gb:  joules of all runs over gigabytes (10^9) of all runs: @gb.est, with a
 *       bootstrap interval at 1 - alpha from 20 runs on, else @gb.lo and
 *       @gb.hi are NAN
 */
struct kd_rep_energy {
	size_t variant;
	size_t n;
	struct kd_boot gb;
};

/** kd_rep_has_energy() - were energy and payload measured in this workload */
bool kd_rep_has_energy(const struct kd_dataset *ds, const char *workload);

/**
 * kd_rep_energy() - J/GB of a workload's variant
 * Return: 0; -ENODATA without runs that have both; -ENOMEM.
 */
int kd_rep_energy(const struct kd_dataset *ds, const struct kd_analysis *a,
		  const char *workload, size_t variant,
		  struct kd_rep_energy *out);

/** kd_rep_energy_words() - call @say with a sentence per workload that has it:
 * "J/GB in tx: sleep 1.23 [1.20..1.26], no-sleep 0.98 [..]" */
int kd_rep_energy_words(const struct kd_dataset *ds,
			const struct kd_analysis *a,
			void (*say)(void *arg, const char *sentence),
			void *arg);

#endif
