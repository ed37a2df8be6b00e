// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guardian process. See guardian.h.
 */
#include "knobs/guardian.h"

#include "knobs/journal.h"
#include "knobs/knob.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct kd_guardian {
	int fd;
	pid_t pid;
};

static void guard(int fd, struct kd_journal *j, const struct kd_knob_env *env)
{
	char byte = 0;
	ssize_t n;

	setsid();
	prctl(PR_SET_NAME, "kdelta-guardian");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	do {
		n = read(fd, &byte, 1);
	} while (n < 0);
	if (n == 0) {
		kd_journal_restore(j, env, NULL, NULL);
		kd_journal_close(j);
	}
	_exit(0);
}

int kd_guardian_start(struct kd_journal *j, const struct kd_knob_env *env,
		      struct kd_guardian **out, struct kd_diag *d)
{
	struct kd_guardian *g = calloc(1, sizeof(*g));
	int pair[2];

	if (!g || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		free(g);
		return kd_fail_errno(d, "cannot start the guardian");
	}
	g->pid = fork();
	if (g->pid < 0) {
		close(pair[0]);
		close(pair[1]);
		free(g);
		return kd_fail_errno(d, "cannot start the guardian");
	}
	if (!g->pid) {
		/* the agent's pipes must not stay open through this one */
		close(pair[0]);
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		guard(pair[1], j, env);
	}
	close(pair[1]);
	g->fd = pair[0];
	*out = g;
	return 0;
}

void kd_guardian_release(struct kd_guardian *g)
{
	char byte = 'd';

	if (!g)
		return;
	if (send(g->fd, &byte, 1, MSG_NOSIGNAL) == 1)
		waitpid(g->pid, NULL, 0);
	close(g->fd);
	free(g);
}
