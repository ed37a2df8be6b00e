// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was not the same in all runs, and no knob asked for. Each run carries
 * its environment as JSON; every leaf of it is compared by its path.
 */
#include "cli/stored.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define LINES_MAX 20
#define VALUE_MAX 60

/* path -> array (by variant) of objects (value -> true) */
struct leaves {
	json_t *paths;
	size_t n_variants;
};

static void add_value(struct leaves *l, const char *path, int variant,
		      const char *value)
{
	json_t *sets = json_object_get(l->paths, path);

	if (!sets) {
		sets = json_array();
		for (size_t i = 0; i < l->n_variants; i++)
			json_array_append_new(sets, json_object());
		json_object_set_new(l->paths, path, sets);
	}
	json_object_set_new(json_array_get(sets, (size_t)variant), value,
			    json_true());
}

static void add_leaves(struct leaves *l, const char *path, const json_t *j,
		       int variant, int depth)
{
	const char *name;
	char *text;
	json_t *v;

	if (json_is_object(j) && depth < 16) {
		json_object_foreach((json_t *)j, name, v) {
			struct kd_buf b = { 0 };

			kd_buf_printf(&b, "%s%s%s", path, path[0] ? "." : "",
				      name);
			if (!b.err)
				add_leaves(l, kd_buf_str(&b), v, variant,
					   depth + 1);
			kd_buf_fini(&b);
		}
		return;
	}
	if (json_is_string(j)) {
		add_value(l, path, variant, json_string_value(j));
		return;
	}
	text = json_dumps(j, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	if (text)
		add_value(l, path, variant, text);
	free(text);
}

/* is the path, or its end, the name of a knob that a variant sets */
static bool is_asked(const struct kd_store_exp *exp, const char *path)
{
	bool asked = false;

	for (size_t i = 0; !asked && i < exp->n_variants; i++) {
		const char *text = exp->variants[i].knobs, *name;
		json_t *knobs = text ? json_loads(text, 0, NULL) : NULL;
		json_t *v;

		json_object_foreach(knobs, name, v) {
			const char *bare = strchr(name, ':');
			size_t len, end = strlen(path);

			bare = bare ? bare + 1 : name;
			len = strlen(bare);
			if (len <= end && !strcmp(path + end - len, bare))
				asked = true;
		}
		json_decref(knobs);
	}
	return asked;
}

static void add_values(struct kd_buf *b, json_t *set)
{
	const char *value;
	json_t *unused;
	size_t n = 0;

	json_object_foreach(set, value, unused) {
		size_t len = strlen(value);

		if (n++ == 3)
			break;
		kd_buf_printf(b, "%s%.*s%s", n > 1 ? " or " : "", VALUE_MAX,
			      value, len > VALUE_MAX ? "..." : "");
	}
	if (json_object_size(set) > 3)
		kd_buf_puts(b, " or others");
}

/* "kernel: 6.1 in old, 6.2 in new"; NULL where all is the same */
static char *compare_path(const struct kd_store_exp *exp, const char *path,
			  json_t *sets)
{
	json_t *base = NULL, *set;
	struct kd_buf b = { 0 };
	bool same = true;
	size_t i;

	json_array_foreach(sets, i, set) {
		if (!json_object_size(set))
			continue;
		if (!base)
			base = set;
		if (json_object_size(set) > 1 || !json_equal(set, base))
			same = false;
	}
	if (same)
		return NULL;
	kd_buf_printf(&b, "%s: ", path);
	json_array_foreach(sets, i, set) {
		if (!json_object_size(set))
			continue;
		if (b.len > 400) {
			kd_buf_puts(&b, ", ...");
			break;
		}
		kd_buf_puts(&b, set == base ? "" : ", ");
		add_values(&b, set);
		kd_buf_printf(&b, " in %s", exp->variants[i].name);
	}
	return kd_buf_steal(&b);
}

static int list_differences(const struct leaves *l,
			    const struct kd_store_exp *exp, char ***out,
			    size_t *n)
{
	char **lines = calloc(LINES_MAX + 1, sizeof(*lines));
	size_t used = 0, more = 0;
	const char *path;
	json_t *sets;

	if (!lines)
		return -ENOMEM;
	json_object_foreach(l->paths, path, sets) {
		char *line = is_asked(exp, path) ? NULL :
			compare_path(exp, path, sets);

		if (line && used < LINES_MAX) {
			lines[used++] = line;
		} else if (line) {
			free(line);
			more++;
		}
	}
	if (more && asprintf(&lines[used], "and %zu more: kdelta export",
			     more) >= 0)
		used++;
	*out = lines;
	*n = used;
	return 0;
}

int kd_stored_differences(struct kd_store *store,
			  const struct kd_store_exp *exp, char ***out,
			  size_t *n, struct kd_diag *d)
{
	struct leaves l = { json_object(), exp->n_variants };
	struct kd_store_env *envs = NULL;
	size_t n_envs = 0;
	int r = kd_store_environments(store, exp->id, &envs, &n_envs, d);

	for (size_t i = 0; !r && i < n_envs; i++) {
		json_t *j = json_loads(envs[i].text, 0, NULL);

		if (envs[i].variant >= 0 &&
		    (size_t)envs[i].variant < exp->n_variants)
			add_leaves(&l, "", j, envs[i].variant, 0);
		json_decref(j);
	}
	if (!r && list_differences(&l, exp, out, n))
		r = kd_fail(d, -ENOMEM, "out of memory");
	kd_store_environments_free(envs, n_envs);
	json_decref(l.paths);
	return r;
}
