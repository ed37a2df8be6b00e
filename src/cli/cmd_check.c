// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta check: for "git bisect run": is what runs now good or bad.
 */
#include "base/buf.h"
#include "cli/check.h"
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
#include <unistd.h>

/* what "git bisect run" makes of it: over 127 ends it */
enum { GOOD = 0, BAD = 1, SKIP = 125, STOP = 129, INTERRUPTED = 130 };

#define MAX_LOOKS 60

struct options {
	char *good;
	char *bad;
	char *record;
	double min_effect;
	char *metric;
	double alpha;
	char *workloads;
	char *observe;
	int64_t rounds;
	int64_t max_rounds;
	char *dut;
	char *peer;
	char *variant;
	char *label;
	bool fail_is_bad;
	char *store;
	bool json;
	bool quiet;
};

#define OFFSET(member) offsetof(struct options, member)

static const struct kd_opt opts[] = {
	{ "good", KD_OPT_STR, OFFSET(good), .letter = 'g', .arg = "ID|NAME",
	  .help = "stored experiment of a state that is known to be good; NAME:VARIANT where it has several variants" },
	{ "bad", KD_OPT_STR, OFFSET(bad), .letter = 'b', .arg = "ID|NAME",
	  .help = "the same of a bad state" },
	{ "min-effect", KD_OPT_PCT, OFFSET(min_effect), .max = 99,
	  .help = "without --bad: the loss against good that is bad" },
	{ "record", KD_OPT_STR, OFFSET(record), .arg = "NAME",
	  .help = "measure and store under this name, to be a reference; judge nothing" },
	{ "metric", KD_OPT_STR, OFFSET(metric), .letter = 'm',
	  .arg = "PATTERN", .flags = KD_OPT_REPEAT,
	  .help = "what to judge by; default: the primary metrics" },
	{ "alpha", KD_OPT_REAL, OFFSET(alpha), .min = 1e-6, .max = 0.5,
	  .def = "0.05",
	  .help = "chance of a wrong answer where the truth is on the line" },
	{ "workload", KD_OPT_STR, OFFSET(workloads), .letter = 'w',
	  .arg = "KIND:OPTIONS", .flags = KD_OPT_REPEAT,
	  .help = "what to measure under, instead of a file" },
	{ "observe", KD_OPT_STR, OFFSET(observe), .letter = 'o', .arg = "LIST",
	  .help = "observers, as cpu,irq", .flags = KD_OPT_REPEAT },
	{ "rounds", KD_OPT_INT, OFFSET(rounds), .letter = 'n', .max = 100000,
	  .help = "runs before the first look (default 5, or the file's)" },
	{ "max-rounds", KD_OPT_INT, OFFSET(max_rounds), .max = 100000,
	  .help = "runs after which it gives up (default 4 times --rounds)" },
	{ "dut", KD_OPT_STR, OFFSET(dut), .arg = "TRANSPORT:OPTIONS",
	  .help = "the device: netns, local, ssh:root@board" },
	{ "peer", KD_OPT_STR, OFFSET(peer), .arg = "TRANSPORT:OPTIONS",
	  .help = "the other end" },
	{ "variant", KD_OPT_STR, OFFSET(variant), .arg = "NAME",
	  .help = "of the file; default: its baseline" },
	{ "label", KD_OPT_STR, OFFSET(label), .def = "HEAD", .arg = "NAME",
	  .help = "what the state is called in the store" },
	{ "fail-is-bad", KD_OPT_BOOL, OFFSET(fail_is_bad),
	  .help = "a run that fails, as by an oops, makes the state bad and not untestable" },
	{ "json", KD_OPT_BOOL, OFFSET(json), .help = "print JSON" },
	{ "quiet", KD_OPT_BOOL, OFFSET(quiet), .letter = 'q',
	  .help = "no progress" },
	KD_OPT_STORE_ROW(OFFSET(store)),
	{ 0 },
};

struct checker {
	const struct options *o;
	struct kd_experiment exp;
	char *agent;
	struct kd_reference good, bad;
	struct kd_check check;
	const volatile sig_atomic_t *stop;
	int64_t id;
	int rounds;
	unsigned int ok;
	unsigned int failed;
};

