// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any command on the device, in a process group of its own that dies with the
 * agent. Its output is kept up to a limit; a regular expression takes one
 * figure out of it, or the controller reads it with one of its parsers.
 */
#include "workloads/workload.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/opt.h"
#include "base/parse.h"
#include "base/str.h"

#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (1 << 20)
#define ERRORS_MAX 4096
#define POLL_MS 20

static const char *const betters[] = { "none", "higher", "lower", NULL };

struct exec_opts {
	char *command;
	char *regex;
	char *metric;
	char *unit;
	int better;
	char *parse;
};

static const struct kd_opt exec_opts[] = {
	{ "command", KD_OPT_STR, offsetof(struct exec_opts, command),
	  .arg = "COMMAND", .help = "what to run, by /bin/sh" },
	{ "regex", KD_OPT_STR, offsetof(struct exec_opts, regex),
	  .arg = "REGEX",
	  .help = "extended regular expression whose group is the figure; the last line that matches counts" },
	{ "metric", KD_OPT_STR, offsetof(struct exec_opts, metric),
	  .arg = "NAME", .def = "exec.value",
	  .help = "name of the figure that regex finds" },
	{ "unit", KD_OPT_STR, offsetof(struct exec_opts, unit),
	  .arg = "UNIT", .help = "its unit" },
	{ "better", KD_OPT_ENUM, offsetof(struct exec_opts, better),
	  .choices = betters, .def = "higher",
	  .help = "which way is good" },
	{ "parse", KD_OPT_STR, offsetof(struct exec_opts, parse),
	  .arg = "FORMAT", .help = "log format of the output, read by kdelta" },
	{ 0 },
};

enum metric { EXEC_TIME };

static const struct kd_metric_desc exec_metrics[] = {
	[EXEC_TIME] = { "exec.time", "s", KD_BETTER_LOWER,
			"from the command's start to its end" },
	{ 0 },
};

struct exec {
	const struct kd_work_env *env;
	const struct exec_opts *opts;
	regex_t regex;
	bool has_regex;
	pid_t pid;
	int out_fd, err_fd;
	bool exited;
	int status;
	uint64_t started_ns, ended_ns;
	struct kd_buf out;
	char errors[ERRORS_MAX];
	size_t error_len;
	bool cut;
};

static int compile(const struct exec_opts *o, regex_t *re, struct kd_diag *d)
{
	char why[128];
	int r = regcomp(re, o->regex, REG_EXTENDED | REG_NEWLINE);

	if (r) {
		regerror(r, re, why, sizeof(why));
		return kd_fail(d, -EINVAL, "regex: \"%s\": %s", o->regex, why);
	}
	if (re->re_nsub != 1) {
		r = kd_fail(d, -EINVAL,
			    "regex: \"%s\" has %zu groups, exactly one is wanted",
			    o->regex, re->re_nsub);
		kd_diag_hint(d, "put ( ) around the number");
		regfree(re);
		return r;
	}
	return 0;
}

static int exec_check(const void *opts, struct kd_diag *d)
{
	const struct exec_opts *o = opts;
	regex_t re;
	int r;

	if (!o->command || !*o->command)
		return kd_fail(d, -EINVAL, "exec needs a command");
	if (o->regex && o->parse)
		return kd_fail(d, -EINVAL, "regex and parse exclude each other");
	if (!o->regex)
		return 0;
	r = compile(o, &re, d);
	if (!r)
		regfree(&re);
	return r;
}

static int exec_prepare(void *priv, const struct kd_work_env *env,
			const void *opts, struct kd_diag *d)
{
	struct exec *x = priv;
	int r = exec_check(opts, d);

	if (r)
		return r;
	x->env = env;
	x->opts = opts;
	x->out_fd = x->err_fd = -1;
	if (x->opts->regex) {
		r = compile(x->opts, &x->regex, d);
		x->has_regex = !r;
	}
	if (!r && kd_buf_reserve(&x->out, OUTPUT_MAX))
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (r && x->has_regex)
		regfree(&x->regex);
	return r;
}

