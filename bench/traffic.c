// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a workload as two processes on this machine's loopback, each on
 * a CPU of its own: the engine's speed without the rest of kdelta.
 *
 *   traffic WORKLOAD OPTIONS SECONDS [ADDRESS]
 *
 * Prints each end's metrics, the window's length and the CPU time that the whole
 * system spent in it.
 */
#include "pair.h"

#include "base/clock.h"
#include "base/parse.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* s that all CPUs together were not idle, of /proc/stat's first line:
 * "cpu  user nice system idle iowait irq softirq steal" */
static double busy_seconds(void)
{
	unsigned long long v[8] = { 0 };
	FILE *f = fopen("/proc/stat", "r");

	if (f && fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu",
			&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
			&v[7]) != 8)
		memset(v, 0, sizeof(v));
	if (f)
		fclose(f);
	return (double)(v[0] + v[1] + v[2] + v[5] + v[6]) /
	       (double)sysconf(_SC_CLK_TCK);
}

static double window_busy;

static void on_window(struct pair_end *e, bool opens)
{
	window_busy = busy_seconds() - (opens ? 0 : window_busy);
}

static void pin(int nth)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(n > 1 ? nth : 0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void print_end(const char *who, const struct pair_end *e)
{
	if (e->result)
		printf("%s failed: %s\n", who, e->diag.text);
	for (unsigned int i = 0; !e->result && i < e->sink.count; i++) {
		const struct pair_metric *m = &e->sink.metrics[i];

		if (!m->instance[0])
			printf("%-26s %.10g\n", m->name, m->value);
	}
}

static int run_peer(struct pair_end *e, int ready, int go)
{
	char c = 0;

	pin(0);
	if (pair_end_prepare(e)) {
		print_end("peer", e);
		return 1;
	}
	if (write(ready, &c, 1) != 1 || read(go, &c, 1) != 1)
		return 1;
	pair_end_run(e);
	print_end("peer", e);
	fflush(stdout);
	return e->result != 0;
}

static int run_device(struct pair_end *e, int ready, int go)
{
	char c = 0;

	pin(1);
	if (read(ready, &c, 1) != 1 || pair_end_prepare(e)) {
		print_end("device", e);
		return 1;
	}
	if (write(go, &c, 1) != 1)
		return 1;
	pair_end_run(e);
	print_end("device", e);
	return e->result != 0;
}

int main(int argc, char **argv)
{
	static struct pair p;
	int ready[2], go[2], status = 0, r;
	double seconds;
	pid_t pid;

	if (argc < 4 || kd_parse_double(argv[3], &seconds) || seconds < 0) {
		fprintf(stderr,
			"usage: traffic WORKLOAD OPTIONS SECONDS [ADDRESS]\n");
		return 2;
	}
	pair_init(&p, argv[1], argv[2], argc > 4 ? argv[4] : "127.0.0.1",
		  (uint64_t)(seconds * 1e9));
	if (p.device.result) {
		fprintf(stderr, "%s\n", p.device.diag.text);
		return 2;
	}
	p.device.env.deadline_ns = p.peer.env.deadline_ns =
		kd_now() + (uint64_t)((seconds + 20) * 1e9);
	/* each end's traffic outlives the other's window a little */
	p.device.alone = p.peer.alone = true;
	p.device.cooldown_ns = p.peer.cooldown_ns = 300 * KD_NS_PER_MS;
	p.device.env.warmup_ns = p.peer.env.warmup_ns =
		seconds > 0 ? 200 * KD_NS_PER_MS : 0;
	if (pipe(ready) || pipe(go))
		return 1;
	p.device.window = on_window;
	pid = fork();
	if (!pid)
		_exit(run_peer(&p.peer, ready[1], go[0]));
	r = run_device(&p.device, ready[0], go[1]);
	waitpid(pid, &status, 0);
	printf("%-26s %.3f\n", "window-seconds",
	       (double)(p.device.t1_ns - p.device.t0_ns) / 1e9);
	printf("%-26s %.3f\n", "window-cpu-seconds", window_busy);
	pair_fini(&p);
	return r || status;
}
