/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_JOURNAL_FILE_H
#define KD_KNOBS_JOURNAL_FILE_H

#include "knobs/journal.h"

struct kd_record;

/**
 * struct kd_journal_file - one locked file in the journals' folder
 * @fd: -1 where there is none; its lock is shared with children
 */
struct kd_journal_file {
	int fd;
	char name[40];
};

/** kd_journal_file_dir() - open the folder, NULL for the default; refuses one
 * that others may write to: commands in a journal are run. -ENOENT without
 * words where it is not there and not @create. */
int kd_journal_file_dir(const char *dir, bool create, int *fd,
			struct kd_diag *d);

/**
 * kd_journal_file_open() - open and lock
 * @wait: for an owner that has died, whose guardian is still at work
 * Return: 0, or -EBUSY with the owner's words.
 */
int kd_journal_file_open(int dir, const char *name, bool create, bool wait,
			 struct kd_journal_file *f, struct kd_diag *d);

/** kd_journal_file_add() - append one record; on the disk when it returns */
int kd_journal_file_add(struct kd_journal_file *f, const struct kd_record *r,
			struct kd_diag *d);

int kd_journal_file_empty(struct kd_journal_file *f, struct kd_diag *d);

/** kd_journal_file_close() - unlock; removed where nothing is left to undo */
void kd_journal_file_close(struct kd_journal_file *f, int dir);

/**
 * kd_journal_file_recover() - restore every file that nobody has locked
 * @busy: told of those in use, once a dead owner's guardian was waited for; NULL:
 *        they are passed over at once
 * Return: how many knobs could not be put back.
 */
int kd_journal_file_recover(int dir, const struct kd_knob_env *env,
			    kd_journal_report *busy, kd_journal_report *report,
			    void *arg);

#endif
