// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What observing costs: the sampler with every observer that works here at
 * 10 Hz, against "pidstat 1" and "mpstat -P ALL 1" together, in turns.
 *
 *   observers [ROUNDS [SECONDS]]
 *
 * Each side is a process of its own, and its CPU time is read from outside, by
 * the kernel's clock of that process. Of kdelta it is the whole window with the
 * first and the last sample; of the others it is SECONDS of their running state,
 * without their start. Exit 1 where kdelta may cost over 0.5 % of one core.
 */
#include "base/clock.h"
#include "base/root.h"
#include "base/str.h"
#include "observers/observer.h"
#include "observers/sampler.h"
#include "stats/analysis.h"
#include "stats/dataset.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT 0.5 /* % of one core */
#define PAIRS 4
#define PERIOD_NS (100 * KD_NS_PER_MS)

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static double cpu_s(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		die("clock of a process");
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* loopback connections for the observer of TCP to look at */
struct conns {
	int fds[2 * PAIRS];
};

static void connect_all(struct conns *c)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(l, (void *)&a, sizeof(a)) || listen(l, PAIRS) ||
	    getsockname(l, (void *)&a, &len))
		die("listen");
	for (int i = 0; i < PAIRS; i++) {
		c->fds[2 * i] = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(c->fds[2 * i], (void *)&a, sizeof(a)))
			die("connect");
		c->fds[2 * i + 1] = accept(l, NULL, NULL);
	}
	close(l);
}

static size_t sockets(void *arg, int *fds, size_t max)
{
	const struct conns *c = arg;

	memcpy(fds, c->fds, sizeof(c->fds));
	return KD_ARRAY_SIZE(c->fds);
}

struct keep {
	struct kd_sink sink;
	double cpu, late;
};

static void on_metric(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, double value)
{
	struct keep *k = (struct keep *)s;

	if (!strcmp(m->name, "sampler.cpu"))
		k->cpu = value;
	else if (!strcmp(m->name, "sampler.late"))
		k->late = value;
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
}

struct setup {
	struct conns conns;
	struct kd_root *root;
	struct kd_sampler *sampler;
};

/* @only: that observer alone, or NULL for all; -errno where it cannot work */
static int set_up(struct setup *s, const char *only, double seconds, bool say)
{
	struct kd_obs_env env = {
		.sockets = sockets, .sockets_arg = &s->conns,
		.period_ns = PERIOD_NS, .max_samples = (size_t)(seconds * 10) + 8,
	};
	struct kd_diag d = { 0 };
	int r = 0;

	if (kd_root_open("/", &s->root, &d))
		die("/");
	env.root = s->root;
	connect_all(&s->conns);
	if (kd_sampler_new(&env, &s->sampler, &d))
		die("sampler");
	for (size_t i = 0; kd_obs_table[i]; i++) {
		const char *name = kd_obs_table[i]->name;

		if (only && strcmp(only, name))
			continue;
		kd_diag_clear(&d);
		r = kd_sampler_add(s->sampler, name, "", &d);
		if (say)
			printf("# %s%s%s\n", name, r ? " is not here: " : "",
			       r ? d.text : "");
	}
	return only ? r : 0;
}

static struct keep window(struct setup *s, double seconds)
{
	struct keep k = { .sink = { on_metric, on_series, on_hist, on_event } };
	struct kd_diag d = { 0 };
	uint64_t t0, t1;

	if (kd_sampler_begin(s->sampler, &t0, &d))
		die("sampler");
	kd_sleep_until(t0 + (uint64_t)(seconds * 1e9));
	kd_sampler_end(s->sampler, &t1, &d);
	kd_sampler_result(s->sampler, &k.sink);
	return k;
}

static pid_t spawn(char *const argv[])
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	execvp(argv[0], argv);
	die(argv[0]);
	return -1;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* % of one core over @seconds */
static double measure_peers(double seconds)
{
	char *const pidstat[] = { "pidstat", "1", NULL };
	char *const mpstat[] = { "mpstat", "-P", "ALL", "1", NULL };
	pid_t a = spawn(pidstat), b = spawn(mpstat);
	double used;
	uint64_t t0;

	/* past their first line */
	kd_sleep_until(kd_now() + 1200 * KD_NS_PER_MS);
	if (waitpid(-1, NULL, WNOHANG)) {
		fprintf(stderr, "pidstat or mpstat does not run; install "
			"sysstat\n");
		exit(2);
	}
	t0 = kd_now();
	used = -cpu_s(a) - cpu_s(b);
	kd_sleep_until(t0 + (uint64_t)(seconds * 1e9));
	used += cpu_s(a) + cpu_s(b);
	seconds = (double)(kd_now() - t0) / 1e9;
	end(a);
	end(b);
	return used * 100 / seconds;
}

