// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU time that the kernel counts in two places. See burner.h.
 */
#include "burner.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static double used_s(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* burns what it is told to, until the other end is closed */
static void *serve(void *arg)
{
	int fd = *(const int *)arg, ms;

	while (read(fd, &ms, sizeof(ms)) == sizeof(ms)) {
		double end = used_s(CLOCK_THREAD_CPUTIME_ID) + ms / 1e3;

		while (used_s(CLOCK_THREAD_CPUTIME_ID) < end)
			;
		if (write(fd, "d", 1) != 1)
			break;
	}
	_exit(0);
}

static void child(int fd, bool thread)
{
	pthread_t t;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "kd-burner");
	if (thread && pthread_create(&t, NULL, serve, &fd))
		_exit(1);
	if (write(fd, "r", 1) != 1)
		_exit(1);
	if (!thread)
		serve(&fd);
	for (;;)
		pause();
}

/* where version 2 of the control groups is; every system of today has it */
static void group_path(char *out, size_t size)
{
	FILE *f = fopen("/proc/mounts", "r");
	char line[512], path[256] = "", type[32];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %255s %31s", path, type) == 2 &&
		    !strcmp(type, "cgroup2"))
			break;
	fclose(f);
	snprintf(out, size, "%.200s/kd-burner-%d", path, getpid());
}

void burner_start(struct burner *b, bool thread)
{
	char path[300], text[16], c;
	int fds[2], fd, n;

	group_path(b->group, sizeof(b->group));
	assert_int_equal(mkdir(b->group, 0700), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	b->pid = fork();
	if (!b->pid) {
		close(fds[0]);
		child(fds[1], thread);
	}
	close(fds[1]);
	b->fd = fds[0];
	assert_int_equal(read(b->fd, &c, 1), 1);
	snprintf(path, sizeof(path), "%s/cgroup.procs", b->group);
	fd = open(path, O_WRONLY);
	n = snprintf(text, sizeof(text), "%d", b->pid);
	assert_int_equal(write(fd, text, (size_t)n), n);
	close(fd);
}

void burner_burn(const struct burner *b, int ms)
{
	const struct timespec settle = { .tv_nsec = 5000000 };
	uint64_t used, before;
	char c;

	assert_int_equal(write(b->fd, &ms, sizeof(ms)), sizeof(ms));
	assert_int_equal(read(b->fd, &c, 1), 1);
	/* it has said so, and goes back to sleep */
	used = burner_used_ns(b);
	do {
		before = used;
		nanosleep(&settle, NULL);
		used = burner_used_ns(b);
	} while (used != before);
}

uint64_t burner_used_ns(const struct burner *b)
{
	unsigned long long us;
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu.stat", b->group);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "usage_usec %llu", &us), 1);
	fclose(f);
	return us * 1000;
}

void burner_end(struct burner *b)
{
	int status;

	close(b->fd);
	assert_int_equal(waitpid(b->pid, &status, 0), b->pid);
	assert_int_equal(status, 0);
}

void burner_fini(struct burner *b)
{
	assert_int_equal(rmdir(b->group), 0);
}
