// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU counters of all tasks. See taskscan.h. Every thread is a task here:
 * schedstat is read where the kernel fills it (CONFIG_SCHED_INFO), stat
 * otherwise.
 *
 * A reading is one call: the counter's file stays open, up to a share of the
 * limit of open files. A file whose task is gone says so, and its time goes to
 * its name's sum. All are read at both ends of the window, so that its totals
 * are whole; in between, tasks younger than OLD ticks at each tick, as they may
 * end soon, and older ones in turns, each once in TURN_NS. What a task ran
 * after its last reading is lost to "unattributed".
 *
 * New tasks are looked at by number: /proc/loadavg ends with the last one given.
 * All of /proc is listed once in TURN_NS, and then a process's threads where it
 * has more or fewer (links of its task folder) than are known.
 */
#include "observers/taskscan.h"

#include "base/clock.h"
#include "base/root.h"
#include "observers/number.h"
#include "observers/taskfile.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_TASKS 2048
#define MAX_GONE 512
#define BUCKETS 1024
#define DENTS_SIZE (32 << 10)
#define MAX_BIRTHS 256 /* looked at one by one */
#define OLD 10
#define TURN_NS KD_NS_PER_SEC

struct task {
	int tid;	/* 0: the row is free */
	int pid;
	int fd;		/* -1: opened anew at each reading */
	int threads;	/* in a leader: rows that have its pid */
	unsigned char age;	/* in readings, up to OLD */
	uint16_t next;	/* row + 1 in the bucket; 0 ends it */
	uint64_t base;	/* counter where the window began */
	uint64_t last;
	char name[KD_TASK_NAME_SIZE];
};

/* as getdents64(2) fills it; not all C libraries declare it */
struct dent {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

struct kd_taskscan {
	int proc_fd, load_fd;
	enum kd_taskfile file;	/* where counters are read */
	struct task *tasks;
	size_t n;		/* rows in use or free again */
	uint16_t buckets[BUCKETS];
	uint16_t free;		/* row + 1 */
	struct kd_task_name *gone;
	size_t n_gone;
	size_t kept, max_kept;
	char *pids, *tids;	/* getdents64() buffers */
	size_t turn, turns;
	long last_pid[2];	/* two ticks ago, one tick ago */
	uint64_t dropped;
	uint64_t unit_ns;
	int error;
};

static int read_counter(const struct kd_taskscan *s, const struct task *t,
			uint64_t *out)
{
	int fd, r;

	if (t->fd >= 0)
		return kd_taskfile_counter(t->fd, s->file, out);
	fd = kd_taskfile_open(s->proc_fd, t->pid, t->tid, s->file);
	if (fd < 0)
		return fd;
	r = kd_taskfile_counter(fd, s->file, out);
	close(fd);
	return r;
}

static uint16_t *bucket(struct kd_taskscan *s, int tid)
{
	return &s->buckets[(unsigned int)tid * 2654435761u % BUCKETS];
}

static struct task *lookup(struct kd_taskscan *s, int tid)
{
	for (uint16_t i = *bucket(s, tid); i; i = s->tasks[i - 1].next)
		if (s->tasks[i - 1].tid == tid)
			return &s->tasks[i - 1];
	return NULL;
}

static struct task *take_row(struct kd_taskscan *s)
{
	struct task *t;

