// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "variants:", "sweep:" and "baseline:".
 *
 * A sweep's combinations are variants too; where there are both, each variant
 * meets each combination, and "variant" is the first factor.
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/str.h"
#include "knobs/knob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTORS_MAX 8
#define VARIANTS_MAX 512

/**
 * struct factor - one line of a sweep
 * @kind:   of knob, or "workload"
 * @target: name of the knob or of the workload's option: a scalar, or for a
 *          command the map that holds its label and commands
 * @values: a list, or a map from labels to values
 */
struct factor {
	const struct kd_node *name;
	const struct kd_node *kind;
	const struct kd_node *target;
	const struct kd_node *values;
};

struct sweep {
	struct factor factors[FACTORS_MAX];
	size_t n;
	size_t combinations;
};

static int new_variant(struct kd_exp_parser *p, const char *name, int line,
		       struct kd_exp_variant **out)
{
	struct kd_exp_variant *v;

	v = kd_exp_grow(&p->exp->variants, &p->exp->n_variants, sizeof(*v));
	if (!v)
		return kd_exp_no_memory(p);
	v->line = line;
	*out = v;
	return kd_exp_copy(p, &v->name, name);
}

static int parse_listed(struct kd_exp_parser *p, const struct kd_node *node)
{
	int r = kd_exp_want_map(p, node, "variants",
				"names: { on: { sysctl: ... }, off: ... }");

	if (!r && node->n > VARIANTS_MAX)
		return kd_exp_fail(p, node, "more than %d variants",
				   VARIANTS_MAX);
	for (size_t i = 0; !r && i < node->n; i++) {
		struct kd_exp_variant *v = NULL;

		r = kd_exp_check_name(p, node->keys[i], "variant", "");
		if (!r)
			r = new_variant(p, node->keys[i]->text,
					node->keys[i]->line, &v);
		if (!r)
			r = kd_exp_parse_knobs(p, node->items[i], v);
	}
	return r;
}

static int factor_value(struct kd_exp_parser *p, const struct factor *f,
			size_t i)
{
	const struct kd_node *v = f->values->items[i];

	if (v->type != KD_NODE_SCALAR || kd_node_is_empty(v))
		return kd_exp_fail(p, v, "sweep %.60s: expected a value, found %s",
				   f->name->text, kd_node_what(v));
	for (size_t k = 0; k < i; k++)
		if (!strcmp(f->values->items[k]->text, v->text))
			return kd_exp_fail(p, v,
					   "sweep %.60s: the value \"%.60s\" stands here twice",
					   f->name->text, v->text);
	return 0;
}

static int factor_target(struct kd_exp_parser *p, const struct factor *f)
{
	if (!strcmp(f->kind->text, "command")) {
		const struct kd_node *t = f->target;

		if (t->type != KD_NODE_MAP)
			return kd_exp_want_map(p, t, "command",
					       "shell commands: { set: ..., get: ... }");
		return 0;
	}
	return kd_exp_want_text(p, f->target, f->kind->text);
}

static int parse_factor(struct kd_exp_parser *p, const struct kd_node *name,
			const struct kd_node *node, struct factor *f)
{
	char where[160];
	int r;

	*f = (struct factor){ .name = name };
	r = kd_exp_check_name(p, name, "factor", "=,");
	if (r)
		return r;
	snprintf(where, sizeof(where), "sweep %s", name->text);
	r = kd_exp_want_map(p, node, where,
			    "a knob and its values: { sysctl: NAME, values: [1, 2] }");
	for (size_t i = 0; !r && i < node->n; i++) {
		const struct kd_node *key = node->keys[i];

		if (!strcmp(key->text, "values")) {
			f->values = node->items[i];
		} else if (f->kind) {
			r = kd_exp_fail(p, key,
					"%s: one knob, but both %.40s and %.40s stand here",
					where, f->kind->text, key->text);
			kd_exp_hint(p, key->text, (const char *[]){ "values" },
				    1, sizeof(char *));
		} else {
			f->kind = key;
			f->target = node->items[i];
		}
	}
	if (r)
		return r;
	if (!f->kind)
		return kd_exp_fail(p, node,
				   "%s: the knob is missing: sysctl: NAME or workload: NAME.OPTION",
				   where);
	if (!f->values)
		return kd_exp_fail(p, node, "%s: values are missing", where);
	if (f->values->type == KD_NODE_SCALAR)
		return kd_exp_fail(p, f->values,
				   "%s: values: expected a list, found %s",
				   where, kd_node_what(f->values));
	if (!f->values->n)
		return kd_exp_fail(p, f->values, "%s: values are empty", where);
	r = factor_target(p, f);
	for (size_t i = 0; !r && i < f->values->n; i++)
		r = factor_value(p, f, i);
	return r;
}

