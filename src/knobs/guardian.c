// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guardian process. See guardian.h.
 *
 * Messages are whole packets of a SOCK_SEQPACKET pair: what the agent had sent
 * before it died is still read, then comes the end.
 */
#include "knobs/guardian.h"

#include "base/root.h"
#include "knobs/journal.h"
#include "knobs/knob.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUPS_MAX 64
#define FDS_MAX 65536

enum message_kind { READY, CHILDREN, CHILDREN_ENDED, RELEASE };

struct message {
	int kind;
	pid_t pgid;
};

struct kd_guardian {
	int fd;
	pid_t pid;
};

struct groups {
	pid_t ids[GROUPS_MAX];
	size_t n;
};

static void close_span(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, last, 0))
		return;
#endif
	for (unsigned int fd = first; fd <= last && fd < FDS_MAX; fd++)
		close((int)fd);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* the agent's pipes, and whatever it has open of the namespace */
static void close_others(const struct kd_journal *j, int own)
{
	unsigned int next = 0;
	int keep[4];
	size_t n = kd_journal_fds(j, keep);

	keep[n++] = own;
	qsort(keep, n, sizeof(keep[0]), by_number);
	for (size_t i = 0; i < n; i++) {
		if (keep[i])
			close_span(next, (unsigned int)keep[i] - 1);
		next = (unsigned int)keep[i] + 1;
	}
	close_span(next, UINT_MAX);
}

static void put_signals_off(void)
{
	static const int ignored[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1,
		SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGXCPU, SIGXFSZ,
	};
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	/* waitpid() of commands needs the default */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void note(struct groups *g, const struct message *m)
{
	size_t i;

	for (i = 0; i < g->n && g->ids[i] != m->pgid; i++)
		;
	if (m->kind == CHILDREN && i == g->n && g->n < GROUPS_MAX)
		g->ids[g->n++] = m->pgid;
	if (m->kind == CHILDREN_ENDED && i < g->n)
		g->ids[i] = g->ids[--g->n];
}

/* true where the agent has ended without a word */
static bool await_end(int fd, struct groups *g)
{
	struct message m;
	ssize_t n;

	for (;;) {
		n = recv(fd, &m, sizeof(m), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(m))
			return true;
		if (m.kind == RELEASE)
			return false;
		note(g, &m);
	}
}

/* 0, 1 and 2 must not become something else's */
static void fill_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd < 2);
	if (fd > 2)
		close(fd);
}

static void __attribute__((noreturn))
guard(int fd, struct kd_journal *j, const struct kd_knob_env *env)
{
	struct kd_knob_env own = { 0 };
	const struct message ready = { .kind = READY };
	struct groups groups = { .n = 0 };
	char ifname[64] = "";
	struct kd_root *root;

	if (env->ifname)
		snprintf(ifname, sizeof(ifname), "%s", env->ifname);
	close_others(j, fd);
	fill_standard_files();
	if (kd_root_open(kd_root_path(env->root), &root, NULL))
		_exit(1);
	if (chdir("/"))
		_exit(1);
	own.root = root;
	own.ifname = ifname[0] ? ifname : NULL;
	send(fd, &ready, sizeof(ready), MSG_NOSIGNAL);
	if (await_end(fd, &groups)) {
		for (size_t i = 0; i < groups.n; i++)
			kill(-groups.ids[i], SIGKILL);
		kd_journal_restore(j, &own, NULL, NULL);
		kd_journal_close(j);
	}
	_exit(0);
}

/* it has let go of all that is the agent's */
static bool is_ready(int fd)
{
	struct message m;
	ssize_t n;

	do {
		n = recv(fd, &m, sizeof(m), 0);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(m) && m.kind == READY;
}

int kd_guardian_start(struct kd_journal *j, const struct kd_knob_env *env,
		      struct kd_guardian **out, struct kd_diag *d)
{
	struct kd_guardian *g = calloc(1, sizeof(*g));
	sigset_t all, before;
	int pair[2], r;

	if (!g)
		return kd_fail(d, -ENOMEM, "out of memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		r = kd_fail_errno(d, "cannot start the guardian");
		free(g);
		return r;
	}
	/* no signal may end it between fork() and the session of its own */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	g->pid = fork();
	if (!g->pid) {
		setsid();
		put_signals_off();
		prctl(PR_SET_NAME, "kdelta-guardian");
		guard(pair[1], j, env);
	}
	r = g->pid < 0 ? kd_fail_errno(d, "cannot start the guardian") : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(pair[1]);
	g->fd = pair[0];
	if (!r && !is_ready(g->fd))
		r = kd_fail(d, -EIO, "the guardian did not start");
	if (r) {
		close(g->fd);
		free(g);
		return r;
	}
	*out = g;
	return 0;
}

static bool tell(struct kd_guardian *g, int kind, pid_t pgid)
{
	struct message m = { .kind = kind, .pgid = pgid };

	return send(g->fd, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m);
}

void kd_guardian_children(struct kd_guardian *g, pid_t pgid)
{
	/* 0 and 1 would be the guardian's own group, and everybody */
	if (g && pgid > 1)
		tell(g, CHILDREN, pgid);
}

void kd_guardian_children_ended(struct kd_guardian *g, pid_t pgid)
{
	if (g && pgid > 1)
		tell(g, CHILDREN_ENDED, pgid);
}

pid_t kd_guardian_pid(const struct kd_guardian *g)
{
	return g ? g->pid : 0;
}

void kd_guardian_release(struct kd_guardian *g)
{
	if (!g)
		return;
	tell(g, RELEASE, 0);
	close(g->fd);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(g);
}
