// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta run: an experiment from a file or from the command line.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "cli/cmd.h"
#include "cli/progress.h"
#include "cli/self.h"
#include "cli/stop.h"
#include "cli/stored.h"
#include "experiment/experiment.h"
#include "experiment/schedule.h"
#include "run/lab.h"
#include "run/output.h"
#include "run/run.h"
#include "run/session.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	char *knobs;
	char *workloads;
	char *observe;
	char *dut;
	char *peer;
	int64_t rounds;
	char *plan;
	char *name;
	char *store;
	char *variant;
	char *report;
	bool json;
	bool go_on;
	bool force;
	bool dry_run;
	bool gate;
	bool quiet;
};

#define OFFSET(member) offsetof(struct options, member)

static const struct kd_opt opts[] = {
	{ "knob", KD_OPT_STR, OFFSET(knobs), .letter = 'k', .arg = "KNOB=A,B",
	  .help = "a knob and its values, one variant each; ';' parts values that hold a comma",
	  .flags = KD_OPT_REPEAT },
	{ "workload", KD_OPT_STR, OFFSET(workloads), .letter = 'w',
	  .arg = "KIND:OPTIONS", .help = "what to measure under: tcp:tx,streams=4,time=2s",
	  .flags = KD_OPT_REPEAT },
	{ "observe", KD_OPT_STR, OFFSET(observe), .letter = 'o', .arg = "LIST",
	  .help = "observers, as cpu,irq", .flags = KD_OPT_REPEAT },
	{ "rounds", KD_OPT_INT, OFFSET(rounds), .letter = 'n', .max = 100000,
	  .help = "rounds; each has every variant once" },
	{ "dut", KD_OPT_STR, OFFSET(dut), .arg = "TRANSPORT:OPTIONS",
	  .help = "the device: netns, local, ssh:root@board" },
	{ "peer", KD_OPT_STR, OFFSET(peer), .arg = "TRANSPORT:OPTIONS",
	  .help = "the other end" },
	{ "plan", KD_OPT_STR, OFFSET(plan), .arg = "KEY=VALUE,...",
	  .help = "how to decide, as until=decided,min-effect=2%" },
	{ "name", KD_OPT_STR, OFFSET(name), .help = "name in the store" },
	{ "variant", KD_OPT_STR, OFFSET(variant), .arg = "NAME",
	  .help = "run this variant alone" },
	{ "resume", KD_OPT_BOOL, OFFSET(go_on),
	  .help = "go on with the latest experiment of this name" },
	{ "force", KD_OPT_BOOL, OFFSET(force),
	  .help = "resume although the file has changed" },
	{ "dry-run", KD_OPT_BOOL, OFFSET(dry_run),
	  .help = "print schedule, knobs and duration; change nothing" },
	{ "report", KD_OPT_STR, OFFSET(report), .def = "text", .arg = "FORMAT",
	  .help = "format of the report; none for no report" },
	{ "json", KD_OPT_BOOL, OFFSET(json),
	  .help = "the same as --report json" },
	{ "gate", KD_OPT_BOOL, OFFSET(gate),
	  .help = "exit with 1 where a primary metric is worse" },
	{ "quiet", KD_OPT_BOOL, OFFSET(quiet), .letter = 'q',
	  .help = "no progress" },
	{ "store", KD_OPT_STR, OFFSET(store), .arg = "FILE",
	  .help = "where results are kept" },
	{ 0 },
};

/* -n and --plan go before what the file says */
static int read_file(const char *path, const char *plan,
		     struct kd_experiment *exp, struct kd_diag *d)
{
	int r = kd_experiment_load(path, exp, d);

	if (!r && plan)
		r = kd_opt_set_list(kd_exp_plan_opts, &exp->plan, plan, d);
	return r;
}

static int read_experiment(const struct options *o, int argc, char **argv,
			   struct kd_experiment *exp, struct kd_diag *d)
{
	struct kd_buf plan = { 0 };
	struct kd_exp_quick quick = {
		.name = o->name,
		.knobs = o->knobs,
		.workloads = o->workloads,
		.observers = o->observe,
		.dut = o->dut,
		.peer = o->peer,
	};
	int r;

