// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the file to the model: what all sections share, and the sections' order.
 *
 * Workloads come before variants, because a variant may change a workload's
 * option; the plan comes last, because it names metrics of both.
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/str.h"
#include "workloads/workload.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 100

static const char *const sections[] = {
	"name", "description", "dut", "peer", "variants", "sweep", "baseline",
	"workloads", "observe", "plan",
};

int kd_exp_fail(struct kd_exp_parser *p, const struct kd_node *node,
		const char *fmt, ...)
{
	char text[480];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return kd_fail_at(p->d, -EINVAL, p->file, node->line, node->column,
			  "%s", text);
}

int kd_exp_no_memory(struct kd_exp_parser *p)
{
	return kd_fail(p->d, -ENOMEM, "out of memory");
}

void kd_exp_hint(struct kd_exp_parser *p, const char *word, const void *words,
		 size_t n, size_t stride)
{
	const char *near = kd_str_nearest(word, words, n, stride);
	struct kd_buf all = { 0 };

	if (near) {
		kd_diag_hint(p->d, "did you mean \"%s\"?", near);
		return;
	}
	for (size_t i = 0; i < n && all.len < 240; i++) {
		const char *w = *(const char *const *)((const char *)words +
						       i * stride);

		if (w)
			kd_buf_printf(&all, "%s%s", all.len ? ", " : "", w);
	}
	if (all.len)
		kd_diag_hint(p->d, "known are: %s", kd_buf_str(&all));
	kd_buf_fini(&all);
}

int kd_exp_want_map(struct kd_exp_parser *p, const struct kd_node *node,
		    const char *what, const char *of)
{
	if (node->type == KD_NODE_MAP)
		return 0;
	return kd_exp_fail(p, node, "%s: expected a map of %s, found %s", what,
			   of, kd_node_what(node));
}

int kd_exp_want_text(struct kd_exp_parser *p, const struct kd_node *node,
		     const char *what)
{
	if (node->type == KD_NODE_SCALAR && !kd_node_is_empty(node))
		return 0;
	return kd_exp_fail(p, node, "%s: expected text, found %s", what,
			   kd_node_what(node));
}

int kd_exp_copy(struct kd_exp_parser *p, char **out, const char *text)
{
	char *s = strdup(text);

	if (!s)
		return kd_exp_no_memory(p);
	free(*out);
	*out = s;
	return 0;
}

void *kd_exp_grow(void *array, size_t *n, size_t size)
{
	void **slot = array;
	char *grown = reallocarray(*slot, *n + 1, size);

	if (!grown)
		return NULL;
	*slot = grown;
	grown += *n * size;
	memset(grown, 0, size);
	++*n;
	return grown;
}

int kd_exp_check_name(struct kd_exp_parser *p, const struct kd_node *key,
		      const char *what, const char *not_these)
{
	const char *bad = strpbrk(key->text, not_these);

	if (strlen(key->text) > NAME_MAX_BYTES)
		return kd_exp_fail(p, key,
				   "the name of a %s has at most %d bytes",
				   what, NAME_MAX_BYTES);
	for (const char *s = key->text; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return kd_exp_fail(p, key,
					   "a control character in the name of a %s",
					   what);
	if (bad)
		return kd_exp_fail(p, key, "\"%s\": the name of a %s holds no '%c'",
				   key->text, what, *bad);
	return 0;
}

/* values longer than this are not wrong options but other files */
static void shorten(const char *text, char out[64])
{
	if (strlen(text) < 60)
		strcpy(out, text);
	else
		snprintf(out, 64, "%.56s...", text);
}

const struct kd_opt *kd_exp_find_option(const struct kd_exp_table *tables,
					size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		const struct kd_opt *o = kd_opt_find(tables[i].opts, name);

		if (o)
			return o;
	}
	return NULL;
}

int kd_exp_unknown_option(struct kd_exp_parser *p,
			  const struct kd_exp_table *tables, size_t n,
			  const char *where, const struct kd_node *key,
			  const char *name)
{
	const char *words[160];
	size_t n_words = 0;
	char word[64];

	for (size_t i = 0; i < n; i++)
		for (const struct kd_opt *o = tables[i].opts; o && o->name; o++)
			if (n_words < KD_ARRAY_SIZE(words))
				words[n_words++] = o->name;
	shorten(name, word);
	kd_exp_fail(p, key, "%s has no option \"%s\"", where, word);
	kd_exp_hint(p, name, words, n_words, sizeof(*words));
	return -EINVAL;
}

static size_t n_choices(const struct kd_opt *opt)
{
	size_t n = 0;

	while (opt->choices[n])
		n++;
	return n;
}

