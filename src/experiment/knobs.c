// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a variant changes: knobs, and options of workloads.
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/str.h"
#include "knobs/knob.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "command"
#define WORKLOAD "workload"

static const char *const command_keys[] = { "get", "set", "restore", "value" };

/* the kind of knob, or NULL with the words said */
static const struct kd_knob_ops *find_kind(struct kd_exp_parser *p,
					   const char *kind,
					   const struct kd_node *at)
{
	const struct kd_knob_ops *ops;
	const char *words[64], *name;
	size_t n = 0;

	ops = kd_knob_find(kind, &name);
	if (ops)
		return ops;
	words[n++] = WORKLOAD;
	for (size_t i = 0; kd_knob_table[i] && n < KD_ARRAY_SIZE(words); i++)
		words[n++] = kd_knob_table[i]->name;
	kd_exp_fail(p, at, "there is no kind of knob \"%.60s\"", kind);
	kd_exp_hint(p, kind, words, n, sizeof(*words));
	return NULL;
}

static int check_knob(struct kd_exp_parser *p, const struct kd_knob_ops *ops,
		      const char *name, const struct kd_node *key)
{
	struct kd_diag why = { 0 };

	if (!ops->check || !ops->check(name, &why))
		return 0;
	kd_exp_fail(p, key, "%s: %s", ops->name, why.text);
	if (why.hint[0])
		kd_diag_hint(p->d, "%s", why.hint);
	return -EINVAL;
}

static int command(struct kd_exp_parser *p, const struct kd_node *node,
		   const char *label, struct kd_exp_knob *k)
{
	char where[128];
	int r;

	snprintf(where, sizeof(where), "command %.60s", label);
	r = kd_exp_want_map(p, node, where,
			    "shell commands: { set: ..., get: ..., restore: ... }");
	for (size_t i = 0; !r && i < node->n; i++) {
		const char *key = node->keys[i]->text;
		char **slot = !strcmp(key, "get") ? &k->get :
			      !strcmp(key, "set") ? &k->set :
			      !strcmp(key, "restore") ? &k->restore :
			      !strcmp(key, "value") ? &k->value : NULL;

		if (!slot) {
			kd_exp_fail(p, node->keys[i],
				    "%s has no \"%.60s\"", where, key);
			kd_exp_hint(p, key, command_keys,
				    KD_ARRAY_SIZE(command_keys),
				    sizeof(char *));
			return -EINVAL;
		}
		r = kd_exp_want_text(p, node->items[i], key);
		if (!r)
			r = kd_exp_copy(p, slot, node->items[i]->text);
	}
	if (!r && !k->set)
		r = kd_exp_fail(p, node, "%s: set is missing: a shell command",
				where);
	if (!r && !k->value)
		r = kd_exp_copy(p, &k->value, "");
	return r;
}

int kd_exp_add_knob(struct kd_exp_parser *p, struct kd_exp_variant *v,
		    const char *kind, const char *name,
		    const struct kd_node *key, const struct kd_node *value)
{
	const struct kd_knob_ops *ops = find_kind(p, kind, key);
	struct kd_exp_knob *k;
	char *knob;
	int r;

	if (!ops)
		return -EINVAL;
	r = check_knob(p, ops, name, key);
	if (r)
		return r;
	if (asprintf(&knob, "%s%s%s", ops->name, *name ? ":" : "", name) < 0)
		return kd_exp_no_memory(p);
	for (size_t i = 0; i < v->n_knobs; i++) {
		if (strcmp(v->knobs[i].knob, knob))
			continue;
		r = kd_exp_fail(p, key, "%.160s is set twice, first in line %d",
				knob, v->knobs[i].line);
		free(knob);
		return r;
	}
	k = kd_exp_grow(&v->knobs, &v->n_knobs, sizeof(*k));
	if (!k) {
		free(knob);
		return kd_exp_no_memory(p);
	}
	k->knob = knob;
	k->ops = ops;
	k->line = value->line;
	k->column = value->column;
	if (!strcmp(ops->name, COMMAND) && value->type == KD_NODE_MAP)
		return command(p, value, name, k);
	if (value->type == KD_NODE_SCALAR && !kd_node_is_empty(value))
		return kd_exp_copy(p, &k->value, value->text);
	return kd_exp_fail(p, value, "%.160s: expected a value, found %s",
			   knob, kd_node_what(value));
}

static int override(struct kd_exp_parser *p, struct kd_exp_variant *v,
		    size_t workload, const char *option,
		    const struct kd_node *at, const struct kd_node *value)
{
	const struct kd_exp_workload *w = &p->exp->workloads[workload];
	struct kd_exp_pairs pairs = { 0 };
	struct kd_exp_table tables[2];
	struct kd_node key = {
		.type = KD_NODE_SCALAR, .line = at->line,
		.column = at->column,
	};
	char where[192];
	int r;

	for (size_t i = 0; i < v->n_overrides; i++)
		if (v->overrides[i].workload == workload &&
		    !strcmp(v->overrides[i].pair.key, option))
			return kd_exp_fail(p, at,
					   "%s.%s is set twice, first in line %d",
					   w->name, option,
					   v->overrides[i].pair.line);
	snprintf(where, sizeof(where), "workload %s (%s)", w->name,
		 w->ops->name);
	key.text = strdup(option);
	if (!key.text)
		return kd_exp_no_memory(p);
	r = kd_exp_option(p, tables, kd_exp_work_tables(w->ops, tables), where,
			  &key, value, &pairs);
	free(key.text);
	for (size_t i = 0; !r && i < pairs.n; i++) {
		struct kd_exp_override *o;

		o = kd_exp_grow(&v->overrides, &v->n_overrides, sizeof(*o));
		if (!o) {
			r = kd_exp_no_memory(p);
			break;
		}
		o->workload = workload;
		o->pair = pairs.pairs[i];
		pairs.pairs[i] = (struct kd_exp_pair){ 0 };
	}
	kd_exp_pairs_fini(&pairs);
	return r;
}

