// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta show: what was planned and what happened, run by run.
 */
#include "cli/cmd.h"
#include "cli/store_json.h"
#include "cli/store_open.h"
#include "cli/stored.h"

#include "reports/table.h"
#include "reports/words.h"

#include <inttypes.h>
#include <string.h>

struct options {
	char *store;
	int64_t run;
	bool json;
};

static const struct kd_opt opts[] = {
	{ "json", KD_OPT_BOOL, offsetof(struct options, json),
	  .help = "for programs" },
	{ "run", KD_OPT_INT, offsetof(struct options, run), .min = 1,
	  .arg = "N", .help = "the figures and events of one run" },
	KD_OPT_STORE_ROW(offsetof(struct options, store)),
	{ 0 },
};

static void line(const char *label, const char *text)
{
	struct kd_buf b = { 0 };

	if (!text || !text[0])
		return;
	kd_rep_name(&b, text);
	printf("%-12s%s\n", label, kd_buf_str(&b));
	kd_buf_fini(&b);
}

static void cell(struct kd_table *t, const char *s, size_t columns)
{
	struct kd_buf b = { 0 };

	kd_rep_fit(&b, s ? s : "", columns);
	kd_table_cell(t, kd_buf_str(&b));
	kd_buf_fini(&b);
}

static void number(struct kd_table *t, int64_t v)
{
	char s[24];

	snprintf(s, sizeof(s), "%" PRId64, v);
	kd_table_cell(t, s);
}

static void seconds(struct kd_table *t, uint64_t ns)
{
	char s[32];

	snprintf(s, sizeof(s), ns ? "%.3f s" : "-", (double)ns / 1e9);
	kd_table_cell(t, s);
}

static void print_head(const struct kd_store_exp *e)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRId64, e->id);
	line("Experiment", text);
	line("Name", e->name);
	line("Made", kd_stored_date(e->created_wall_ns, text));
	line("By kdelta", e->version);
	line("File", e->file_name);
	line("Digest", e->digest);
	line("Device", e->device);
	line("Peer", e->peer);
	snprintf(text, sizeof(text), "%" PRIu64, e->seed);
	line("Seed", text);
	line("Plan", e->plan);
	for (size_t i = 0; i < e->n_variants; i++) {
		struct kd_buf b = { 0 };

		kd_buf_printf(&b, "%s%s %s", e->variants[i].name,
			      i == (size_t)e->baseline ? " (baseline)" : "",
			      e->variants[i].knobs ? e->variants[i].knobs : "");
		line("Variant", kd_buf_str(&b));
		kd_buf_fini(&b);
	}
	for (size_t i = 0; i < e->n_workloads; i++) {
		const struct kd_store_workload *w = &e->workloads[i];
		struct kd_buf b = { 0 };

		kd_buf_printf(&b, "%s: %s %s", w->name, w->kind ? w->kind : "",
			      w->options ? w->options : "");
		line("Workload", kd_buf_str(&b));
		kd_buf_fini(&b);
	}
}

static void print_runs(const struct kd_store_exp *e,
		       const struct kd_store_run *runs, size_t n)
{
	static const char *const heads[] = { "run", "round", "try", "variant",
		"workload", "window", "status" };
	struct kd_table t = { .columns = 7,
			      .left = 1u << 3 | 1u << 4 | 1u << 6 };

	for (size_t i = 0; i < t.columns; i++)
		kd_table_cell(&t, heads[i]);
	for (size_t i = 0; i < n; i++) {
		const struct kd_store_run *r = &runs[i];
		struct kd_buf status = { 0 };

		number(&t, r->id);
		if (r->round < 0)
			kd_table_cell(&t, "-");
		else
			number(&t, r->round + 1);
		number(&t, r->attempt);
		cell(&t, (size_t)r->variant < e->n_variants ?
		     e->variants[r->variant].name : "?", 24);
		cell(&t, (size_t)r->workload < e->n_workloads ?
		     e->workloads[r->workload].name : "?", 16);
		seconds(&t, r->device_window_ns);
		kd_buf_printf(&status, "%s%s%s", kd_run_status_name(r->status),
			      r->reason ? ": " : "",
			      r->reason ? r->reason : "");
		cell(&t, kd_buf_str(&status), 200);
		kd_buf_fini(&status);
	}
	if (n) {
		putchar('\n');
		kd_table_print(stdout, &t, 0, false);
	}
	kd_table_fini(&t);
}

