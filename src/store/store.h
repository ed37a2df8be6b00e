/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STORE_STORE_H
#define KD_STORE_STORE_H

#include "base/diag.h"
#include "base/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_dataset;
struct kd_plan_stats;
struct kd_store;

/**
 * struct kd_store_variant - one variant of an experiment
 * @name:   unique inside the experiment
 * @knobs:  JSON text: what is set, with the values as text; may be NULL
 * @levels: for sweeps: one value per factor, as text; NULL otherwise
 */
struct kd_store_variant {
	char *name;
	char *knobs;
	char **levels;
};

/**
 * struct kd_store_workload - one workload of an experiment
 * @name:    unique inside the experiment; "" for logs that have none
 * @kind:    "tcp", "io", ...; "import" for logs
 * @options: as kd_opt_format() writes them; may be NULL
 * @primary: names of the metrics that the plan's tests are about, joined by
 *           ','; with "name" each name[instance] of it is meant too; may be NULL
 */
struct kd_store_workload {
	char *name;
	char *kind;
	char *options;
	char *primary;
};

/**
 * struct kd_store_exp - one experiment
 * @id:        given by kd_store_begin()
 * @file_name, @file_text, @digest: of the experiment file; may be NULL
 * @seed:      of order and permutation draws
 * @baseline:  index of a variant
 * @created_wall_ns: CLOCK_REALTIME
 * @version:   of the kdelta that made it
 * @plan:      JSON object. Read here: "alpha", "power" (fractions),
 *             "min_effect" (a fraction), "rounds", "max_rounds", "until"
 *             ("decided"), "unit" ("run", "boot"); all else is kept and shown
 * @device, @peer: what they are: JSON or plain text; may be NULL
 * @factors:   @n_factors names, for sweeps
 *
 * All strings belong to the structure where it was loaded; for
 * kd_store_begin() they are borrowed.
 */
struct kd_store_exp {
	int64_t id;
	char *name;
	char *file_name;
	char *file_text;
	char *digest;
	uint64_t seed;
	int baseline;
	uint64_t created_wall_ns;
	char *version;
	char *plan;
	char *device;
	char *peer;
	struct kd_store_variant *variants;
	size_t n_variants;
	struct kd_store_workload *workloads;
	size_t n_workloads;
	char **factors;
	size_t n_factors;
};

enum kd_run_status {
	KD_RUN_OK,
	KD_RUN_FAILED,
	KD_RUN_INTERRUPTED,
	KD_RUN_SUPERSEDED,	/* its round was repeated whole */
	KD_RUN_STATUS_COUNT,
};

/** kd_run_status_name() - "ok", "failed", "interrupted", "superseded" */
const char *kd_run_status_name(enum kd_run_status status);

/* which end a figure is from; one of the peer gets "peer." before its name */
enum kd_run_from {
	KD_FROM_DEVICE,		/* and what was derived from both ends */
	KD_FROM_PEER,
};

struct kd_run_metric {
	char *name;
	char *instance;		/* NULL or the core, line, task */
	char *unit;
	enum kd_better better;
	enum kd_run_from from;
	double value;		/* a NAN is not stored */
};

struct kd_run_series {
	char *name;
	char *instance;
	char *unit;
	enum kd_better better;
	enum kd_run_from from;
	uint64_t *t_ns;		/* since the window's start */
	double *values;
	size_t n;
};

struct kd_run_hist {
	char *name;
	char *instance;
	char *unit;
	enum kd_better better;
	enum kd_run_from from;
	double *upper;
	uint64_t *counts;
	size_t n;
};

struct kd_run_event {
	char *kind;
	unsigned int flags;	/* KD_EVENT_FAIL */
	enum kd_run_from from;
	uint64_t t_ns;
	char *text;
};

/**
 * struct kd_store_run - one run
 * @id:        given by kd_store_add_run()
 * @experiment: given by loading
 * @variant, @workload: indexes into the experiment's
 * @round:     from 0; -1: unpaired (logs) or a warm-up that is kept
 * @slot:      place inside the round
 * @seq:       place in the whole experiment, in order of time
 * @attempt:   from 1
 * @reason:    why it is not ok; may be NULL
 * @device_window_ns, @peer_window_ns: real lengths; 0: none
 * @boot_id:   of the device; may be NULL
 * @environment: JSON text; equal texts are stored once; may be NULL
 */
struct kd_store_run {
	int64_t id;
	int64_t experiment;
	int variant;
	int workload;
	int round;
	int slot;
	int seq;
	int attempt;
	enum kd_run_status status;
	char *reason;
	uint64_t started_wall_ns;
	uint64_t device_window_ns;
	uint64_t peer_window_ns;
	char *boot_id;
	char *environment;
	struct kd_run_metric *metrics;
	size_t n_metrics;
	struct kd_run_series *series;
	size_t n_series;
	struct kd_run_hist *hists;
	size_t n_hists;
	struct kd_run_event *events;
	size_t n_events;
};

/** struct kd_store_item - a line of kd_store_list() */
struct kd_store_item {
	int64_t id;
	char *name;
	uint64_t created_wall_ns;
	int variants;
	int workloads;
	int rounds;
	int runs_ok;
	int runs_failed;	/* failed or interrupted, and not repeated */
};

/**
 * kd_store_path() - where the store is
 * @path: what the user said; NULL: KDELTA_STORE, else kdelta/store.db in the
 *        XDG state folder, of the calling user under sudo
 * @out:  caller's to free()
 */
int kd_store_path(const char *path, char **out, struct kd_diag *d);

/**
 * kd_store_open() - open for writing; folders and file are made where missing
 * @path: as kd_store_path()
 *
 * An older schema is brought up to date; a newer one, a file that is none of
 * ours or a damaged one is refused. Under sudo what is made belongs to the
 * calling user.
 */
