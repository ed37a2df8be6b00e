// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * YAML as a tree in which every node knows its place.
 *
 * libyaml's events are used and not its documents, because a document keeps
 * duplicate keys, has no bound on depth and shares what aliases name. Aliases
 * are copied here, so that a bomb of them runs into the limit on nodes.
 */
#include "experiment/node.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#define TEXT_MAX (1u << 20)
#define DEPTH_MAX 24
#define NODES_MAX 50000
#define KEYS_MAX 2000
#define ANCHORS_MAX 256

struct anchor {
	char *name;
	const struct kd_node *node;
};

struct loader {
	yaml_parser_t parser;
	const char *file;
	const char *text;
	size_t len;
	size_t n_nodes;
	struct anchor anchors[ANCHORS_MAX];
	size_t n_anchors;
	struct kd_diag *d;
};

static int load_node(struct loader *l, yaml_event_t *e, int depth,
		     struct kd_node **out);

static int out_of_memory(struct loader *l)
{
	return kd_fail(l->d, -ENOMEM, "out of memory");
}

static int fail_at(struct loader *l, const yaml_mark_t *at, const char *text)
{
	return kd_fail_at(l->d, -EINVAL, l->file, (int)at->line + 1,
			  (int)at->column + 1, "%s", text);
}

void kd_node_free(struct kd_node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->n; i++) {
		if (node->keys)
			kd_node_free(node->keys[i]);
		kd_node_free(node->items[i]);
	}
	free(node->keys);
	free(node->items);
	free(node->text);
	free(node);
}

const struct kd_node *kd_node_get(const struct kd_node *map, const char *key)
{
	if (!map || map->type != KD_NODE_MAP)
		return NULL;
	for (size_t i = 0; i < map->n; i++)
		if (!strcmp(map->keys[i]->text, key))
			return map->items[i];
	return NULL;
}

bool kd_node_is_empty(const struct kd_node *node)
{
	return node->type == KD_NODE_SCALAR && !node->quoted &&
	       (!node->text[0] || !strcmp(node->text, "~") ||
		!strcmp(node->text, "null"));
}

const char *kd_node_what(const struct kd_node *node)
{
	if (node->type == KD_NODE_MAP)
		return "a map";
	if (node->type == KD_NODE_LIST)
		return "a list";
	return kd_node_is_empty(node) ? "nothing" : "text";
}

/* place of a byte offset, columns in characters */
static yaml_mark_t mark_of(const char *text, size_t offset)
{
	yaml_mark_t m = { .index = offset };

	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			m.line++;
			m.column = 0;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			m.column++;
		}
	}
	return m;
}

/* libyaml counts in characters */
static char byte_at(const char *text, size_t len, const yaml_mark_t *at)
{
	size_t chars = 0;

	for (size_t i = 0; i < len; i++) {
		if (((unsigned char)text[i] & 0xc0) == 0x80)
			continue;
		if (chars++ == at->index)
			return text[i];
	}
	return '\0';
}

static int fail_parser(struct loader *l)
{
	const yaml_parser_t *p = &l->parser;
	yaml_mark_t at = p->problem_mark;
	char text[256];

	if (p->error == YAML_MEMORY_ERROR)
		return out_of_memory(l);
	if (p->error == YAML_READER_ERROR) {
		at = mark_of(l->text, p->problem_offset < l->len ?
				      p->problem_offset : l->len);
		snprintf(text, sizeof(text), "not YAML: %s (byte 0x%02x)",
			 p->problem ? p->problem : "unreadable",
			 (unsigned int)(p->problem_value & 0xffffff));
		return fail_at(l, &at, text);
	}
	if (byte_at(l->text, l->len, &at) == '\t')
		return fail_at(l, &at,
			       "a tab stands where YAML wants blanks");
	snprintf(text, sizeof(text), "not YAML: %s%s%s",
		 p->problem ? p->problem : "unreadable",
		 p->context ? " " : "", p->context ? p->context : "");
	return fail_at(l, &at, text);
}

static int next_event(struct loader *l, yaml_event_t *e)
{
	return yaml_parser_parse(&l->parser, e) ? 0 : fail_parser(l);
}

static struct kd_node *new_node(struct loader *l, enum kd_node_type type,
				const yaml_mark_t *at)
{
	struct kd_node *n;

	if (++l->n_nodes > NODES_MAX) {
		fail_at(l, at,
			"too much for an experiment: more than 50000 nodes");
		return NULL;
	}
	n = calloc(1, sizeof(*n));
	if (!n) {
		out_of_memory(l);
		return NULL;
	}
	n->type = type;
	n->line = (int)at->line + 1;
	n->column = (int)at->column + 1;
	return n;
}