/* does @text fit the option: tried on memory of the table's size */
static int check_value(struct kd_exp_parser *p, const struct kd_exp_table *t,
		       const struct kd_opt *opt, const char *text,
		       const struct kd_node *at)
{
	void *scratch = calloc(1, t->size ? t->size : 1);
	struct kd_buf want = { 0 };
	char word[64];
	int r;

	if (!scratch)
		return kd_exp_no_memory(p);
	r = kd_opt_set(t->opts, scratch, opt->name, text, NULL);
	kd_opt_fini(t->opts, scratch);
	free(scratch);
	if (r == -ENOMEM)
		return kd_exp_no_memory(p);
	if (!r)
		return 0;
	kd_opt_expected(opt, &want);
	shorten(text, word);
	kd_exp_fail(p, at, "%s: expected %s, found \"%s\"", opt->name,
		    kd_buf_str(&want), word);
	if (opt->type == KD_OPT_ENUM) {
		const char *near = kd_str_nearest(text, opt->choices,
						  n_choices(opt),
						  sizeof(char *));

		if (near)
			kd_diag_hint(p->d, "did you mean \"%s\"?", near);
	}
	kd_buf_fini(&want);
	return -EINVAL;
}

static int add_pair(struct kd_exp_parser *p, struct kd_exp_pairs *to,
		    const char *key, const char *value,
		    const struct kd_node *at)
{
	struct kd_exp_pair *pair;
	int r;

	pair = kd_exp_grow(&to->pairs, &to->n, sizeof(*pair));
	if (!pair)
		return kd_exp_no_memory(p);
	pair->line = at->line;
	pair->column = at->column;
	r = kd_exp_copy(p, &pair->key, key);
	return r ? r : kd_exp_copy(p, &pair->value, value);
}

/* words of a command, quoted as kd_argv_add_words() takes them apart */
static void quote_word(const char *word, struct kd_buf *out)
{
	if (out->len)
		kd_buf_puts(out, " ");
	if (*word && !strpbrk(word, " \t\n\"'\\$`&|;<>()*?[]#~!{}")) {
		kd_buf_puts(out, word);
		return;
	}
	kd_buf_puts(out, "'");
	for (; *word; word++) {
		if (*word == '\'')
			kd_buf_puts(out, "'\\''");
		else
			kd_buf_add(out, word, 1);
	}
	kd_buf_puts(out, "'");
}

/* a list or map where text is expected: a command's words, or an option that
 * may be repeated */
static int many_values(struct kd_exp_parser *p, const struct kd_exp_table *t,
		       const struct kd_opt *opt, const struct kd_node *value,
		       struct kd_exp_pairs *to)
{
	bool repeat = opt->flags & KD_OPT_REPEAT;
	struct kd_buf text = { 0 };
	int r = 0;

	for (size_t i = 0; !r && i < value->n; i++) {
		const struct kd_node *item = value->items[i];

		r = kd_exp_want_text(p, item, opt->name);
		if (r)
			break;
		if (repeat) {
			kd_buf_reset(&text);
			if (value->keys)
				kd_buf_printf(&text, "%s=",
					      value->keys[i]->text);
			kd_buf_puts(&text, item->text);
			r = check_value(p, t, opt, kd_buf_str(&text), item);
			if (!r && to)
				r = add_pair(p, to, opt->name,
					     kd_buf_str(&text), item);
		} else {
			quote_word(item->text, &text);
		}
	}
	if (!r && text.err)
		r = kd_exp_no_memory(p);
	if (!r && !repeat)
		r = check_value(p, t, opt, kd_buf_str(&text), value);
	if (!r && !repeat && to)
		r = add_pair(p, to, opt->name, kd_buf_str(&text), value);
	kd_buf_fini(&text);
	return r;
}

static int wrong_type(struct kd_exp_parser *p, const struct kd_opt *opt,
		      const struct kd_node *value)
{
	struct kd_buf want = { 0 };

	kd_opt_expected(opt, &want);
	kd_exp_fail(p, value, "%s: expected %s, found %s", opt->name,
		    kd_buf_str(&want), kd_node_what(value));
	kd_buf_fini(&want);
	return -EINVAL;
}

int kd_exp_option(struct kd_exp_parser *p, const struct kd_exp_table *tables,
		  size_t n, const char *where, const struct kd_node *key,
		  const struct kd_node *value, struct kd_exp_pairs *to)
{
	const struct kd_opt *opt = NULL;
	bool words;
	size_t i;
	int r;

	for (i = 0; i < n && !opt; i++)
		opt = kd_opt_find(tables[i].opts, key->text);
	if (!opt)
		return kd_exp_unknown_option(p, tables, n, where, key,
					     key->text);
	i--;
	words = opt->type == KD_OPT_STR && opt->arg &&
		!strcmp(opt->arg, "CMD");
	if ((value->type == KD_NODE_LIST && value->n &&
	     (words || (opt->flags & KD_OPT_REPEAT))) ||
	    (value->type == KD_NODE_MAP && value->n &&
	     (opt->flags & KD_OPT_REPEAT)))
		return many_values(p, &tables[i], opt, value, to);
	if (value->type != KD_NODE_SCALAR || kd_node_is_empty(value))
		return wrong_type(p, opt, value);
	r = check_value(p, &tables[i], opt, value->text, value);
	if (!r && to)
		r = add_pair(p, to, opt->name, value->text, value);
	return r;
}

