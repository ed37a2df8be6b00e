// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "plan:", and which metrics the verdict is about.
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/sink.h"
#include "base/str.h"
#include "observers/observer.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const untils[] = { "rounds", "decided", NULL };

#define PLAN(field) offsetof(struct kd_exp_plan, field)

const struct kd_opt kd_exp_plan_opts[] = {
	{ "rounds", KD_OPT_INT, PLAN(rounds), .min = 1, .max = 100000,
	  .def = "10", .letter = 'n',
	  .help = "how often each variant runs; with until: decided, the least" },
	{ "until", KD_OPT_ENUM, PLAN(until), .choices = untils,
	  .def = "rounds",
	  .help = "stop after the rounds, or when each primary metric is decided" },
	{ "max-rounds", KD_OPT_INT, PLAN(max_rounds), .min = 2, .max = 100000,
	  .def = "40", .help = "the most rounds with until: decided" },
	{ "min-effect", KD_OPT_PCT, PLAN(min_effect_pct), .max = 1000,
	  .help = "smallest change of interest; without it nothing is ever \"same\"" },
	{ "alpha", KD_OPT_REAL, PLAN(alpha), .min = 1e-6, .max = 0.5,
	  .def = "0.05", .help = "false alarms allowed, over all primary metrics" },
	{ "power", KD_OPT_REAL, PLAN(power), .min = 0.5, .max = 0.999,
	  .def = "0.8", .help = "chance to see an effect, for the rounds needed" },
	{ "warm-up-round", KD_OPT_BOOL, PLAN(warmup_round), .def = "no",
	  .help = "a round before the first that is not counted" },
	{ "retries", KD_OPT_INT, PLAN(retries), .max = 100, .def = "1",
	  .help = "how often a failed run is repeated at the end" },
	{ "seed", KD_OPT_INT, PLAN(seed), .min = 0, .max = 9007199254740992.0,
	  .help = "of the random order; drawn and kept where not told" },
	{ "deadline", KD_OPT_TIME, PLAN(deadline_ns), .min = 0,
	  .max = 864e11,
	  .help = "a run that takes longer has failed; by default its length and 30s" },
	{ "pause", KD_OPT_TIME, PLAN(pause_ns), .max = 3600e9, .def = "0s",
	  .help = "rest between runs" },
	{ "hz", KD_OPT_REAL, PLAN(hz), .min = 0.1, .max = 1000, .def = "10",
	  .help = "samples a second of the observers" },
	{ "primary", KD_OPT_STR, PLAN(primary), .arg = "METRIC",
	  .help = "METRIC or WORKLOAD:METRIC that the verdict is about; by default one a workload, and power where observed",
	  .flags = KD_OPT_REPEAT },
	{ 0 },
};

static int add_name(struct kd_exp_parser *p, struct kd_exp_workload *w,
		    const char *name)
{
	char *joined;

	if (!w->primary[0])
		return kd_exp_copy(p, &w->primary, name);
	if (asprintf(&joined, "%s,%s", w->primary, name) < 0)
		return kd_exp_no_memory(p);
	free(w->primary);
	w->primary = joined;
	return 0;
}

/* "cpu.busy[1]" is an instance of "cpu.busy" */
static bool has_metric(const struct kd_metric_desc *metrics, const char *name)
{
	size_t len = strcspn(name, "[");

	for (; metrics && metrics->name; metrics++)
		if (strlen(metrics->name) == len &&
		    !strncmp(metrics->name, name, len))
			return true;
	return false;
}

/* the file itself names the metrics of such a workload */
static bool names_its_metrics(const struct kd_work_ops *ops)
{
	return kd_opt_find(ops->opts, "parse") ||
	       kd_opt_find(ops->opts, "metric");
}

static bool is_observed(const struct kd_experiment *exp, const char *name)
{
	for (size_t i = 0; i < exp->n_observers; i++)
		if (has_metric(exp->observers[i].ops->metrics, name))
			return true;
	return false;
}

static void hint_metric(struct kd_exp_parser *p, const char *name)
{
	const struct kd_experiment *exp = p->exp;
	const char *words[256];
	size_t n = 0;

	for (size_t i = 0; i < exp->n_workloads; i++)
		for (const struct kd_metric_desc *m =
			     exp->workloads[i].ops->metrics;
		     m && m->name && n < KD_ARRAY_SIZE(words); m++)
			words[n++] = m->name;
	for (size_t i = 0; i < exp->n_observers; i++)
		for (const struct kd_metric_desc *m =
			     exp->observers[i].ops->metrics;
		     m && m->name && n < KD_ARRAY_SIZE(words); m++)
			words[n++] = m->name;
	kd_exp_hint(p, name, words, n, sizeof(*words));
}

