// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU time per task and kernel thread. Every thread is a task here:
 *   /proc/PID/task/TID/schedstat  "41091 0 1": run ns, wait ns, slices
 *   /proc/PID/task/TID/stat       fields 14, 15: user and system USER_HZ ticks
 * schedstat is read where the kernel fills it (CONFIG_SCHED_INFO), stat
 * otherwise. Tasks are told apart by TID; a figure that steps back is a TID
 * used anew. Time of tasks that come and go between two samples, and of
 * interrupts where the kernel keeps them apart, is in no task: /proc/stat knows
 * it, and the difference is reported.
 *
 * Unlike all others this one opens files while sampling, as tasks come and go;
 * it allocates nothing then.
 */
#include "base/clock.h"
#include "base/opt.h"
#include "base/root.h"
#include "base/str.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_TASKS 2048
#define HASH_SIZE 4096 /* a power of two above MAX_TASKS */
#define DENTS_SIZE (32 << 10)
#define COMM_SIZE 64

enum metric { M_CPU, M_OTHER, M_UNATTRIBUTED };

static const struct kd_metric_desc metrics[] = {
	[M_CPU] = { "tasks.cpu", "%", KD_BETTER_LOWER,
		    "CPU time of all tasks of one name, of one core" },
	[M_OTHER] = { "tasks.other", "%", KD_BETTER_NONE,
		      "tasks below the top, of one core" },
	[M_UNATTRIBUTED] = { "tasks.unattributed", "%", KD_BETTER_NONE,
			     "busy in /proc/stat, but in no task seen; of one "
			     "core; slightly below 0 by its coarser clock" },
	{ 0 },
};

struct options {
	int64_t top;
};

static const struct kd_opt opts_table[] = {
	{ "top", KD_OPT_INT, offsetof(struct options, top), 1, 256, "16",
	  .help = "names reported per run" },
	{ 0 },
};

struct task {
	int tid;
	uint64_t base;	/* counter where the window began */
	uint64_t last;
	uint64_t done;	/* of users of this TID before */
	char comm[COMM_SIZE];
};

