// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "dut:", "peer:" and "observe:".
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/str.h"
#include "observers/observer.h"
#include "transports/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct end_options {
	char *ifname;
	char *cpus;
};

static const struct kd_opt end_opts[] = {
	{ "ifname", KD_OPT_STR, offsetof(struct end_options, ifname),
	  .arg = "NAME", .help = "the interface under test" },
	{ "cpus", KD_OPT_STR, offsetof(struct end_options, cpus),
	  .arg = "LIST", .help = "CPUs that the agent may run on: 0,2-3" },
	{ 0 },
};

/* what is observed where the file does not say */
static const char *const default_observers[] = { "cpu", "kmsg", "env" };

static int find_transport(struct kd_exp_parser *p, const struct kd_node *name,
			  const char *what, struct kd_exp_end *out)
{
	const char *words[64];
	size_t n = 0;

	out->ops = kd_transport_find(name->text);
	out->line = name->line;
	if (out->ops)
		return kd_exp_copy(p, &out->transport, name->text);
	for (; kd_transport_table[n] && n < KD_ARRAY_SIZE(words); n++)
		words[n] = kd_transport_table[n]->name;
	kd_exp_fail(p, name, "%s: there is no transport \"%.60s\"", what,
		    name->text);
	kd_exp_hint(p, name->text, words, n, sizeof(*words));
	return -EINVAL;
}

static int keep_options(struct kd_exp_parser *p, struct kd_exp_end *out,
			const struct kd_exp_pairs *pairs)
{
	struct kd_buf text = { 0 };
	int r = 0;

	for (size_t i = 0; !r && i < pairs->n; i++) {
		const char *key = pairs->pairs[i].key;
		const char *value = pairs->pairs[i].value;

		if (!strcmp(key, "ifname"))
			r = kd_exp_copy(p, &out->ifname, value);
		else if (!strcmp(key, "cpus"))
			r = kd_exp_copy(p, &out->cpus, value);
		if (!r && kd_opt_find(out->ops->opts, key))
			kd_exp_format_pair(key, value, &text);
	}
	if (!r && text.err)
		r = kd_exp_no_memory(p);
	if (!r)
		r = kd_exp_copy(p, &out->options, kd_buf_str(&text));
	kd_buf_fini(&text);
	return r;
}

/* "{ ssh: root@board }": the value is that of the first row */
static int bare_value(struct kd_exp_parser *p, const char *what,
		      const struct kd_exp_table *tables, struct kd_exp_end *out,
		      const struct kd_node *value, struct kd_exp_pairs *pairs)
{
	const struct kd_opt *first = out->ops->opts;
	struct kd_node key = {
		.type = KD_NODE_SCALAR, .line = value->line,
		.column = value->column,
	};
	int r = 0;

	if (!first || !first->name)
		return kd_exp_fail(p, value, "%s: %s takes no value", what,
				   out->transport);
	key.text = strdup(first->name);
	if (!key.text)
		return kd_exp_no_memory(p);
	r = kd_exp_option(p, tables, 2, what, &key, value, pairs);
	free(key.text);
	return r;
}

static int end_options(struct kd_exp_parser *p, const struct kd_node *node,
		       const char *what, size_t chosen, struct kd_exp_end *out,
		       struct kd_exp_pairs *pairs)
{
	const struct kd_exp_table tables[] = {
		{ out->ops->opts, out->ops->opts_size },
		{ end_opts, sizeof(struct end_options) },
	};
	const struct kd_node *value = node->items[chosen];
	int r = 0;

	if (value->type == KD_NODE_MAP) {
		for (size_t i = 0; !r && i < value->n; i++)
			r = kd_exp_option(p, tables, 2, what, value->keys[i],
					  value->items[i], pairs);
	} else if (!kd_node_is_empty(value)) {
		r = bare_value(p, what, tables, out, value, pairs);
	}
	for (size_t i = 0; !r && i < node->n; i++)
		if (i != chosen)
			r = kd_exp_option(p, tables + 1, 1, what,
					  node->keys[i], node->items[i],
					  pairs);
	return r;
}

/* the values together, and the command where it can be put together now */
static int check_end(struct kd_exp_parser *p, const struct kd_exp_end *end,
		     const struct kd_node *at, const char *what)
{
	const struct kd_transport_ops *ops = end->ops;
	struct kd_diag why = { 0 };
	char **argv = NULL;
	void *opts = calloc(1, ops->opts_size ? ops->opts_size : 1);
	int r;

	if (!opts)
		return kd_exp_no_memory(p);
	r = kd_opt_init(ops->opts, opts);
	if (!r)
		r = kd_opt_set_list(ops->opts, opts, end->options, &why);
	if (!r && ops->argv)
		r = ops->argv(opts, "kdelta-agent", &argv, &why);
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
	kd_opt_fini(ops->opts, opts);
	free(opts);
	if (r == -ENOMEM)
		return kd_exp_no_memory(p);
	if (r == -EINVAL || r == -ERANGE || r == -ENOENT) {
		kd_exp_fail(p, at, "%s: %s", what, why.text);
		if (why.hint[0])
			kd_diag_hint(p->d, "%s", why.hint);
		return -EINVAL;
	}
	return 0;
}