static int fail(const struct kd_diag *d, int code)
{
	int r = kd_cli_fail("check", d);

	return r == KD_EXIT_INTERRUPTED ? INTERRUPTED : code;
}

static int check_options(const struct options *o, int argc, struct kd_diag *d)
{
	if (!argc == !o->workloads) {
		kd_fail(d, -EINVAL, argc ?
			"a file and --workload do not go together" :
			"there is nothing to measure under");
		kd_diag_hint(d, "give an experiment file or -w KIND:OPTIONS");
	} else if (!o->good && !o->record && !argc) {
		kd_fail(d, -EINVAL, "there is no reference to judge by");
		kd_diag_hint(d, "in the good state: kdelta check --record good ...; then --good good");
	} else if (o->bad && !o->good) {
		kd_fail(d, -EINVAL, "--bad needs --good too");
	} else if (o->variant && !o->good && !o->record) {
		kd_fail(d, -EINVAL, "--variant needs --good or --record; without, all variants of the file are compared");
	} else if (o->good && o->record) {
		kd_fail(d, -EINVAL, "--record and --good do not go together");
	} else if (o->good && !o->bad && !(o->min_effect > 0)) {
		kd_fail(d, -EINVAL, "a good reference alone does not say what is bad");
		kd_diag_hint(d, "give --bad too, or --min-effect, the loss that is bad");
	} else if (o->max_rounds && o->max_rounds < o->rounds) {
		kd_fail(d, -EINVAL, "--max-rounds is less than --rounds");
	}
	return d->err;
}

static int read_experiment(struct checker *c, char *file, struct kd_diag *d)
{
	const struct options *o = c->o;
	bool alone = o->good || o->record;
	struct kd_exp_quick quick = {
		.name = "check", .workloads = o->workloads,
		.observers = o->observe, .dut = o->dut, .peer = o->peer,
		.plan = "rounds=5", .identical = 1,
	};
	int r = !file ? kd_experiment_quick(&quick, &c->exp, d) :
		alone ? kd_experiment_load_alone(file, &c->exp, d) :
			kd_experiment_load(file, &c->exp, d);
	int variant = (int)c->exp.baseline;

	if (!r && o->variant)
		variant = kd_experiment_variant(&c->exp, o->variant, d);
	if (r || variant < 0)
		return r ? r : variant;
	if (o->rounds)
		c->exp.plan.rounds = o->rounds;
	if (!alone)
		return 0;
	r = kd_experiment_keep(&c->exp, (size_t)variant, o->label, d);
	free(c->exp.name);
	c->exp.name = strdup(o->record ? o->record : "check");
	if (!c->exp.name)
		return kd_fail(d, -ENOMEM, "out of memory");
	c->exp.plan.until = KD_UNTIL_ROUNDS;
	return r;
}

/* a reference that was measured otherwise is said, for it may be meant so */
static int warn_otherwise(const struct checker *c, struct kd_store *store,
			  const struct kd_reference *ref, struct kd_diag *d)
{
	struct kd_store_exp e = { 0 };
	int r = kd_store_load_exp(store, ref->id, &e, d);

	for (size_t i = 0; !r && i < e.n_workloads; i++) {
		for (size_t w = 0; !r && w < c->exp.n_workloads; w++) {
			const char *was = e.workloads[i].options;
			struct kd_buf is = { 0 };

			if (strcmp(c->exp.workloads[w].name,
				   e.workloads[i].name))
				continue;
			r = kd_experiment_run(&c->exp, 0, w, NULL, &is, d);
			if (!r && strcmp(kd_buf_str(&is), was ? was : ""))
				fprintf(stderr, "kdelta check: workload %s is set up otherwise than for %s: %s, and there %s\n",
					e.workloads[i].name, ref->name,
					kd_buf_str(&is), was ? was : "");
			kd_buf_fini(&is);
		}
	}
	kd_store_exp_fini(&e);
	return r;
}

static int load_references(struct checker *c, struct kd_diag *d)
{
	struct kd_store *store;
	int r = kd_store_open_read(c->o->store, &store, d);

	if (r)
		return r;
	c->check = (struct kd_check){
		.good = &c->good, .bad = c->o->bad ? &c->bad : NULL,
		.metric = c->o->metric, .loss = c->o->min_effect / 100,
		.alpha = c->o->alpha,
	};
	r = kd_reference_load(store, c->o->good, &c->good, d);
	if (!r && c->o->bad)
		r = kd_reference_load(store, c->o->bad, &c->bad, d);
	if (!r)
		r = warn_otherwise(c, store, &c->good, d);
	if (!r && c->o->bad)
		r = warn_otherwise(c, store, &c->bad, d);
	kd_store_close(store);
	return r ? r : kd_check_references(&c->check, d);
}

