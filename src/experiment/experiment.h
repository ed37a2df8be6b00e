/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_EXPERIMENT_EXPERIMENT_H
#define KD_EXPERIMENT_EXPERIMENT_H

#include "base/diag.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_buf;
struct kd_knob_ops;
struct kd_obs_ops;
struct kd_transport_ops;
struct kd_work_ops;

/**
 * struct kd_exp_pair - one option as it was written
 * @key:   name of the option
 * @value: text; never NULL
 * @line, @column: of the value in the file
 */
struct kd_exp_pair {
	char *key;
	char *value;
	int line;
	int column;
};

/**
 * struct kd_exp_end - device or peer
 * @transport: NULL where the file names none: two namespaces where that is
 *             allowed, else loopback; a peer without one is the other end of
 *             the device's transport
 * @ops:       of @transport
 * @options:   for kd_opt_set_list() and @ops->opts
 * @ifname:    interface under test; NULL where not told
 * @cpus:      where the agent may run: "0", "0-1"; NULL for anywhere
 */
struct kd_exp_end {
	char *transport;
	const struct kd_transport_ops *ops;
	char *options;
	char *ifname;
	char *cpus;
	int line;
};

/**
 * struct kd_exp_knob - a knob and its value in a variant
 * @knob:  "kind:name"; "command:label"
 * @ops:   of its kind
 * @value: text, as the file has it; for a command what its "set" finds in
 *         $KD_VALUE and its "get" must print, empty where there is none
 * @get, @set, @restore: shell commands, of a command knob only; @get and
 *         @restore may be NULL
 */
struct kd_exp_knob {
	char *knob;
	const struct kd_knob_ops *ops;
	char *value;
	char *get;
	char *set;
	char *restore;
	int line;
	int column;
};

/**
 * struct kd_exp_override - a workload's option in a variant
 * @workload: index; each workload that has the option where the file says so
 *            gets an override of its own
 */
struct kd_exp_override {
	size_t workload;
	struct kd_exp_pair pair;
};

/**
 * struct kd_exp_variant - one side of the comparison
 * @knobs:     in the order of the file. A knob that another variant sets and
 *             this one does not has, under this one, the value that it was
 *             found with.
 * @levels:    one text a factor; NULL where there is no sweep
 * @line:      0 for one made by a sweep
 */
struct kd_exp_variant {
	char *name;
	struct kd_exp_knob *knobs;
	size_t n_knobs;
	struct kd_exp_override *overrides;
	size_t n_overrides;
	char **levels;
	int line;
};

/**
 * struct kd_exp_workload - what the device does while it is measured
 * @kind:  name of @ops
 * @pairs: options as written, the kind's and the common ones of
 *         kd_exp_run_opts
 * @primary: metrics that the verdict is about, joined by ','; never NULL,
 *         empty where the workload has none, or where a parser of a command's
 *         output is to name them
 */
struct kd_exp_workload {
	char *name;
	const struct kd_work_ops *ops;
	struct kd_exp_pair *pairs;
	size_t n_pairs;
	char *primary;
	int line;
};

/** struct kd_exp_observer - @options: for kd_opt_set_list(); "" for none */
struct kd_exp_observer {
	char *name;
	const struct kd_obs_ops *ops;
	char *options;
	int line;
};

enum kd_exp_until { KD_UNTIL_ROUNDS, KD_UNTIL_DECIDED };

/**
 * struct kd_exp_plan - how often, in which order, and how to decide
 * @seed:    0: not told; the runner draws one before the first run
 * @deadline_ns: of one run; 0: from its length
 * @pause_ns: between runs
 * @primary: names, joined by '\n'; NULL: one a workload, and power
 */
struct kd_exp_plan {
	int64_t rounds;
	int until;
	int64_t max_rounds;
	double min_effect_pct;
	double alpha;
	double power;
	bool warmup_round;
	int64_t retries;
	int64_t seed;
	uint64_t deadline_ns;
	uint64_t pause_ns;
	double hz;
	char *primary;
};

extern const struct kd_opt kd_exp_plan_opts[];

/**
 * struct kd_exp_run - the common options of a workload, for one run
 * @time_ns:   length of the window; 0: the workload ends by itself
 * @warmup_ns, @cooldown_ns: traffic before and after the window
 * @deadline_ns: never 0 after kd_experiment_run()
 * @cpus, @peer_cpus: CPU lists for the ends' threads; NULL for anywhere
 * @has_peer: the peer's agent is the other end of this run
 */
struct kd_exp_run {
	uint64_t time_ns;
	uint64_t warmup_ns;
	uint64_t cooldown_ns;
	uint64_t deadline_ns;
	char *cpus;
	char *peer_cpus;
	bool has_peer;
};

extern const struct kd_opt kd_exp_run_opts[];

/**
 * struct kd_experiment - an experiment, read and checked
 * @file_name: as told to kd_experiment_parse(); "command line"
 * @text:      the file; for the quick form a file that means the same
 * @factors:   names of the sweep's factors; with variants of their own the
 *             first is "variant"
 * @baseline:  index into @variants
 *
 * Zeroed memory is an empty one. All strings belong to it; operations are
 * borrowed from the tables.
 */