static const char *level_text(const struct factor *f, size_t i)
{
	return f->values->keys ? f->values->keys[i]->text :
				 f->values->items[i]->text;
}

static int apply_command(struct kd_exp_parser *p, struct kd_exp_variant *v,
			 const struct factor *f, const struct kd_node *value)
{
	struct kd_exp_knob *k;
	int r;

	r = kd_exp_add_knob(p, v, f->kind->text, f->name->text, f->kind,
			    f->target);
	if (r)
		return r;
	k = &v->knobs[v->n_knobs - 1];
	if (k->value[0])
		return kd_exp_fail(p, f->target,
				   "sweep %.60s: its values are listed, so the command has none of its own",
				   f->name->text);
	return kd_exp_copy(p, &k->value, value->text);
}

static int apply(struct kd_exp_parser *p, struct kd_exp_variant *v,
		 const struct factor *f, size_t i)
{
	const struct kd_node *value = f->values->items[i];
	const char *name;
	int r;

	if (!strcmp(f->kind->text, "workload"))
		return kd_exp_add_override(p, v, f->target->text, f->target,
					   value);
	if (!strcmp(f->kind->text, "command"))
		return apply_command(p, v, f, value);
	if (!kd_knob_find(f->kind->text, &name))
		return kd_exp_add_knob(p, v, f->kind->text, "", f->kind,
				       value);
	r = kd_exp_add_knob(p, v, f->kind->text, f->target->text, f->target,
			    value);
	if (!r) {
		v->knobs[v->n_knobs - 1].line = value->line;
		v->knobs[v->n_knobs - 1].column = value->column;
	}
	return r;
}

static int copy_pair(struct kd_exp_parser *p, const struct kd_exp_pair *from,
		     struct kd_exp_pair *to)
{
	int r;

	to->line = from->line;
	to->column = from->column;
	r = kd_exp_copy(p, &to->key, from->key);
	return r ? r : kd_exp_copy(p, &to->value, from->value);
}

static int copy_maybe(struct kd_exp_parser *p, char **to, const char *from)
{
	return from ? kd_exp_copy(p, to, from) : 0;
}

/* what @from changes, into the empty @to */
static int copy_changes(struct kd_exp_parser *p,
			const struct kd_exp_variant *from,
			struct kd_exp_variant *to)
{
	int r = 0;

	for (size_t i = 0; !r && i < from->n_knobs; i++) {
		const struct kd_exp_knob *a = &from->knobs[i];
		struct kd_exp_knob *b;

		b = kd_exp_grow(&to->knobs, &to->n_knobs, sizeof(*b));
		if (!b)
			return kd_exp_no_memory(p);
		b->ops = a->ops;
		b->line = a->line;
		b->column = a->column;
		r = kd_exp_copy(p, &b->knob, a->knob);
		if (!r)
			r = copy_maybe(p, &b->value, a->value);
		if (!r)
			r = copy_maybe(p, &b->get, a->get);
		if (!r)
			r = copy_maybe(p, &b->set, a->set);
		if (!r)
			r = copy_maybe(p, &b->restore, a->restore);
	}
	for (size_t i = 0; !r && i < from->n_overrides; i++) {
		struct kd_exp_override *o;

		o = kd_exp_grow(&to->overrides, &to->n_overrides, sizeof(*o));
		if (!o)
			return kd_exp_no_memory(p);
		o->workload = from->overrides[i].workload;
		r = copy_pair(p, &from->overrides[i].pair, &o->pair);
	}
	return r;
}

