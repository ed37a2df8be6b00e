/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_BOOTS_H
#define KD_RUN_BOOTS_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_session;
struct kd_slot;
struct kd_store_run;

/**
 * struct kd_boots - the devices that are under way, each for one run
 *
 * Several may run at once; the runs are collected, and stored, in the order of
 * the schedule.
 */
struct kd_boots;

int kd_boots_open(struct kd_session *s, struct kd_diag *d);

/** kd_boots_close() - end what is under way; harmless where there is none */
void kd_boots_close(struct kd_session *s);

/** kd_boots_expect() - start devices for the first of the @n @slots, as many as
 * may be at once; those that are under way stay */
void kd_boots_expect(struct kd_session *s, const struct kd_slot *slots,
		     size_t n);

/**
 * kd_boots_run() - one run, on the device that was started for it or on one that
 * is now
 * @run:     its attempt is read; figures, boot_id, environment are filled in
 * @refused: see struct kd_batch_answer
 * Return: as kd_batch_finish().
 */
int kd_boots_run(struct kd_session *s, const struct kd_slot *slot,
		 struct kd_store_run *run, bool *refused, struct kd_diag *d);

#endif
