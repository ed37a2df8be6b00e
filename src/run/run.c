// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An experiment from its first round to its last. See run.h.
 */
#include "run/run.h"

#include "base/buf.h"
#include "base/clock.h"
#include "experiment/experiment.h"
#include "experiment/schedule.h"
#include "proto/json.h"
#include "run/boots.h"
#include "run/session.h"
#include "stats/analysis.h"
#include "stats/dataset.h"
#include "workloads/workload.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define OVERHEAD_NS (200 * KD_NS_PER_MS)

/* what the store is told of the experiment; texts live in @scratch */
struct described {
	struct kd_store_exp e;
	struct kd_buf *scratch;
	size_t n;
};

static struct kd_buf *next(struct described *x)
{
	return &x->scratch[x->n++];
}

static int describe_variants(const struct kd_experiment *exp,
			     struct described *x)
{
	x->e.variants = calloc(exp->n_variants, sizeof(*x->e.variants));
	if (!x->e.variants)
		return -ENOMEM;
	x->e.n_variants = exp->n_variants;
	for (size_t i = 0; i < exp->n_variants; i++) {
		struct kd_buf *b = next(x);

		kd_experiment_knobs_json(exp, i, b);
		x->e.variants[i].name = exp->variants[i].name;
		x->e.variants[i].knobs = b->data;
		x->e.variants[i].levels = exp->variants[i].levels;
	}
	return 0;
}

static int describe_workloads(const struct kd_experiment *exp,
			      struct described *x, struct kd_diag *d)
{
	x->e.workloads = calloc(exp->n_workloads, sizeof(*x->e.workloads));
	if (!x->e.workloads)
		return -ENOMEM;
	x->e.n_workloads = exp->n_workloads;
	for (size_t i = 0; i < exp->n_workloads; i++) {
		struct kd_buf *b = next(x);
		int r = kd_experiment_run(exp, exp->baseline, i, NULL, b, d);

		if (r)
			return r;
		x->e.workloads[i].name = exp->workloads[i].name;
		x->e.workloads[i].kind = (char *)exp->workloads[i].ops->name;
		x->e.workloads[i].options = b->data;
		x->e.workloads[i].primary = exp->workloads[i].primary;
	}
	return 0;
}

static int describe(const struct kd_run_request *req, struct described *x,
		    struct kd_diag *d)
{
	const struct kd_experiment *exp = req->exp;
	struct kd_buf *b;
	int r;

	memset(x, 0, sizeof(*x));
	x->scratch = calloc(exp->n_variants + exp->n_workloads + 4,
			    sizeof(*x->scratch));
	if (!x->scratch)
		return kd_fail(d, -ENOMEM, "out of memory");
	x->e.name = exp->name;
	x->e.file_name = exp->file_name;
	x->e.file_text = exp->text;
	x->e.seed = (uint64_t)exp->plan.seed;
	x->e.baseline = (int)exp->baseline;
	x->e.created_wall_ns = kd_wall();
	x->e.version = (char *)req->version;
	x->e.factors = exp->factors;
	x->e.n_factors = exp->n_factors;
	b = next(x);
	kd_experiment_plan_json(exp, b);
	x->e.plan = b->data;
	b = next(x);
	kd_experiment_end_json(&exp->dut, b);
	x->e.device = b->data;
	b = next(x);
	kd_experiment_end_json(&exp->peer, b);
	x->e.peer = b->data;
	r = describe_variants(exp, x);
	return r ? kd_fail(d, r, "out of memory") :
		   describe_workloads(exp, x, d);
}

static void described_fini(struct described *x)
{
	for (size_t i = 0; i < x->n; i++)
		kd_buf_fini(&x->scratch[i]);
	free(x->scratch);
	free(x->e.variants);
	free(x->e.workloads);
}

/* a run that failed, for another try at the end */
struct failure {
	struct kd_slot slot;
	int attempts;
};

struct failures {
	struct failure *list;
	size_t n;
};

static int note_failure(struct failures *f, const struct kd_slot *slot,
			int attempts)
{
	struct failure *list = reallocarray(f->list, f->n + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	f->list = list;
	list[f->n++] = (struct failure){ *slot, attempts };
	return 0;
}

static bool is_slot(const struct kd_slot *a, const struct kd_slot *b)
{
	return a->round == b->round && a->variant == b->variant &&
	       a->workload == b->workload;
}

static void forget_failure(struct failures *f, const struct kd_slot *slot)
{
	size_t left = 0;

	for (size_t i = 0; i < f->n; i++)
		if (!is_slot(&f->list[i].slot, slot))
			f->list[left++] = f->list[i];
	f->n = left;
}

/* how many failed in a round */
static size_t count_failures(const struct failures *f, int round)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->list[i].slot.round == round;
	return n;
}

