// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Made-up trees and an observer's harness. See tree.h.
 */
#include "tree.h"

#include "base/opt.h"
#include "base/root.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void tree_init(struct tree *t)
{
	strcpy(t->path, "/tmp/kd-observers-XXXXXX");
	assert_non_null(mkdtemp(t->path));
	assert_int_equal(kd_root_open(t->path, &t->root, NULL), 0);
}

static int drop(const char *path, const struct stat *st, int type,
		struct FTW *f)
{
	return remove(path);
}

void tree_fini(struct tree *t)
{
	kd_root_close(t->root);
	assert_int_equal(nftw(t->path, drop, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(const struct tree *t, const char *path, const void *data,
		size_t size, int flags)
{
	char full[512];
	int fd;

	snprintf(full, sizeof(full), "%s%s", t->path, path);
	for (char *p = full + strlen(t->path) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | flags, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), (ssize_t)size);
	close(fd);
}

void tree_write(const struct tree *t, const char *path, const char *text)
{
	put(t, path, text, strlen(text), O_TRUNC);
}

void tree_append(const struct tree *t, const char *path, const char *text)
{
	put(t, path, text, strlen(text), O_APPEND);
}

void tree_put(const struct tree *t, const char *path, const void *data,
	      size_t size)
{
	put(t, path, data, size, O_TRUNC);
}

static void copy(const struct tree *t, const char *from, const char *below)
{
	char path[512];
	DIR *dir;
	struct dirent *e;

	snprintf(path, sizeof(path), "%s%s", from, below);
	dir = opendir(path);
	if (!dir) {
		static char data[1 << 20];
		FILE *f = fopen(path, "rb");

		assert_non_null(f);
		tree_put(t, below, data, fread(data, 1, sizeof(data), f));
		fclose(f);
		return;
	}
	while ((e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", below, e->d_name);
		if (e->d_name[0] != '.')
			copy(t, from, path);
	}
	closedir(dir);
}

void tree_copy(const struct tree *t, const char *from)
{
	copy(t, from, "");
}

static void on_metric(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, double value)
{
	struct got *g = (struct got *)s;
	struct got_metric *x = &g->metrics[g->n_metrics++];

	assert_true(g->n_metrics <= 256);
	if (instance)
		snprintf(x->name, sizeof(x->name), "%s[%s]", m->name, instance);
	else
		snprintf(x->name, sizeof(x->name), "%s", m->name);
	x->value = value;
}

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
}

static void on_hist(struct kd_sink *s, const struct kd_metric_desc *m,
		    const char *instance, const double *upper,
		    const uint64_t *counts, size_t n)
{
}

static void on_event(struct kd_sink *s, const char *kind, unsigned int flags,
		     uint64_t t_ns, const char *text)
{
	struct got *g = (struct got *)s;
	struct got_event *x = &g->events[g->n_events++];

	assert_true(g->n_events <= 64);
	snprintf(x->kind, sizeof(x->kind), "%s", kind);
	snprintf(x->text, sizeof(x->text), "%s", text);
	x->flags = flags;
	x->t_ns = t_ns;
}

void got_init(struct got *g)
{
	memset(g, 0, sizeof(*g));
	g->sink.metric = on_metric;
	g->sink.series = on_series;
	g->sink.hist = on_hist;
	g->sink.event = on_event;
}

double got_value(const struct got *g, const char *name)
{
	for (size_t i = 0; i < g->n_metrics; i++)
		if (!strcmp(g->metrics[i].name, name))
			return g->metrics[i].value;
	return NAN;
}

int rig_start(struct rig *r, const char *name, const char *options,
	      const struct kd_obs_env *env)
{
	const struct kd_obs_ops *ops = kd_obs_find(name);

	assert_non_null(ops);
	return rig_start_ops(r, ops, options, env);
}

int rig_start_ops(struct rig *r, const struct kd_obs_ops *ops,
		  const char *options, const struct kd_obs_env *env)
{
	int err;

	memset(r, 0, sizeof(*r));
	r->ops = ops;
	r->env = *env;
	r->env.period_ns = r->env.period_ns ?: 100000000;
	r->env.max_samples = r->env.max_samples ?: 100;
	r->priv = calloc(1, r->ops->priv_size + 1);
	r->opts = calloc(1, r->ops->opts_size + 1);
	if (r->ops->opts) {
		assert_int_equal(kd_opt_init(r->ops->opts, r->opts), 0);
		assert_int_equal(kd_opt_set_list(r->ops->opts, r->opts, options,
						 NULL), 0);
	}
	err = r->ops->probe ? r->ops->probe(&r->env, r->opts, &r->diag) : 0;
	return err ?: r->ops->start(r->priv, &r->env, r->opts, &r->diag);
}

void rig_result(struct rig *r)
{
	got_init(&r->got);
	r->ops->result(r->priv, &r->got.sink);
}

void rig_stop(struct rig *r, bool started)
{
	if (started)
		r->ops->stop(r->priv);
	if (r->ops->opts)
		kd_opt_fini(r->ops->opts, r->opts);
	free(r->priv);
	free(r->opts);
	kd_diag_clear(&r->diag);
}
