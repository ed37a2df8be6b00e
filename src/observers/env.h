/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_ENV_H
#define KD_OBSERVERS_ENV_H

struct kd_diag;
struct kd_root;

/**
 * kd_env_collect() - what a machine is set to: kernel, command line, governor,
 * modules and their parameters, network sysctls
 * @emit: called with each key and value, borrowed
 *
 * Only what stays until somebody changes it: no load, no temperature.
 */
int kd_env_collect(const struct kd_root *root,
		   void (*emit)(void *arg, const char *key, const char *value),
		   void *arg, struct kd_diag *d);

#endif
