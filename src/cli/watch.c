// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command under the observers. The child waits until the first sample is
 * taken, so that the window is the command's life. See watch.h.
 */
#include "cli/watch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/opt.h"
#include "base/str.h"
#include "observers/observer.h"
#include "observers/sampler.h"
#include "run/record.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SAMPLES 100000

enum own { ELAPSED, USER, SYSTEM, SWITCHES, OWN_COUNT };

static const struct kd_metric_desc own[OWN_COUNT] = {
	[ELAPSED] = { "command.elapsed", "s", KD_BETTER_LOWER, "" },
	[USER] = { "command.user", "s", KD_BETTER_LOWER, "" },
	[SYSTEM] = { "command.system", "s", KD_BETTER_LOWER, "" },
	[SWITCHES] = { "command.switches", "", KD_BETTER_LOWER, "" },
};

/* the child, for the handler that passes signals on */
static volatile sig_atomic_t child_pid;

static void pass_on(int sig)
{
	if (child_pid > 0)
		kill(child_pid, sig);
}

struct handlers {
	struct sigaction interrupt, quit, term, hup;
};

static void take_signals(struct handlers *old)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction pass = { .sa_handler = pass_on };

	sigaction(SIGINT, &ignore, &old->interrupt);
	sigaction(SIGQUIT, &ignore, &old->quit);
	sigaction(SIGTERM, &pass, &old->term);
	sigaction(SIGHUP, &pass, &old->hup);
}

static void give_signals_back(const struct handlers *old)
{
	sigaction(SIGINT, &old->interrupt, NULL);
	sigaction(SIGQUIT, &old->quit, NULL);
	sigaction(SIGTERM, &old->term, NULL);
	sigaction(SIGHUP, &old->hup, NULL);
}

static int add_observer(struct kd_sampler *s, const struct kd_watch *w,
			const char *name, const char *options,
			struct kd_diag *d)
{
	struct kd_diag why = { 0 };
	int r = kd_sampler_add(s, name, options, &why);

	if (!r)
		return 0;
	if (!kd_obs_find(name) || r == -EINVAL || r == -ERANGE ||
	    r == -ENOMEM) {
		*d = why;
		return r;
	}
	kd_buf_printf(w->skipped, "%s: %s\n", name, why.text);
	return 0;
}

static int add_list(struct kd_sampler *s, const struct kd_watch *w,
		    const char *list, struct kd_diag *d)
{
	const char *colon = strchr(list, ':');
	struct kd_buf item = { 0 };
	char name[64];
	int r = 0;

	if (colon) {
		snprintf(name, sizeof(name), "%.*s", (int)(colon - list), list);
		return add_observer(s, w, name, colon + 1, d);
	}
	while (!r && *list) {
		list = kd_opt_next_item(list, &item);
		if (item.len)
			r = add_observer(s, w, kd_str_trim(item.data), "", d);
	}
	kd_buf_fini(&item);
	return r;
}

static int open_sampler(const struct kd_watch *w, struct kd_sampler **out,
			struct kd_diag *d)
{
	struct kd_obs_env env = {
		.root = w->root,
		.period_ns = w->period_ns,
		.max_samples = MAX_SAMPLES,
	};
	const char *list = w->observers;
	int r = kd_sampler_new(&env, out, d);

	while (!r && *list) {
		size_t len = strcspn(list, "\n");
		char *one = strndup(list, len);

		r = one ? add_list(*out, w, one, d) :
			  kd_fail(d, -ENOMEM, "out of memory");
		free(one);
		list += len + (list[len] == '\n');
	}
	return r;
}

static void __attribute__((noreturn))
child(const struct kd_watch *w, const struct handlers *old, int go, int told)
{
	char c;
	int err;

	give_signals_back(old);
	if (read(go, &c, 1) == 1)
		execvp(w->argv[0], w->argv);
	err = errno;
	if (write(told, &err, sizeof(err)) < 0)
		_exit(1);
	_exit(err == ENOENT ? KD_WATCH_NOT_FOUND : KD_WATCH_NOT_RUNNABLE);
}

static int shell_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void add_own(struct kd_record *rec, uint64_t elapsed_ns,
		    const struct rusage *u)
{
	struct kd_sink *s = &rec->sink;

	s->metric(s, &own[ELAPSED], NULL, (double)elapsed_ns / 1e9);
	s->metric(s, &own[USER], NULL, seconds(u->ru_utime));
	s->metric(s, &own[SYSTEM], NULL, seconds(u->ru_stime));
	s->metric(s, &own[SWITCHES], NULL,
		  (double)(u->ru_nvcsw + u->ru_nivcsw));
}

/* let it go, wait for its end, and sample at both */
static int watch(struct kd_sampler *s, pid_t pid, int go, int told,
		 struct kd_record *rec, int *code, struct kd_diag *d)
{
	uint64_t t0 = 0, t1 = 0, start;
	struct rusage usage;
	int status = 0, err = 0, r = kd_sampler_begin(s, &t0, d);

	start = kd_now();
	if (r || write(go, "g", 1) != 1)
		kill(pid, SIGKILL);
	while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
		;
	child_pid = 0;
	t1 = kd_now();
	if (r)
		return r;
	add_own(rec, t1 - start, &usage);
	r = kd_sampler_end(s, &t1, d);
	rec->run->device_window_ns = t1 - t0;
	kd_sampler_result(s, &rec->sink);
	*code = shell_code(status);
	if (!r && read(told, &err, sizeof(err)) == sizeof(err))
		r = kd_fail(d, -ENOEXEC, "cannot be run: %s", strerror(err));
	return r;
}

static int start(const struct kd_watch *w, struct kd_sampler *s,
		 struct kd_record *rec, int *code, struct kd_diag *d)
{
	struct handlers old;
	int go[2], told[2], r;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return kd_fail_errno(d, "cannot make a pipe");
	if (pipe2(told, O_CLOEXEC)) {
		kd_fail_errno(d, "cannot make a pipe");
		close(go[0]);
		close(go[1]);
		return d->err;
	}
	take_signals(&old);
	pid = fork();
	if (!pid) {
		close(go[1]);
		child(w, &old, go[0], told[1]);
	}
	child_pid = pid;
	close(go[0]);
	close(told[1]);
	r = pid < 0 ? kd_fail_errno(d, "cannot start a process") :
		      watch(s, pid, go[1], told[0], rec, code, d);
	close(go[1]);
	close(told[0]);
	give_signals_back(&old);
	return r;
}

int kd_watch_run(const struct kd_watch *w, struct kd_store_run *run, int *code,
		 struct kd_diag *d)
{
	struct kd_sampler *s = NULL;
	struct kd_record rec;
	int r = open_sampler(w, &s, d);

	kd_record_init(&rec, run);
	rec.from = KD_FROM_DEVICE;
	kd_buf_puts(w->skipped, "");
	if (!r)
		r = start(w, s, &rec, code, d);
	if (!r && rec.err)
		r = kd_fail(d, rec.err, "out of memory");
	if (r)
		kd_diag_subject(d, "%s", w->argv[0]);
	kd_sampler_free(s);
	return r;
}
