/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_KNOBSET_H
#define KD_RUN_KNOBSET_H

#include "base/diag.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct kd_experiment;
struct kd_exp_knob;
struct kd_remote;

/**
 * struct kd_knobset_entry - one knob that any variant of an experiment sets
 * @knob:     as the first variant that sets it has it; borrowed
 * @original: value it was found with; NULL where it cannot be read
 * @current:  value as last set; NULL: as found
 */
struct kd_knobset_entry {
	const struct kd_exp_knob *knob;
	char *original;
	char *current;
};

/** struct kd_knobset - all of them, in the order of the file */
struct kd_knobset {
	struct kd_knobset_entry *entries;
	size_t n;
	bool rounded;
};

/**
 * kd_knobset_open() - read every knob's present value; nothing is changed
 * Return: 0; -ENOENT and the like for a knob that this device does not have.
 */
int kd_knobset_open(const struct kd_experiment *exp, struct kd_remote *device,
		    struct kd_knobset *set, struct kd_diag *d);

/** kd_knobset_apply() - make the device what @variant says: its knobs, and the
 * original values of the others */
int kd_knobset_apply(const struct kd_experiment *exp, size_t variant,
		     struct kd_remote *device, struct kd_knobset *set,
		     const volatile sig_atomic_t *stop, struct kd_diag *d);

/** kd_knobset_args() - the arguments of knob.get (@value NULL) or knob.set; a
 * new reference */
json_t *kd_knobset_args(const struct kd_exp_knob *knob, const char *value);

void kd_knobset_fini(struct kd_knobset *set);

#endif
