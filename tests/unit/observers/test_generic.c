// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What holds for every observer of the table, and for the skeleton: its
 * descriptions are sound, it says why it cannot work, its samples do nothing
 * but read, and on the recorded tree tests/data/observers/NAME it reports what
 * it describes, the same from two instances side by side. Argument: that
 * folder.
 */
#include "strict.h"
#include "tree.h"

#include "base/clock.h"
#include "base/opt.h"
#include "base/root.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_OBSERVERS 64

extern const struct kd_obs_ops kd_obs_skeleton_ops;

static const char *trees;

/* the table, and the skeleton */
static size_t all(const struct kd_obs_ops **out)
{
	size_t n = 0;

	for (; kd_obs_table[n]; n++)
		out[n] = kd_obs_table[n];
	out[n++] = &kd_obs_skeleton_ops;
	assert_true(n <= MAX_OBSERVERS);
	return n;
}

static void is_word(const char *s)
{
	assert_true(s && islower((unsigned char)s[0]));
	for (; *s; s++)
		assert_true(islower((unsigned char)*s) ||
			    isdigit((unsigned char)*s) || strchr(".-", *s));
}

static void descriptions_are_sound(void **state)
{
	const struct kd_obs_ops *ops[MAX_OBSERVERS];
	size_t n = all(ops);

	for (size_t i = 0; i < n; i++) {
		is_word(ops[i]->name);
		assert_non_null(ops[i]->summary);
		assert_true(ops[i]->start && ops[i]->sample && ops[i]->result &&
			    ops[i]->stop);
		assert_non_null(ops[i]->metrics);
		assert_true(!ops[i]->opts == !ops[i]->opts_size);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(ops[i]->name, ops[j]->name);
		for (const struct kd_metric_desc *m = ops[i]->metrics; m->name;
		     m++) {
			is_word(m->name);
			assert_non_null(m->unit);
			assert_true(m->help && *m->help);
			for (const struct kd_metric_desc *o = ops[i]->metrics;
			     o < m; o++)
				assert_string_not_equal(o->name, m->name);
		}
	}
}

static void sample(void *arg)
{
	const struct rig *r = arg;
	uint64_t t = 10 * KD_NS_PER_SEC;

	r->ops->sample(r->priv, KD_OBS_BEGIN, t);
	for (int i = 1; i < 20; i++)
		r->ops->sample(r->priv, KD_OBS_TICK, t + i * r->env.period_ns);
	r->ops->sample(r->priv, KD_OBS_END, t + 20 * r->env.period_ns);
}

static int start(struct rig *r, const struct kd_obs_ops *ops,
		 const struct kd_root *root)
{
	struct kd_obs_env env = { .root = root };
	bool wants_file = ops->opts && kd_opt_find(ops->opts, "file");

	return rig_start_ops(r, ops, wants_file ?
			     "file=/sys/kernel/debug/passes" : "", &env);
}

static void samples_only_read(void **state)
{
	const struct kd_obs_ops *ops[MAX_OBSERVERS];
	size_t n = all(ops), sampled = 0;
	struct kd_root *root;

	assert_int_equal(kd_root_open("/", &root, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		struct rig r;
		int err = start(&r, ops[i], root);

		if (!err) {
			sampled++;
			/* a task not seen before */
			if (!strict_run(sample, &r,
					!strcmp(ops[i]->name, "tasks")))
				fail_msg("%s", ops[i]->name);
		}
		rig_stop(&r, !err);
	}
	assert_true(sampled > 2);
	kd_root_close(root);
}

static void opens(void *arg)
{
	struct kd_root *root = arg;

	kd_root_openat(root, "/proc/stat", 0);
}

static void allocates(void *arg)
{
	void *volatile *p = arg;

	*p = malloc(16);
}

/* the check above can fail */
static void strictness_is_real(void **state)
{
	struct kd_root *root;
	void *p;

	assert_int_equal(kd_root_open("/", &root, NULL), 0);
	assert_false(strict_run(opens, root, false));
	assert_true(strict_run(opens, root, true));
	assert_false(strict_run(allocates, &p, false));
	kd_root_close(root);
}

static void nothing_is_told(void **state)
{
	const struct kd_obs_ops *ops[MAX_OBSERVERS];
	size_t n = all(ops);
	struct tree t;

	tree_init(&t);
	for (size_t i = 0; i < n; i++) {
		struct rig r;
		int err = start(&r, ops[i], t.root);

		/* what the agent takes as "skipped", not as a mistake */
		if (err) {
			assert_true(err != -EINVAL && err != -ENOMEM &&
				    err != -ERANGE);
			assert_int_equal(err, r.diag.err);
			assert_true(r.diag.text[0]);
		}
		rig_stop(&r, !err);
	}
	tree_fini(&t);
}

static size_t open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void describes(const struct rig *r)
{
	if (!r->got.n_metrics)
		fail_msg("%s reports nothing", r->ops->name);
	for (size_t i = 0; i < r->got.n_metrics; i++) {
		char name[96];
		const struct kd_metric_desc *m = r->ops->metrics;

		snprintf(name, sizeof(name), "%s", r->got.metrics[i].name);
		name[strcspn(name, "[")] = '\0';
		while (m->name && strcmp(m->name, name))
			m++;
		if (!m->name)
			fail_msg("%s has no metric %s", r->ops->name, name);
		assert_true(isfinite(r->got.metrics[i].value));
	}
	for (size_t i = 0; i < r->got.n_events; i++)
		fail_msg("%s: %s", r->ops->name, r->got.events[i].text);
}

static void on_tree(const struct kd_obs_ops *ops)
{
	char path[512];
	size_t files = open_files();
	struct rig r[2];
	struct tree t;

	tree_init(&t);
	snprintf(path, sizeof(path), "%s/%s/begin", trees, ops->name);
	tree_copy(&t, path);
	for (int i = 0; i < 2; i++)
		if (start(&r[i], ops, t.root))
			fail_msg("%s: %s", ops->name, r[i].diag.text);
	for (int i = 0; i < 2; i++)
		ops->sample(r[i].priv, KD_OBS_BEGIN, 10 * KD_NS_PER_SEC);
	snprintf(path, sizeof(path), "%s/%s/end", trees, ops->name);
	tree_copy(&t, path);
	for (int i = 0; i < 2; i++) {
		ops->sample(r[i].priv, KD_OBS_TICK,
			    10 * KD_NS_PER_SEC + r[i].env.period_ns);
		ops->sample(r[i].priv, KD_OBS_END, 11 * KD_NS_PER_SEC);
		rig_result(&r[i]);
		describes(&r[i]);
	}
	assert_int_equal(r[0].got.n_metrics, r[1].got.n_metrics);
	assert_memory_equal(r[0].got.metrics, r[1].got.metrics,
			    sizeof(r[0].got.metrics));
	for (int i = 0; i < 2; i++)
		rig_stop(&r[i], true);
	tree_fini(&t);
	assert_int_equal(open_files(), files);
}

static void reports_what_it_describes(void **state)
{
	const struct kd_obs_ops *ops[MAX_OBSERVERS];
	size_t n = all(ops), seen = 0;
	char path[512];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", trees, ops[i]->name);
		if (access(path, F_OK))
			continue;
		on_tree(ops[i]);
		seen++;
	}
	assert_true(seen > 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptions_are_sound),
		cmocka_unit_test(strictness_is_real),
		cmocka_unit_test(samples_only_read),
		cmocka_unit_test(nothing_is_told),
		cmocka_unit_test(reports_what_it_describes),
	};

	if (argc != 2)
		return 2;
	trees = argv[1];
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
