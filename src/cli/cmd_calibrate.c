// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta calibrate: experiments whose variants do not differ, so that what they
 * show is noise.
 */
#include "base/buf.h"
#include "cli/calibration.h"
#include "cli/cmd.h"
#include "cli/progress.h"
#include "cli/self.h"
#include "cli/stop.h"
#include "cli/store_open.h"
#include "cli/stored.h"
#include "experiment/experiment.h"
#include "run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define WORKLOAD "tcp:tx,time=1s"

struct options {
	char *workloads;
	char *observe;
	int64_t rounds;
	int64_t experiments;
	char *dut;
	char *peer;
	char *plan;
	char *name;
	char *store;
	int64_t seed;
	bool json;
	bool gate;
	bool quiet;
};

#define OFFSET(member) offsetof(struct options, member)

static const struct kd_opt opts[] = {
	{ "workload", KD_OPT_STR, OFFSET(workloads), .letter = 'w',
	  .arg = "KIND:OPTIONS", .flags = KD_OPT_REPEAT,
	  .help = "what to measure under (default " WORKLOAD ")" },
	{ "observe", KD_OPT_STR, OFFSET(observe), .letter = 'o', .arg = "LIST",
	  .help = "observers, as cpu,irq", .flags = KD_OPT_REPEAT },
	{ "rounds", KD_OPT_INT, OFFSET(rounds), .letter = 'n', .min = 2,
	  .max = 100000,
	  .help = "rounds of each experiment (default 10, or the file's)" },
	{ "experiments", KD_OPT_INT, OFFSET(experiments), .letter = 'e',
	  .min = 1, .max = 100000, .def = "5",
	  .help = "how many, each with a seed of its own" },
	{ "dut", KD_OPT_STR, OFFSET(dut), .arg = "TRANSPORT:OPTIONS",
	  .help = "the device: netns, local, ssh:root@board" },
	{ "peer", KD_OPT_STR, OFFSET(peer), .arg = "TRANSPORT:OPTIONS",
	  .help = "the other end" },
	{ "plan", KD_OPT_STR, OFFSET(plan), .arg = "KEY=VALUE,...",
	  .help = "how to decide, as alpha=0.01,min-effect=2%" },
	{ "name", KD_OPT_STR, OFFSET(name), .def = "calibrate",
	  .help = "name in the store" },
	{ "seed", KD_OPT_INT, OFFSET(seed), .min = 1, .max = 4294967296.0,
	  .help = "of the first experiment; the next ones count up from it (default drawn)" },
	{ "json", KD_OPT_BOOL, OFFSET(json), .help = "print JSON" },
	{ "gate", KD_OPT_BOOL, OFFSET(gate),
	  .help = "exit with 1 where false verdicts are shown to be more than the plan allows" },
	{ "quiet", KD_OPT_BOOL, OFFSET(quiet), .letter = 'q',
	  .help = "no progress" },
	KD_OPT_STORE_ROW(OFFSET(store)),
	{ 0 },
};

/* all that stays the same over the experiments */
struct rig {
	const struct options *o;
	struct kd_experiment exp;
	char *agent;
	const volatile sig_atomic_t *stop;
	unsigned int failed;
};

static int read_words(const struct options *o, struct kd_experiment *exp,
		      struct kd_diag *d)
{
	struct kd_buf plan = { 0 };
	struct kd_exp_quick quick = {
		.name = o->name,
		.workloads = o->workloads ? o->workloads : WORKLOAD,
		.observers = o->observe, .dut = o->dut, .peer = o->peer,
		.identical = 2,
	};
	int r;

	kd_buf_printf(&plan, "rounds=%" PRId64, o->rounds ? o->rounds : 10);
	if (o->plan)
		kd_buf_printf(&plan, ",%s", o->plan);
	quick.plan = kd_buf_str(&plan);
	r = kd_experiment_quick(&quick, exp, d);
	kd_buf_fini(&plan);
	return r;
}

/* the file's baseline, twice: a variant is moved from a second reading */
static int read_file(const struct options *o, const char *file,
		     struct kd_experiment *exp, struct kd_diag *d)
{
	struct kd_experiment again = { 0 };
	struct kd_exp_variant *both;
	int r = kd_experiment_load_alone(file, exp, d);

	if (!r)
		r = kd_experiment_keep(exp, exp->baseline, "A1", d);
	if (!r)
		r = kd_experiment_load_alone(file, &again, d);
	if (!r)
		r = kd_experiment_keep(&again, again.baseline, "A2", d);
	if (!r) {
		both = reallocarray(exp->variants, 2, sizeof(*both));
		if (both) {
			both[1] = again.variants[0];
			exp->variants = both;
			exp->n_variants = 2;
			again.n_variants = 0;
		} else {
			r = kd_fail(d, -ENOMEM, "out of memory");
		}
	}
	kd_experiment_fini(&again);
	if (!r && o->plan)
		r = kd_opt_set_list(kd_exp_plan_opts, &exp->plan, o->plan, d);
	if (!r && o->rounds)
		exp->plan.rounds = o->rounds;
	free(exp->name);
	exp->name = strdup(o->name);
	if (!r && !exp->name)
		r = kd_fail(d, -ENOMEM, "out of memory");
	return r;
}