static void __attribute__((noreturn))
child(const struct exec *x, int out, int err, pid_t parent)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	for (int s = 1; s < NSIG; s++)
		sigaction(s, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	execl("/bin/sh", "sh", "-c", x->opts->command, (char *)NULL);
	_exit(127);
}

static void tell(const struct exec *x, bool alive)
{
	if (x->env->children)
		x->env->children(x->env->children_arg, x->pid, alive);
}

static int exec_start(void *priv, struct kd_diag *d)
{
	struct exec *x = priv;
	pid_t parent = getpid();
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC))
		return kd_fail_errno(d, "cannot make a pipe");
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return kd_fail_errno(d, "cannot make a pipe");
	}
	x->started_ns = kd_now();
	x->pid = fork();
	if (!x->pid)
		child(x, out[1], err[1], parent);
	close(out[1]);
	close(err[1]);
	x->out_fd = out[0];
	x->err_fd = err[0];
	fcntl(x->out_fd, F_SETFL, O_NONBLOCK);
	fcntl(x->err_fd, F_SETFL, O_NONBLOCK);
	if (x->pid < 0)
		return kd_fail_errno(d, "cannot start the command");
	tell(x, true);
	/* in both, so that a kill right now finds the group */
	setpgid(x->pid, x->pid);
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void drain_out(struct exec *x)
{
	char chunk[16384];
	ssize_t n;

	while (x->out_fd >= 0 &&
	       (n = read(x->out_fd, chunk, sizeof(chunk))) >= 0) {
		size_t room = OUTPUT_MAX - x->out.len;

		if (!n) {
			close_fd(&x->out_fd);
			return;
		}
		x->cut = x->cut || (size_t)n > room;
		kd_buf_add(&x->out, chunk, (size_t)n < room ? (size_t)n : room);
	}
}

/* of the errors the last are worth most */
static void drain_err(struct exec *x)
{
	char chunk[ERRORS_MAX / 2];
	ssize_t n;

	while (x->err_fd >= 0 &&
	       (n = read(x->err_fd, chunk, sizeof(chunk))) >= 0) {
		size_t keep = ERRORS_MAX - 1 - (size_t)n;

		if (!n) {
			close_fd(&x->err_fd);
			return;
		}
		if (x->error_len > keep) {
			memmove(x->errors, x->errors + x->error_len - keep,
				keep);
			x->error_len = keep;
		}
		memcpy(x->errors + x->error_len, chunk, (size_t)n);
		x->error_len += (size_t)n;
		x->errors[x->error_len] = 0;
	}
}

static void reap(struct exec *x, int flags)
{
	if (x->exited || x->pid <= 0)
		return;
	if (waitpid(x->pid, &x->status, flags) == x->pid) {
		x->exited = true;
		x->ended_ns = kd_now();
	}
}

static void kill_group(struct exec *x)
{
	if (x->pid > 0)
		kill(-x->pid, SIGKILL);
	reap(x, 0);
}

/* the last three lines of what it said, on one line */
static const char *last_words(struct exec *x)
{
	char *s = x->errors, *p;
	int lines = 0;

	x->errors[x->error_len] = 0;
	s = kd_str_trim(s);
	for (p = s + strlen(s); p > s; p--)
		if (p[-1] == '\n' && ++lines == 3)
			break;
	for (s = p; *p; p++)
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
	return s;
}

static int judge(struct exec *x, struct kd_diag *d)
{
	const char *said = last_words(x);

	if (WIFEXITED(x->status) && !WEXITSTATUS(x->status))
		return 0;
	if (WIFEXITED(x->status))
		return kd_fail(d, -EIO, "the command ended with status %d%s%s",
			       WEXITSTATUS(x->status), *said ? ": " : "", said);
	return kd_fail(d, -EIO, "the command was killed by signal %d%s%s",
		       WTERMSIG(x->status), *said ? ": " : "", said);
}

