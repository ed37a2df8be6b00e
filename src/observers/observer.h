/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_OBSERVER_H
#define KD_OBSERVERS_OBSERVER_H

#include "base/diag.h"
#include "base/sink.h"

#include <stddef.h>
#include <stdint.h>

struct kd_opt;
struct kd_root;

/**
 * struct kd_obs_env - what an observer may look at
 * @root:      where /proc and /sys are read
 * @ifname:    the device's interface of the experiment; NULL where unknown
 * @sockets:   append up to @max descriptors of the workload's data sockets to
 *             @fds, return how many; NULL where the workload has none. Valid
 *             between the workload's start and its stop; lock-free.
 * @sockets_arg: its first argument
 * @period_ns: between samples
 * @max_samples: ticks that the run can last at most (for ring sizes)
 */
struct kd_obs_env {
	const struct kd_root *root;
	const char *ifname;
	size_t (*sockets)(void *arg, int *fds, size_t max);
	void *sockets_arg;
	uint64_t period_ns;
	size_t max_samples;
};

enum kd_obs_when {
	KD_OBS_BEGIN,	/* first sample: the window's start */
	KD_OBS_TICK,	/* in the window */
	KD_OBS_END,	/* last sample: the window's end */
};

/**
 * struct kd_obs_ops - one observer
 * @name:      in experiment files and on the command line
 * @summary:   one line for help
 * @opts:      its options, or NULL; @opts_size is the size of their structure
 * @priv_size: its state, allocated and zeroed by the caller
 * @metrics:   all that it can report; ends with a NULL name
 * @probe:     can it work here: 0, or -ENODEV, -EACCES, -EOPNOTSUPP with the
 *             reason in words
 * @start:     open and allocate all that @sample needs
 * @sample:    read counters at @now_ns; no allocation, no fork, no open, no
 *             printing; a failed read is kept and told by @result
 * @result:    hand the window's figures to @sink; called after KD_OBS_END
 * @stop:      close and free; called after any successful @start
 *
 * No file-scope state: two instances of one observer must work side by side.
 */
struct kd_obs_ops {
	const char *name;
	const char *summary;
	const struct kd_opt *opts;
	size_t opts_size;
	size_t priv_size;
	const struct kd_metric_desc *metrics;
	int (*probe)(const struct kd_obs_env *env, const void *opts,
		     struct kd_diag *d);
	int (*start)(void *priv, const struct kd_obs_env *env, const void *opts,
		     struct kd_diag *d);
	void (*sample)(void *priv, enum kd_obs_when when, uint64_t now_ns);
	void (*result)(void *priv, struct kd_sink *sink);
	void (*stop)(void *priv);
};

/** kd_obs_table - all observers, in the order of the list in meson.build;
 * ends with NULL */
extern const struct kd_obs_ops *const kd_obs_table[];

/** kd_obs_find() - by name, or NULL */
const struct kd_obs_ops *kd_obs_find(const char *name);

#endif
