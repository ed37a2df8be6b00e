// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "workloads:", and what one run of one is told.
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/str.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_DEFAULT_NS (5 * KD_NS_PER_SEC)
#define WARMUP_DEFAULT_NS (500 * KD_NS_PER_MS)
#define COOLDOWN_DEFAULT_NS (200 * KD_NS_PER_MS)
/* the ends' windows do not end at one moment */
#define COOLDOWN_LEAST_NS (50 * KD_NS_PER_MS)
#define DEADLINE_MARGIN_NS (30 * KD_NS_PER_SEC)
#define DEADLINE_OPEN_NS (600 * KD_NS_PER_SEC)

const struct kd_opt kd_exp_run_opts[] = {
	{ "time", KD_OPT_TIME, offsetof(struct kd_exp_run, time_ns),
	  .min = 1e6, .max = 864e11,
	  .help = "length of the measured window; 5s where nothing else ends the workload" },
	{ "warm-up", KD_OPT_TIME, offsetof(struct kd_exp_run, warmup_ns),
	  .max = 3600e9,
	  .help = "traffic before the window; 500ms for traffic, else none" },
	{ "cool-down", KD_OPT_TIME, offsetof(struct kd_exp_run, cooldown_ns),
	  .max = 3600e9,
	  .help = "traffic after the window; 200ms for traffic and at least 50ms, so that no end stops in the other's window; else none" },
	{ "deadline", KD_OPT_TIME, offsetof(struct kd_exp_run, deadline_ns),
	  .min = 1e9, .max = 864e11,
	  .help = "a run that takes longer has failed; by default its length and 30s, or 10min where it ends by itself" },
	{ "cpus", KD_OPT_STR, offsetof(struct kd_exp_run, cpus),
	  .arg = "LIST", .help = "CPUs for the device's threads: 0,2-3" },
	{ "peer-cpus", KD_OPT_STR, offsetof(struct kd_exp_run, peer_cpus),
	  .arg = "LIST", .help = "CPUs for the peer's threads" },
	{ 0 },
};

/* stock tools that may stand at the other end: the kind that speaks to one */
static const char *const stock_tools[] = { "iperf3" };

size_t kd_exp_work_tables(const struct kd_work_ops *ops,
			  struct kd_exp_table tables[2])
{
	tables[0] = (struct kd_exp_table){ ops->opts, ops->opts_size };
	tables[1] = (struct kd_exp_table){ kd_exp_run_opts,
					   sizeof(struct kd_exp_run) };
	return 2;
}

static int add_pair(struct kd_exp_parser *p, struct kd_exp_pairs *pairs,
		    const char *key, const struct kd_node *value,
		    const char *text)
{
	struct kd_exp_pair *pair;
	int r;

	pair = kd_exp_grow(&pairs->pairs, &pairs->n, sizeof(*pair));
	if (!pair)
		return kd_exp_no_memory(p);
	pair->line = value->line;
	pair->column = value->column;
	r = kd_exp_copy(p, &pair->key, key);
	return r ? r : kd_exp_copy(p, &pair->value, text);
}

/* the workload becomes one of the kind that speaks to the tool */
static int against(struct kd_exp_parser *p, const struct kd_node *node,
		   struct kd_exp_workload *w, struct kd_exp_pairs *pairs)
{
	const char *kind = w->ops->name;
	int r = kd_exp_want_map(p, node, "against",
				"a stock tool and its address: { iperf3: 192.0.2.1 }");
	bool known = false;

