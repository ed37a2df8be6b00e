// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long "--version" takes, from fork() to the end of the process, against
 * other programs in turns:
 *
 *   startup KDELTA [ROUNDS [PROGRAM...]]    by default iperf3 and perf
 *
 * Exit 1 where the median start of kdelta takes 10 ms or more.
 */
#include "base/clock.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 10

/* ms, or a negative figure where it cannot be started */
static double start_ms(const char *program)
{
	uint64_t t0 = kd_now();
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execlp(program, program, "--version", NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	return (double)(kd_now() - t0) / 1e6;
}

static int tell(const struct kd_dataset *ds)
{
	struct kd_diag d = { 0 };
	struct kd_analysis a;
	bool ok;

	if (kd_analyse(ds, &kd_plan_stats_default, &a, &d)) {
		fprintf(stderr, "%s\n", d.text);
		return 2;
	}
	for (size_t v = 0; v < ds->n_variants; v++) {
		const struct kd_summary *s = &a.measures[0].summaries[v];
		const struct kd_comparison *c = &a.measures[0].comparisons[v];

		printf("%-10.40s n %zu  median %.2f ms  mean %.2f ms [%.2f, "
		       "%.2f]", strrchr(ds->variants[v], '/') ?
		       strrchr(ds->variants[v], '/') + 1 : ds->variants[v],
		       s->n, s->median, s->mean, s->mean_lo, s->mean_hi);
		if (v)
			printf("  / kdelta: %.2f [%.2f, %.2f]", 1 + c->change,
			       1 + c->lo, 1 + c->hi);
		printf("\n");
	}
	ok = a.measures[0].summaries[0].median < LIMIT_MS;
	printf("%s: limit %d ms\n", ok ? "under" : "OVER", LIMIT_MS);
	kd_analysis_fini(&a);
	return !ok;
}

int main(int argc, char **argv)
{
	static char *const peers[] = { "iperf3", "perf", NULL };
	int rounds = argc > 2 ? atoi(argv[2]) : 100, seq = 0, r;
	char *const *others = argc > 3 ? argv + 3 : peers;
	struct kd_dataset ds = { 0 };
	struct kd_measure *m;

	if (argc < 2 || start_ms(argv[1]) < 0) {
		fprintf(stderr, "usage: startup KDELTA [ROUNDS [PROGRAM...]]\n");
		return 2;
	}
	kd_dataset_variant(&ds, argv[1]);
	for (; *others; others++) {
		if (start_ms(*others) < 0)
			printf("# %s is not here\n", *others);
		else
			kd_dataset_variant(&ds, *others);
	}
	m = kd_dataset_measure(&ds, "", "start", "ms", KD_BETTER_LOWER);
	for (int i = 0; i < rounds; i++) {
		/* who goes first changes from round to round */
		for (size_t j = 0; j < ds.n_variants; j++) {
			size_t v = ((size_t)i + j) % ds.n_variants;

			kd_measure_add(m, (int)v, i, seq++,
				       start_ms(ds.variants[v]));
		}
	}
	r = tell(&ds);
	kd_dataset_fini(&ds);
	return r;
}