static int read_plan(const struct options *o, const char *file,
		     struct kd_experiment *exp, struct kd_diag *d)
{
	if (!file)
		return read_words(o, exp, d);
	if (o->workloads || o->observe || o->dut || o->peer) {
		kd_fail(d, -EINVAL, "a file and --workload, --observe, --dut or --peer do not go together");
		return -EINVAL;
	}
	if (!strcmp(file, "-")) {
		kd_fail(d, -EINVAL, "the file is read twice, so it cannot be standard input");
		return -EINVAL;
	}
	return read_file(o, file, exp, d);
}

static int64_t first_seed(const struct options *o)
{
	uint32_t v = 0;

	if (o->seed)
		return o->seed;
	if (getrandom(&v, sizeof(v), 0) != sizeof(v))
		v = 0;
	return (int64_t)v + 1;
}

static int take(struct rig *rig, int64_t id, struct kd_cli_calibration *c,
		struct kd_diag *d)
{
	struct kd_stored stored = { 0 };
	struct kd_store *store;
	int r = kd_store_open_read(rig->o->store, &store, d);

	if (r)
		return r;
	r = kd_stored_load(store, id, &stored, d);
	if (!r && kd_calibration_add(&c->sum, &stored.ds, &stored.analysis))
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (!c->first_id)
		c->first_id = id;
	c->last_id = id;
	kd_stored_fini(&stored);
	kd_store_close(store);
	return r;
}

static int one(struct rig *rig, int64_t seed, struct kd_cli_calibration *c,
	       struct kd_diag *d)
{
	struct kd_progress progress;
	struct kd_run_watch watch;
	struct kd_run_request req = {
		.exp = &rig->exp, .store = rig->o->store, .agent = rig->agent,
		.version = KD_VERSION, .variant = -1, .stop = rig->stop,
		.watch = &watch,
	};
	struct kd_run_outcome outcome;
	int r;

	rig->exp.plan.seed = seed;
	kd_progress_init(&progress, &rig->exp, rig->o->quiet, &watch);
	r = kd_run(&req, &outcome, d);
	kd_progress_end(&progress);
	rig->failed += outcome.failed;
	if (r)
		return r;
	c->runs += outcome.ok;
	return outcome.ok ? take(rig, outcome.id, c, d) : 0;
}

static int repeat(struct rig *rig, struct kd_cli_calibration *c,
		  struct kd_diag *d)
{
	int64_t seed = first_seed(rig->o);
	int r = 0;

	c->seed = seed;
	for (int64_t i = 0; !r && i < rig->o->experiments && !*rig->stop; i++)
		r = one(rig, seed + i, c, d);
	return r;
}

static int exit_code(const struct rig *rig, const struct kd_cli_calibration *c)
{
	if (*rig->stop)
		return KD_EXIT_INTERRUPTED;
	if (!c->runs)
		return KD_EXIT_FAILED;
	if (rig->o->gate && kd_cli_calibration_is_bad(c))
		return KD_EXIT_WORSE;
	return rig->failed ? KD_EXIT_PARTLY : KD_EXIT_DONE;
}

static int run(const void *options, int argc, char **argv)
{
	struct rig rig = { .o = options, .stop = kd_cli_catch_stop() };
	struct kd_cli_calibration c = { 0 };
	struct kd_diag d = { 0 };
	int r = read_plan(rig.o, argc ? argv[0] : NULL, &rig.exp, &d);

	if (!r)
		r = kd_cli_agent(&rig.agent, &d);
	if (!r) {
		c.exp = &rig.exp;
		r = repeat(&rig, &c, &d);
	}
	if (c.runs && rig.o->json)
		kd_cli_calibration_json(&c, stdout);
	else if (c.runs)
		kd_cli_calibration_text(&c, kd_cli_width(fileno(stdout)),
					stdout);
	else if (!r && !*rig.stop)
		r = kd_fail(&d, -EIO, "no run was good: kdelta show latest says why");
	r = r ? kd_cli_fail("calibrate", &d) : exit_code(&rig, &c);
	kd_calibration_fini(&c.sum);
	kd_experiment_fini(&rig.exp);
	free(rig.agent);
	return r;
}

const struct kd_command kd_command_calibrate = {
	.name = "calibrate",
	.summary = "find the smallest effect that this rig can show",
	.usage = "[FILE]",
	.details =
		"Runs experiments whose two variants are identical (A/A), so that "
		"every verdict other than same or unclear is a false one, and "
		"every change seen is noise. Says how many false verdicts there "
		"were, with the exact (Clopper and Pearson) 95 % interval of "
		"their rate; the smallest effect that so many rounds show with "
		"the plan's power; and the *min-effect* to plan with, for which "
		"two identical variants are shown to be the same.\n"
		"Of a _FILE_ the baseline is run twice a round, under its workloads "
		"and plan: so much can that experiment show here.\n"
		"The experiments are stored like any other; they are run one "
		"after the other, each in new namespaces and with new agents. Of "
		"the false verdicts, five experiments say little: twenty take "
		"the interval's upper end to 17 % where none was false.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.run = run,
};