void kd_exp_pairs_fini(struct kd_exp_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		free(pairs->pairs[i].key);
		free(pairs->pairs[i].value);
	}
	free(pairs->pairs);
	*pairs = (struct kd_exp_pairs){ 0 };
}

void kd_exp_format_pair(const char *key, const char *value, struct kd_buf *out)
{
	if (out->len)
		kd_buf_puts(out, ",");
	kd_buf_printf(out, "%s=", key);
	kd_opt_quote(value, out);
}

static int parse_name(struct kd_exp_parser *p, const struct kd_node *root)
{
	const struct kd_node *node = kd_node_get(root, "name");
	const char *base = strrchr(p->file, '/');
	int r;

	base = base ? base + 1 : p->file;
	if (!node) {
		r = kd_exp_copy(p, &p->exp->name, base);
		if (!r) {
			char *dot = strrchr(p->exp->name, '.');

			if (dot && dot != p->exp->name)
				*dot = '\0';
		}
		return r;
	}
	r = kd_exp_want_text(p, node, "name");
	if (!r)
		r = kd_exp_check_name(p, node, "experiment", "");
	return r ? r : kd_exp_copy(p, &p->exp->name, node->text);
}

static int check_sections(struct kd_exp_parser *p, const struct kd_node *root)
{
	int r = kd_exp_want_map(p, root, "an experiment",
				"name, dut, variants, workloads, ...");

	for (size_t i = 0; !r && i < root->n; i++) {
		bool known = false;

		for (size_t s = 0; s < KD_ARRAY_SIZE(sections); s++)
			known |= !strcmp(sections[s], root->keys[i]->text);
		if (known)
			continue;
		r = kd_exp_fail(p, root->keys[i],
				"there is no section \"%.60s\" in an experiment",
				root->keys[i]->text);
		kd_exp_hint(p, root->keys[i]->text, sections,
			    KD_ARRAY_SIZE(sections), sizeof(*sections));
	}
	return r;
}

static int parse_root(struct kd_exp_parser *p, const struct kd_node *root)
{
	const struct kd_node *node;
	int r;

	r = check_sections(p, root);
	if (!r)
		r = parse_name(p, root);
	node = kd_node_get(root, "description");
	if (!r && node)
		r = kd_exp_want_text(p, node, "description");
	node = kd_node_get(root, "dut");
	if (!r && node)
		r = kd_exp_parse_end(p, node, "dut", &p->exp->dut);
	node = kd_node_get(root, "peer");
	if (!r && node)
		r = kd_exp_parse_end(p, node, "peer", &p->exp->peer);
	node = kd_node_get(root, "workloads");
	if (!r && !node)
		return kd_exp_fail(p, root,
				   "workloads are missing: what the device does while it is measured");
	if (!r)
		r = kd_exp_parse_workloads(p, node);
	if (!r)
		r = kd_exp_parse_variants(p, kd_node_get(root, "variants"),
					  kd_node_get(root, "sweep"),
					  kd_node_get(root, "baseline"), root);
	if (!r)
		r = kd_exp_parse_observers(p, kd_node_get(root, "observe"));
	if (!r)
		r = kd_exp_parse_plan(p, kd_node_get(root, "plan"));
	return r;
}

int kd_exp_parse_text(const char *text, size_t len, const char *file_name,
		      bool alone, struct kd_experiment *out, struct kd_diag *d)
{
	struct kd_experiment exp = { .text_len = len };
	struct kd_exp_parser p = { .file = file_name, .exp = &exp, .d = d,
				   .alone = alone };
	struct kd_node *root = NULL;
	int r;

	r = kd_yaml_load(text, len, file_name, &root, d);
	if (r)
		return r;
	exp.text = strndup(text, len);
	if (!exp.text)
		r = kd_exp_no_memory(&p);
	if (!r)
		r = kd_exp_copy(&p, &exp.file_name, file_name);
	if (!r)
		r = kd_opt_init(kd_exp_plan_opts, &exp.plan);
	if (!r)
		r = parse_root(&p, root);
	kd_node_free(root);
	if (r)
		kd_experiment_fini(&exp);
	else
		*out = exp;
	return r;
}

int kd_experiment_parse(const char *text, size_t len, const char *file_name,
			struct kd_experiment *out, struct kd_diag *d)
{
	return kd_exp_parse_text(text, len, file_name, false, out, d);
}