int kd_exp_parse_end(struct kd_exp_parser *p, const struct kd_node *node,
		     const char *what, struct kd_exp_end *out)
{
	struct kd_exp_pairs pairs = { 0 };
	size_t chosen = 0, n = 0;
	int r;

	if (node->type == KD_NODE_SCALAR && !kd_node_is_empty(node)) {
		r = find_transport(p, node, what, out);
		if (!r)
			r = kd_exp_copy(p, &out->options, "");
		return r ? r : check_end(p, out, node, what);
	}
	if (node->type != KD_NODE_MAP || !node->n)
		return kd_exp_fail(p, node,
				   "%s: expected a transport such as local, netns or { ssh: root@board }, found %s",
				   what, node->n ? kd_node_what(node) :
				   "nothing");
	for (size_t i = 0; i < node->n; i++) {
		if (kd_opt_find(end_opts, node->keys[i]->text))
			continue;
		if (n++)
			return kd_exp_fail(p, node->keys[i],
					   "%s: one transport, but both \"%.40s\" and \"%.40s\" stand here",
					   what, node->keys[chosen]->text,
					   node->keys[i]->text);
		chosen = i;
	}
	if (!n)
		return kd_exp_fail(p, node, "%s: the transport is missing",
				   what);
	r = find_transport(p, node->keys[chosen], what, out);
	if (!r)
		r = end_options(p, node, what, chosen, out, &pairs);
	if (!r)
		r = keep_options(p, out, &pairs);
	if (!r)
		r = check_end(p, out, node->items[chosen], what);
	kd_exp_pairs_fini(&pairs);
	return r;
}

static int check_observer(struct kd_exp_parser *p, const struct kd_node *name)
{
	const char *words[64];
	size_t n = 0;

	if (!kd_obs_find(name->text)) {
		for (; kd_obs_table[n] && n < KD_ARRAY_SIZE(words); n++)
			words[n] = kd_obs_table[n]->name;
		kd_exp_fail(p, name, "there is no observer \"%.60s\"",
			    name->text);
		kd_exp_hint(p, name->text, words, n, sizeof(*words));
		return -EINVAL;
	}
	for (size_t i = 0; i < p->exp->n_observers; i++)
		if (!strcmp(p->exp->observers[i].name, name->text))
			return kd_exp_fail(p, name,
					   "observer \"%s\" stands here twice",
					   name->text);
	return 0;
}

static int add_observer(struct kd_exp_parser *p, const char *name, int line,
			struct kd_exp_observer **out)
{
	struct kd_exp_observer *o;
	int r;

	o = kd_exp_grow(&p->exp->observers, &p->exp->n_observers, sizeof(*o));
	if (!o)
		return kd_exp_no_memory(p);
	o->ops = kd_obs_find(name);
	o->line = line;
	*out = o;
	r = kd_exp_copy(p, &o->name, name);
	return r ? r : kd_exp_copy(p, &o->options, "");
}

static int observer(struct kd_exp_parser *p, const struct kd_node *name,
		    const struct kd_node *options)
{
	struct kd_exp_pairs pairs = { 0 };
	struct kd_buf text = { 0 };
	struct kd_exp_observer *o = NULL;
	struct kd_exp_table table;
	char where[96];
	int r;

	r = check_observer(p, name);
	if (!r)
		r = add_observer(p, name->text, name->line, &o);
	if (r || !options || kd_node_is_empty(options))
		return r;
	snprintf(where, sizeof(where), "observer %s", name->text);
	r = kd_exp_want_map(p, options, where, "options");
	table = (struct kd_exp_table){ o->ops->opts, o->ops->opts_size };
	for (size_t i = 0; !r && i < options->n; i++)
		r = kd_exp_option(p, &table, 1, where, options->keys[i],
				  options->items[i], &pairs);
	for (size_t i = 0; i < pairs.n; i++)
		kd_exp_format_pair(pairs.pairs[i].key, pairs.pairs[i].value,
				   &text);
	if (!r && text.err)
		r = kd_exp_no_memory(p);
	if (!r)
		r = kd_exp_copy(p, &o->options, kd_buf_str(&text));
	kd_buf_fini(&text);
	kd_exp_pairs_fini(&pairs);
	return r;
}

int kd_exp_parse_observers(struct kd_exp_parser *p, const struct kd_node *node)
{
	struct kd_exp_observer *o;
	int r = 0;

	if (!node) {
		for (size_t i = 0; !r && i < KD_ARRAY_SIZE(default_observers);
		     i++)
			if (kd_obs_find(default_observers[i]))
				r = add_observer(p, default_observers[i], 0,
						 &o);
		return r;
	}
	if (node->type == KD_NODE_SCALAR && !kd_node_is_empty(node))
		return observer(p, node, NULL);
	if (node->type == KD_NODE_SCALAR)
		return kd_exp_fail(p, node,
				   "observe: expected a list of observers, found nothing");
	for (size_t i = 0; !r && i < node->n; i++) {
		const struct kd_node *item = node->items[i];

		if (node->type == KD_NODE_MAP)
			r = observer(p, node->keys[i], item);
		else if (item->type == KD_NODE_SCALAR)
			r = kd_exp_want_text(p, item, "observe");
		else if (item->type != KD_NODE_MAP || item->n != 1)
			r = kd_exp_fail(p, item,
					"observe: expected a name or { name: { option: value } }, found %s",
					kd_node_what(item));
		if (r || node->type == KD_NODE_MAP)
			continue;
		if (item->type == KD_NODE_SCALAR)
			r = observer(p, item, NULL);
		else
			r = observer(p, item->keys[0], item->items[0]);
	}
	return r;
}