	if (!s->free && s->n == MAX_TASKS)
		return NULL;
	t = s->free ? &s->tasks[s->free - 1] : &s->tasks[s->n++];
	if (s->free)
		s->free = t->next;
	return t;
}

/* time of tasks that are no more, by name */
static void bury(struct kd_taskscan *s, const struct task *t)
{
	uint64_t used_ns = (t->last - t->base) * s->unit_ns;
	size_t i = 0;

	if (!used_ns)
		return;
	while (i < s->n_gone && strcmp(s->gone[i].name, t->name))
		i++;
	if (i == MAX_GONE) {
		s->dropped++;
		return;
	}
	if (i == s->n_gone) {
		s->gone[s->n_gone++].used_ns = 0;
		memcpy(s->gone[i].name, t->name, sizeof(t->name));
	}
	s->gone[i].used_ns += used_ns;
}

static void forget(struct kd_taskscan *s, struct task *t)
{
	uint16_t row = (uint16_t)(t - s->tasks + 1);
	struct task *leader = lookup(s, t->pid);
	uint16_t *at = bucket(s, t->tid);

	if (leader)
		leader->threads--;
	while (*at != row)
		at = &s->tasks[*at - 1].next;
	*at = t->next;
	if (t->fd >= 0) {
		close(t->fd);
		s->kept--;
	}
	t->tid = 0;
	t->next = s->free;
	s->free = row;
}

static void add(struct kd_taskscan *s, enum kd_obs_when when, int pid, int tid)
{
	struct task *t = take_row(s), *leader;
	uint16_t *at = bucket(s, tid);
	uint16_t row;
	uint64_t v;

	if (!t) {
		s->dropped++;
		return;
	}
	row = (uint16_t)(t - s->tasks + 1);
	*t = (struct task){ .tid = tid, .pid = pid, .next = *at };
	t->fd = s->kept < s->max_kept ?
			kd_taskfile_open(s->proc_fd, pid, tid, s->file) : -1;
	*at = row;
	s->kept += t->fd >= 0;
	leader = lookup(s, pid);
	if (leader)
		leader->threads++;
	if (read_counter(s, t, &v)) {
		forget(s, t);
		return;
	}
	t->last = v;
	t->base = when == KD_OBS_BEGIN ? v : 0;
	t->age = when == KD_OBS_BEGIN ? OLD : 0;
	kd_taskfile_name(s->proc_fd, t->pid, t->tid, t->name);
}

static void update(struct kd_taskscan *s, enum kd_obs_when when, struct task *t)
{
	uint64_t v;

	if (read_counter(s, t, &v)) {
		bury(s, t);
		forget(s, t);
		return;
	}
	if (v < t->last) {	/* the number was given anew */
		bury(s, t);
		t->base = 0;
		t->age = 0;
	}
	t->last = v;
	if (when == KD_OBS_BEGIN)
		t->base = v;
	/* a task may take its final name only after it began to run */
	if (!t->age || (when == KD_OBS_END && t->last > t->base))
		kd_taskfile_name(s->proc_fd, t->pid, t->tid, t->name);
	t->age += t->age < OLD;
}

static bool is_due(const struct kd_taskscan *s, enum kd_obs_when when,
		   const struct task *t)
{
	return when != KD_OBS_TICK || t->age < OLD ||
	       (size_t)(t - s->tasks) % s->turns == s->turn;
}

/* calls @each for every entry of an open directory that is a number */
static void walk(struct kd_taskscan *s, int fd, char *buf,
		 enum kd_obs_when when, int pid,
		 void (*each)(struct kd_taskscan *, enum kd_obs_when, int, int))
{
	long n;

	while ((n = syscall(SYS_getdents64, fd, buf, DENTS_SIZE)) > 0) {
		for (long at = 0; at < n;) {
			const struct dent *e = (const void *)(buf + at);
			int number = isdigit((unsigned char)e->name[0]) ?
					     atoi(e->name) : 0;

			if (number > 0)
				each(s, when, pid ?: number, number);
			at += e->len;
		}
	}
}

static void see_thread(struct kd_taskscan *s, enum kd_obs_when when, int pid,
		       int tid)
{
	if (!lookup(s, tid))
		add(s, when, pid, tid);
}

/* 0: no such process, or a file system that does not count */
static nlink_t count_threads(const struct kd_taskscan *s, int pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "%d/task", pid);
	/* a folder has a link of each folder in it, and two of its own */
	if (fstatat(s->proc_fd, path, &st, 0) || st.st_nlink <= 2)
		return 0;
	return st.st_nlink - 2;
}

static void see_process(struct kd_taskscan *s, enum kd_obs_when when, int pid,
			int same)
{
	const struct task *leader = lookup(s, pid);
	char path[32];
	nlink_t has;
	int fd;

	has = count_threads(s, pid);
	if (leader && has == (nlink_t)leader->threads)
		return;
	if (!leader && has == 1) {
		add(s, when, pid, pid);
		return;
	}
	snprintf(path, sizeof(path), "%d/task", pid);
	fd = openat(s->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	walk(s, fd, s->tids, when, pid, see_thread);
	close(fd);
}

/*
 * Look at the numbers given since the last tick but one: a number is given
 * before its task can be seen, so each is tried twice.
 * Return: false where the whole of /proc must be listed instead.
 */
static bool see_births(struct kd_taskscan *s, enum kd_obs_when when)
{
	long first = s->last_pid[0] + 1, last;
	char text[128], *p;

	if (s->load_fd < 0 ||
	    kd_taskfile_read(s->load_fd, text, sizeof(text)) <= 0)
		return false;
	/* "0.20 0.18 0.12 1/80 11206" */
	p = strrchr(text, ' ');
	last = p ? strtol(p, NULL, 10) : 0;
	s->last_pid[0] = s->last_pid[1];
	s->last_pid[1] = last;
	/* they begin again at the low end */
	if (last + 1 < first || last - first >= MAX_BIRTHS)
		return false;
	for (long n = first; n <= last; n++) {
		nlink_t has;

		if (lookup(s, (int)n))
			continue;
		has = count_threads(s, (int)n);
		/* what has more may be one of a process's later threads */
		if (has > 1)
			return false;
		if (has == 1)
			add(s, when, (int)n, (int)n);
	}
	return true;
}

void kd_taskscan_sample(struct kd_taskscan *s, enum kd_obs_when when)
{
	if (when == KD_OBS_BEGIN) {
		s->dropped = 0;
		s->error = 0;
	}
	s->turn = (s->turn + 1) % s->turns;
	for (size_t i = 0; i < s->n; i++)
		if (s->tasks[i].tid && is_due(s, when, &s->tasks[i]))
			update(s, when, &s->tasks[i]);
	if (when == KD_OBS_BEGIN)
		s->n_gone = 0;
	if (see_births(s, when) && when == KD_OBS_TICK && s->turn)
		return;
	if (lseek(s->proc_fd, 0, SEEK_SET) < 0)
		s->error = -errno;
	walk(s, s->proc_fd, s->pids, when, 0, see_process);
}

static void forget_all(struct kd_taskscan *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->tasks[i].tid)
			forget(s, &s->tasks[i]);
}

