/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_SINK_H
#define KD_BASE_SINK_H

#include <stddef.h>
#include <stdint.h>

enum kd_better {
	KD_BETTER_NONE,		/* says something, but has no good side */
	KD_BETTER_HIGHER,
	KD_BETTER_LOWER,
};

/** kd_better_name() - "none", "higher", "lower" */
const char *kd_better_name(enum kd_better better);

/** kd_better_parse() - the other way; KD_BETTER_NONE for anything else */
enum kd_better kd_better_parse(const char *name);

/**
 * struct kd_metric_desc - what an observer or workload can measure
 * @name:   dotted, lower case: "cpu.busy"; one that exists per core, line or
 *          device is reported as name[instance]: "cpu.busy[1]"
 * @unit:   "Mbit/s", "%", "us", "1/s", "W", "J", "MiB/s", "" for a count
 * @better: which way is good
 * @help:   one line
 */
struct kd_metric_desc {
	const char *name;
	const char *unit;
	enum kd_better better;
	const char *help;
};

/**
 * struct kd_sink - where results go, at the end of a run
 * @metric:  one figure of the run; @instance is NULL or the core, line, task
 * @series:  @n pairs of time (ns since the window's start) and value
 * @hist:    @n buckets with value (upper edge, in @unit) and count
 * @event:   something that happened: kind ("oops", "warn", "note"), time since
 *           the window's start, text; KD_EVENT_FAIL makes the run a failed one
 *
 * All arguments are borrowed for the call.
 */
struct kd_sink {
	void (*metric)(struct kd_sink *s, const struct kd_metric_desc *m,
		       const char *instance, double value);
	void (*series)(struct kd_sink *s, const struct kd_metric_desc *m,
		       const char *instance, const uint64_t *t_ns,
		       const double *values, size_t n);
	void (*hist)(struct kd_sink *s, const struct kd_metric_desc *m,
		     const char *instance, const double *upper,
		     const uint64_t *counts, size_t n);
	void (*event)(struct kd_sink *s, const char *kind, unsigned int flags,
		      uint64_t t_ns, const char *text);
};

#define KD_EVENT_FAIL 1u

#endif
