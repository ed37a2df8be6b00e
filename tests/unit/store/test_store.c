// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include "stats/dataset.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

static struct kd_store *opened(void **state)
{
	struct kd_store *s = NULL;
	struct kd_diag d = { 0 };

	if (kd_store_open(in_folder(state, "a/b/s.db"), &s, &d))
		fail_msg("%s", d.text);
	return s;
}

static void keeps_an_experiment(void **state)
{
	struct kd_store *s = opened(state);
	struct kd_store_exp e = an_experiment("tso off"), back;
	char *factors[] = { (char *)"limit" };
	char *levels[2] = { (char *)"1", (char *)"2" };

	e.factors = factors;
	e.n_factors = 1;
	e.baseline = 1;
	variants[0].levels = &levels[0];
	variants[1].levels = &levels[1];
	assert_int_equal(kd_store_begin(s, &e, NULL), 0);
	variants[0].levels = variants[1].levels = NULL;
	assert_true(e.id > 0);
	kd_store_close(s);

	s = opened(state);
	assert_int_equal(kd_store_load_exp(s, e.id, &back, NULL), 0);
	assert_string_equal(back.name, "tso off");
	assert_string_equal(back.file_text, "name: a\n");
	assert_true(back.seed == e.seed);
	assert_true(back.created_wall_ns == e.created_wall_ns);
	assert_int_equal(back.baseline, 1);
	assert_null(back.peer);
	assert_int_equal(back.n_variants, 2);
	assert_string_equal(back.variants[1].knobs, variants[1].knobs);
	assert_string_equal(back.variants[1].levels[0], "2");
	assert_int_equal(back.n_workloads, 2);
	assert_string_equal(back.workloads[0].primary, "throughput");
	assert_string_equal(back.factors[0], "limit");
	kd_store_exp_fini(&back);
	assert_int_equal(kd_store_load_exp(s, e.id + 1, &back, NULL), -ENOENT);
	kd_store_close(s);
}

static void keeps_a_run(void **state)
{
	struct kd_store *s = opened(state);
	struct kd_store_exp e = an_experiment("x");
	struct kd_store_run r = a_run(1, 0, 2, 7), back;
	uint64_t t[] = { 0, 100, UINT64_MAX }, counts[] = { 3, 1ULL << 63 };
	double v[] = { -0.0, 1e-300, 3.3 }, upper[] = { 10, INFINITY };
	struct kd_run_series series = { (char *)"power", NULL, (char *)"W",
		KD_BETTER_LOWER, KD_FROM_DEVICE, t, v, 3 };
	struct kd_run_hist hist = { (char *)"passes", (char *)"irq 9",
		(char *)"", KD_BETTER_NONE, KD_FROM_PEER, upper, counts, 2 };
	struct kd_run_event event = { (char *)"oops", KD_EVENT_FAIL,
		KD_FROM_DEVICE, 12, (char *)"BUG: line 1\nline 2" };

	assert_int_equal(kd_store_begin(s, &e, NULL), 0);
	r.status = KD_RUN_FAILED;
	r.reason = (char *)"the kernel said BUG";
	r.series = &series;
	r.n_series = 1;
	r.hists = &hist;
	r.n_hists = 1;
	r.events = &event;
	r.n_events = 1;
	assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	assert_int_equal(kd_store_load_run(s, r.id, &back, NULL), 0);
	assert_int_equal(back.variant, 1);
	assert_int_equal(back.round, 2);
	assert_int_equal(back.seq, 7);
	assert_int_equal(back.status, KD_RUN_FAILED);
	assert_string_equal(back.reason, r.reason);
	assert_true(back.peer_window_ns == 5000000002ULL);
	assert_string_equal(back.environment, r.environment);
	assert_int_equal(back.n_metrics, 3);
	assert_true(back.metrics[0].value == 0.1);
	assert_null(back.metrics[0].instance);
	assert_string_equal(back.metrics[1].instance, "1");
	assert_int_equal(back.metrics[2].from, KD_FROM_PEER);
	assert_int_equal(back.metrics[1].better, KD_BETTER_LOWER);
	assert_int_equal(back.n_series, 1);
	assert_int_equal(back.series[0].n, 3);
	assert_true(back.series[0].t_ns[2] == UINT64_MAX);
	assert_true(signbit(back.series[0].values[0]));
	assert_true(back.series[0].values[1] == 1e-300);
	assert_true(isinf(back.hists[0].upper[1]));
	assert_true(back.hists[0].counts[1] == 1ULL << 63);
	assert_string_equal(back.hists[0].instance, "irq 9");
	assert_string_equal(back.events[0].text, event.text);
	assert_int_equal(back.events[0].flags, KD_EVENT_FAIL);
	kd_store_run_fini(&back);
	kd_store_close(s);
}

