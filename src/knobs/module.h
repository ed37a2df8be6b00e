/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_MODULE_H
#define KD_KNOBS_MODULE_H

#include "knobs/knob.h"

/* the value of a module: "none", "loaded [P=V...]" or "/path.ko [P=V...]" */
bool kd_module_is_value(const char *value);

/** kd_module_check() - is @name a name of a module, without a path */
int kd_module_check(const char *name, struct kd_diag *d);

/** kd_module_get() - "none", or "loaded" with the parameters that it shows */
int kd_module_get(const struct kd_root *root, const char *name,
		  struct kd_buf *out, struct kd_diag *d);

/**
 * kd_module_set() - take it out where it is in, then put it in as told
 *
 * One that is in is taken out only where modprobe(8) would find it again, so
 * that what was found can be put back.
 */
int kd_module_set(const struct kd_root *root, const char *name,
		  const char *value, struct kd_diag *d);

/** kd_module_match() - in or out as wanted, and the wanted parameters among
 * those seen; what it does not show cannot be compared */
enum kd_knob_match kd_module_match(const char *wanted, const char *seen);

#endif
