// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta knobs: what can be set on this machine, its present value, and who
 * would notice a change.
 */
#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "knobs/knob.h"
#include "proto/json.h"
#include "reports/table.h"
#include "reports/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 60
#define VALUE_COLUMNS 48

struct options {
	char *root;
	bool json;
};

static const struct kd_opt opts[] = {
	{ "json", KD_OPT_BOOL, offsetof(struct options, json),
	  .help = "for programs" },
	{ "root", KD_OPT_STR, offsetof(struct options, root), .def = "/",
	  .arg = "DIR", .help = "where /proc and /sys are" },
	{ 0 },
};

struct listing {
	const struct kd_knob_ops *ops;
	struct kd_table table;
	json_t *json;		/* NULL: a table */
	size_t n;
};

static const char *scope(unsigned int flags)
{
	return flags & KD_KNOB_NETNS ? "namespace" : "machine";
}

static void found(void *arg, const char *name, const char *value,
		  unsigned int flags)
{
	struct listing *l = arg;
	struct kd_buf knob = { 0 }, cell = { 0 };
	const char *shown = value ? value :
			    flags & KD_KNOB_WRITE_ONLY ? "(write-only)" :
							 "(not readable)";

	kd_buf_printf(&knob, "%s:%s", l->ops->name, name);
	l->n++;
	if (l->json) {
		json_t *row = json_pack("{s:o,s:o,s:s,s:b,s:b}", "knob",
					kd_json_text(kd_buf_str(&knob)),
					"value", value ? kd_json_text(value) :
							 json_null(),
					"scope", scope(flags), "write_only",
					!!(flags & KD_KNOB_WRITE_ONLY),
					"resets",
					!!(flags & KD_KNOB_RESETS));

		json_array_append_new(l->json, row);
	} else {
		kd_rep_fit(&cell, kd_buf_str(&knob), NAME_COLUMNS);
		kd_table_cell(&l->table, kd_buf_str(&cell));
		kd_table_cell(&l->table, scope(flags));
		kd_buf_reset(&cell);
		kd_rep_fit(&cell, shown, VALUE_COLUMNS);
		kd_table_cell(&l->table, kd_buf_str(&cell));
	}
	kd_buf_fini(&knob);
	kd_buf_fini(&cell);
}

/* "tcp_*" is looked for anywhere, as is a word without wildcards */
static char *widen(const char *pattern)
{
	char *wide;
	bool wild = strpbrk(pattern, "*?[");
	bool rooted = *pattern == '/';

	if (rooted ? asprintf(&wide, "%s", pattern) < 0 :
	    wild ? asprintf(&wide, "*%s", pattern) < 0 :
		   asprintf(&wide, "*%s*", pattern) < 0)
		return NULL;
	return wide;
}

static int list_kind(struct listing *l, const struct kd_knob_env *env,
		     const char *pattern, struct kd_diag *d)
{
	return l->ops->list ? l->ops->list(env, pattern, found, l, d) : 0;
}

static int list_all(struct listing *l, const struct kd_knob_env *env,
		    const char *word, struct kd_diag *d)
{
	const char *name = NULL;
	const struct kd_knob_ops *one = word ? kd_knob_find(word, &name) : NULL;
	char *wide = NULL;
	int r = 0;

	if (one) {
		l->ops = one;
		r = list_kind(l, env, *name ? name : NULL, d);
		/* a name that is none as it stands is a part of one */
		if (!r && !l->n && *name && *name != '/') {
			wide = widen(name);
			r = wide ? list_kind(l, env, wide, d) : -ENOMEM;
		}
	} else {
		if (word)
			wide = widen(word);
		if (word && !wide)
			r = -ENOMEM;
		for (size_t i = 0; !r && kd_knob_table[i]; i++) {
			l->ops = kd_knob_table[i];
			r = list_kind(l, env, wide, d);
		}
	}
	free(wide);
	return r == -ENOMEM ? kd_fail(d, r, "out of memory") : r;
}

static void head(struct listing *l)
{
	static const char *const heads[] = { "knob", "who would notice",
					     "value" };

	l->table.columns = KD_ARRAY_SIZE(heads);
	l->table.left = 1u << 1 | 1u << 2;
	for (size_t i = 0; i < l->table.columns; i++)
		kd_table_cell(&l->table, heads[i]);
}

static int run(const void *base, int argc, char **argv)
{
	const struct options *o = base;
	struct listing l = { .json = o->json ? json_array() : NULL };
	struct kd_knob_env env = { 0 };
	struct kd_diag d = { 0 };
	struct kd_root *root = NULL;
	int r = kd_root_open(o->root, &root, &d);

	env.root = root;
	if (!r && !o->json)
		head(&l);
	if (!r)
		r = list_all(&l, &env, argc ? argv[0] : NULL, &d);
	if (!r && o->json) {
		json_dumpf(l.json, stdout, JSON_INDENT(2));
		putchar('\n');
	} else if (!r && l.n) {
		kd_table_print(stdout, &l.table, 0, false);
	} else if (!r) {
		fprintf(stderr, "kdelta knobs: there is none that matches \"%s\"\n",
			argc ? argv[0] : "*");
	}
	if (!r)
		r = kd_rep_done(stdout, &d);
	json_decref(l.json);
	kd_table_fini(&l.table);
	kd_root_close(root);
	return r ? kd_cli_fail("knobs", &d) : KD_EXIT_DONE;
}

const struct kd_command kd_command_knobs = {
	.name = "knobs",
	.summary = "list what can be set on this machine",
	.usage = "[PATTERN]",
	.details = "_PATTERN_ is \"*kind:name*\" with wildcards, or a part of a "
		   "name: \"sysctl:net.ipv4.tcp_*\", \"gro\", "
		   "\"sysfs:/sys/block/*/queue/*\". Files under /sys and /proc are "
		   "listed only where a pattern says their folders.\n"
		   "A change is noticed in the network namespace alone, or by the "
		   "whole machine.",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.run = run,
};