	if (r)
		return r;
	if (node->n != 1)
		return kd_exp_fail(p, node,
				   "against: expected one stock tool and its address: { iperf3: 192.0.2.1 }");
	for (size_t i = 0; i < KD_ARRAY_SIZE(stock_tools); i++)
		known |= !strcmp(stock_tools[i], node->keys[0]->text);
	if (!known) {
		kd_exp_fail(p, node->keys[0],
			    "against: there is no stock tool \"%.60s\"",
			    node->keys[0]->text);
		kd_exp_hint(p, node->keys[0]->text, stock_tools,
			    KD_ARRAY_SIZE(stock_tools), sizeof(char *));
		return -EINVAL;
	}
	r = kd_exp_want_text(p, node->items[0], node->keys[0]->text);
	if (r)
		return r;
	w->ops = kd_work_find(node->keys[0]->text);
	if (!w->ops || (strcmp(kind, "tcp") && strcmp(kind, "udp")))
		return kd_exp_fail(p, node->keys[0],
				   "against: a stock %s is the other end of tcp and udp, not of %s",
				   node->keys[0]->text, kind);
	r = add_pair(p, pairs, "protocol", node->keys[0], kind);
	return r ? r : add_pair(p, pairs, "server", node->items[0],
				node->items[0]->text);
}

/* "against" among the options or beside the kind; NULL */
static const struct kd_node *find_against(const struct kd_node *node,
					  size_t chosen)
{
	const struct kd_node *in = kd_node_get(node->items[chosen], "against");

	return in ? in : kd_node_get(node, "against");
}

/* "tcp: tx": the value of a row that takes a bare word */
static int bare_word(struct kd_exp_parser *p, const char *where,
		     const struct kd_exp_table *tables, size_t n,
		     const struct kd_node *value, struct kd_exp_pairs *pairs)
{
	const struct kd_opt *row = tables[0].opts;
	struct kd_node key = {
		.type = KD_NODE_SCALAR, .line = value->line,
		.column = value->column,
	};
	int r;

	while (row && row->name && !(row->flags & KD_OPT_POSITIONAL))
		row++;
	if (!row || !row->name)
		return kd_exp_want_map(p, value, where, "options");
	key.text = strdup(row->name);
	if (!key.text)
		return kd_exp_no_memory(p);
	r = kd_exp_option(p, tables, n, where, &key, value, pairs);
	free(key.text);
	return r;
}

static int options(struct kd_exp_parser *p, const struct kd_node *value,
		   const char *where, struct kd_exp_workload *w,
		   struct kd_exp_pairs *pairs)
{
	struct kd_exp_table tables[2];
	size_t n = kd_exp_work_tables(w->ops, tables);
	int r = 0;

	if (kd_node_is_empty(value))
		return 0;
	if (value->type != KD_NODE_MAP)
		return bare_word(p, where, tables, n, value, pairs);
	for (size_t i = 0; !r && i < value->n; i++) {
		if (strcmp(value->keys[i]->text, "against"))
			r = kd_exp_option(p, tables, n, where, value->keys[i],
					  value->items[i], pairs);
	}
	return r;
}

static int beside_kind(struct kd_exp_parser *p, const struct kd_node *node,
		       size_t chosen, const char *where,
		       struct kd_exp_pairs *pairs)
{
	const struct kd_exp_table common = { kd_exp_run_opts,
					     sizeof(struct kd_exp_run) };
	int r = 0;

	for (size_t i = 0; !r && i < node->n; i++) {
		const struct kd_node *key = node->keys[i];

		for (size_t k = 0; k < pairs->n && i != chosen; k++)
			if (!strcmp(pairs->pairs[k].key, key->text))
				return kd_exp_fail(p, key,
						   "%s: %s stands here twice, first in line %d",
						   where, key->text,
						   pairs->pairs[k].line);
		if (i == chosen)
			continue;
		if (strcmp(key->text, "against"))
			r = kd_exp_option(p, &common, 1, where, key,
					  node->items[i], pairs);
	}
	return r;
}

static int no_kind(struct kd_exp_parser *p, const struct kd_node *node,
		   const char *name)
{
	const char *words[64];
	const struct kd_node *key = NULL;
	size_t n = 0;

	for (size_t i = 0; i < node->n && !key; i++)
		if (!kd_opt_find(kd_exp_run_opts, node->keys[i]->text) &&
		    strcmp(node->keys[i]->text, "against"))
			key = node->keys[i];
	for (; kd_work_table[n] && n < KD_ARRAY_SIZE(words); n++)
		words[n] = kd_work_table[n]->name;
	if (key)
		kd_exp_fail(p, key,
			    "workload %.40s: there is no kind of workload \"%.60s\"",
			    name, key->text);
	else
		kd_exp_fail(p, node, "workload %.40s: its kind is missing",
			    name);
	kd_exp_hint(p, key ? key->text : "", words, n, sizeof(*words));
	return -EINVAL;
}

