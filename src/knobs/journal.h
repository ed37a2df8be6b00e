/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_JOURNAL_H
#define KD_KNOBS_JOURNAL_H

#include "base/diag.h"

#include <stdbool.h>

struct kd_buf;
struct kd_knob_env;
enum kd_knob_match;

/**
 * struct kd_journal - what was changed, on the disk before it is changed
 *
 * One file per network namespace in a folder (/run/kdelta): a line per change
 * with a CRC, fsynced before the knob is written, and a lock held by whoever
 * runs an experiment there. Knobs go back in reverse order.
 */
struct kd_journal;

/** words for what happened to one knob */
typedef void kd_journal_report(void *arg, const char *words);

/**
 * kd_journal_open() - take the device
 * @owner: "experiment \"x\", process 7", told to who comes second
 * Return: 0; -EBUSY with the owner's words. What an earlier owner left is put
 * back and told to @report first.
 */
int kd_journal_open(const char *dir, const char *owner,
		    const struct kd_knob_env *env, kd_journal_report *report,
		    void *arg, struct kd_journal **out, struct kd_diag *d);

/** kd_journal_set() - kd_knob_apply(), with the old value on the disk first */
int kd_journal_set(struct kd_journal *j, const struct kd_knob_env *env,
		   const char *knob, const char *value, struct kd_buf *seen,
		   enum kd_knob_match *match, struct kd_diag *d);

/**
 * kd_journal_restore() - put everything back, in reverse order
 *
 * A knob that holds neither what was set nor what it was found with is left
 * and reported. Return: how many could not be put back.
 */
int kd_journal_restore(struct kd_journal *j, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg);

/** kd_journal_close() - give the device free; an empty journal goes */
void kd_journal_close(struct kd_journal *j);

/**
 * kd_journal_recover() - put back what any dead owner left in @dir
 * Return: how many knobs were left changed, or -errno. Journals in use, of
 * another boot or of namespaces that are gone are passed over or dropped.
 */
int kd_journal_recover(const char *dir, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg, struct kd_diag *d);

#endif
