// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An experiment's progress. See progress.h.
 */
#include "cli/progress.h"

#include "base/clock.h"
#include "cli/cmd.h"
#include "experiment/experiment.h"
#include "experiment/schedule.h"
#include "run/lab.h"
#include "run/run.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void on_begin(void *arg, int64_t id, const struct kd_lab *lab,
		     int rounds, uint64_t round_ns)
{
	struct kd_progress *p = arg;
	int most = rounds ? rounds : kd_schedule_last(p->exp);

	p->rounds = rounds;
	p->started_ns = kd_now();
	p->expected = kd_schedule_size(p->exp) *
		      (size_t)(most + p->exp->plan.warmup_round);
	if (p->quiet)
		return;
	if (lab->note[0])
		fprintf(stderr, "%s\n", lab->note);
	fprintf(stderr, "Experiment %" PRId64 ", \"%s\": %zu variants, %s%d rounds, ",
		id, p->exp->name, p->exp->n_variants,
		rounds ? "" : "until decided, at most ", most);
	if (round_ns * (uint64_t)most > 120 * KD_NS_PER_SEC)
		fprintf(stderr, "about %.0f min\n",
			(double)round_ns * most / 60e9);
	else
		fprintf(stderr, "about %.0f s\n", (double)round_ns * most / 1e9);
}

static void draw(struct kd_progress *p, const char *what)
{
	int width = kd_cli_width(STDERR_FILENO);
	double spent = (double)(kd_now() - p->started_ns) / 1e9;
	char line[256];
	double left = p->done ? spent / (double)p->done *
					(double)(p->expected - p->done) :
				0;

	snprintf(line, sizeof(line), "%zu/%zu  %.0f s left  %s%s%s", p->done,
		 p->expected, left, what, p->last[0] ? "  last " : "", p->last);
	fprintf(stderr, "\r\033[K%.*s", width - 1, line);
	fflush(stderr);
}

static void on_slot(void *arg, const struct kd_slot *slot, size_t index,
		    size_t total)
{
	struct kd_progress *p = arg;
	char what[160];

	if (p->quiet || !p->tty)
		return;
	snprintf(what, sizeof(what), "%s %d: %.40s, %.40s",
		 slot->round < 0 ? "warm-up" : "round", slot->round + 1,
		 p->exp->variants[slot->variant].name,
		 p->exp->workloads[slot->workload].name);
	draw(p, what);
}

static void on_done(void *arg, const struct kd_slot *slot,
		    const struct kd_store_run *run)
{
	struct kd_progress *p = arg;
	const char *primary = p->exp->workloads[slot->workload].primary;
	size_t len = strcspn(primary, ",");

	p->done++;
	if (p->done > p->expected)
		p->expected = p->done;
	if (run->status == KD_RUN_FAILED) {
		p->failed++;
		if (!p->quiet)
			fprintf(stderr, "%s%s, %s failed: %s\n",
				p->tty ? "\r\033[K" : "",
				p->exp->variants[slot->variant].name,
				p->exp->workloads[slot->workload].name,
				run->reason ? run->reason : "");
	}
	for (size_t i = 0; i < run->n_metrics; i++)
		if (!run->metrics[i].instance &&
		    strlen(run->metrics[i].name) == len &&
		    !strncmp(run->metrics[i].name, primary, len))
			snprintf(p->last, sizeof(p->last), "%.4g %s",
				 run->metrics[i].value, run->metrics[i].unit);
}

static void on_round(void *arg, int round, bool decided)
{
	struct kd_progress *p = arg;

	if (p->quiet || p->tty || round < 0)
		return;
	fprintf(stderr, "round %d done, %.0f s, %zu failed%s\n", round + 1,
		(double)(kd_now() - p->started_ns) / 1e9, p->failed,
		decided ? "; decided" : "");
}

void kd_progress_init(struct kd_progress *p, const struct kd_experiment *exp,
		      bool quiet, struct kd_run_watch *watch)
{
	*p = (struct kd_progress){ .exp = exp, .quiet = quiet,
				   .tty = isatty(STDERR_FILENO) };
	*watch = (struct kd_run_watch){
		.begin = on_begin,
		.slot = on_slot,
		.done = on_done,
		.round = on_round,
		.arg = p,
	};
}

void kd_progress_end(struct kd_progress *p)
{
	if (p->tty && !p->quiet)
		fputs("\r\033[K", stderr);
}
