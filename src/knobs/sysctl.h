/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_SYSCTL_H
#define KD_KNOBS_SYSCTL_H

#include "base/diag.h"

#include <stddef.h>

struct kd_knob_env;
struct kd_root;

/** kd_sysctl_path() - /proc/sys/... of a name; -EINVAL where it is none */
int kd_sysctl_path(const char *name, char *out, size_t size,
		   struct kd_diag *d);

/** kd_sysctl_name() - the name of /proc/sys/..., the other way */
void kd_sysctl_name(const char *path, char *out, size_t size);

/**
 * kd_sysctl_flags_here() - KD_KNOB_NETNS of a path
 *
 * To be called in a network namespace that was created just now: what is there
 * and can be written is a namespace's own.
 */
unsigned int kd_sysctl_flags_here(const struct kd_root *root,
				  const char *path);

/** kd_sysctl_list() - the @list of struct kd_knob_ops */
int kd_sysctl_list(const struct kd_knob_env *env, const char *pattern,
		   void (*found)(void *arg, const char *name,
				 const char *value, unsigned int flags),
		   void *arg, struct kd_diag *d);

#endif