/* "262144" for one factor, "limit=262144,streams=1" for more */
static int name_variant(struct kd_exp_parser *p, const struct sweep *s,
			bool has_variants, struct kd_exp_variant *v)
{
	size_t n = p->exp->n_factors;
	struct kd_buf name = { 0 };
	int r;

	for (size_t i = 0; i < n; i++) {
		if (i)
			kd_buf_puts(&name, ",");
		if (n > 1 && !(has_variants && !i))
			kd_buf_printf(&name, "%s=", p->exp->factors[i]);
		kd_buf_puts(&name, v->levels[i]);
	}
	r = name.err ? kd_exp_no_memory(p) :
		       kd_exp_copy(p, &v->name, kd_buf_str(&name));
	kd_buf_fini(&name);
	return r;
}

static int combine(struct kd_exp_parser *p, const struct sweep *s,
		   const struct kd_exp_variant *from, size_t combination,
		   bool has_variants)
{
	size_t first = has_variants ? 1 : 0, rest = combination;
	struct kd_exp_variant *v = NULL;
	size_t digits[FACTORS_MAX];
	int r;

	for (size_t f = s->n; f-- > 0; rest /= s->factors[f].values->n)
		digits[f] = rest % s->factors[f].values->n;
	r = new_variant(p, "", 0, &v);
	if (r)
		return r;
	v->levels = calloc(p->exp->n_factors, sizeof(*v->levels));
	if (!v->levels)
		return kd_exp_no_memory(p);
	if (has_variants) {
		r = kd_exp_copy(p, &v->levels[0], from->name);
		if (!r)
			r = copy_changes(p, from, v);
	}
	for (size_t f = 0; !r && f < s->n; f++) {
		r = kd_exp_copy(p, &v->levels[first + f],
				level_text(&s->factors[f], digits[f]));
		if (!r)
			r = apply(p, v, &s->factors[f], digits[f]);
	}
	return r ? r : name_variant(p, s, has_variants, v);
}

static int add_factor_name(struct kd_exp_parser *p, const char *name)
{
	char **slot = kd_exp_grow(&p->exp->factors, &p->exp->n_factors,
				  sizeof(*slot));

	return slot ? kd_exp_copy(p, slot, name) : kd_exp_no_memory(p);
}

static int read_sweep(struct kd_exp_parser *p, const struct kd_node *node,
		      struct sweep *s)
{
	int r = kd_exp_want_map(p, node, "sweep",
				"factors: { limit: { sysctl: NAME, values: [1, 2] } }");

	if (!r && !node->n)
		return kd_exp_fail(p, node, "sweep: it is empty");
	if (!r && node->n > FACTORS_MAX)
		return kd_exp_fail(p, node, "sweep: more than %d factors",
				   FACTORS_MAX);
	s->combinations = 1;
	for (size_t i = 0; !r && i < node->n; i++) {
		struct factor *f = &s->factors[s->n++];

		r = parse_factor(p, node->keys[i], node->items[i], f);
		if (!r && !strcmp(f->name->text, "variant"))
			r = kd_exp_fail(p, f->name,
					"sweep: \"variant\" cannot be a factor's name");
		if (!r)
			r = add_factor_name(p, f->name->text);
		if (!r)
			s->combinations *= f->values->n;
		if (!r && s->combinations > VARIANTS_MAX)
			r = kd_exp_fail(p, node,
					"sweep: more than %d combinations",
					VARIANTS_MAX);
	}
	return r;
}

int kd_exp_parse_sweep(struct kd_exp_parser *p, const struct kd_node *node,
		       bool has_variants)
{
	struct kd_experiment *exp = p->exp;
	struct kd_exp_variant *bases = exp->variants, none = { 0 };
	size_t n_bases = exp->n_variants;
	struct sweep s = { .n = 0 };
	int r = 0;

	if (has_variants)
		r = add_factor_name(p, "variant");
	if (!r)
		r = read_sweep(p, node, &s);
	if (r)
		return r;
	if (has_variants && s.combinations * n_bases > VARIANTS_MAX)
		return kd_exp_fail(p, node,
				   "sweep: more than %d combinations with the variants",
				   VARIANTS_MAX);
	exp->variants = NULL;
	exp->n_variants = 0;
	for (size_t b = 0; !r && b < (has_variants ? n_bases : 1); b++)
		for (size_t c = 0; !r && c < s.combinations; c++)
			r = combine(p, &s, has_variants ? &bases[b] : &none, c,
				    has_variants);
	for (size_t b = 0; b < n_bases; b++)
		kd_exp_variant_fini(&bases[b], 0);
	free(bases);
	return r;
}