/* up to @rounds in all, or as the plan says; 0, or why no more can be
 * measured */
static int measure(struct checker *c, int rounds, struct kd_diag *d)
{
	struct kd_progress progress;
	struct kd_run_watch watch;
	struct kd_run_request req = {
		.exp = &c->exp, .store = c->o->store, .agent = c->agent,
		.version = KD_VERSION, .resume = c->id, .force = true,
		.variant = -1, .stop = c->stop, .watch = &watch,
	};
	struct kd_run_outcome outcome;
	int r;

	if (rounds)
		c->exp.plan.rounds = rounds;
	kd_progress_init(&progress, &c->exp, c->o->quiet, &watch);
	r = kd_run(&req, &outcome, d);
	kd_progress_end(&progress);
	c->exp.plan.warmup_round = false;
	c->id = outcome.id;
	c->rounds = rounds;
	c->ok += outcome.ok;
	c->failed += outcome.failed;
	return r;
}

static int look(struct checker *c, int number, int of, struct kd_diag *d)
{
	struct kd_plan_stats plan = {
		.alpha = c->o->alpha, .power = 0.8, .look = number,
		.looks = of, .max_rounds = c->rounds / number * of,
	};
	struct kd_dataset ds = { 0 };
	struct kd_store *store;
	struct kd_seq seq;
	int r = kd_store_open_read(c->o->store, &store, d);

	if (r)
		return r;
	r = kd_store_dataset(store, c->id, &ds, NULL, d);
	kd_store_close(store);
	if (!r && kd_seq_init(&seq, &plan))
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (!r)
		r = kd_check_look(&c->check, &ds, &seq, d);
	/* what is printed must not point into what goes */
	if (!r && c->check.verdict == KD_CHECK_UNSURE && number < of &&
	    !*c->stop) {
		kd_check_fini(&c->check);
		kd_dataset_fini(&ds);
		return -EAGAIN;
	}
	if (!r && c->o->json)
		kd_check_json(&c->check, c->rounds, c->id, stdout);
	else if (!r)
		kd_check_text(&c->check, c->rounds,
			      kd_cli_width(STDOUT_FILENO), stdout);
	kd_dataset_fini(&ds);
	return r;
}

static int verdict(const struct checker *c)
{
	if (c->failed && c->o->fail_is_bad)
		return BAD;
	switch (c->check.verdict) {
	case KD_CHECK_GOOD:
		return GOOD;
	case KD_CHECK_BAD:
		return BAD;
	default:
		return SKIP;
	}
}

static int judge(struct checker *c)
{
	int first = (int)c->exp.plan.rounds;
	int looks = c->o->max_rounds ? (int)(c->o->max_rounds / first) : 4;
	struct kd_diag d = { 0 };
	int r = -EAGAIN;

	if (looks > MAX_LOOKS)
		looks = MAX_LOOKS;
	for (int i = 1; r == -EAGAIN && i <= looks; i++) {
		if (measure(c, first * i, &d))
			return fail(&d, SKIP);
		if (*c->stop)
			return INTERRUPTED;
		if (!c->ok || (c->failed && c->o->fail_is_bad))
			break;
		r = look(c, i, looks, &d);
	}
	if (r && r != -EAGAIN)
		return fail(&d, STOP);
	if (r)
		fprintf(stderr, "kdelta check: %u runs failed: \"kdelta show %" PRId64 "\" says why\n",
			c->failed, c->id);
	return c->ok ? verdict(c) : c->o->fail_is_bad ? BAD : SKIP;
}