static void run_window(int told, int go, double seconds)
{
	struct setup s = { 0 };
	struct keep k;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_up(&s, NULL, seconds, false);
	if (write(told, "r", 1) != 1 || read(go, &c, 1) != 1)
		_exit(1);
	k = window(&s, seconds);
	if (write(told, &k, sizeof(k)) != sizeof(k) || read(go, &c, 1) != 1)
		_exit(1);
	_exit(0);
}

static double measure_kdelta(double seconds, struct keep *k)
{
	int told[2], go[2];
	double used;
	uint64_t t0;
	pid_t pid;
	char c;

	if (pipe(told) || pipe(go))
		die("pipe");
	pid = fork();
	if (!pid)
		run_window(told[1], go[0], seconds);
	if (read(told[0], &c, 1) != 1)
		die("sampler's process");
	used = -cpu_s(pid);
	t0 = kd_now();
	if (write(go[1], "g", 1) != 1 ||
	    read(told[0], k, sizeof(*k)) != sizeof(*k))
		die("sampler's process");
	used += cpu_s(pid);
	seconds = (double)(kd_now() - t0) / 1e9;
	end(pid);
	for (int i = 0; i < 2; i++) {
		close(told[i]);
		close(go[i]);
	}
	return used * 100 / seconds;
}

static void each_alone(void)
{
	for (size_t i = 0; kd_obs_table[i]; i++) {
		struct setup s = { 0 };

		if (!set_up(&s, kd_obs_table[i]->name, 3, false))
			printf("# %-8s alone: %.3f %% by its own account\n",
			       kd_obs_table[i]->name, window(&s, 3).cpu);
		kd_sampler_free(s.sampler);
		kd_root_close(s.root);
		for (size_t j = 0; j < KD_ARRAY_SIZE(s.conns.fds); j++)
			close(s.conns.fds[j]);
	}
}

static bool tell(const struct kd_dataset *ds)
{
	struct kd_diag d = { 0 };
	struct kd_analysis a;
	const struct kd_comparison *c;
	const struct kd_summary *s;
	bool ok;

	if (kd_analyse(ds, &kd_plan_stats_default, &a, &d)) {
		fprintf(stderr, "%s\n", d.text);
		return false;
	}
	s = a.measures[0].summaries;
	c = &a.measures[0].comparisons[1];
	for (int v = 0; v < 2; v++)
		printf("%-32s n %zu  mean %.3f %% [%.3f, %.3f]  sd %.3f\n",
		       ds->variants[v], s[v].n, s[v].mean, s[v].mean_lo,
		       s[v].mean_hi, s[v].sd);
	printf("kdelta / pidstat + mpstat: %.3f [%.3f, %.3f], 95 %%, paired by "
	       "round\n", 1 + c->change, 1 + c->lo, 1 + c->hi);
	ok = s[1].mean_hi < LIMIT;
	printf("%s: limit %.1f %% of one core\n", ok ? "under" : "OVER", LIMIT);
	kd_analysis_fini(&a);
	return ok;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 12;
	double seconds = argc > 2 ? atof(argv[2]) : 4;
	struct kd_dataset ds = { 0 };
	struct setup first = { 0 };
	struct kd_measure *m;
	bool ok;

	setvbuf(stdout, NULL, _IOLBF, 0);
	set_up(&first, NULL, seconds, true);
	kd_sampler_free(first.sampler);
	kd_root_close(first.root);
	each_alone();
	kd_dataset_variant(&ds, "pidstat 1 + mpstat -P ALL 1");
	kd_dataset_variant(&ds, "kdelta, all observers at 10 Hz");
	m = kd_dataset_measure(&ds, "", "cpu", "%", KD_BETTER_LOWER);
	for (int i = 0; i < rounds; i++) {
		/* who goes first changes from round to round */
		for (int j = 0; j < 2; j++) {
			int v = (i + j) & 1;
			struct keep k = { .cpu = 0 };
			double cpu = v ? measure_kdelta(seconds, &k) :
					 measure_peers(seconds);

			kd_measure_add(m, v, i, 2 * i + j, cpu);
			printf("# round %d %s %.3f %%", i, v ? "kdelta" : "peers",
			       cpu);
			if (v)
				printf(" (says %.3f %%, %.0f late)", k.cpu,
				       k.late);
			printf("\n");
		}
	}
	ok = tell(&ds);
	kd_dataset_fini(&ds);
	return !ok;
}