static int find_kind(struct kd_exp_parser *p, const struct kd_node *node,
		     const char *name, size_t *chosen)
{
	bool found = false;

	for (size_t i = 0; i < node->n; i++) {
		if (!kd_work_find(node->keys[i]->text))
			continue;
		if (found)
			return kd_exp_fail(p, node->keys[i],
					   "workload %.40s: one kind, but both %s and %s stand here",
					   name, node->keys[*chosen]->text,
					   node->keys[i]->text);
		found = true;
		*chosen = i;
	}
	return found ? 0 : no_kind(p, node, name);
}

static int workload(struct kd_exp_parser *p, const struct kd_node *name,
		    const struct kd_node *node)
{
	struct kd_exp_pairs pairs = { 0 };
	const struct kd_node *tool;
	struct kd_exp_workload *w;
	struct kd_node *one[1] = { NULL };
	struct kd_node empty = {
		.type = KD_NODE_SCALAR, .text = (char[]){ "" },
		.line = node->line, .column = node->column,
	}, plain;
	struct kd_node *none[1] = { &empty };
	size_t chosen = 0;
	char where[192];
	int r;

	r = kd_exp_check_name(p, name, "workload", ".,:=");
	if (r)
		return r;
	if (node->type == KD_NODE_SCALAR && !kd_node_is_empty(node)) {
		/* "idle: idle" */
		one[0] = (struct kd_node *)node;
		plain = (struct kd_node){
			.type = KD_NODE_MAP, .keys = one, .items = none,
			.n = 1, .line = node->line, .column = node->column,
		};
		node = &plain;
	}
	snprintf(where, sizeof(where), "workload %s", name->text);
	r = kd_exp_want_map(p, node, where,
			    "one kind with its options: { tcp: { time: 5s } }");
	if (!r)
		r = find_kind(p, node, name->text, &chosen);
	if (r)
		return r;
	w = kd_exp_grow(&p->exp->workloads, &p->exp->n_workloads, sizeof(*w));
	if (!w)
		return kd_exp_no_memory(p);
	w->line = name->line;
	w->ops = kd_work_find(node->keys[chosen]->text);
	r = kd_exp_copy(p, &w->name, name->text);
	if (!r)
		r = kd_exp_copy(p, &w->primary, "");
	tool = find_against(node, chosen);
	if (!r && tool)
		r = against(p, tool, w, &pairs);
	snprintf(where, sizeof(where), "workload %s (%s)", name->text,
		 w->ops ? w->ops->name : "");
	if (!r)
		r = options(p, node->items[chosen], where, w, &pairs);
	if (!r)
		r = beside_kind(p, node, chosen, where, &pairs);
	w->pairs = pairs.pairs;
	w->n_pairs = pairs.n;
	return r;
}

int kd_exp_parse_workloads(struct kd_exp_parser *p, const struct kd_node *node)
{
	int r = kd_exp_want_map(p, node, "workloads", "names: { tx: { tcp: ... } }");

	if (!r && !node->n)
		return kd_exp_fail(p, node, "workloads: there is none");
	for (size_t i = 0; !r && i < node->n; i++)
		r = workload(p, node->keys[i], node->items[i]);
	return r;
}

const struct kd_exp_pair *kd_experiment_option(const struct kd_experiment *exp,
					       size_t variant, size_t workload,
					       const char *key)
{
	const struct kd_exp_workload *w = &exp->workloads[workload];
	const struct kd_exp_variant *v = &exp->variants[variant];

	for (size_t i = 0; i < v->n_overrides; i++)
		if (v->overrides[i].workload == workload &&
		    !strcmp(v->overrides[i].pair.key, key))
			return &v->overrides[i].pair;
	for (size_t i = 0; i < w->n_pairs; i++)
		if (!strcmp(w->pairs[i].key, key))
			return &w->pairs[i];
	return NULL;
}

