/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_APPLY_H
#define KD_KNOBS_APPLY_H

#include "knobs/knob.h"

/**
 * kd_knob_change() - kd_knob_apply() for who has read the old value already
 * @old: NULL: the knob cannot be read
 */
int kd_knob_change(const struct kd_knob_env *env,
		   const struct kd_knob_ops *ops, const char *name,
		   const char *old, const char *value, struct kd_buf *seen,
		   enum kd_knob_match *match, struct kd_diag *d);

#endif
