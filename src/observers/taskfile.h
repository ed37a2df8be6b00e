/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_TASKFILE_H
#define KD_OBSERVERS_TASKFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KD_TASK_NAME_SIZE 64

/**
 * enum kd_taskfile - a file below /proc/PID/task/TID that counts CPU time
 * @KD_TASKFILE_SCHEDSTAT: "41091 0 1": run ns, wait ns, slices
 * @KD_TASKFILE_STAT:      fields 14 and 15, user and system USER_HZ ticks
 */
enum kd_taskfile {
	KD_TASKFILE_SCHEDSTAT,
	KD_TASKFILE_STAT,
};

/** kd_taskfile_open() - descriptor, or -errno; @proc_fd: of /proc */
int kd_taskfile_open(int proc_fd, int pid, int tid, enum kd_taskfile file);

/**
 * kd_taskfile_counter() - what the task has used so far
 * @out: ns or ticks, by @file
 * Return: 0; -ESRCH where the task is gone; -EINVAL where it is no counter.
 */
int kd_taskfile_counter(int fd, enum kd_taskfile file, uint64_t *out);

/**
 * kd_taskfile_name() - the task's name now; @out is left alone where it is gone
 * @out: KD_TASK_NAME_SIZE bytes
 *
 * A worker's name tells its pool and what it last did, "kworker/u4:2-events";
 * "kworker/u4" is what stays from run to run.
 */
void kd_taskfile_name(int proc_fd, int pid, int tid, char *out);

/** kd_taskfile_read() - a file of /proc that comes whole in one call, from its
 * start; bytes, or -errno */
ssize_t kd_taskfile_read(int fd, char *out, size_t size);

#endif