/* takes @key (NULL in a list) and @item, also on failure */
static int append(struct loader *l, struct kd_node *to, struct kd_node *key,
		  struct kd_node *item)
{
	bool full = !(to->n & (to->n - 1));
	size_t cap = to->n ? to->n * 2 : 1;
	struct kd_node **items = to->items, **keys = to->keys;

	if (full) {
		items = reallocarray(to->items, cap, sizeof(struct kd_node *));
		if (items)
			to->items = items;
		if (items && to->type == KD_NODE_MAP) {
			keys = reallocarray(to->keys, cap,
					    sizeof(struct kd_node *));
			if (keys)
				to->keys = keys;
		}
	}
	if (!items || (to->type == KD_NODE_MAP && !keys)) {
		kd_node_free(key);
		kd_node_free(item);
		return out_of_memory(l);
	}
	if (key)
		to->keys[to->n] = key;
	to->items[to->n++] = item;
	return 0;
}

static struct kd_node *copy(struct loader *l, const struct kd_node *from,
			    int depth, const yaml_mark_t *at)
{
	struct kd_node *to = new_node(l, from->type, at);

	if (!to)
		return NULL;
	if (depth > DEPTH_MAX) {
		fail_at(l, at, "nested too deeply");
		goto fail;
	}
	to->line = from->line;
	to->column = from->column;
	to->quoted = from->quoted;
	if (from->text) {
		to->text = strdup(from->text);
		if (!to->text) {
			out_of_memory(l);
			goto fail;
		}
	}
	for (size_t i = 0; i < from->n; i++) {
		struct kd_node *key = NULL, *item;

		item = copy(l, from->items[i], depth + 1, at);
		if (item && from->keys) {
			key = copy(l, from->keys[i], depth + 1, at);
			if (!key) {
				kd_node_free(item);
				item = NULL;
			}
		}
		if (!item || append(l, to, key, item))
			goto fail;
	}
	return to;
fail:
	kd_node_free(to);
	return NULL;
}

static int load_alias(struct loader *l, const yaml_event_t *e, int depth,
		      struct kd_node **out)
{
	const char *name = (const char *)e->data.alias.anchor;

	for (size_t i = l->n_anchors; i-- > 0;) {
		if (strcmp(l->anchors[i].name, name))
			continue;
		*out = copy(l, l->anchors[i].node, depth, &e->start_mark);
		return *out ? 0 : l->d && l->d->err ? l->d->err : -EINVAL;
	}
	return fail_at(l, &e->start_mark,
		       "this alias names no anchor that is complete here");
}

static int keep_anchor(struct loader *l, char *name, const yaml_mark_t *at,
		       const struct kd_node *node)
{
	if (l->n_anchors == ANCHORS_MAX) {
		free(name);
		return fail_at(l, at, "more than 256 anchors");
	}
	l->anchors[l->n_anchors++] = (struct anchor){ name, node };
	return 0;
}

static int load_key(struct loader *l, const struct kd_node *map,
		    yaml_event_t *e, int depth, struct kd_node **out)
{
	struct kd_node *key;
	int r;

	r = load_node(l, e, depth, &key);
	if (r)
		return r;
	if (key->type != KD_NODE_SCALAR || !key->text[0])
		r = fail_at(l, &e->start_mark, "a key must be a word");
	else if (map->n >= KEYS_MAX)
		r = fail_at(l, &e->start_mark, "more than 2000 keys");
	for (size_t i = 0; !r && i < map->n; i++)
		if (!strcmp(map->keys[i]->text, key->text))
			r = kd_fail_at(l->d, -EINVAL, l->file, key->line,
				       key->column,
				       "\"%s\" stands here twice, first in line %d",
				       key->text, map->keys[i]->line);
	if (r)
		kd_node_free(key);
	else
		*out = key;
	return r;
}

static int load_children(struct loader *l, struct kd_node *to, int depth)
{
	yaml_event_type_t end = to->type == KD_NODE_MAP ?
		YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;

	for (;;) {
		struct kd_node *key = NULL, *item;
		yaml_event_t e;
		int r;

		r = next_event(l, &e);
		if (r)
			return r;
		if (e.type == end) {
			yaml_event_delete(&e);
			return 0;
		}
		if (to->type == KD_NODE_MAP) {
			r = load_key(l, to, &e, depth + 1, &key);
			yaml_event_delete(&e);
			if (!r)
				r = next_event(l, &e);
			if (r) {
				kd_node_free(key);
				return r;
			}
		}
		r = load_node(l, &e, depth + 1, &item);
		yaml_event_delete(&e);
		if (r) {
			kd_node_free(key);
			return r;
		}
		r = append(l, to, key, item);
		if (r)
			return r;
	}
}

