/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_EXPERIMENT_NODE_H
#define KD_EXPERIMENT_NODE_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum kd_node_type { KD_NODE_SCALAR, KD_NODE_LIST, KD_NODE_MAP };

/**
 * struct kd_node - a piece of YAML with its place in the file
 * @text:   of a scalar, without change: "off" stays "off"; never NULL there
 * @quoted: the scalar was quoted, so that "" is text and not nothing
 * @items:  of a list, or values of a map; @keys: of a map, scalars all
 * @line, @column: from 1
 */
struct kd_node {
	enum kd_node_type type;
	char *text;
	bool quoted;
	struct kd_node **keys;
	struct kd_node **items;
	size_t n;
	int line;
	int column;
};

/**
 * kd_yaml_load() - one document as a tree
 *
 * Refused, with their place: bytes that are no UTF-8, control characters, more
 * than one document, tags, keys that are no scalars, duplicate keys, more than
 * 1 MiB of text, 24 levels or 50 000 nodes (aliases count as what they stand
 * for).
 * Return: 0, -EINVAL or -ENOMEM.
 */
int kd_yaml_load(const char *text, size_t len, const char *file_name,
		 struct kd_node **out, struct kd_diag *d);

void kd_node_free(struct kd_node *node);

/** kd_node_get() - value of @key in a map, or NULL */
const struct kd_node *kd_node_get(const struct kd_node *map, const char *key);

/** kd_node_is_empty() - a plain empty scalar, "~" or "null": nothing stands
 * there */
bool kd_node_is_empty(const struct kd_node *node);

/** kd_node_what() - "a map", "a list", "nothing", "text": for messages */
const char *kd_node_what(const struct kd_node *node);

#endif
