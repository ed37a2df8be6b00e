/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_SAMPLER_H
#define KD_OBSERVERS_SAMPLER_H

#include "base/diag.h"
#include "base/sink.h"

#include <stdint.h>

struct kd_obs_env;

/**
 * struct kd_sampler - all observers of a run on one clock and one thread
 *
 * kd_sampler_new() -> kd_sampler_add()... -> kd_sampler_begin() at the window's
 * start -> kd_sampler_end() at its end -> kd_sampler_result() ->
 * kd_sampler_free(). begin() takes the first sample of every observer on the
 * caller's thread, then a thread of the sampler's own ticks every @period_ns;
 * end() stops it and takes the last sample. The sampler measures its own CPU
 * time (CLOCK_THREAD_CPUTIME_ID) and reports it as metric "sampler.cpu" in %
 * of one core, "sampler.late" (ticks missed).
 */
struct kd_sampler;

int kd_sampler_new(const struct kd_obs_env *env, struct kd_sampler **out,
		   struct kd_diag *d);

/**
 * kd_sampler_add() - add observer @name
 * @options: "key=value,key=value" or ""
 * Return: 0; the error of its probe, which the caller may take as a reason to
 * go on without it; -ENOENT for an unknown name; -EINVAL for its options.
 */
int kd_sampler_add(struct kd_sampler *s, const char *name, const char *options,
		   struct kd_diag *d);

int kd_sampler_begin(struct kd_sampler *s, uint64_t *t0_ns, struct kd_diag *d);
int kd_sampler_end(struct kd_sampler *s, uint64_t *t1_ns, struct kd_diag *d);
void kd_sampler_result(struct kd_sampler *s, struct kd_sink *sink);
void kd_sampler_free(struct kd_sampler *s);

#endif
