/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_TASKSCAN_H
#define KD_OBSERVERS_TASKSCAN_H

#include "observers/observer.h"
#include "observers/taskfile.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct kd_taskscan - the CPU counters of all tasks, kept up to date
 *
 * kd_taskscan_open() -> kd_taskscan_sample() at each tick ->
 * kd_taskscan_names() -> kd_taskscan_close(). Nothing is allocated in between;
 * files are opened for tasks not seen before.
 */
struct kd_taskscan;

/** struct kd_task_name - all tasks of one name, time in the window */
struct kd_task_name {
	char name[KD_TASK_NAME_SIZE];
	uint64_t used_ns;
};

/** kd_taskscan_open() - @period_ns: between two samples, over 0 */
int kd_taskscan_open(const struct kd_root *root, uint64_t period_ns,
		     struct kd_taskscan **out, struct kd_diag *d);
void kd_taskscan_close(struct kd_taskscan *s);

/** kd_taskscan_sample() - read the counters that are due; KD_OBS_BEGIN starts a
 * window */
void kd_taskscan_sample(struct kd_taskscan *s, enum kd_obs_when when);

/**
 * kd_taskscan_names() - what the window's tasks used, most first
 * @out: allocated, for the caller to free; names without any use are left out
 * Return: how many, or -ENOMEM.
 */
ssize_t kd_taskscan_names(const struct kd_taskscan *s,
			  struct kd_task_name **out);

/** kd_taskscan_dropped() - tasks that found no room in the tables; their time
 * is in no name */
uint64_t kd_taskscan_dropped(const struct kd_taskscan *s);

/** kd_taskscan_error() - 0, or why /proc could not be listed */
int kd_taskscan_error(const struct kd_taskscan *s);

#endif