static bool matches(const struct kd_experiment *exp,
		    const struct kd_exp_variant *v, const struct kd_node *map)
{
	for (size_t f = 0; f < exp->n_factors; f++) {
		const struct kd_node *want = kd_node_get(map, exp->factors[f]);

		if (want && strcmp(want->text, v->levels[f]))
			return false;
	}
	return true;
}

/* "baseline: { limit: 262144 }": the first variant with these levels */
static int baseline_by_levels(struct kd_exp_parser *p,
			      const struct kd_node *node)
{
	struct kd_experiment *exp = p->exp;

	for (size_t i = 0; i < node->n; i++) {
		bool known = false;

		if (kd_exp_want_text(p, node->items[i], node->keys[i]->text))
			return -EINVAL;
		for (size_t f = 0; f < exp->n_factors; f++)
			known |= !strcmp(exp->factors[f], node->keys[i]->text);
		if (known)
			continue;
		kd_exp_fail(p, node->keys[i],
			    "baseline: the sweep has no factor \"%.60s\"",
			    node->keys[i]->text);
		kd_exp_hint(p, node->keys[i]->text, exp->factors,
			    exp->n_factors, sizeof(char *));
		return -EINVAL;
	}
	for (size_t v = 0; v < exp->n_variants; v++) {
		if (matches(exp, &exp->variants[v], node)) {
			exp->baseline = v;
			return 0;
		}
	}
	return kd_exp_fail(p, node,
			   "baseline: no combination has these values");
}

static int parse_baseline(struct kd_exp_parser *p, const struct kd_node *node)
{
	struct kd_experiment *exp = p->exp;
	int r;

	if (!node)
		return 0;
	if (node->type == KD_NODE_MAP && exp->n_factors)
		return baseline_by_levels(p, node);
	r = kd_exp_want_text(p, node, "baseline");
	if (r)
		return r;
	for (size_t i = 0; i < exp->n_variants; i++) {
		if (!strcmp(exp->variants[i].name, node->text)) {
			exp->baseline = i;
			return 0;
		}
	}
	kd_exp_fail(p, node, "baseline: there is no variant \"%.60s\"",
		    node->text);
	kd_exp_hint(p, node->text, &exp->variants[0].name, exp->n_variants,
		    sizeof(exp->variants[0]));
	return -EINVAL;
}

static int check_unique_names(struct kd_exp_parser *p,
			      const struct kd_node *at)
{
	const struct kd_experiment *exp = p->exp;

	for (size_t i = 1; i < exp->n_variants; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(exp->variants[i].name,
				    exp->variants[k].name))
				return kd_exp_fail(p, at,
						   "two variants would be named \"%.100s\"",
						   exp->variants[i].name);
	return 0;
}

int kd_exp_parse_variants(struct kd_exp_parser *p,
			  const struct kd_node *variants,
			  const struct kd_node *sweep,
			  const struct kd_node *baseline,
			  const struct kd_node *root)
{
	struct kd_experiment *exp = p->exp;
	const struct kd_node *at = sweep ? sweep : variants;
	struct kd_exp_variant *as_found;
	int r = 0;

	if (!variants && !sweep && p->alone)
		r = new_variant(p, "as-found", 0, &as_found);
	else if (!variants && !sweep)
		return kd_exp_fail(p, root,
				   "variants are missing: what to compare (or a sweep)");
	if (variants)
		r = parse_listed(p, variants);
	if (!r && sweep)
		r = kd_exp_parse_sweep(p, sweep, exp->n_variants > 0);
	if (!r)
		r = check_unique_names(p, at);
	if (!r && exp->n_variants < (p->alone ? 1 : 2))
		r = kd_exp_fail(p, at,
				"%s: nothing can be %s needed",
				exp->n_variants ? "only one variant" :
				"no variant", p->alone ?
				"measured, at least one is" :
				"compared, at least two are");
	if (!r)
		r = parse_baseline(p, baseline);
	for (size_t v = 0; !r && v < exp->n_variants; v++)
		for (size_t w = 0; !r && w < exp->n_workloads; w++)
			r = kd_experiment_run(exp, v, w, NULL, NULL, p->d);
	return r;
}
