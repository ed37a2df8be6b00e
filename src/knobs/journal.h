/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_JOURNAL_H
#define KD_KNOBS_JOURNAL_H

#include "knobs/knob.h"

#include <stddef.h>

/**
 * struct kd_journal - what was changed, on the disk before it is changed
 *
 * One file per network namespace in a folder, by default /run/kdelta. It is
 * locked (flock) by whoever runs an experiment there, and by that one's
 * guardian. Knobs of the whole machine have a lock of their own, taken by
 * kd_journal_claim() or when the first of them is changed. Not for use by two threads at once.
 */
struct kd_journal;

/** kd_journal_report - words for what happened to one knob: "sysctl:... : back
 * to ...", one line */
typedef void kd_journal_report(void *arg, const char *words);

/**
 * kd_journal_dir() - append the default folder: /run/kdelta, or for others than
 * root $XDG_RUNTIME_DIR/kdelta, else /tmp/kdelta-UID
 */
int kd_journal_dir(struct kd_buf *out);

/**
 * kd_journal_open() - take the device
 * @dir:    folder, made where missing; NULL is kd_journal_dir()
 * @owner:  the experiment, for who comes second: "experiment \"x\", process 7"
 * @env:    for putting back what a dead owner left, which comes first
 * @report: told of each such knob; may be NULL
 *
 * Return: 0, or -EBUSY with the owner's words. A guardian at work is waited for.
 */
int kd_journal_open(const char *dir, const char *owner,
		    const struct kd_knob_env *env, kd_journal_report *report,
		    void *arg, struct kd_journal **out, struct kd_diag *d);

/**
 * kd_journal_claim() - take what a knob belongs to: the machine, for one that is
 * no network namespace's
 *
 * To be called before the guardian is started, which then holds the lock too
 * until it has put everything back; kd_journal_set() claims what was not.
 * Return: 0, or -EBUSY with the owner's words; an unknown knob is none of its
 * business.
 */
int kd_journal_claim(struct kd_journal *j, const struct kd_knob_env *env,
		     const char *knob, struct kd_diag *d);

/**
 * kd_journal_set() - kd_knob_apply(), with the old value on the disk first
 *
 * A value that did not take is put back at once.
 */
int kd_journal_set(struct kd_journal *j, const struct kd_knob_env *env,
		   const char *knob, const char *value, struct kd_buf *seen,
		   enum kd_knob_match *match, struct kd_diag *d);

/**
 * kd_journal_restore() - put everything back, in reverse order
 *
 * A knob that holds neither what was set nor what it was found with is left
 * and reported; so is one that cannot be read and has no way back.
 * Return: how many could not be put back though they should; these stay in the
 * journal.
 */
int kd_journal_restore(struct kd_journal *j, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg);

/** kd_journal_close() - give the device free, without restoring; a journal in
 * which nothing is left is removed */
void kd_journal_close(struct kd_journal *j);

/** kd_journal_fds() - its open files, at most three, into @fds; returns how many.
 * For the guardian, which closes all others. */
size_t kd_journal_fds(const struct kd_journal *j, int fds[3]);

/**
 * kd_journal_recover() - put back what dead owners left in @dir
 *
 * Also in other network namespaces, where somebody still holds them. Journals
 * in use are passed over, entries of another boot or of namespaces and devices
 * that are gone are dropped; each of it with words.
 * Return: how many knobs could not be put back, or -errno.
 */
int kd_journal_recover(const char *dir, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg,
		       struct kd_diag *d);

#endif