struct kd_experiment {
	char *name;
	char *file_name;
	char *text;
	size_t text_len;
	struct kd_exp_end dut;
	struct kd_exp_end peer;
	char **factors;
	size_t n_factors;
	struct kd_exp_variant *variants;
	size_t n_variants;
	size_t baseline;
	struct kd_exp_workload *workloads;
	size_t n_workloads;
	struct kd_exp_observer *observers;
	size_t n_observers;
	struct kd_exp_plan plan;
};

/**
 * kd_experiment_parse() - read an experiment file
 * @text, @len: YAML 1.1, UTF-8; hostile
 * @file_name: for messages and the record
 * @out: caller frees with kd_experiment_fini(); untouched on failure
 *
 * Each key, type, unit, range and name is checked against the tables of
 * options, workloads, observers, knobs and transports, for every variant and
 * workload; nothing is touched.
 * Return: 0, -EINVAL with file, line, column and what was expected, or -ENOMEM.
 */
int kd_experiment_parse(const char *text, size_t len, const char *file_name,
			struct kd_experiment *out, struct kd_diag *d);

/** kd_experiment_load() - read the file at @path ("-": standard input) */
int kd_experiment_load(const char *path, struct kd_experiment *out,
		       struct kd_diag *d);

/** kd_experiment_load_alone() - as kd_experiment_load(), for what measures one
 * variant: one is enough, and no section "variants" is one without knobs */
int kd_experiment_load_alone(const char *path, struct kd_experiment *out,
			     struct kd_diag *d);

/**
 * struct kd_exp_quick - an experiment without a file
 * @name:      NULL: made of knobs and workloads
 * @knobs:     "KNOB=a,b" joined by '\n' (KD_OPT_REPEAT); ';' parts the values
 *             where one holds a comma. Several make a sweep. NULL with
 *             @identical.
 * @workloads: "[NAME=]KIND:word,option=value" joined by '\n'
 * @observers: "cpu,irq"; one with options "tasks:top=20"; joined by '\n';
 *             NULL: the default ones
 * @dut, @peer: "TRANSPORT:options"; may be NULL
 * @plan:      "rounds=10,min-effect=2%"; may be NULL
 * @identical: this many variants that do not differ (A/A), instead of @knobs;
 *             1: nothing is compared
 */
struct kd_exp_quick {
	const char *name;
	const char *knobs;
	const char *workloads;
	const char *observers;
	const char *dut;
	const char *peer;
	const char *plan;
	unsigned int identical;
};

/** kd_experiment_quick() - as kd_experiment_parse(), from the command line;
 * messages name the argument */
int kd_experiment_quick(const struct kd_exp_quick *quick,
			struct kd_experiment *out, struct kd_diag *d);

void kd_experiment_fini(struct kd_experiment *exp);

/**
 * kd_experiment_run() - what one run is told
 * @run:  filled in; caller frees with kd_exp_run_fini(); may be NULL
 * @opts: the workload's options under this variant, for kd_opt_set_list(), are
 *        appended; may be NULL
 */
int kd_experiment_run(const struct kd_experiment *exp, size_t variant,
		      size_t workload, struct kd_exp_run *run,
		      struct kd_buf *opts, struct kd_diag *d);

/** kd_experiment_option() - an option of a workload under a variant, as written:
 * the variant's override, else the workload's own, else NULL; borrowed */
const struct kd_exp_pair *kd_experiment_option(const struct kd_experiment *exp,
					       size_t variant, size_t workload,
					       const char *key);

void kd_exp_run_fini(struct kd_exp_run *run);

/** kd_experiment_has_peer() - does any run have an agent at the other end */
bool kd_experiment_has_peer(const struct kd_experiment *exp);

/** kd_experiment_variant() - index by name, or -ENOENT with the nearest one */
int kd_experiment_variant(const struct kd_experiment *exp, const char *name,
			  struct kd_diag *d);

/** kd_experiment_keep() - drop all variants but one, and name that @name */
int kd_experiment_keep(struct kd_experiment *exp, size_t variant,
		       const char *name, struct kd_diag *d);

/** kd_experiment_resets() - does a knob of a variant reset or reboot the device,
 * so that the unit of the statistics is the boot */
bool kd_experiment_resets(const struct kd_experiment *exp);

/* JSON texts for the store, appended: {"sysctl:net...": "1"} of a variant with
 * its workload options as "workload:tx.streams"; the plan with alpha, power and
 * min_effect as fractions; an end with its transport and options */
int kd_experiment_knobs_json(const struct kd_experiment *exp, size_t variant,
			     struct kd_buf *out);
int kd_experiment_plan_json(const struct kd_experiment *exp,
			    struct kd_buf *out);
int kd_experiment_end_json(const struct kd_exp_end *end, struct kd_buf *out);

#endif