static int show_experiment(struct kd_store *store,
			   const struct kd_store_exp *e, bool json,
			   struct kd_diag *d)
{
	struct kd_store_run *runs = NULL;
	size_t n = 0;
	int r = kd_store_load_runs(store, e->id, &runs, &n, d);

	if (r)
		return r;
	if (json) {
		json_t *j = kd_store_exp_json(e), *list = json_array();

		for (size_t i = 0; i < n; i++)
			json_array_append_new(list,
				kd_store_run_json(e, &runs[i], false));
		json_object_set_new(j, "runs", list);
		json_dumpf(j, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(j);
	} else {
		print_head(e);
		print_runs(e, runs, n);
		if (e->file_text)
			printf("\n%s", e->file_text);
	}
	kd_store_runs_free(runs, n);
	return 0;
}

static void print_figures(const struct kd_store_run *run)
{
	struct kd_table t = { .columns = 3, .left = 1u << 2 };

	kd_table_cell(&t, "metric");
	kd_table_cell(&t, "value");
	kd_table_cell(&t, "unit");
	for (size_t i = 0; i < run->n_metrics; i++) {
		const struct kd_run_metric *m = &run->metrics[i];
		struct kd_buf b = { 0 };
		char value[32];

		kd_buf_printf(&b, "%s%s%s%s%s",
			      m->from == KD_FROM_PEER ? "peer." : "", m->name,
			      m->instance ? "[" : "",
			      m->instance ? m->instance : "",
			      m->instance ? "]" : "");
		cell(&t, kd_buf_str(&b), 60);
		snprintf(value, sizeof(value), "%.10g", m->value);
		kd_table_cell(&t, value);
		cell(&t, m->unit, 16);
		kd_buf_fini(&b);
	}
	putchar('\n');
	kd_table_print(stdout, &t, 0, false);
	kd_table_fini(&t);
}

static void print_run(const struct kd_store_exp *e,
		      const struct kd_store_run *run)
{
	print_runs(e, run, 1);
	print_figures(run);
	for (size_t i = 0; i < run->n_series; i++)
		printf("series      %s, %zu points\n", run->series[i].name,
		       run->series[i].n);
	for (size_t i = 0; i < run->n_hists; i++)
		printf("histogram   %s, %zu buckets\n", run->hists[i].name,
		       run->hists[i].n);
	for (size_t i = 0; i < run->n_events; i++) {
		struct kd_buf b = { 0 };

		kd_buf_printf(&b, "%.3f s %s: %s",
			      (double)run->events[i].t_ns / 1e9,
			      run->events[i].kind, run->events[i].text);
		line("event", kd_buf_str(&b));
		kd_buf_fini(&b);
	}
	line("environment", run->environment);
}

static int show_run(struct kd_store *store, const struct kd_store_exp *e,
		    int64_t id, bool json, struct kd_diag *d)
{
	struct kd_store_run run;
	int r = kd_store_load_run(store, id, &run, d);

	if (r)
		return r;
	if (run.experiment != e->id) {
		r = kd_fail(d, -ENOENT, "run %" PRId64 " is not of experiment %"
			    PRId64 ", but of %" PRId64, id, e->id,
			    run.experiment);
	} else if (json) {
		json_t *j = kd_store_run_json(e, &run, true);

		json_dumpf(j, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(j);
	} else {
		print_run(e, &run);
	}
	kd_store_run_fini(&run);
	return r;
}

static int run(const void *base, int argc, char **argv)
{
	const struct options *o = base;
	struct kd_diag d = { 0 };
	struct kd_store_exp exp;
	struct kd_store *store;
	int64_t id;
	int r = kd_store_open_named(o->store, argc ? argv[0] : NULL, 0, &store,
				    &id, &d);

	if (r)
		return kd_cli_fail("show", &d);
	r = kd_store_load_exp(store, id, &exp, &d);
	if (!r) {
		r = o->run ? show_run(store, &exp, o->run, o->json, &d) :
			     show_experiment(store, &exp, o->json, &d);
		kd_store_exp_fini(&exp);
	}
	if (!r)
		r = kd_rep_done(stdout, &d);
	kd_store_close(store);
	return r ? kd_cli_fail("show", &d) : KD_EXIT_DONE;
}

const struct kd_command kd_command_show = {
	.name = "show",
	.summary = "show a stored experiment: file, plan, runs",
	.usage = "[ID|NAME|latest]",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.max_args = 1,
	.run = run,
};
