/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TESTS_WORKLOADS_PAIR_H
#define KD_TESTS_WORKLOADS_PAIR_H

#include "base/diag.h"
#include "base/sink.h"
#include "workloads/workload.h"

#include <pthread.h>

#define PAIR_METRICS 512

struct pair_metric {
	char name[48];
	char instance[16];
	double value;
};

/* what one end handed to its sink */
struct pair_sink {
	struct kd_sink sink;
	struct pair_metric metrics[PAIR_METRICS];
	unsigned int count;
	unsigned int series_points;
	double series_integral;	/* sum of rate times length in s */
	uint64_t series_end_ns;
	uint64_t hist_count;
	char event[4096];
	char event_kind[16];
	unsigned int event_flags;
	unsigned int events;
};

/* one end of a run, as the agent calls it */
struct pair_end {
	const struct kd_work_ops *ops;
	struct kd_work_env env;
	void *opts;
	void *priv;
	struct kd_diag diag;
	int result;		/* of prepare to end; 0 is good */
	int cancelled;
	/* traffic goes on after the window until the other's is over too, but
	 * for an end that is @alone */
	bool alone;
	uint64_t delay_ns;	/* before the start */
	uint64_t cooldown_ns;	/* of an end that is @alone */
	const struct pair_end *other;
	int over;		/* its window has closed */
	int counted;		/* a test's own: it is stopped and was looked at */
	uint64_t t0_ns, t1_ns;
	struct pair_sink sink;
	/* called right before the window opens and right after it closed */
	void (*window)(struct pair_end *e, bool opens);
	/* called after stop, before fini */
	void (*stopped)(struct pair_end *e, void *arg);
	void *stopped_arg;
	pthread_t thread;
	bool prepared;
};

struct pair {
	struct pair_end device;
	struct pair_end peer;
};

/**
 * pair_init() - both ends of @workload with the same @options on loopback
 * @addr: "127.0.0.1" or "::1"
 *
 * A window of @length_ns; the caller may change the ends before pair_run().
 */
void pair_init(struct pair *p, const char *workload, const char *options,
	       const char *addr, uint64_t length_ns);

/** pair_prepare() - peer, then device; the result of the first that failed */
int pair_prepare(struct pair *p);

/** pair_go() - run both to their end and collect the results */
void pair_go(struct pair *p);

/** pair_run() - prepare, go */
int pair_run(struct pair *p);

void pair_fini(struct pair *p);

/** pair_end_prepare(), pair_end_run() - one end alone, in this thread */
int pair_end_prepare(struct pair_end *e);
int pair_end_run(struct pair_end *e);

/** pair_value() - a metric, or -1 where it was not reported */
double pair_value(const struct pair_end *e, const char *name);

/** pair_port() - a port that was free a moment ago */
uint16_t pair_port(void);

#endif