/* as getdents64(2) fills it; not all C libraries declare it */
struct dent {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

struct state {
	const struct options *opts;
	int proc_fd, stat_fd;
	bool ticks;		/* stat instead of schedstat */
	struct task *tasks;
	size_t n;
	uint16_t *hash;		/* index + 1 into tasks, 0 is free */
	char *pids, *tids;	/* getdents64() buffers */
	uint64_t dropped;
	uint64_t t0_ns, t1_ns;
	uint64_t busy0, busy1;
	uint64_t tick_ns;
	int error;
};

static ssize_t read_at(int dir, const char *path, char *out, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = kd_pread_text(fd, out, size);
	close(fd);
	return n;
}

/* "12 (a) b) S 1 ..." : a name may hold blanks and brackets */
static int parse_stat_ticks(const char *text, uint64_t *out)
{
	const char *p = strrchr(text, ')');
	unsigned long long user, system;

	if (!p || sscanf(p + 1,
			 " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu",
			 &user, &system) != 2)
		return -EINVAL;
	*out = user + system;
	return 0;
}

static int read_counter(const struct state *s, const char *task, uint64_t *out)
{
	char path[96], text[1024];

	snprintf(path, sizeof(path), "%s/%s", task,
		 s->ticks ? "stat" : "schedstat");
	if (read_at(s->proc_fd, path, text, sizeof(text)) <= 0)
		return -ESRCH;
	if (s->ticks)
		return parse_stat_ticks(text, out);
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	*out = strtoull(text, NULL, 10);
	return 0;
}

/*
 * A worker's name tells its pool and what it last did, "kworker/u4:2-events";
 * "kworker/u4" is what stays from run to run.
 */
static void read_comm(const struct state *s, const char *task, char *out)
{
	char path[96], text[COMM_SIZE];

	snprintf(path, sizeof(path), "%s/comm", task);
	if (read_at(s->proc_fd, path, text, sizeof(text)) <= 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (kd_str_has_prefix(text, "kworker/"))
		text[strcspn(text, ":")] = '\0';
	memcpy(out, text, strlen(text) + 1);
}

static struct task *lookup(struct state *s, int tid)
{
	size_t h = (unsigned int)tid * 2654435761u % HASH_SIZE;
	struct task *t;

	for (; s->hash[h]; h = (h + 1) % HASH_SIZE)
		if (s->tasks[s->hash[h] - 1].tid == tid)
			return &s->tasks[s->hash[h] - 1];
	if (s->n == MAX_TASKS)
		return NULL;
	t = &s->tasks[s->n++];
	s->hash[h] = (uint16_t)s->n;
	*t = (struct task){ .tid = tid };
	return t;
}

static void visit(struct state *s, enum kd_obs_when when, const char *pid,
		  const char *tid)
{
	char path[64];
	size_t before = s->n;
	struct task *t;
	uint64_t v;

	snprintf(path, sizeof(path), "%.16s/task/%.16s", pid, tid);
	if (read_counter(s, path, &v))
		return;
	t = lookup(s, atoi(tid));
	if (!t) {
		s->dropped++;
		return;
	}
	if (v < t->last) {
		t->done += t->last - t->base;
		t->base = 0;
	}
	if (when == KD_OBS_BEGIN)
		t->base = v;
	t->last = v;
	/* a task may take its final name only after it began to run */
	if (s->n > before || when == KD_OBS_END || !t->comm[0])
		read_comm(s, path, t->comm);
}

/* calls @each for every entry of an open directory that is a number */
static void walk(struct state *s, int fd, char *buf, enum kd_obs_when when,
		 const char *pid,
		 void (*each)(struct state *, enum kd_obs_when, const char *,
			      const char *))
{
	long n;

	while ((n = syscall(SYS_getdents64, fd, buf, DENTS_SIZE)) > 0) {
		for (long at = 0; at < n;) {
			const struct dent *e = (const void *)(buf + at);

			if (isdigit((unsigned char)e->name[0]))
				each(s, when, pid ?: e->name, e->name);
			at += e->len;
		}
	}
}

static void visit_process(struct state *s, enum kd_obs_when when,
			  const char *pid, const char *same)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%.16s/task", pid);
	fd = openat(s->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	walk(s, fd, s->tids, when, pid, visit);
	close(fd);
}

static void scan(struct state *s, enum kd_obs_when when)
{
	if (lseek(s->proc_fd, 0, SEEK_SET) < 0)
		s->error = -errno;
	walk(s, s->proc_fd, s->pids, when, NULL, visit_process);
}

/* "cpu  user nice system idle iowait irq softirq ...", all but idle, iowait
 * and what the hypervisor took */
static uint64_t read_busy(struct state *s)
{
	char text[512];
	unsigned long long v[7];

	if (kd_pread_text(s->stat_fd, text, sizeof(text)) <= 0 ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1],
		   &v[2], &v[3], &v[4], &v[5], &v[6]) != 7) {
		s->error = -EIO;
		return 0;
	}
	return v[0] + v[1] + v[2] + v[5] + v[6];
}

static void reset(struct state *s)
{
	s->n = 0;
	s->dropped = 0;
	s->error = 0;
	memset(s->hash, 0, HASH_SIZE * sizeof(*s->hash));
}

/* a kernel without CONFIG_SCHED_INFO has no schedstat, or one full of 0 */
static void choose_source(struct state *s)
{
	uint64_t sum = 0;

	s->ticks = false;
	reset(s);
	scan(s, KD_OBS_BEGIN);
	for (size_t i = 0; i < s->n; i++)
		sum += s->tasks[i].last;
	s->ticks = !sum;
}