static struct kd_node *load_scalar(struct loader *l, const yaml_event_t *e)
{
	struct kd_node *n = new_node(l, KD_NODE_SCALAR, &e->start_mark);

	if (!n)
		return NULL;
	n->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	if (memchr(e->data.scalar.value, '\0', e->data.scalar.length)) {
		fail_at(l, &e->start_mark, "text with a NUL in it");
		kd_node_free(n);
		return NULL;
	}
	n->text = strndup((const char *)e->data.scalar.value,
			  e->data.scalar.length);
	if (!n->text) {
		out_of_memory(l);
		kd_node_free(n);
		return NULL;
	}
	return n;
}

static int load_node(struct loader *l, yaml_event_t *e, int depth,
		     struct kd_node **out)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;
	struct kd_node *n;
	char *name = NULL;
	int r = 0;

	if (depth > DEPTH_MAX)
		return fail_at(l, &e->start_mark, "nested too deeply");
	switch (e->type) {
	case YAML_ALIAS_EVENT:
		return load_alias(l, e, depth, out);
	case YAML_SCALAR_EVENT:
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
		break;
	default:
		return fail_at(l, &e->start_mark, "a value is missing");
	}
	if (tag)
		return fail_at(l, &e->start_mark,
			       "tags (\"!...\") have no meaning here; quote the text if it starts with \"!\"");
	if (anchor) {
		name = strdup((const char *)anchor);
		if (!name)
			return out_of_memory(l);
	}
	if (e->type == YAML_SCALAR_EVENT)
		n = load_scalar(l, e);
	else
		n = new_node(l, e->type == YAML_MAPPING_START_EVENT ?
			     KD_NODE_MAP : KD_NODE_LIST, &e->start_mark);
	if (!n)
		r = l->d && l->d->err ? l->d->err : -EINVAL;
	else if (n->type != KD_NODE_SCALAR)
		r = load_children(l, n, depth);
	if (!r && name) {
		r = keep_anchor(l, name, &e->start_mark, n);
		name = NULL;
	}
	free(name);
	if (r)
		kd_node_free(n);
	else
		*out = n;
	return r;
}

static int load_document(struct loader *l, struct kd_node **out)
{
	struct kd_node *root = NULL;
	yaml_event_t e;
	int r;

	for (;;) {
		bool end;

		r = next_event(l, &e);
		if (r)
			break;
		end = e.type == YAML_STREAM_END_EVENT;
		if (e.type == YAML_DOCUMENT_START_EVENT && root)
			r = fail_at(l, &e.start_mark,
				    "a second document: an experiment is one");
		else if (!root && (e.type == YAML_SCALAR_EVENT ||
				   e.type == YAML_ALIAS_EVENT ||
				   e.type == YAML_SEQUENCE_START_EVENT ||
				   e.type == YAML_MAPPING_START_EVENT))
			r = load_node(l, &e, 1, &root);
		yaml_event_delete(&e);
		if (r || end)
			break;
	}
	if (!r && !root)
		r = kd_fail_at(l->d, -EINVAL, l->file, 1, 1,
			       "the file is empty");
	if (r)
		kd_node_free(root);
	else
		*out = root;
	return r;
}

/* libyaml takes NUL for an end in places: look for it beforehand */
static int check_bytes(struct loader *l)
{
	const char *nul;
	yaml_mark_t at;

	if (l->len > TEXT_MAX)
		return kd_fail_at(l->d, -EINVAL, l->file, 0, 0,
				  "larger than 1 MiB: not an experiment file");
	nul = l->len ? memchr(l->text, '\0', l->len) : NULL;
	if (!nul)
		return 0;
	at = mark_of(l->text, (size_t)(nul - l->text));
	return fail_at(l, &at, "a NUL byte: not a text file");
}

int kd_yaml_load(const char *text, size_t len, const char *file_name,
		 struct kd_node **out, struct kd_diag *d)
{
	struct kd_diag own = { 0 };
	struct loader *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return kd_fail(d, -ENOMEM, "out of memory");
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;	/* a byte order mark */
		len -= 3;
	}
	*l = (struct loader){
		.file = file_name, .text = text, .len = len,
		.d = d ? d : &own,
	};
	r = check_bytes(l);
	if (!r && !yaml_parser_initialize(&l->parser)) {
		r = out_of_memory(l);
	} else if (!r) {
		yaml_parser_set_encoding(&l->parser, YAML_UTF8_ENCODING);
		yaml_parser_set_input_string(&l->parser,
					     (const unsigned char *)text, len);
		r = load_document(l, out);
		yaml_parser_delete(&l->parser);
	}
	for (size_t i = 0; i < l->n_anchors; i++)
		free(l->anchors[i].name);
	free(l);
	return r;
}