int kd_store_open(const char *path, struct kd_store **out, struct kd_diag *d);

/**
 * kd_store_open_read() - open what exists; read-only media will do
 * Return: -ENOENT where nothing was stored yet.
 */
int kd_store_open_read(const char *path, struct kd_store **out,
		       struct kd_diag *d);

void kd_store_close(struct kd_store *store);

/** kd_store_set_patience() - how long to wait for another program's lock */
void kd_store_set_patience(struct kd_store *store, int ms);

/** kd_store_name() - the file's path; borrowed */
const char *kd_store_name(const struct kd_store *store);

/** kd_store_begin() - add an experiment; @exp->id is its number from then on */
int kd_store_begin(struct kd_store *store, struct kd_store_exp *exp,
		   struct kd_diag *d);

/**
 * kd_store_add_run() - add one run with all that belongs to it
 *
 * One transaction. Once it returned 0 the run is on the disk; after a failure
 * nothing of it is stored. @run->id is set.
 */
int kd_store_add_run(struct kd_store *store, int64_t exp_id,
		     struct kd_store_run *run, struct kd_diag *d);

/**
 * kd_store_mark_superseded() - keep a round's runs, but count them no more
 * @variant: of this one alone; -1: of all
 */
int kd_store_mark_superseded(struct kd_store *store, int64_t exp_id, int round,
			     int variant, struct kd_diag *d);

/** kd_store_set_plan() - write a plan again (more rounds on --resume) */
int kd_store_set_plan(struct kd_store *store, int64_t exp_id, const char *plan,
		      struct kd_diag *d);

/**
 * kd_store_batch_begin() - the runs that follow are one transaction, until
 * kd_store_batch_end(); for logs, where the runs are stored elsewhere already
 */
int kd_store_batch_begin(struct kd_store *store, struct kd_diag *d);

/** kd_store_batch_end() - @keep: commit, else forget all of them */
int kd_store_batch_end(struct kd_store *store, bool keep, struct kd_diag *d);

/** kd_store_load_exp() - caller frees with kd_store_exp_fini() */
int kd_store_load_exp(struct kd_store *store, int64_t exp_id,
		      struct kd_store_exp *out, struct kd_diag *d);
void kd_store_exp_fini(struct kd_store_exp *exp);

/**
 * kd_store_load_runs() - all runs of an experiment, in the order stored,
 * without metrics, series, histograms, events and environment
 * @out: caller frees with kd_store_runs_free()
 */
int kd_store_load_runs(struct kd_store *store, int64_t exp_id,
		       struct kd_store_run **out, size_t *n,
		       struct kd_diag *d);
void kd_store_runs_free(struct kd_store_run *runs, size_t n);

/** kd_store_load_run() - one run with all that belongs to it; caller frees
 * with kd_store_run_fini() */
int kd_store_load_run(struct kd_store *store, int64_t run_id,
		      struct kd_store_run *out, struct kd_diag *d);
void kd_store_run_fini(struct kd_store_run *run);

/**
 * kd_store_list() - all experiments, the oldest first
 * @out: caller frees with kd_store_list_free()
 */
int kd_store_list(struct kd_store *store, struct kd_store_item **out,
		  size_t *n, struct kd_diag *d);
void kd_store_list_free(struct kd_store_item *items, size_t n);

/**
 * kd_store_find() - which experiment is meant
 * @text: NULL or "latest", an id, a name (the latest of that name), or the
 *        start of a name that only one name has
 */
int kd_store_find(struct kd_store *store, const char *text, int64_t *exp_id,
		  struct kd_diag *d);

/** kd_store_remove() - an experiment with all its runs, and the space it took */
int kd_store_remove(struct kd_store *store, int64_t exp_id, struct kd_diag *d);

/** struct kd_store_counts - what a dataset was made of */
struct kd_store_counts {
	unsigned int ok;
	unsigned int failed;		/* and not made good by a later attempt */
	unsigned int interrupted;
	unsigned int superseded;
	int rounds;			/* highest round + 1 */
	bool same_environment;		/* no run's environment differed */
};

/**
 * kd_store_dataset() - all ok runs as a dataset
 * @ds:     zeroed by the caller, whose it is: kd_dataset_fini()
 * @counts: may be NULL
 *
 * One measure per workload and metric[instance], a peer's with "peer." before
 * it; notes name the runs that failed.
 */
int kd_store_dataset(struct kd_store *store, int64_t exp_id,
		     struct kd_dataset *ds, struct kd_store_counts *counts,
		     struct kd_diag *d);

/** kd_store_plan() - the plan of an experiment as the statistics take it */
int kd_store_plan(const struct kd_store_exp *exp, struct kd_plan_stats *plan,
		  struct kd_diag *d);

/**
 * kd_store_add_dataset() - store a dataset (of imported logs) as an experiment
 * @exp: name, file_name, file_text, seed, version, plan are taken from it; the
 *       variants and workloads are the dataset's; @exp->id is set
 */
int kd_store_add_dataset(struct kd_store *store, struct kd_store_exp *exp,
			 const struct kd_dataset *ds, struct kd_diag *d);

/** struct kd_store_env - one environment that runs of an experiment had */
struct kd_store_env {
	int variant;
	char *text;
	int runs;
};

/** kd_store_environments() - each variant's distinct environments; caller
 * frees with kd_store_environments_free() */
int kd_store_environments(struct kd_store *store, int64_t exp_id,
			  struct kd_store_env **out, size_t *n,
			  struct kd_diag *d);
void kd_store_environments_free(struct kd_store_env *envs, size_t n);

#endif