static bool has_override(const struct kd_exp_variant *v, size_t workload,
			 const char *key)
{
	for (size_t i = 0; i < v->n_overrides; i++)
		if (v->overrides[i].workload == workload &&
		    !strcmp(v->overrides[i].pair.key, key))
			return true;
	return false;
}

static uint64_t table_default(const struct kd_work_ops *ops, const char *name,
			      uint64_t otherwise)
{
	const struct kd_opt *o = kd_opt_find(ops->opts, name);
	uint64_t ns;

	if (o && o->type == KD_OPT_TIME && o->def &&
	    !kd_parse_time(o->def, &ns))
		return ns;
	return otherwise;
}

static int clash(const struct kd_experiment *exp,
		 const struct kd_exp_workload *w, const struct kd_exp_pair *a,
		 const struct kd_exp_pair *b, struct kd_diag *d)
{
	const struct kd_exp_pair *later = a->line > b->line ||
		(a->line == b->line && a->column > b->column) ? a : b;

	return kd_fail_at(d, -EINVAL, exp->file_name, later->line,
			  later->column,
			  "workload %s: either %s or time ends it, not both",
			  w->name, a->key);
}

/* how long the window is: see KD_OPT_ENDS */
static int window(const struct kd_experiment *exp, size_t variant,
		  size_t workload, struct kd_exp_run *run, struct kd_diag *d)
{
	const struct kd_exp_workload *w = &exp->workloads[workload];
	const struct kd_exp_pair *time, *end = NULL;
	bool can_end = false;

	time = kd_experiment_option(exp, variant, workload, "time");
	for (const struct kd_opt *o = w->ops->opts; o && o->name; o++) {
		if (!(o->flags & KD_OPT_ENDS))
			continue;
		can_end = true;
		if (!end)
			end = kd_experiment_option(exp, variant, workload, o->name);
	}
	if (time && end)
		return clash(exp, w, end, time, d);
	if (time || end)
		return 0;
	if ((w->ops->flags & KD_WORK_ENDS) && !can_end)
		return 0;
	run->time_ns = table_default(w->ops, "time", TIME_DEFAULT_NS);
	return 0;
}

static int fill_run(const struct kd_experiment *exp, size_t variant,
		    size_t workload, struct kd_exp_run *run, struct kd_diag *d)
{
	const struct kd_work_ops *ops = exp->workloads[workload].ops;
	bool traffic = ops->flags & (KD_WORK_NEEDS_PEER | KD_WORK_WARMS_UP);
	int r;

	for (const struct kd_opt *o = kd_exp_run_opts; o->name; o++) {
		const struct kd_exp_pair *pair;

		pair = kd_experiment_option(exp, variant, workload, o->name);
		r = pair ? kd_opt_set(kd_exp_run_opts, run, o->name,
				      pair->value, NULL) : 0;
		if (r)
			return kd_fail_at(d, r == -ENOMEM ? r : -EINVAL,
					  exp->file_name, pair->line,
					  pair->column,
					  "%s: \"%.60s\" does not fit",
					  o->name, pair->value);
	}
	r = window(exp, variant, workload, run, d);
	if (r)
		return r;
	if (!kd_experiment_option(exp, variant, workload, "warm-up"))
		run->warmup_ns = !run->time_ns ? 0 :
			table_default(ops, "warm-up",
				      traffic ? WARMUP_DEFAULT_NS : 0);
	if (!kd_experiment_option(exp, variant, workload, "cool-down"))
		run->cooldown_ns = !run->time_ns ? 0 :
			table_default(ops, "cool-down",
				      traffic ? COOLDOWN_DEFAULT_NS : 0);
	if (traffic && run->time_ns && run->cooldown_ns < COOLDOWN_LEAST_NS)
		run->cooldown_ns = COOLDOWN_LEAST_NS;
	if (!run->deadline_ns)
		run->deadline_ns = exp->plan.deadline_ns;
	if (!run->deadline_ns)
		run->deadline_ns = !run->time_ns ? DEADLINE_OPEN_NS :
			run->time_ns + run->warmup_ns + run->cooldown_ns +
			DEADLINE_MARGIN_NS;
	return 0;
}

