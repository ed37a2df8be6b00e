/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_EXPERIMENT_PARSE_H
#define KD_EXPERIMENT_PARSE_H

#include "experiment/experiment.h"
#include "experiment/node.h"

/* Between the files of this folder: from the tree to the model. */

/**
 * struct kd_exp_parser - one parse
 * @file: name for messages
 * @exp:  being filled
 * @alone: one variant will do, and none is one without knobs
 */
struct kd_exp_parser {
	const char *file;
	struct kd_experiment *exp;
	struct kd_diag *d;
	bool alone;
};

/** kd_exp_parse_text() - kd_experiment_parse(), or kd_experiment_load_alone()
 * of what is read already */
int kd_exp_parse_text(const char *text, size_t len, const char *file_name,
		      bool alone, struct kd_experiment *out,
		      struct kd_diag *d);

/** struct kd_exp_table - an option table and what it describes */
struct kd_exp_table {
	const struct kd_opt *opts;
	size_t size;
};

/* lists of pairs grow one by one */
struct kd_exp_pairs {
	struct kd_exp_pair *pairs;
	size_t n;
};

/** kd_exp_fail() - -EINVAL with the place of @node */
int kd_exp_fail(struct kd_exp_parser *p, const struct kd_node *node,
		const char *fmt, ...) __attribute__((format(printf, 3, 4)));

int kd_exp_no_memory(struct kd_exp_parser *p);

/** kd_exp_hint() - name the nearest of @n words (@stride bytes apart), or all */
void kd_exp_hint(struct kd_exp_parser *p, const char *word, const void *words,
		 size_t n, size_t stride);

/** kd_exp_want_map() - is @node a map; else -EINVAL: "WHAT is a map of ..." */
int kd_exp_want_map(struct kd_exp_parser *p, const struct kd_node *node,
		    const char *what, const char *of);

/** kd_exp_want_text() - is @node a scalar with something in it */
int kd_exp_want_text(struct kd_exp_parser *p, const struct kd_node *node,
		     const char *what);

/** kd_exp_copy() - own copy of @text, in *@out (freed before) */
int kd_exp_copy(struct kd_exp_parser *p, char **out, const char *text);

/** kd_exp_grow() - one more zeroed element of @size bytes at the end of
 * *@array, which holds *@n; NULL when memory is out */
void *kd_exp_grow(void *array, size_t *n, size_t size);

/** kd_exp_check_name() - is the key usable as a name of a variant, workload */
int kd_exp_check_name(struct kd_exp_parser *p, const struct kd_node *key,
		      const char *what, const char *not_these);

/**
 * kd_exp_option() - check one "key: value" against the tables, keep it as pairs
 * @tables: @n of them
 * @where:  for messages: "workload tx (tcp)"
 * @to:     NULL: check only
 */
int kd_exp_option(struct kd_exp_parser *p, const struct kd_exp_table *tables,
		  size_t n, const char *where, const struct kd_node *key,
		  const struct kd_node *value, struct kd_exp_pairs *to);

/** kd_exp_find_option() - row @name of the first table that has it, or NULL */
const struct kd_opt *kd_exp_find_option(const struct kd_exp_table *tables,
					size_t n, const char *name);

/** kd_exp_unknown_option() - -EINVAL at @key, with the nearest option */
int kd_exp_unknown_option(struct kd_exp_parser *p,
			  const struct kd_exp_table *tables, size_t n,
			  const char *where, const struct kd_node *key,
			  const char *name);

void kd_exp_pairs_fini(struct kd_exp_pairs *pairs);

/** kd_exp_format_pair() - append "key=value", quoted where it must be, after a
 * comma where @out is not empty */
void kd_exp_format_pair(const char *key, const char *value,
			struct kd_buf *out);

/** kd_exp_work_tables() - the tables of a workload's options: its kind's, then
 * the common one; returns how many */
size_t kd_exp_work_tables(const struct kd_work_ops *ops,
			  struct kd_exp_table tables[2]);

/* sections of the file */
int kd_exp_parse_end(struct kd_exp_parser *p, const struct kd_node *node,
		     const char *what, struct kd_exp_end *out);
int kd_exp_parse_observers(struct kd_exp_parser *p,
			   const struct kd_node *node);
int kd_exp_parse_workloads(struct kd_exp_parser *p,
			   const struct kd_node *node);
int kd_exp_parse_variants(struct kd_exp_parser *p,
			  const struct kd_node *variants,
			  const struct kd_node *sweep,
			  const struct kd_node *baseline,
			  const struct kd_node *root);
int kd_exp_parse_plan(struct kd_exp_parser *p, const struct kd_node *node);

/** kd_exp_parse_knobs() - the knobs and overrides of one variant */
int kd_exp_parse_knobs(struct kd_exp_parser *p, const struct kd_node *node,
		       struct kd_exp_variant *v);

/** kd_exp_parse_sweep() - replace the variants (one nameless one where the file
 * has none) by their cross product with the sweep */
int kd_exp_parse_sweep(struct kd_exp_parser *p, const struct kd_node *node,
		       bool has_variants);

/* shared by variants and sweeps */
int kd_exp_add_knob(struct kd_exp_parser *p, struct kd_exp_variant *v,
		    const char *kind, const char *name,
		    const struct kd_node *key, const struct kd_node *value);
int kd_exp_add_override(struct kd_exp_parser *p, struct kd_exp_variant *v,
			const char *name, const struct kd_node *key,
			const struct kd_node *value);

/* of a model's parts */
void kd_exp_variant_fini(struct kd_exp_variant *v, size_t n_factors);

#endif
