/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_RESTORE_H
#define KD_KNOBS_RESTORE_H

#include "knobs/journal.h"
#include "knobs/netns.h"

struct kd_history;

/**
 * kd_restore_fd() - undo the changes in a journal's open file, newest first
 * @fd: readable, and written with O_APPEND: each knob that is done with is noted
 *
 * Return: how many could not be put back though they should, or -errno where
 * the file could not be read.
 */
int kd_restore_fd(int fd, const struct kd_knob_env *env,
		  kd_journal_report *report, void *arg);

/** kd_restore_boot_id() - of the running kernel; "" where there is none */
void kd_restore_boot_id(const struct kd_root *root, char out[64]);

/** kd_restore_netns() - the calling thread's namespace; all 0 where @root is not
 * this machine */
void kd_restore_netns(const struct kd_root *root, struct kd_netns_id *id);

#endif