static int named_primary(struct kd_exp_parser *p, const char *text,
			 const struct kd_node *at)
{
	struct kd_experiment *exp = p->exp;
	const char *colon = strchr(text, ':');
	const char *metric = colon ? colon + 1 : text;
	size_t len = colon ? (size_t)(colon - text) : 0;
	bool found = false, workload = false;
	int r = 0;

	for (size_t i = 0; !r && i < exp->n_workloads; i++) {
		struct kd_exp_workload *w = &exp->workloads[i];

		if (colon && (strlen(w->name) != len ||
			      strncmp(w->name, text, len)))
			continue;
		workload = true;
		if (!has_metric(w->ops->metrics, metric) &&
		    !names_its_metrics(w->ops) && !is_observed(exp, metric))
			continue;
		found = true;
		r = add_name(p, w, metric);
	}
	if (r || found)
		return r;
	if (!workload) {
		char word[64];

		snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60),
			 text);
		kd_exp_fail(p, at,
			    "primary: there is no workload \"%s\" in this experiment",
			    word);
		kd_exp_hint(p, word, &exp->workloads[0].name, exp->n_workloads,
			    sizeof(exp->workloads[0]));
		return -EINVAL;
	}
	kd_exp_fail(p, at,
		    "primary: neither workload nor observers here measure \"%.60s\"",
		    metric);
	hint_metric(p, metric);
	return -EINVAL;
}

static const char *value_of(const struct kd_exp_workload *w, const char *key)
{
	const struct kd_opt *o = kd_opt_find(w->ops->opts, key);

	for (size_t i = 0; i < w->n_pairs; i++)
		if (!strcmp(w->pairs[i].key, key))
			return w->pairs[i].value;
	return o ? o->def : NULL;
}

/* the first metric, or the first of the workload's direction */
static const char *default_metric(const struct kd_exp_workload *w)
{
	const struct kd_metric_desc *m = w->ops->metrics;
	const char *direction = value_of(w, "direction");
	const char *protocol = value_of(w, "protocol");

	/* what a command prints: named by the file, or by a parser later */
	if (value_of(w, "regex"))
		return value_of(w, "metric");
	if (value_of(w, "parse") || !m || !m->name)
		return NULL;
	for (; direction && m->name; m++) {
		const char *last = strrchr(m->name, '.');

		last = last ? last + 1 : m->name;
		if (protocol && !kd_str_has_prefix(m->name, protocol))
			continue;
		if (m->better != KD_BETTER_NONE &&
		    kd_str_has_prefix(last, direction))
			return m->name;
	}
	return w->ops->metrics[0].name;
}

static int default_primary(struct kd_exp_parser *p, struct kd_exp_workload *w)
{
	const char *name = default_metric(w);
	int r = name ? add_name(p, w, name) : 0;

	for (size_t i = 0; !r && i < p->exp->n_observers; i++) {
		const struct kd_obs_ops *ops = p->exp->observers[i].ops;

		if (!strcmp(ops->name, "power") && ops->metrics &&
		    ops->metrics->name)
			r = add_name(p, w, ops->metrics->name);
	}
	return r;
}

static int keep_plan(struct kd_exp_parser *p, const struct kd_exp_pairs *pairs)
{
	int r = 0;

	for (size_t i = 0; !r && i < pairs->n; i++) {
		r = kd_opt_set(kd_exp_plan_opts, &p->exp->plan,
			       pairs->pairs[i].key, pairs->pairs[i].value,
			       p->d);
		if (!r && !strcmp(pairs->pairs[i].key, "primary")) {
			struct kd_node at = {
				.line = pairs->pairs[i].line,
				.column = pairs->pairs[i].column,
			};

			r = named_primary(p, pairs->pairs[i].value, &at);
		}
	}
	return r;
}

static int check_plan(struct kd_exp_parser *p, const struct kd_node *node)
{
	const struct kd_exp_plan *plan = &p->exp->plan;
	const struct kd_node *max = kd_node_get(node, "max-rounds");

	if (max && plan->until != KD_UNTIL_DECIDED)
		return kd_exp_fail(p, max,
				   "plan: max-rounds has a meaning with until: decided only");
	if (plan->until == KD_UNTIL_DECIDED && plan->max_rounds < plan->rounds &&
	    (max || kd_node_get(node, "rounds")))
		return kd_exp_fail(p, max ? max : kd_node_get(node, "rounds"),
				   "plan: rounds (%lld) are more than max-rounds (%lld)",
				   (long long)plan->rounds,
				   (long long)plan->max_rounds);
	return 0;
}

int kd_exp_parse_plan(struct kd_exp_parser *p, const struct kd_node *node)
{
	const struct kd_exp_table table = { kd_exp_plan_opts,
					    sizeof(struct kd_exp_plan) };
	struct kd_exp_pairs pairs = { 0 };
	int r = 0;

	if (node && !kd_node_is_empty(node))
		r = kd_exp_want_map(p, node, "plan",
				    "options: { rounds: 10 }");
	for (size_t i = 0; !r && node && i < node->n; i++)
		r = kd_exp_option(p, &table, 1, "the plan", node->keys[i],
				  node->items[i], &pairs);
	if (!r)
		r = keep_plan(p, &pairs);
	if (!r && node)
		r = check_plan(p, node);
	kd_exp_pairs_fini(&pairs);
	for (size_t i = 0; !r && !p->exp->plan.primary &&
	     i < p->exp->n_workloads; i++)
		r = default_primary(p, &p->exp->workloads[i]);
	return r;
}
