// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All sysctls of this namespace and, where it is another one, those of the
 * whole machine that only the first namespace shows. See sysctl.c.
 */
#include "knobs/sysctl.h"

#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"
#include "knobs/netns.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 12

struct item {
	char *name;
	char *value;	/* NULL: cannot be read */
	unsigned int flags;
};

struct walk {
	const struct kd_root *root;
	const char *pattern;
	char path[512];
	int depth;
	struct item *items;
	size_t n, cap;
};

/* can a name below the folder @name match at all? its literal start decides */
static bool may_match(const char *pattern, const char *name)
{
	size_t fixed, n = strlen(name);

	if (!pattern)
		return true;
	fixed = strcspn(pattern, "*?[\\");
	return !strncmp(pattern, name, fixed < n ? fixed : n);
}

static int add(struct walk *w, const char *name)
{
	struct kd_buf value = { 0 };
	struct item *grown;
	mode_t mode = 0;
	int r;

	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 256;
		grown = reallocarray(w->items, w->cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		w->items = grown;
	}
	kd_knob_file_mode(w->root, w->path, &mode);
	r = kd_knob_file_get(w->root, w->path, &value, NULL);
	w->items[w->n] = (struct item){
		.name = strdup(name),
		.value = r ? NULL : strdup(kd_buf_str(&value)),
		.flags = mode & 0444 ? 0 : KD_KNOB_WRITE_ONLY,
	};
	kd_buf_fini(&value);
	if (!w->items[w->n].name)
		return -ENOMEM;
	w->n++;
	return 0;
}

static int visit(void *arg, const char *entry)
{
	struct walk *w = arg;
	size_t len = strlen(w->path);
	char name[512];
	mode_t mode;
	int r = 0;

	snprintf(w->path + len, sizeof(w->path) - len, "/%s", entry);
	kd_sysctl_name(w->path, name, sizeof(name));
	if (may_match(w->pattern, name) &&
	    !kd_knob_file_mode(w->root, w->path, &mode)) {
		if (S_ISDIR(mode) && w->depth < DEPTH_MAX) {
			w->depth++;
			kd_knob_dir_each(w->root, w->path, visit, w);
			w->depth--;
		} else if (S_ISREG(mode) && (mode & 0222) &&
			   (!w->pattern || !fnmatch(w->pattern, name, 0))) {
			r = add(w, name);
		}
	}
	w->path[len] = '\0';
	return r;
}

static int walk_here(void *arg)
{
	struct walk *w = arg;

	strcpy(w->path, "/proc/sys");
	return kd_knob_dir_each(w->root, w->path, visit, w);
}

static int flag_here(void *arg)
{
	struct walk *w = arg;
	char path[512];

	for (size_t i = 0; i < w->n; i++)
		if (!kd_sysctl_path(w->items[i].name, path, sizeof(path), NULL))
			w->items[i].flags |=
				kd_sysctl_flags_here(w->root, path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->name,
		      ((const struct item *)b)->name);
}

/* names that only the first namespace has */
static void add_machine(struct walk *w)
{
	struct walk first = { .root = w->root, .pattern = w->pattern };
	struct kd_netns_id own;
	size_t n = w->n;
	int fd = kd_netns_first();

	if (fd < 0)
		return;
	if (!kd_netns_own(&own) && !kd_netns_call(fd, walk_here, &first)) {
		qsort(w->items, n, sizeof(*w->items), by_name);
		for (size_t i = 0; i < first.n; i++) {
			struct item *grown;

			if (bsearch(&first.items[i], w->items, n,
				    sizeof(*w->items), by_name))
				continue;
			/* interfaces of others are not this device's */
			if (strstr(first.items[i].name, ".conf.") ||
			    strstr(first.items[i].name, ".neigh."))
				continue;
			grown = reallocarray(w->items, w->n + 1,
					     sizeof(*grown));
			if (!grown)
				break;
			w->items = grown;
			w->items[w->n++] = first.items[i];
			first.items[i] = (struct item){ 0 };
		}
	}
	for (size_t i = 0; i < first.n; i++) {
		free(first.items[i].name);
		free(first.items[i].value);
	}
	free(first.items);
	close(fd);
}

int kd_sysctl_list(const struct kd_knob_env *env, const char *pattern,
		   void (*found)(void *arg, const char *name,
				 const char *value, unsigned int flags),
		   void *arg, struct kd_diag *d)
{
	struct walk w = { .root = env->root, .pattern = pattern };
	bool live = kd_root_is_live(env->root);
	int r = walk_here(&w);

	if (r == -ENOENT)
		r = 0;
	if (live && !r)
		add_machine(&w);
	if (w.n)
		qsort(w.items, w.n, sizeof(*w.items), by_name);
	if (!live || kd_netns_call(-1, flag_here, &w) < 0)
		for (size_t i = 0; i < w.n; i++)
			w.items[i].flags |=
				kd_str_has_prefix(w.items[i].name, "net.") ?
					KD_KNOB_NETNS : 0;
	for (size_t i = 0; i < w.n; i++) {
		if (!r)
			found(arg, w.items[i].name, w.items[i].value,
			      w.items[i].flags);
		free(w.items[i].name);
		free(w.items[i].value);
	}
	free(w.items);
	return r ? kd_fail(d, r, "cannot list the sysctls: %s", strerror(-r)) :
		   0;
}