static void format_options(const struct kd_experiment *exp, size_t variant,
			   size_t workload, struct kd_buf *out)
{
	const struct kd_exp_workload *w = &exp->workloads[workload];
	const struct kd_exp_variant *v = &exp->variants[variant];
	struct kd_buf text = { 0 };

	for (size_t i = 0; i < w->n_pairs; i++)
		if (kd_opt_find(w->ops->opts, w->pairs[i].key) &&
		    !has_override(v, workload, w->pairs[i].key))
			kd_exp_format_pair(w->pairs[i].key, w->pairs[i].value,
					   &text);
	for (size_t i = 0; i < v->n_overrides; i++)
		if (v->overrides[i].workload == workload &&
		    kd_opt_find(w->ops->opts, v->overrides[i].pair.key))
			kd_exp_format_pair(v->overrides[i].pair.key,
					   v->overrides[i].pair.value, &text);
	kd_buf_puts(out, kd_buf_str(&text));
	if (text.err)
		out->err = text.err;
	kd_buf_fini(&text);
}

/* the kind's own view of all options together */
static int check_together(const struct kd_experiment *exp,
			  const struct kd_exp_workload *w,
			  const struct kd_exp_variant *v, const char *list,
			  struct kd_exp_run *run, struct kd_diag *d)
{
	void *opts = calloc(1, w->ops->opts_size ? w->ops->opts_size : 1);
	struct kd_diag why = { 0 };
	int r;

	if (!opts)
		return kd_fail(d, -ENOMEM, "out of memory");
	r = kd_opt_init(w->ops->opts, opts);
	if (!r && w->ops->opts)
		r = kd_opt_set_list(w->ops->opts, opts, list, &why);
	if (!r && w->ops->check)
		r = w->ops->check(opts, &why);
	if (!r)
		run->has_peer = kd_work_has_peer(w->ops, opts);
	kd_opt_fini(w->ops->opts, opts);
	free(opts);
	if (!r || r == -ENOMEM)
		return r ? kd_fail(d, r, "out of memory") : 0;
	kd_fail_at(d, -EINVAL, exp->file_name, w->line, 1,
		   "workload %s under variant %s: %s", w->name, v->name,
		   why.text);
	if (why.hint[0])
		kd_diag_hint(d, "%s", why.hint);
	return -EINVAL;
}

int kd_experiment_run(const struct kd_experiment *exp, size_t variant,
		      size_t workload, struct kd_exp_run *run,
		      struct kd_buf *opts, struct kd_diag *d)
{
	struct kd_exp_run mine = { 0 };
	struct kd_buf list = { 0 };
	int r;

	r = fill_run(exp, variant, workload, &mine, d);
	if (!r) {
		format_options(exp, variant, workload, &list);
		r = list.err ? kd_fail(d, -ENOMEM, "out of memory") :
			check_together(exp, &exp->workloads[workload],
				       &exp->variants[variant],
				       kd_buf_str(&list), &mine, d);
	}
	if (!r && opts)
		r = kd_buf_puts(opts, kd_buf_str(&list));
	kd_buf_fini(&list);
	if (r || !run)
		kd_exp_run_fini(&mine);
	else
		*run = mine;
	return r;
}

void kd_exp_run_fini(struct kd_exp_run *run)
{
	kd_opt_fini(kd_exp_run_opts, run);
}

bool kd_experiment_has_peer(const struct kd_experiment *exp)
{
	bool has = false;

	for (size_t v = 0; v < exp->n_variants && !has; v++)
		for (size_t w = 0; w < exp->n_workloads && !has; w++) {
			struct kd_exp_run run = { 0 };

			if (!kd_experiment_run(exp, v, w, &run, NULL, NULL))
				has = run.has_peer;
			kd_exp_run_fini(&run);
		}
	return has;
}