	if (argc && (o->knobs || o->workloads)) {
		kd_fail(d, -EINVAL, "a file and --knob or --workload do not go together");
		return -EINVAL;
	}
	if (!argc && (!o->knobs || !o->workloads)) {
		kd_fail(d, -EINVAL, "there is nothing to run");
		kd_diag_hint(d, "give an experiment file, or -k KNOB=A,B and -w KIND:OPTIONS");
		return -EINVAL;
	}
	if (o->rounds)
		kd_buf_printf(&plan, "rounds=%" PRId64, o->rounds);
	if (o->plan)
		kd_buf_printf(&plan, "%s%s", plan.len ? "," : "", o->plan);
	quick.plan = plan.len ? plan.data : NULL;
	r = argc ? read_file(argv[0], quick.plan, exp, d) :
		   kd_experiment_quick(&quick, exp, d);
	kd_buf_fini(&plan);
	return r;
}

static void print_schedule(const struct kd_experiment *exp)
{
	size_t n = kd_schedule_size(exp);
	struct kd_slot *slots = calloc(n, sizeof(*slots));
	int last = kd_schedule_last(exp);

	for (int round = 0; slots && round < last && round < 3; round++) {
		kd_schedule_round(exp, (uint64_t)exp->plan.seed, round, slots);
		printf("  round %d:", round + 1);
		for (size_t i = 0; i < n; i++)
			printf(" %s/%s", exp->variants[slots[i].variant].name,
			       exp->workloads[slots[i].workload].name);
		putchar('\n');
	}
	if (last > 3)
		printf("  ... to round %d, each in an order of its own\n", last);
	free(slots);
}

/* the device is asked, and nothing of it is changed */
static int print_knobs(const struct kd_experiment *exp, const char *agent,
		       struct kd_diag *d)
{
	struct kd_knobset set = { 0 };
	struct kd_lab lab;
	int r = kd_lab_open(exp, agent, &lab, d);

	if (r)
		return r;
	if (lab.note[0])
		puts(lab.note);
	if (lab.boots) {
		puts("  as the device has them when it starts");
		return 0;
	}
	r = kd_knobset_open(exp, &lab.device, &set, d);
	for (size_t i = 0; !r && i < set.n; i++) {
		const struct kd_knobset_entry *e = &set.entries[i];

		printf("  %s is %s\n", e->knob->knob,
		       e->original ? e->original : "not readable");
	}
	kd_knobset_fini(&set);
	kd_lab_close(&lab);
	return r;
}

static int dry_run(struct kd_experiment *exp, const char *agent)
{
	struct kd_diag d = { 0 };
	uint64_t round_ns = kd_schedule_round_ns(exp, 200 * KD_NS_PER_MS);
	int rounds = kd_schedule_last(exp);
	struct kd_buf knobs = { 0 };

	if (!exp->plan.seed)
		exp->plan.seed = 1;
	printf("Experiment %s: %zu variants, %zu workloads, %s%d rounds\n",
	       exp->name, exp->n_variants, exp->n_workloads,
	       exp->plan.until == KD_UNTIL_DECIDED ? "at most " : "", rounds);
	for (size_t i = 0; i < exp->n_variants; i++) {
		kd_buf_reset(&knobs);
		kd_experiment_knobs_json(exp, i, &knobs);
		printf("  variant %s%s: %s\n", exp->variants[i].name,
		       i == exp->baseline ? " (baseline)" : "",
		       kd_buf_str(&knobs));
	}
	kd_buf_fini(&knobs);
	print_schedule(exp);
	printf("Expected duration: %.0f s a round, %.0f s in all\n",
	       (double)round_ns / 1e9, (double)round_ns * rounds / 1e9);
	puts("Knobs now:");
	if (print_knobs(exp, agent, &d))
		return kd_cli_fail("run", &d);
	return KD_EXIT_DONE;
}

static int find_resumed(const struct options *o,
			const struct kd_experiment *exp, int64_t *id,
			struct kd_diag *d)
{
	struct kd_store *store;
	int r = kd_store_open_read(o->store, &store, d);

	if (r)
		return r;
	r = kd_store_find(store, exp->name, id, d);
	kd_store_close(store);
	return r;
}