/* a kernel without CONFIG_SCHED_INFO has no schedstat, or one full of 0 */
static void choose_source(struct kd_taskscan *s)
{
	uint64_t sum = 0;

	s->unit_ns = 1;
	kd_taskscan_sample(s, KD_OBS_BEGIN);
	for (size_t i = 0; i < s->n; i++)
		sum += s->tasks[i].tid ? s->tasks[i].last : 0;
	if (sum)
		return;
	forget_all(s);
	s->file = KD_TASKFILE_STAT;
	s->unit_ns = KD_NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	kd_taskscan_sample(s, KD_OBS_BEGIN);
}

/*
 * The numbers in loadavg are of the reader's own PID namespace, so they serve
 * only where /proc shows that one.
 */
static void open_loadavg(struct kd_taskscan *s)
{
	char self[32];
	ssize_t n = readlinkat(s->proc_fd, "self", self, sizeof(self) - 1);

	s->load_fd = -1;
	if (n <= 0)
		return;
	self[n] = '\0';
	if (atoi(self) == getpid())
		s->load_fd = openat(s->proc_fd, "loadavg", O_RDONLY | O_CLOEXEC);
}

int kd_taskscan_open(const struct kd_root *root, uint64_t period_ns,
		     struct kd_taskscan **out, struct kd_diag *d)
{
	struct kd_taskscan *s = calloc(1, sizeof(*s));
	struct rlimit files;
	int r = 0;

	if (!s)
		return kd_fail(d, -ENOMEM, "out of memory");
	s->load_fd = -1;
	s->turns = period_ns < TURN_NS ? TURN_NS / period_ns : 1;
	s->proc_fd = kd_root_openat(root, "/proc", O_RDONLY | O_DIRECTORY);
	s->tasks = calloc(MAX_TASKS, sizeof(*s->tasks));
	s->gone = calloc(MAX_GONE, sizeof(*s->gone));
	s->pids = malloc(DENTS_SIZE);
	s->tids = malloc(DENTS_SIZE);
	if (s->proc_fd < 0)
		r = kd_fail(d, s->proc_fd, "cannot open /proc");
	else if (!s->tasks || !s->gone || !s->pids || !s->tids)
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (r) {
		kd_taskscan_close(s);
		return r;
	}
	/* most of the limit is the workload's */
	if (!getrlimit(RLIMIT_NOFILE, &files))
		s->max_kept = files.rlim_cur / 4;
	open_loadavg(s);
	choose_source(s);
	*out = s;
	return 0;
}

void kd_taskscan_close(struct kd_taskscan *s)
{
	if (!s)
		return;
	if (s->tasks)
		forget_all(s);
	kd_number_close(s->proc_fd);
	kd_number_close(s->load_fd);
	free(s->tasks);
	free(s->gone);
	free(s->pids);
	free(s->tids);
	free(s);
}

static int by_name(const void *a, const void *b)
{
	const struct kd_task_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_use(const void *a, const void *b)
{
	const struct kd_task_name *x = a, *y = b;

	if (x->used_ns != y->used_ns)
		return x->used_ns < y->used_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

ssize_t kd_taskscan_names(const struct kd_taskscan *s,
			  struct kd_task_name **out)
{
	struct kd_task_name *rows = calloc(s->n + s->n_gone + 1, sizeof(*rows));
	size_t n = s->n_gone, kept = 0;

	if (!rows)
		return -ENOMEM;
	memcpy(rows, s->gone, n * sizeof(*rows));
	for (size_t i = 0; i < s->n; i++) {
		const struct task *t = &s->tasks[i];

		if (!t->tid || t->last == t->base)
			continue;
		memcpy(rows[n].name, t->name, sizeof(t->name));
		rows[n++].used_ns = (t->last - t->base) * s->unit_ns;
	}
	qsort(rows, n, sizeof(*rows), by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(rows[kept - 1].name, rows[i].name))
			rows[kept - 1].used_ns += rows[i].used_ns;
		else
			rows[kept++] = rows[i];
	}
	qsort(rows, kept, sizeof(*rows), by_use);
	*out = rows;
	return (ssize_t)kept;
}

uint64_t kd_taskscan_dropped(const struct kd_taskscan *s)
{
	return s->dropped;
}

int kd_taskscan_error(const struct kd_taskscan *s)
{
	return s->error;
}
