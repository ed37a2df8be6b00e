// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command with its standard input and output on pipes. See transport.h.
 *
 * The command leads a process group of its own, so that a Ctrl-C at the
 * terminal reaches the controller alone, which then ends the run in order.
 */
#include "base/clock.h"
#include "transports/transport.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const struct kd_transport_ops *kd_transport_find(const char *name)
{
	for (size_t i = 0; kd_transport_table[i]; i++)
		if (!strcmp(kd_transport_table[i]->name, name))
			return kd_transport_table[i];
	return NULL;
}

static void run_child(char *const *argv, int in, int out, int err)
{
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execvp(argv[0], argv);
	/* err is close-on-exec: its reader sees this, or the end of file */
	if (write(err, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

int kd_pipe_open(char *const *argv, struct kd_pipe *out, struct kd_diag *d)
{
	int down[2] = { -1, -1 }, up[2] = { -1, -1 }, err[2] = { -1, -1 };
	int failed = 0, r = 0;
	pid_t pid = -1;

	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC) ||
	    pipe2(err, O_CLOEXEC))
		r = kd_fail_errno(d, "cannot make a pipe");
	if (!r) {
		pid = fork();
		if (pid < 0)
			r = kd_fail_errno(d, "cannot start %s", argv[0]);
	}
	if (!pid)
		run_child(argv, down[0], up[1], err[1]);
	close(down[0]);
	close(up[1]);
	close(err[1]);
	if (!r && read(err[0], &failed, sizeof(failed)) == sizeof(failed)) {
		errno = failed;
		r = kd_fail_errno(d, "cannot start %s", argv[0]);
		waitpid(pid, NULL, 0);
	}
	close(err[0]);
	if (r) {
		close(down[1]);
		close(up[0]);
		return r;
	}
	*out = (struct kd_pipe){ .in = up[0], .out = down[1], .pid = pid };
	return 0;
}

void kd_pipe_end_input(struct kd_pipe *p)
{
	if (p->out >= 0)
		close(p->out);
	p->out = -1;
}

int kd_pipe_close(struct kd_pipe *p, unsigned long long grace_ns)
{
	uint64_t until = kd_now() + grace_ns;
	int status = 0;

	if (p->pid <= 0)
		return 0;
	kd_pipe_end_input(p);
	while (waitpid(p->pid, &status, WNOHANG) == 0) {
		if (kd_now() >= until) {
			kill(-p->pid, SIGKILL);
			kill(p->pid, SIGKILL);
			waitpid(p->pid, &status, 0);
			break;
		}
		kd_sleep_until(kd_now() + KD_NS_PER_MS);
	}
	close(p->in);
	p->pid = 0;
	return status;
}
