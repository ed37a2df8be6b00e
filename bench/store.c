// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a report over many stored runs takes: reading them out of the file,
 * the statistics, and writing the text. One experiment of two variants.
 *
 *	store [RUNS [METRICS]]
 *
 * Prints one line per step, best of three, and exits 1 where the whole takes a
 * second or more at 100 000 runs.
 */
#include "base/clock.h"
#include "reports/report.h"
#include "stats/analysis.h"
#include "stats/dataset.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REPEATS 3

static double noise(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		*state = *state * 6364136223846793005ULL +
			 1442695040888963407ULL;
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return sum - 6;
}

static int fill(struct kd_store *s, int runs, int metrics, int64_t *id,
		struct kd_diag *d)
{
	struct kd_store_variant variants[] = { { .name = (char *)"old" },
					       { .name = (char *)"new" } };
	struct kd_store_workload work = { (char *)"tx", (char *)"tcp", NULL,
					  (char *)"m0" };
	struct kd_store_exp e = {
		.name = (char *)"bench", .seed = 1, .variants = variants,
		.n_variants = 2, .workloads = &work, .n_workloads = 1,
	};
	struct kd_run_metric *m = calloc((size_t)metrics, sizeof(*m));
	uint64_t state = 1;
	int r = m ? kd_store_batch_begin(s, d) : -1;

	if (!r)
		r = kd_store_begin(s, &e, d);
	for (int i = 0; m && i < metrics; i++) {
		if (asprintf(&m[i].name, "m%d", i) < 0)
			return -1;
		m[i].unit = (char *)"Mbit/s";
		m[i].better = KD_BETTER_HIGHER;
	}
	for (int i = 0; !r && i < runs; i++) {
		struct kd_store_run run = {
			.variant = i & 1, .round = i / 2, .slot = i & 1,
			.seq = i, .attempt = 1,
			.environment = (char *)"{\"kernel\": \"6.1.0\"}",
			.metrics = m, .n_metrics = (size_t)metrics,
		};

		for (int k = 0; k < metrics; k++)
			m[k].value = 900 + (i & 1) + 20 * noise(&state);
		r = kd_store_add_run(s, e.id, &run, d);
	}
	if (!r)
		r = kd_store_batch_end(s, true, d);
	for (int i = 0; m && i < metrics; i++)
		free(m[i].name);
	free(m);
	*id = e.id;
	return r;
}

/* seconds of: open and read, analyse, write */
static int report(const char *path, int64_t id, double took[3],
		  struct kd_diag *d)
{
	const struct kd_report_info info = { .where = path };
	const struct kd_report_style style = { .width = 80 };
	FILE *null = fopen("/dev/null", "w");
	struct kd_dataset ds = { 0 };
	struct kd_plan_stats plan;
	struct kd_store_exp exp;
	struct kd_analysis a;
	struct kd_store *s;
	uint64_t t[4];
	int r;

	t[0] = kd_now();
	r = null ? kd_store_open_read(path, &s, d) : -1;
	if (r)
		return r;
	r = kd_store_load_exp(s, id, &exp, d);
	if (!r)
		r = kd_store_plan(&exp, &plan, d);
	if (!r)
		r = kd_store_dataset(s, id, &ds, NULL, d);
	t[1] = kd_now();
	if (!r)
		r = kd_analyse(&ds, &plan, &a, d);
	t[2] = kd_now();
	if (!r)
		r = kd_report_find("text")->write(null, &ds, &a, &info, &style,
						  d);
	t[3] = kd_now();
	for (int i = 0; i < 3; i++)
		took[i] = (double)(t[i + 1] - t[i]) / 1e9;
	if (!r) {
		kd_analysis_fini(&a);
		kd_dataset_fini(&ds);
		kd_store_exp_fini(&exp);
	}
	kd_store_close(s);
	fclose(null);
	return r;
}

static int failed(const struct kd_diag *d)
{
	fprintf(stderr, "store: %s: %s\n", d->subject, d->text);
	return 2;
}

int main(int argc, char **argv)
{
	static const char *const steps[] = { "read", "analyse", "write" };
	int runs = argc > 1 ? atoi(argv[1]) : 100000;
	int metrics = argc > 2 ? atoi(argv[2]) : 10;
	char path[] = "/tmp/kd-bench-XXXXXX";
	double best[3] = { 0 }, best_all = 0;
	struct kd_diag d = { 0 };
	struct kd_store *s;
	uint64_t start;
	int64_t id;
	int fd = mkstemp(path);

	if (fd < 0 || runs < 2 || metrics < 1)
		return 2;
	close(fd);
	start = kd_now();
	if (kd_store_open(path, &s, &d) || fill(s, runs, metrics, &id, &d))
		return failed(&d);
	kd_store_close(s);
	printf("%-10s %8.3f s  (%d runs of %d metrics, one transaction)\n",
	       "fill", (double)(kd_now() - start) / 1e9, runs, metrics);
	for (int i = 0; i < REPEATS; i++) {
		double took[3], all = 0;

		if (report(path, id, took, &d))
			return failed(&d);
		for (int k = 0; k < 3; k++)
			all += took[k];
		if (i && all >= best_all)
			continue;
		best_all = all;
		for (int k = 0; k < 3; k++)
			best[k] = took[k];
	}
	for (int k = 0; k < 3; k++)
		printf("%-10s %8.3f s\n", steps[k], best[k]);
	printf("%-10s %8.3f s\n", "report", best_all);
	unlink(path);
	return runs == 100000 && best_all >= 1 ? 1 : 0;
}