static int record(struct checker *c)
{
	struct kd_diag d = { 0 };

	if (measure(c, (int)c->exp.plan.rounds, &d))
		return fail(&d, SKIP);
	if (*c->stop)
		return INTERRUPTED;
	if (c->failed) {
		kd_fail(&d, -EIO, "%u runs failed: \"kdelta show %" PRId64 "\" says why",
			c->failed, c->id);
		return fail(&d, SKIP);
	}
	if (!c->o->json)
		printf("recorded as \"%s\", experiment %" PRId64 ", %d rounds\n",
		       c->exp.name, c->id, c->rounds);
	else
		printf("{\"experiment\": %" PRId64 ", \"rounds\": %d}\n",
		       c->id, c->rounds);
	return GOOD;
}

/* the file's variants by their primary metrics */
static enum kd_check_verdict judge_variants(const struct kd_stored *s)
{
	enum kd_check_verdict v = KD_CHECK_GOOD;

	for (size_t m = 0; m < s->analysis.n_measures; m++) {
		for (size_t i = 0; i < s->ds.n_variants; i++) {
			enum kd_verdict got =
				s->analysis.measures[m].comparisons[i].verdict;

			if (i == s->ds.baseline || !s->ds.measures[m].primary)
				continue;
			if (got == KD_VERDICT_WORSE)
				return KD_CHECK_BAD;
			if (got != KD_VERDICT_BETTER && got != KD_VERDICT_SAME)
				v = KD_CHECK_UNSURE;
		}
	}
	return v;
}

static int compare(struct checker *c)
{
	struct kd_stored s = { 0 };
	struct kd_store *store;
	struct kd_diag d = { 0 };

	if (measure(c, 0, &d))
		return fail(&d, SKIP);
	if (*c->stop)
		return INTERRUPTED;
	if (!c->ok || (c->failed && c->o->fail_is_bad))
		return c->o->fail_is_bad ? BAD : SKIP;
	if (kd_store_open_read(c->o->store, &store, &d))
		return fail(&d, STOP);
	if (!kd_stored_load(store, c->id, &s, &d) &&
	    !kd_stored_report(store, c->id, c->o->json ? "json" : "commit", 0,
			      false, stdout, &d))
		c->check.verdict = judge_variants(&s);
	kd_stored_fini(&s);
	kd_store_close(store);
	return d.err ? fail(&d, STOP) : verdict(c);
}

static int run(const void *options, int argc, char **argv)
{
	struct checker c = { .o = options, .stop = kd_cli_catch_stop() };
	struct kd_diag d = { 0 };
	int r = check_options(c.o, argc, &d);

	if (!r)
		r = read_experiment(&c, argc ? argv[0] : NULL, &d);
	if (!r && c.o->good)
		r = load_references(&c, &d);
	if (!r)
		r = kd_cli_agent(&c.agent, &d);
	r = r ? fail(&d, STOP) : c.o->good ? judge(&c) :
	    c.o->record ? record(&c) : compare(&c);
	kd_check_fini(&c.check);
	kd_reference_fini(&c.good);
	kd_reference_fini(&c.bad);
	kd_experiment_fini(&c.exp);
	free(c.agent);
	return r;
}

const struct kd_command kd_command_check = {
	.name = "check",
	.summary = "tell git bisect whether what runs now is good or bad",
	.usage = "[FILE]",
	.details =
		"Measures the present state, and judges it by stored references. "
		"The exit status is for *git bisect run*: 0 good, 1 bad, 125 cannot "
		"tell or could not measure (bisect skips the commit), 128 and "
		"above for a wrong command line or an error of kdelta (bisect "
		"ends).\n"
		"The line between good and bad is half way between the means of "
		"*--good* and *--bad*, or half way to a loss of *--min-effect*. A "
		"state is good or bad when it is shown to be on one side, by the t "
		"test of its distance from the line; until then it is measured on, "
		"to *--max-rounds*, with the stopping rule of *until: decided*. "
		"Metrics in which the references do not differ are not looked at; "
		"any bad metric makes the state bad.\n"
		"A file of several variants needs no reference: without one, the "
		"state is bad where any variant is worse than the baseline in a "
		"primary metric, good where all are better or the same, and else "
		"cannot be told; so give the file's plan a min-effect.\n"
		"In the good state, and in the bad one: *kdelta check --record good "
		"-w exec:...*. Then *git bisect run sh -c 'make || exit 125; kdelta "
		"check --good good --bad bad -w exec:...'*. Building, and booting "
		"what was built, is the script's part. All runs are stored under "
		"the name \"check\".",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.flags = KD_COMMAND_BISECT,
	.run = run,
};