static void forget_round(struct failures *f, int round)
{
	size_t left = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->list[i].slot.round != round)
			f->list[left++] = f->list[i];
	f->n = left;
}

/* what is stored of a resumed experiment; a round that is not whole is
 * repeated whole */
static int load_stored(struct kd_session *s, struct kd_slot **out, size_t *n,
		       struct failures *f, struct kd_diag *d)
{
	struct kd_store_run *runs;
	size_t n_runs, kept = 0;
	struct kd_slot *slots;
	int r = kd_store_load_runs(s->store, s->id, &runs, &n_runs, d);

	if (r)
		return r;
	slots = calloc(n_runs + 1, sizeof(*slots));
	for (size_t i = 0; slots && !r && i < n_runs; i++) {
		if (runs[i].seq >= s->seq)
			s->seq = runs[i].seq + 1;
		if (runs[i].status != KD_RUN_OK &&
		    runs[i].status != KD_RUN_FAILED)
			continue;
		slots[kept] = (struct kd_slot){
			.round = runs[i].round,
			.seq = runs[i].slot,
			.variant = (size_t)runs[i].variant,
			.workload = (size_t)runs[i].workload,
		};
		forget_failure(f, &slots[kept]);
		if (runs[i].status == KD_RUN_FAILED)
			r = note_failure(f, &slots[kept], runs[i].attempt);
		kept++;
	}
	kd_store_runs_free(runs, n_runs);
	*out = slots;
	*n = kept;
	return slots && !r ? 0 : kd_fail(d, -ENOMEM, "out of memory");
}

static int check_same(struct kd_session *s, struct kd_diag *d)
{
	struct kd_store_exp e = { 0 };
	int r = kd_store_load_exp(s->store, s->id, &e, d);
	bool same;

	if (r)
		return r;
	same = e.file_text && !strcmp(e.file_text, s->exp->text);
	s->exp->plan.seed = (int64_t)e.seed;
	kd_store_exp_fini(&e);
	if (same || s->req->force)
		return 0;
	kd_fail(d, -EINVAL, "the experiment file has changed since experiment %lld was begun",
		(long long)s->id);
	kd_diag_hint(d, "--force goes on all the same; without --resume it is a new experiment");
	return -EINVAL;
}

static int begin(struct kd_session *s, struct kd_diag *d)
{
	struct described x;
	int r;

	if (s->req->resume) {
		s->id = s->req->resume;
		return check_same(s, d);
	}
	if (!s->exp->plan.seed) {
		uint32_t v = 1;

		if (getrandom(&v, sizeof(v), 0) == sizeof(v))
			s->exp->plan.seed = (int64_t)v + 1;
		else
			s->exp->plan.seed = 1;
	}
	r = describe(s->req, &x, d);
	if (!r)
		r = kd_store_begin(s->store, &x.e, d);
	s->id = x.e.id;
	described_fini(&x);
	return r;
}

static bool is_decided(struct kd_session *s, int rounds)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_dataset ds = { 0 };
	struct kd_analysis a = { 0 };
	bool decided = false;

	if (s->exp->plan.until != KD_UNTIL_DECIDED)
		return false;
	plan.alpha = s->exp->plan.alpha;
	plan.power = s->exp->plan.power;
	plan.min_effect = s->exp->plan.min_effect_pct / 100;
	plan.seed = (uint64_t)s->exp->plan.seed;
	plan.max_rounds = (int)s->exp->plan.max_rounds;
	plan.looks = plan.max_rounds;
	plan.look = rounds;
	if (!kd_store_dataset(s->store, s->id, &ds, NULL, NULL) &&
	    !kd_analyse(&ds, &plan, &a, NULL))
		decided = kd_analysis_decided(&ds, &a);
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
	return decided;
}

static void pause_between(const struct kd_session *s)
{
	if (s->exp->plan.pause_ns)
		kd_sleep_until(kd_now() + s->exp->plan.pause_ns);
}

/* those of the variant that is wanted; returns how many */
static size_t choose(const struct kd_session *s, struct kd_slot *slots,
		     size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (s->req->variant < 0 ||
		    slots[i].variant == (size_t)s->req->variant)
			slots[kept++] = slots[i];
	return kept;
}

static int run_round(struct kd_session *s, int round, struct failures *f,
		     struct kd_diag *d)
{
	const struct kd_run_watch *w = s->req->watch;
	size_t total = kd_schedule_size(s->exp);
	struct kd_slot *slots = calloc(total, sizeof(*slots));
	int r = 0;

