// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that may read and nothing else. See strict.h.
 */
#include "strict.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

#define ALLOCATED 77
static volatile bool forbidden;

static void allocates(void)
{
	if (forbidden)
		_exit(ALLOCATED);
}

void *__wrap_malloc(size_t size)
{
	allocates();
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocates();
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	allocates();
	return __real_realloc(p, size);
}

/* SIGSYS for each of @calls */
static bool forbid(const int *calls, size_t n)
{
	struct sock_filter f[64];
	struct sock_fprog prog = { .filter = f };
	size_t at = 0;

	f[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++) {
		f[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)calls[i], 0, 1);
		f[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						       SECCOMP_RET_TRAP);
	}
	f[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					       SECCOMP_RET_ALLOW);
	prog.len = (unsigned short)at;
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static int told[2];	/* which call it was */

static void on_sigsys(int sig, siginfo_t *info, void *context)
{
	int call = info->si_syscall;

	/* write() may be forbidden; send() on a socket is not */
	send(told[1], &call, sizeof(call), 0);
	_exit(99);
}

static void child(void (*work)(void *arg), void *arg, bool may_open)
{
	static const int calls[] = {
		SYS_clone, SYS_clone3, SYS_execve, SYS_mmap, SYS_brk, SYS_write,
		SYS_writev,
#ifdef SYS_fork
		SYS_fork, SYS_vfork,
#endif
		/* from here on, what opens */
		SYS_openat2, SYS_openat,
#ifdef SYS_open
		SYS_open,
#endif
	};
	struct sigaction sa = { .sa_sigaction = on_sigsys,
				.sa_flags = SA_SIGINFO };
	size_t n = 0;

	while (n < sizeof(calls) / sizeof(calls[0]) &&
	       !(may_open && calls[n] == SYS_openat2))
		n++;
	sigaction(SIGSYS, &sa, NULL);
	if (!forbid(calls, n))
		_exit(98);
	forbidden = true;
	work(arg);
	_exit(0);
}

bool strict_run(void (*work)(void *arg), void *arg, bool may_open)
{
	int status, call = -1;
	pid_t pid;

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, told))
		return false;
	pid = fork();
	if (!pid)
		child(work, arg, may_open);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	recv(told[0], &call, sizeof(call), MSG_DONTWAIT);
	close(told[0]);
	close(told[1]);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == ALLOCATED)
		printf("# it allocates memory\n");
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 98)
		printf("# no seccomp here\n");
	else
		printf("# system call %d; wait status 0x%x\n", call, status);
	return false;
}
