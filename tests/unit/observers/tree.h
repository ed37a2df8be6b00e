/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TESTS_OBSERVERS_TREE_H
#define KD_TESTS_OBSERVERS_TREE_H

#include "base/sink.h"
#include "observers/observer.h"

#include <stddef.h>

/**
 * struct tree - a made-up /proc and /sys in a directory of its own
 */
struct tree {
	char path[64];
	struct kd_root *root;
};

void tree_init(struct tree *t);
void tree_fini(struct tree *t);

/** tree_write() - a file and the directories above it; written anew in place,
 * so that descriptors of it stay good */
void tree_write(const struct tree *t, const char *path, const char *text);

/** tree_put() - tree_write() of @size bytes */
void tree_put(const struct tree *t, const char *path, const void *data,
	      size_t size);

/** tree_copy() - tree_put() each file below directory @from */
void tree_copy(const struct tree *t, const char *from);

void tree_append(const struct tree *t, const char *path, const char *text);

struct got_metric {
	char name[96];	/* with its [instance] */
	double value;
};

struct got_event {
	char kind[16];
	unsigned int flags;
	uint64_t t_ns;
	char text[256];
};

/**
 * struct got - all that an observer handed over
 */
struct got {
	struct kd_sink sink;
	struct got_metric metrics[256];
	size_t n_metrics;
	struct got_event events[64];
	size_t n_events;
};

void got_init(struct got *g);

/** got_value() - a metric by name[instance]; NAN where there is none */
double got_value(const struct got *g, const char *name);

/**
 * struct rig - one observer under test
 */
struct rig {
	const struct kd_obs_ops *ops;
	void *priv, *opts;
	struct kd_obs_env env;
	struct kd_diag diag;
	struct got got;
};

/** rig_start() - the observer's probe and start; 0 or their error */
int rig_start(struct rig *r, const char *name, const char *options,
	      const struct kd_obs_env *env);

/** rig_start_ops() - the same for an observer that is in no table */
int rig_start_ops(struct rig *r, const struct kd_obs_ops *ops,
		  const char *options, const struct kd_obs_env *env);

/** rig_result() - fill r->got */
void rig_result(struct rig *r);

/** rig_stop() - @started: rig_start() returned 0 */
void rig_stop(struct rig *r, bool started);

#endif
