// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU time per core, from /proc/stat (proc(5)), in USER_HZ ticks:
 *   cpu  user nice system idle iowait irq softirq steal guest guest_nice
 * guest is counted in user already. A core that appears or goes is left out of
 * the per-core figures; the total counts what the kernel counts.
 */
#include "base/root.h"
#include "base/str.h"
#include "observers/observer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CPUS 512
#define TEXT_SIZE (128 << 10)

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_FIELDS };

enum metric {
	M_BUSY, M_USER, M_SYSTEM, M_IRQ, M_SOFTIRQ, M_STEAL, M_IOWAIT, M_IDLE,
	M_BUSIEST, M_CORE, M_SERIES,
};

static const struct kd_metric_desc metrics[] = {
	[M_BUSY] = { "cpu.busy", "%", KD_BETTER_LOWER,
		     "share of all cores' time that was not idle" },
	[M_USER] = { "cpu.user", "%", KD_BETTER_LOWER, "user and nice" },
	[M_SYSTEM] = { "cpu.system", "%", KD_BETTER_LOWER, "kernel" },
	[M_IRQ] = { "cpu.irq", "%", KD_BETTER_LOWER, "hard interrupts" },
	[M_SOFTIRQ] = { "cpu.softirq", "%", KD_BETTER_LOWER,
			"soft interrupts" },
	[M_STEAL] = { "cpu.steal", "%", KD_BETTER_NONE,
		      "taken by the hypervisor" },
	[M_IOWAIT] = { "cpu.iowait", "%", KD_BETTER_NONE,
		       "idle with I/O under way" },
	[M_IDLE] = { "cpu.idle", "%", KD_BETTER_HIGHER, "idle" },
	[M_BUSIEST] = { "cpu.busiest", "%", KD_BETTER_LOWER,
			"busy share of the busiest core" },
	[M_CORE] = { "cpu.core-busy", "%", KD_BETTER_LOWER,
		     "busy share of one core" },
	[M_SERIES] = { "cpu.busy-over-time", "%", KD_BETTER_LOWER,
		       "busy share since the sample before" },
	{ 0 },
};

struct counts {
	unsigned long long v[N_FIELDS];
	bool seen;
};

/* index 0 is the total, core n is n + 1 */
struct snapshot {
	struct counts c[MAX_CPUS + 1];
};

struct state {
	int fd;
	char *text;
	struct snapshot *first, *last;
	struct counts tick;
	uint64_t t0_ns;
	uint64_t *t_ns;
	double *busy;
	size_t n, cap;
	int error;
};

static void parse(char *text, struct snapshot *s)
{
	char *rest = text, *line;

	for (int i = 0; i <= MAX_CPUS; i++)
		s->c[i].seen = false;
	while ((line = strsep(&rest, "\n")) && kd_str_has_prefix(line, "cpu")) {
		char *p = line + 3;
		long core = -1;
		struct counts *c;

		if (*p != ' ')
			core = strtol(p, &p, 10);
		if (core < -1 || core >= MAX_CPUS)
			continue;
		c = &s->c[core + 1];
		for (int f = 0; f < N_FIELDS; f++)
			c->v[f] = strtoull(p, &p, 10);
		c->seen = true;
	}
}

static unsigned long long total(const struct counts *c)
{
	unsigned long long sum = 0;

	for (int f = 0; f < N_FIELDS; f++)
		sum += c->v[f];
	return sum;
}

static double share(const struct counts *a, const struct counts *b, int field)
{
	unsigned long long all = total(b) - total(a);

	/* idle and iowait may step back a little on a core */
	if (!all || b->v[field] < a->v[field])
		return 0;
	return (double)(b->v[field] - a->v[field]) * 100 / (double)all;
}

static double busy(const struct counts *a, const struct counts *b)
{
	if (total(b) <= total(a))
		return 0;
	return 100 - share(a, b, IDLE) - share(a, b, IOWAIT);
}

static void stop(void *priv)
{
	struct state *s = priv;

	if (s->fd >= 0)
		close(s->fd);
	free(s->text);
	free(s->first);
	free(s->last);
	free(s->t_ns);
	free(s->busy);
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;

	s->fd = kd_root_openat(env->root, "/proc/stat", O_RDONLY);
	if (s->fd < 0)
		return kd_fail(d, s->fd, "cannot open /proc/stat");
	s->cap = env->max_samples + 2;
	s->text = malloc(TEXT_SIZE);
	s->first = calloc(1, sizeof(*s->first));
	s->last = calloc(1, sizeof(*s->last));
	s->t_ns = calloc(s->cap, sizeof(*s->t_ns));
	s->busy = calloc(s->cap, sizeof(*s->busy));
	if (s->text && s->first && s->last && s->t_ns && s->busy)
		return 0;
	stop(s);
	return kd_fail(d, -ENOMEM, "out of memory");
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;
	struct snapshot *to = when == KD_OBS_BEGIN ? s->first : s->last;
	ssize_t n = kd_pread_text(s->fd, s->text, TEXT_SIZE);

	if (n <= 0) {
		s->error = n ? (int)n : -EIO;
		return;
	}
	parse(s->text, to);
	if (when == KD_OBS_BEGIN) {
		s->t0_ns = now_ns;
		s->n = 0;
	} else if (s->n < s->cap) {
		s->t_ns[s->n] = now_ns - s->t0_ns;
		s->busy[s->n++] = busy(&s->tick, &to->c[0]);
	}
	s->tick = to->c[0];
}

static void result(void *priv, struct kd_sink *sink)
{
	static const struct {
		enum metric m;
		int f;
	} rows[] = {
		{ M_SYSTEM, SYSTEM }, { M_IRQ, IRQ }, { M_SOFTIRQ, SOFTIRQ },
		{ M_STEAL, STEAL }, { M_IOWAIT, IOWAIT }, { M_IDLE, IDLE },
	};
	struct state *s = priv;
	const struct counts *a = &s->first->c[0], *b = &s->last->c[0];
	double most = -1;

	if (s->error || !a->seen || !b->seen || total(b) <= total(a)) {
		sink->event(sink, "note", 0, 0, "cpu: /proc/stat gave nothing to count");
		return;
	}
	sink->metric(sink, &metrics[M_BUSY], NULL, busy(a, b));
	sink->metric(sink, &metrics[M_USER], NULL,
		     share(a, b, USER) + share(a, b, NICE));
	for (size_t i = 0; i < KD_ARRAY_SIZE(rows); i++)
		sink->metric(sink, &metrics[rows[i].m], NULL,
			     share(a, b, rows[i].f));
	for (int i = 1; i <= MAX_CPUS; i++) {
		char core[16];
		double v;

		if (!s->first->c[i].seen || !s->last->c[i].seen)
			continue;
		v = busy(&s->first->c[i], &s->last->c[i]);
		snprintf(core, sizeof(core), "%d", i - 1);
		sink->metric(sink, &metrics[M_CORE], core, v);
		if (v > most)
			most = v;
	}
	if (most >= 0)
		sink->metric(sink, &metrics[M_BUSIEST], NULL, most);
	sink->series(sink, &metrics[M_SERIES], NULL, s->t_ns, s->busy, s->n);
}

const struct kd_obs_ops kd_obs_cpu_ops = {
	.name = "cpu",
	.summary = "CPU time per core, from /proc/stat",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