/* the run must be in the file when the call returns, whatever happens then */
static void survives_a_kill(void **state)
{
	struct kd_store_exp e = an_experiment("killed");
	struct kd_store_run *runs;
	struct kd_store *s;
	int status;
	size_t n;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct kd_store_run r = a_run(0, 0, 0, 0);

		s = opened(state);
		if (kd_store_begin(s, &e, NULL) ||
		    kd_store_add_run(s, e.id, &r, NULL))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	s = opened(state);
	assert_int_equal(kd_store_find(s, "latest", &e.id, NULL), 0);
	assert_int_equal(kd_store_load_runs(s, e.id, &runs, &n, NULL), 0);
	assert_int_equal(n, 1);
	kd_store_runs_free(runs, n);
	kd_store_close(s);
}

static const struct kd_measure *find_measure(const struct kd_dataset *ds,
					     const char *workload,
					     const char *metric)
{
	for (size_t i = 0; i < ds->n_measures; i++)
		if (!strcmp(ds->measures[i].workload, workload) &&
		    !strcmp(ds->measures[i].metric, metric))
			return &ds->measures[i];
	return NULL;
}

static void makes_a_dataset(void **state)
{
	struct kd_store *s = opened(state);
	struct kd_store_exp e = an_experiment("x");
	struct kd_store_counts c;
	const struct kd_measure *m;
	struct kd_dataset ds;
	int seq = 0;

	e.plan = (char *)"{\"unit\": \"boot\"}";
	e.baseline = 1;
	assert_int_equal(kd_store_begin(s, &e, NULL), 0);
	for (int round = 0; round < 3; round++) {
		for (int v = 0; v < 2; v++) {
			for (int w = 0; w < 2; w++) {
				struct kd_store_run r = a_run(v, w, round, seq++);

				r.boot_id = (char *)(round ? "b2" : "b1");
				if (round == 1 && v == 0 && w == 0) {
					r.status = KD_RUN_FAILED;
					r.reason = (char *)"no route";
				}
				assert_int_equal(kd_store_add_run(s, e.id, &r,
								  NULL), 0);
			}
		}
	}
	assert_int_equal(kd_store_dataset(s, e.id, &ds, &c, NULL), 0);
	assert_string_equal(ds.title, "x");
	assert_int_equal(ds.baseline, 1);
	assert_int_equal(ds.n_variants, 2);
	assert_int_equal(ds.n_measures, 6);
	assert_int_equal(ds.n_boots[0], 2);
	m = find_measure(&ds, "tx", "throughput");
	assert_non_null(m);
	assert_true(m->primary);
	assert_string_equal(m->unit, "Mbit/s");
	assert_int_equal(m->n_samples, 5);
	assert_int_equal(m->samples[4].round, 2);
	m = find_measure(&ds, "tx", "peer.cpu.busy[1]");
	assert_non_null(m);
	assert_false(m->primary);
	assert_true(m->samples[0].value == 3);
	assert_int_equal(c.ok, 11);
	assert_int_equal(c.failed, 1);
	assert_int_equal(c.rounds, 3);
	assert_true(c.same_environment);
	assert_int_equal(ds.n_notes, 1);
	assert_string_equal(ds.notes[0], "old, tx, round 2 failed: no route");
	kd_dataset_fini(&ds);
	kd_store_close(s);
}