static int exit_code(const struct options *o,
		     const struct kd_run_outcome *outcome, bool worse)
{
	if (outcome->interrupted)
		return KD_EXIT_INTERRUPTED;
	if (!outcome->ok)
		return KD_EXIT_FAILED;
	if (o->gate && worse)
		return KD_EXIT_WORSE;
	return outcome->failed ? KD_EXIT_PARTLY : KD_EXIT_DONE;
}

static bool is_worse(const struct kd_stored *s)
{
	for (size_t m = 0; m < s->analysis.n_measures; m++)
		for (size_t v = 0; v < s->ds.n_variants; v++)
			if (s->ds.measures[m].primary &&
			    s->analysis.measures[m].comparisons[v].verdict ==
				    KD_VERDICT_WORSE)
				return true;
	return false;
}

static const char *report_format(const struct options *o)
{
	return o->json ? "json" : o->report;
}

static int show(const struct options *o, int64_t id, bool *worse,
		struct kd_diag *d)
{
	struct kd_stored stored = { 0 };
	struct kd_store *store;
	int r = kd_store_open_read(o->store, &store, d);

	if (r)
		return r;
	if (o->gate && !kd_stored_load(store, id, &stored, d)) {
		*worse = is_worse(&stored);
		kd_stored_fini(&stored);
	}
	if (!d->err && strcmp(report_format(o), "none"))
		kd_stored_report(store, id, report_format(o), 0, false, stdout,
				 d);
	kd_store_close(store);
	return d->err;
}

static int run_and_report(const struct options *o, struct kd_experiment *exp,
			  const char *agent, const volatile sig_atomic_t *stop)
{
	struct kd_progress progress;
	struct kd_run_watch watch;
	struct kd_run_request req = {
		.exp = exp,
		.store = o->store,
		.agent = agent,
		.version = KD_VERSION,
		.force = o->force,
		.variant = -1,
		.stop = stop,
		.watch = &watch,
	};
	struct kd_run_outcome outcome;
	struct kd_diag d = { 0 };
	bool worse = false;
	int r = 0, shown;

	if (o->variant) {
		req.variant = kd_experiment_variant(exp, o->variant, &d);
		if (req.variant < 0)
			return kd_cli_fail("run", &d);
	}
	if (o->go_on || o->variant)
		r = find_resumed(o, exp, &req.resume, &d);
	if (r && !(o->variant && r == -ENOENT))
		return kd_cli_fail("run", &d);
	kd_diag_clear(&d);
	kd_progress_init(&progress, exp, o->quiet, &watch);
	r = kd_run(&req, &outcome, &d);
	kd_progress_end(&progress);
	shown = r ? kd_cli_fail("run", &d) : KD_EXIT_DONE;
	kd_diag_clear(&d);
	if (outcome.id && outcome.ok && show(o, outcome.id, &worse, &d))
		return kd_cli_fail("run", &d);
	return r ? shown : exit_code(o, &outcome, worse);
}

static int run(const void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct kd_experiment exp = { 0 };
	const volatile sig_atomic_t *stop = kd_cli_catch_stop();
	struct kd_diag d = { 0 };
	char *agent = NULL;
	int r;

	if (strcmp(report_format(o), "none") &&
	    !kd_stored_format(report_format(o), &d))
		return kd_cli_fail("run", &d);
	if (read_experiment(o, argc, argv, &exp, &d) ||
	    kd_output_check(&exp, &d) || kd_cli_agent(&agent, &d))
		r = kd_cli_fail("run", &d);
	else if (o->dry_run)
		r = dry_run(&exp, agent);
	else
		r = run_and_report(o, &exp, agent, stop);
	free(agent);
	kd_experiment_fini(&exp);
	return r;
}

const struct kd_command kd_command_run = {
	.name = "run",
	.summary = "run an experiment and report what changed",
	.usage = "[FILE]",
	.details =
		"Runs every variant of the experiment once a round, in a random "
		"order, stores each run as it ends and prints the report. "
		"Without a file, *--knob* and *--workload* make the experiment.\n"
		"Ctrl-C ends the run, puts every knob back and reports what "
		"there is; *--resume* goes on.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.run = run,
};