static void stop(void *priv)
{
	struct state *s = priv;

	kd_number_close(s->proc_fd);
	kd_number_close(s->stat_fd);
	free(s->tasks);
	free(s->hash);
	free(s->pids);
	free(s->tids);
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;
	int r = 0;

	s->opts = opts;
	s->tick_ns = KD_NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	s->stat_fd = kd_root_openat(env->root, "/proc/stat", O_RDONLY);
	s->proc_fd = kd_root_openat(env->root, "/proc", O_RDONLY | O_DIRECTORY);
	s->tasks = calloc(MAX_TASKS, sizeof(*s->tasks));
	s->hash = calloc(HASH_SIZE, sizeof(*s->hash));
	s->pids = malloc(DENTS_SIZE);
	s->tids = malloc(DENTS_SIZE);
	if (s->proc_fd < 0)
		r = kd_fail(d, s->proc_fd, "cannot open /proc");
	else if (s->stat_fd < 0)
		r = kd_fail(d, s->stat_fd, "cannot open /proc/stat");
	else if (!s->tasks || !s->hash || !s->pids || !s->tids)
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (r) {
		stop(s);
		return r;
	}
	choose_source(s);
	return 0;
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;

	if (when == KD_OBS_BEGIN) {
		reset(s);
		s->t0_ns = now_ns;
		s->busy0 = read_busy(s);
	}
	scan(s, when);
	if (when == KD_OBS_END) {
		s->t1_ns = now_ns;
		s->busy1 = read_busy(s);
	}
}

static uint64_t used(const struct state *s, const struct task *t)
{
	uint64_t v = t->done + t->last - t->base;

	return s->ticks ? v * s->tick_ns : v;
}

static int by_comm(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return strcmp(x->comm, y->comm);
}

static int by_use(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return (x->done < y->done) - (x->done > y->done);
}

/* afterwards one row per name, its ns in "done", the largest first */
static uint64_t sum_names(struct state *s)
{
	uint64_t all = 0;
	size_t n = 0;

	qsort(s->tasks, s->n, sizeof(*s->tasks), by_comm);
	for (size_t i = 0; i < s->n; i++) {
		struct task t = s->tasks[i];

		t.done = used(s, &s->tasks[i]);
		all += t.done;
		if (n && !strcmp(s->tasks[n - 1].comm, t.comm))
			s->tasks[n - 1].done += t.done;
		else
			s->tasks[n++] = t;
	}
	s->n = n;
	qsort(s->tasks, n, sizeof(*s->tasks), by_use);
	return all;
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	double span = (double)(s->t1_ns - s->t0_ns);
	uint64_t all, rest = 0, busy;
	char text[96];

	if (s->error || s->t1_ns <= s->t0_ns || !s->n) {
		sink->event(sink, "note", 0, 0, "tasks: /proc could not be read");
		return;
	}
	all = sum_names(s);
	for (size_t i = 0; i < s->n; i++) {
		if (i >= (size_t)s->opts->top)
			rest += s->tasks[i].done;
		else if (s->tasks[i].done)
			sink->metric(sink, &metrics[M_CPU], s->tasks[i].comm,
				     (double)s->tasks[i].done * 100 / span);
	}
	sink->metric(sink, &metrics[M_OTHER], NULL, (double)rest * 100 / span);
	busy = s->busy1 > s->busy0 ? (s->busy1 - s->busy0) * s->tick_ns : 0;
	sink->metric(sink, &metrics[M_UNATTRIBUTED], NULL,
		     ((double)busy - (double)all) * 100 / span);
	if (s->dropped) {
		snprintf(text, sizeof(text), "tasks: more than %d; %llu reads "
			 "of others left out", MAX_TASKS,
			 (unsigned long long)s->dropped);
		sink->event(sink, "note", 0, 0, text);
	}
}

const struct kd_obs_ops kd_obs_tasks_ops = {
	.name = "tasks",
	.summary = "CPU time per task and kernel thread, from /proc",
	.opts = opts_table,
	.opts_size = sizeof(struct options),
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