	if (!slots)
		return kd_fail(d, -ENOMEM, "out of memory");
	kd_schedule_round(s->exp, (uint64_t)s->exp->plan.seed, round, slots);
	total = choose(s, slots, total);
	for (size_t i = 0; !r && i < total; i++) {
		bool ok = false;

		if (kd_session_is_stopped(s)) {
			r = -EINTR;
			break;
		}
		if (w && w->slot)
			w->slot(w->arg, &slots[i], i, total);
		kd_boots_expect(s, slots + i, total - i);
		r = kd_session_slot(s, &slots[i], 1, &ok, d);
		if (!r && !ok && round >= 0)
			r = note_failure(f, &slots[i], 1);
		if (ok && round >= 0)
			s->outcome->ok++;
		pause_between(s);
	}
	free(slots);
	return r;
}

/* what may be tried once more is, in the order it failed, until nothing may */
static int retry(struct kd_session *s, struct failures *f, struct kd_diag *d)
{
	for (int attempt = 2; attempt <= 1 + s->exp->plan.retries; attempt++) {
		size_t left = 0;

		for (size_t i = 0; i < f->n; i++) {
			struct failure *x = &f->list[i];
			bool ok = false;
			int r;

			if (x->attempts < attempt) {
				r = kd_session_is_stopped(s) ? -EINTR :
					kd_session_slot(s, &x->slot, attempt,
							&ok, d);
				if (r)
					return r;
				x->attempts = attempt;
			}
			if (ok)
				s->outcome->ok++;
			else
				f->list[left++] = *x;
		}
		f->n = left;
	}
	return 0;
}

/* the first round that is not stored whole; @outcome counts those before it */
static int skip_stored(struct kd_session *s, struct failures *f, int *round,
		       struct kd_diag *d)
{
	size_t n, size = kd_schedule_size(s->exp);
	struct kd_slot *stored = NULL;
	int r = load_stored(s, &stored, &n, f, d);

	*round = 0;
	while (!r && s->req->variant < 0 &&
	       kd_schedule_is_whole(s->exp, *round, stored, n)) {
		s->outcome->ok += (unsigned int)(size -
						 count_failures(f, *round));
		++*round;
	}
	for (size_t i = 0; !r && i < n; i++)
		if (stored[i].round >= *round)
			forget_round(f, stored[i].round);
	free(stored);
	return r;
}

static int rounds(struct kd_session *s, struct failures *f, struct kd_diag *d)
{
	const struct kd_run_watch *w = s->req->watch;
	int last = kd_schedule_last(s->exp);
	int round = s->exp->plan.warmup_round ? KD_ROUND_WARMUP : 0;
	bool decided = false;
	int r = 0;

	if (s->req->resume)
		r = skip_stored(s, f, &round, d);
	if (!r && s->req->resume && round > 0)
		decided = is_decided(s, round);
	if (!r && s->req->resume && s->exp->plan.warmup_round && !decided &&
	    round < last)
		r = run_round(s, KD_ROUND_WARMUP, f, d);
	for (; !r && !decided && round < last; round++) {
		if (s->req->resume && round >= 0)
			r = kd_store_mark_superseded(s->store, s->id, round,
						     s->req->variant, d);
		if (!r)
			r = run_round(s, round, f, d);
		if (r)
			break;
		decided = round >= 0 && is_decided(s, round + 1);
		if (w && w->round)
			w->round(w->arg, round, decided);
	}
	return r ? r : retry(s, f, d);
}

int kd_run(const struct kd_run_request *req, struct kd_run_outcome *outcome,
	   struct kd_diag *d)
{
	const struct kd_run_watch *w = req->watch;
	struct kd_session s = { .req = req, .exp = req->exp,
				.outcome = outcome, .applied = -1 };
	struct failures f = { 0 };
	int r;

	memset(outcome, 0, sizeof(*outcome));
	r = kd_store_open(req->store, &s.store, d);
	if (r)
		return r;
	kd_diag_clear(d);
	r = kd_session_open(&s, d);
	if (!r)
		r = begin(&s, d);
	outcome->id = s.id;
	if (!r) {
		if (w && w->begin)
			w->begin(w->arg, s.id, &s.lab,
				 req->exp->plan.until == KD_UNTIL_DECIDED ?
					 0 :
					 kd_schedule_last(req->exp),
				 kd_schedule_round_ns(req->exp, OVERHEAD_NS));
		r = rounds(&s, &f, d);
	}
	outcome->failed = (unsigned int)f.n;
	if (r == -EINTR) {
		outcome->interrupted = true;
		r = 0;
	}
	free(f.list);
	kd_session_close(&s);
	kd_store_close(s.store);
	return r;
}