static int exec_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	struct exec *x = priv;
	uint64_t end = until_ns < x->env->deadline_ns ? until_ns :
							x->env->deadline_ns;

	for (;;) {
		struct pollfd pfd[2] = {
			{ .fd = x->out_fd, .events = POLLIN },
			{ .fd = x->err_fd, .events = POLLIN },
		};

		reap(x, WNOHANG);
		drain_out(x);
		drain_err(x);
		if (x->exited)
			return judge(x, d);
		if (x->env->cancelled && *x->env->cancelled)
			return 0;
		if (kd_now() >= x->env->deadline_ns) {
			kill_group(x);
			return kd_fail(d, -ETIMEDOUT,
				       "the command was still running at the deadline");
		}
		if (kd_now() >= end)
			return 0;
		/* a child that closed its pipes is still waited for */
		poll(pfd, 2, kd_ms_left(end) < POLL_MS ? kd_ms_left(end) :
							 POLL_MS);
	}
}

static int exec_begin(void *priv, uint64_t *t0_ns, struct kd_diag *d)
{
	const struct exec *x = priv;

	*t0_ns = x->exited ? x->started_ns : kd_now();
	return 0;
}

static int exec_end(void *priv, uint64_t *t1_ns, struct kd_diag *d)
{
	const struct exec *x = priv;

	*t1_ns = x->exited ? x->ended_ns : kd_now();
	return 0;
}

static void exec_stop(void *priv)
{
	struct exec *x = priv;

	/* what it left in the background goes too */
	kill_group(x);
	if (x->pid > 0)
		tell(x, false);
	x->pid = 0;
	drain_out(x);
	drain_err(x);
	close_fd(&x->out_fd);
	close_fd(&x->err_fd);
}

static void report_regex(struct exec *x, struct kd_sink *s)
{
	const struct kd_metric_desc m = {
		.name = x->opts->metric,
		.unit = x->opts->unit ? x->opts->unit : "",
		.better = (enum kd_better)x->opts->better,
		.help = "found by regex",
	};
	const char *text = kd_buf_str(&x->out);
	regmatch_t match[2];
	char number[64] = "", words[256];
	bool found = false;
	double value;

	while (*text && !regexec(&x->regex, text, 2, match, 0)) {
		size_t len = (size_t)(match[1].rm_eo - match[1].rm_so);

		if (match[1].rm_so >= 0 && len < sizeof(number)) {
			memcpy(number, text + match[1].rm_so, len);
			number[len] = 0;
			found = true;
		}
		text += match[0].rm_eo > 0 ? match[0].rm_eo : 1;
	}
	if (found && !kd_parse_double(number, &value)) {
		s->metric(s, &m, NULL, value);
		return;
	}
	if (found)
		snprintf(words, sizeof(words), "regex found \"%s\", no number",
			 number);
	else
		snprintf(words, sizeof(words),
			 "no line of the output matches regex");
	s->event(s, "exec", KD_EVENT_FAIL, 0, words);
}

static void exec_result(void *priv, struct kd_sink *s)
{
	struct exec *x = priv;

	if (x->exited && WIFEXITED(x->status))
		s->metric(s, &exec_metrics[EXEC_TIME], NULL,
			  (double)(x->ended_ns - x->started_ns) / 1e9);
	if (x->cut)
		s->event(s, "note", 0, 0,
			 "the command's output was cut after 1 MiB");
	if (x->has_regex)
		report_regex(x, s);
	if (x->opts->parse)
		s->event(s, "output", 0, 0, kd_buf_str(&x->out));
}

static void exec_fini(void *priv)
{
	struct exec *x = priv;

	exec_stop(x);
	if (x->has_regex)
		regfree(&x->regex);
	kd_buf_fini(&x->out);
}

const struct kd_work_ops kd_work_exec_ops = {
	.name = "exec",
	.summary = "any command on the device",
	.opts = exec_opts,
	.opts_size = sizeof(struct exec_opts),
	.priv_size = sizeof(struct exec),
	.flags = KD_WORK_ENDS,
	.metrics = exec_metrics,
	.check = exec_check,
	.prepare = exec_prepare,
	.start = exec_start,
	.begin = exec_begin,
	.wait = exec_wait,
	.end = exec_end,
	.stop = exec_stop,
	.result = exec_result,
	.fini = exec_fini,
};