static void counts_a_repeated_round_once(void **state)
{
	struct kd_store *s = opened(state);
	struct kd_store_exp e = an_experiment("x");
	struct kd_store_run r = a_run(0, 0, 0, 0);
	struct kd_store_counts c;
	struct kd_dataset ds;

	assert_int_equal(kd_store_begin(s, &e, NULL), 0);
	assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	assert_int_equal(kd_store_mark_superseded(s, e.id, 0, -1, NULL), 0);
	assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	r = a_run(1, 0, 0, 1);
	r.status = KD_RUN_FAILED;
	assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	r = a_run(1, 0, 0, 2);
	r.attempt = 2;
	assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	assert_int_equal(kd_store_dataset(s, e.id, &ds, &c, NULL), 0);
	assert_int_equal(c.ok, 2);
	assert_int_equal(c.superseded, 1);
	assert_int_equal(c.failed, 0);
	assert_int_equal(ds.measures[0].n_samples, 2);
	kd_dataset_fini(&ds);
	kd_store_close(s);
}

static void finds_what_is_meant(void **state)
{
	static const char *const names[] = { "tso-off", "tso-on", "bbr", "tso-off" };
	struct kd_store *s = opened(state);
	struct kd_diag d = { 0 };
	int64_t ids[4], id = 0;

	assert_int_equal(kd_store_find(s, NULL, &id, &d), -ENOENT);
	for (int i = 0; i < 4; i++) {
		struct kd_store_exp e = an_experiment(names[i]);

		assert_int_equal(kd_store_begin(s, &e, NULL), 0);
		ids[i] = e.id;
	}
	assert_int_equal(kd_store_find(s, "latest", &id, NULL), 0);
	assert_true(id == ids[3]);
	assert_int_equal(kd_store_find(s, "2", &id, NULL), 0);
	assert_true(id == ids[1]);
	assert_int_equal(kd_store_find(s, "b", &id, NULL), 0);
	assert_true(id == ids[2]);
	assert_int_equal(kd_store_find(s, "tso-off", &id, NULL), 0);
	assert_true(id == ids[3]);
	kd_diag_clear(&d);
	assert_int_equal(kd_store_find(s, "tso", &id, &d), -EINVAL);
	assert_string_equal(d.text,
		"\"tso\" may mean 2 experiments: tso-off, tso-on");
	kd_diag_clear(&d);
	assert_int_equal(kd_store_find(s, "tsoon", &id, &d), -ENOENT);
	assert_string_equal(d.hint, "did you mean \"tso-on\"?");
	kd_store_close(s);
}

static void says_what_was_not_observed(void **state)
{
	struct kd_run_event events[] = {
		{ .kind = (char *)"skipped", .text = (char *)"link: no wlan0" },
		{ .kind = (char *)"note", .text = (char *)"of no account" },
		{ .kind = (char *)"skipped", .text = (char *)"power: no meter" },
	};
	struct kd_store *s = opened(state);
	struct kd_store_exp e = an_experiment("a");
	struct kd_dataset ds;

	assert_int_equal(kd_store_begin(s, &e, NULL), 0);
	for (int i = 0; i < 4; i++) {
		struct kd_store_run r = a_run(i % 2, 0, i / 2, i);

		r.events = events;
		r.n_events = i ? 3 : 1;
		assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	}
	assert_int_equal(kd_store_dataset(s, e.id, &ds, NULL, NULL), 0);
	assert_int_equal(ds.n_notes, 2);
	assert_string_equal(ds.notes[0], "nothing of observer link: no wlan0");
	assert_string_equal(ds.notes[1],
			    "nothing of observer power: no meter (3 of 4 runs)");
	kd_dataset_fini(&ds);
	kd_store_close(s);
}

