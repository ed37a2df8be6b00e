// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knobs that are shell commands. See command.h.
 */
#include "knobs/command.h"

#include "base/buf.h"
#include "base/clock.h"
#include "knobs/knob.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID_MAX 65536
#define LOOK_MS 2
#define VALUE "KD_VALUE="

extern char **environ;

/* the caller's environment, with $KD_VALUE; the strings are borrowed but the
 * last, which the caller frees with the array */
static char **environment(const char *value)
{
	size_t n = 0, k = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 2, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], VALUE, strlen(VALUE)))
			env[k++] = environ[i];
	if (asprintf(&env[k], VALUE "%s", value) < 0) {
		free(env);
		return NULL;
	}
	return env;
}

static void free_environment(char **env)
{
	size_t n = 0;

	while (env[n + 1])
		n++;
	free(env[n]);
	free(env);
}

static int spawn(const char *command, const char *value, int out, int err,
		 pid_t *pid)
{
	char *argv[] = { "sh", "-c", (char *)command, NULL };
	char **env = environment(value);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int r;

	if (!env)
		return -ENOMEM;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_adddup2(&files, err, 2);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP |
					POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	r = -posix_spawn(pid, "/bin/sh", &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	free_environment(env);
	return r;
}

/* false at its end */
static bool take(int fd, struct kd_buf *said)
{
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n > 0 && said->len < SAID_MAX)
		kd_buf_add(said, chunk, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

/*
 * What both pipes say until the shell has ended: what it leaves in the
 * background may hold them open for longer. -1 where the time was over.
 */
static int listen_to(pid_t pid, int out, int err, struct kd_buf *said,
		     struct kd_buf *complaint)
{
	uint64_t deadline = kd_now() + KD_COMMAND_SECONDS * KD_NS_PER_SEC;
	struct pollfd p[] = {
		{ .fd = out, .events = POLLIN },
		{ .fd = err, .events = POLLIN },
	};
	bool ended = false;
	int status = 0, n;

	do {
		n = poll(p, 2, ended ? 0 : LOOK_MS);
		if (n > 0 && p[0].revents && !take(out, said))
			p[0].fd = -1;
		if (n > 0 && p[1].revents && !take(err, complaint))
			p[1].fd = -1;
		if (!ended)
			ended = waitpid(pid, &status, WNOHANG) == pid;
		if (!ended && kd_now() > deadline) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
	} while (!ended || n > 0);
	return status;
}

static void trim(struct kd_buf *b)
{
	while (b->len && b->data[b->len - 1] == '\n')
		b->data[--b->len] = '\0';
}

static int judge(const char *command, int status,
		 const struct kd_buf *complaint, struct kd_diag *d)
{
	if (status < 0)
		return kd_fail(d, -ETIMEDOUT,
			       "\"%.120s\" ran for over %d s and was killed",
			       command, KD_COMMAND_SECONDS);
	if (!status)
		return 0;
	if (WIFSIGNALED(status))
		kd_fail(d, -EIO, "\"%.120s\" was ended by signal %d: %.200s",
			command, WTERMSIG(status), kd_buf_str(complaint));
	else
		kd_fail(d, -EIO, "\"%.120s\" ended with status %d: %.200s",
			command, WEXITSTATUS(status), kd_buf_str(complaint));
	return -EIO;
}

int kd_command_shell(const char *command, const char *value,
		     struct kd_buf *out, struct kd_diag *d)
{
	struct kd_buf said = { 0 }, complaint = { 0 };
	int o[2], e[2], r, status;
	pid_t pid = 0;

	if (pipe2(o, O_CLOEXEC))
		return kd_fail_errno(d, "cannot make a pipe");
	if (pipe2(e, O_CLOEXEC)) {
		r = kd_fail_errno(d, "cannot make a pipe");
		close(o[0]);
		close(o[1]);
		return r;
	}
	r = spawn(command, value, o[1], e[1], &pid);
	close(o[1]);
	close(e[1]);
	if (r) {
		kd_fail(d, r, "cannot run a shell: %s", strerror(-r));
	} else {
		status = listen_to(pid, o[0], e[0], &said, &complaint);
		trim(&said);
		trim(&complaint);
		r = judge(command, status, &complaint, d);
	}
	close(o[0]);
	close(e[0]);
	if (!r && out)
		r = kd_buf_puts(out, kd_buf_str(&said));
	kd_buf_fini(&said);
	kd_buf_fini(&complaint);
	return r;
}

static int check(const char *name, struct kd_diag *d)
{
	return *name ? 0 : kd_fail(d, -EINVAL, "a command knob needs a label");
}

static unsigned int look(const struct kd_knob_env *env, const char *name)
{
	return env->cmd_get ? 0 : KD_KNOB_WRITE_ONLY;
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	return 0;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	if (!env->cmd_get)
		return kd_fail(d, -EOPNOTSUPP, "command:%s has no get", name);
	return kd_command_shell(env->cmd_get, "", out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	if (!env->cmd_set)
		return kd_fail(d, -EOPNOTSUPP, "command:%s has no set", name);
	return kd_command_shell(env->cmd_set, value, NULL, d);
}

const struct kd_knob_ops kd_knob_command_ops = {
	.name = "command",
	.summary = "shell commands of the experiment file that get, set and restore something",
	.look = look,
	.check = check,
	.list = list,
	.get = get,
	.set = set,
};