/* an option without a workload's name: of each that has it */
static int override_all(struct kd_exp_parser *p, struct kd_exp_variant *v,
			const char *option, const struct kd_node *key,
			const struct kd_node *value)
{
	struct kd_exp_table tables[2];
	bool found = false;
	int r = 0;

	for (size_t i = 0; !r && i < p->exp->n_workloads; i++) {
		size_t n = kd_exp_work_tables(p->exp->workloads[i].ops, tables);

		if (!kd_exp_find_option(tables, n, option))
			continue;
		found = true;
		r = override(p, v, i, option, key, value);
	}
	if (!r && !found) {
		size_t n = kd_exp_work_tables(p->exp->workloads[0].ops, tables);

		r = kd_exp_unknown_option(p, tables, n,
					  p->exp->n_workloads > 1 ?
					  "no workload here" :
					  "the workload here", key, option);
	}
	return r;
}

static int find_workload(struct kd_exp_parser *p, const char *name,
			 const struct kd_node *key, size_t *out)
{
	for (size_t i = 0; i < p->exp->n_workloads; i++) {
		if (!strcmp(p->exp->workloads[i].name, name)) {
			*out = i;
			return 0;
		}
	}
	kd_exp_fail(p, key, "there is no workload \"%.60s\" in this experiment",
		    name);
	kd_exp_hint(p, name, &p->exp->workloads[0].name, p->exp->n_workloads,
		    sizeof(p->exp->workloads[0]));
	return -EINVAL;
}

int kd_exp_add_override(struct kd_exp_parser *p, struct kd_exp_variant *v,
			const char *name, const struct kd_node *key,
			const struct kd_node *value)
{
	const char *dot = strchr(name, '.');
	char workload[128];
	size_t index = 0;
	int r;

	if (!dot && value->type != KD_NODE_MAP)
		return override_all(p, v, name, key, value);
	snprintf(workload, sizeof(workload), "%.*s",
		 dot ? (int)(dot - name) : (int)strlen(name), name);
	r = find_workload(p, workload, key, &index);
	if (r)
		return r;
	if (dot)
		return override(p, v, index, dot + 1, key, value);
	for (size_t i = 0; !r && i < value->n; i++)
		r = override(p, v, index, value->keys[i]->text, value->keys[i],
			     value->items[i]);
	return r;
}

/* maps in maps are names with dots between */
static int named(struct kd_exp_parser *p, struct kd_exp_variant *v,
		 const char *kind, const char *prefix,
		 const struct kd_node *map)
{
	bool is_command = !strcmp(kind, COMMAND);
	int r = 0;

	for (size_t i = 0; !r && i < map->n; i++) {
		const struct kd_node *value = map->items[i];
		char *name;

		if (asprintf(&name, "%s%s%s", prefix, *prefix ? "." : "",
			     map->keys[i]->text) < 0)
			return kd_exp_no_memory(p);
		if (!strcmp(kind, WORKLOAD))
			r = kd_exp_add_override(p, v, name, map->keys[i],
						value);
		else if (value->type == KD_NODE_MAP && !is_command)
			r = named(p, v, kind, name, value);
		else
			r = kd_exp_add_knob(p, v, kind, name, map->keys[i],
					    value);
		free(name);
	}
	return r;
}

static int group(struct kd_exp_parser *p, struct kd_exp_variant *v,
		 const struct kd_node *key, const struct kd_node *value)
{
	bool is_workload = kd_str_has_prefix(key->text, WORKLOAD) &&
			   strchr("\0:", key->text[strlen(WORKLOAD)]);
	const struct kd_knob_ops *ops;
	const char *colon = strchr(key->text, ':');
	char where[64];

	if (is_workload && colon)
		return kd_exp_add_override(p, v, colon + 1, key, value);
	if (colon) {
		ops = find_kind(p, key->text, key);
		return ops ? kd_exp_add_knob(p, v, ops->name, colon + 1, key,
					     value) : -EINVAL;
	}
	if (!is_workload) {
		ops = find_kind(p, key->text, key);
		if (!ops)
			return -EINVAL;
		if (value->type == KD_NODE_SCALAR && ops->check &&
		    !ops->check("", NULL))
			return kd_exp_add_knob(p, v, key->text, "", key,
					       value);
	}
	snprintf(where, sizeof(where), "%.40s", key->text);
	return kd_exp_want_map(p, value, where, "{ name: value }") ? -EINVAL :
		named(p, v, key->text, "", value);
}

int kd_exp_parse_knobs(struct kd_exp_parser *p, const struct kd_node *node,
		       struct kd_exp_variant *v)
{
	char where[160];
	int r;

	if (kd_node_is_empty(node))
		return 0;
	snprintf(where, sizeof(where), "variant %s", v->name);
	r = kd_exp_want_map(p, node, where,
			    "knobs: { sysctl: { name: value } }");
	for (size_t i = 0; !r && i < node->n; i++)
		r = group(p, v, node->keys[i], node->items[i]);
	return r;
}