static void removes_all_of_it(void **state)
{
	struct kd_store *s = opened(state);
	struct kd_store_exp a = an_experiment("a"), b = an_experiment("b");
	struct kd_store_run r = a_run(0, 0, 0, 0), kept = a_run(0, 0, 0, 0);
	struct kd_store_item *items;
	struct kd_store_run back;
	size_t n;

	assert_int_equal(kd_store_begin(s, &a, NULL), 0);
	assert_int_equal(kd_store_begin(s, &b, NULL), 0);
	r.environment = (char *)"{\"only\": \"here\"}";
	assert_int_equal(kd_store_add_run(s, a.id, &r, NULL), 0);
	assert_int_equal(kd_store_add_run(s, b.id, &kept, NULL), 0);
	assert_int_equal(kd_store_remove(s, a.id, NULL), 0);
	assert_int_equal(kd_store_remove(s, a.id, NULL), -ENOENT);
	assert_int_equal(kd_store_load_run(s, r.id, &back, NULL), -ENOENT);
	assert_int_equal(kd_store_load_run(s, kept.id, &back, NULL), 0);
	kd_store_run_fini(&back);
	assert_int_equal(kd_store_list(s, &items, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_string_equal(items[0].name, "b");
	assert_int_equal(items[0].runs_ok, 1);
	kd_store_list_free(items, n);
	kd_store_close(s);
}

static void keeps_an_imported_log(void **state)
{
	struct kd_store *s = opened(state);
	struct kd_store_exp e = { .name = (char *)"log" };
	struct kd_dataset ds = { 0 }, back;
	const struct kd_measure *m;

	kd_dataset_variant(&ds, "a,b");
	kd_dataset_variant(&ds, "c");
	for (int i = 0; i < 5; i++)
		kd_measure_add(kd_dataset_measure(&ds, "", "rate, mean", "KB/s",
						  KD_BETTER_HIGHER),
			       i % 2, -1, i, i + 0.25);
	ds.measures[0].primary = true;
	kd_dataset_note(&ds, "4 rows where others have 5");
	assert_int_equal(kd_store_add_dataset(s, &e, &ds, NULL), 0);
	assert_int_equal(kd_store_dataset(s, e.id, &back, NULL, NULL), 0);
	m = find_measure(&back, "", "rate, mean");
	assert_non_null(m);
	assert_true(m->primary);
	assert_int_equal(m->n_samples, 5);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(m->samples[i].variant, i % 2);
		assert_int_equal(m->samples[i].round, -1);
		assert_int_equal(m->samples[i].seq, i);
		assert_true(m->samples[i].value == i + 0.25);
	}
	assert_int_equal(back.n_notes, 1);
	assert_string_equal(back.notes[0], ds.notes[0]);
	kd_dataset_fini(&back);
	kd_dataset_fini(&ds);
	kd_store_close(s);
}

static void tells_environments_apart(void **state)
{
	struct kd_store *s = opened(state);
	struct kd_store_exp e = an_experiment("x");
	struct kd_store_env *envs;
	size_t n;

	assert_int_equal(kd_store_begin(s, &e, NULL), 0);
	for (int i = 0; i < 4; i++) {
		struct kd_store_run r = a_run(i % 2, 0, i / 2, i);

		if (i == 3)
			r.environment = (char *)"{\"kernel\": \"6.2\"}";
		assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	}
	assert_int_equal(kd_store_environments(s, e.id, &envs, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(envs[0].runs, 2);
	assert_int_equal(envs[2].variant, 1);
	assert_string_equal(envs[2].text, "{\"kernel\": \"6.2\"}");
	kd_store_environments_free(envs, n);
	kd_store_close(s);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		CASE(keeps_an_experiment),
		CASE(keeps_a_run),
		CASE(survives_a_kill),
		CASE(makes_a_dataset),
		CASE(counts_a_repeated_round_once),
		CASE(finds_what_is_meant),
		CASE(says_what_was_not_observed),
		CASE(removes_all_of_it),
		CASE(keeps_an_imported_log),
		CASE(tells_environments_apart),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
