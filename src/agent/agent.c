// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent: requests on standard input, answers on standard output.
 *
 * Interactive, the end of input stops what runs and restores every knob. In
 * batch mode requests are done one at a time and the end of input means that
 * there are no more. See docs/protocol.md.
 */
#include "agent/agent.h"

#include "agent/knobs.h"
#include "agent/session.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/opt.h"
#include "base/root.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_NS (900 * KD_NS_PER_SEC)

struct options {
	bool batch;
	char *netns;
	char *peer;
	char *root;
	char *ifname;
	char *state;
};

static const struct kd_opt options[] = {
	{ "batch", KD_OPT_BOOL, offsetof(struct options, batch),
	  .help = "do requests one at a time; end of input means no more" },
	{ "netns", KD_OPT_STR, offsetof(struct options, netns), .arg = "FILE",
	  .help = "enter this network namespace first" },
	{ "with-peer", KD_OPT_STR, offsetof(struct options, peer),
	  .arg = "FILE",
	  .help = "run the peer's agent too, in this network namespace" },
	{ "root", KD_OPT_STR, offsetof(struct options, root), .def = "/",
	  .arg = "DIR", .help = "where /proc and /sys are" },
	{ "ifname", KD_OPT_STR, offsetof(struct options, ifname),
	  .arg = "NAME", .help = "the interface under test" },
	{ "state", KD_OPT_STR, offsetof(struct options, state),
	  .arg = "DIR",
	  .help = "where the journal of changed knobs is; /run/kdelta for root" },
	{ 0 },
};

void kd_agent_usage(FILE *out)
{
	fprintf(out, "usage: kdelta-agent [OPTION]...\n\n"
		     "The end of kdelta on a device: requests on standard input, "
		     "answers on\nstandard output, as JSON lines.\n\n");
	for (const struct kd_opt *o = options; o->name; o++)
		fprintf(out, "  --%s%s%s\n      %s\n", o->name,
			o->type == KD_OPT_BOOL ? "" : " ",
			o->type == KD_OPT_BOOL ? "" : kd_opt_arg(o), o->help);
}

static int parse_args(int argc, char **argv, struct options *o,
		      struct kd_diag *d)
{
	int r = kd_opt_init(options, o);

	for (int i = 1; !r && i < argc; i++) {
		const char *name = argv[i];
		const struct kd_opt *opt;

		if (strncmp(name, "--", 2))
			return kd_fail(d, -EINVAL, "unexpected \"%s\"", name);
		opt = kd_opt_find(options, name + 2);
		if (opt && opt->type == KD_OPT_BOOL)
			r = kd_opt_set(options, o, name + 2, "yes", d);
		else if (opt && i + 1 == argc)
			return kd_fail(d, -EINVAL, "%s needs a value", name);
		else
			r = kd_opt_set(options, o, name + 2,
				       opt ? argv[++i] : "", d);
	}
	return r;
}

static int enter_netns(const char *path, struct kd_diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return kd_fail_errno(d, "cannot open network namespace %s",
				     path);
	if (setns(fd, CLONE_NEWNET))
		r = kd_fail_errno(d, "cannot enter network namespace %s", path);
	close(fd);
	return r;
}

/* the peer's agent: this program again, in the other namespace */
static int start_peer(struct kd_agent *a, const struct options *o,
		      struct kd_diag *d)
{
	char *argv[8] = { "kdelta-agent", "--netns", o->peer };
	int down[2], up[2];
	int n = 3;

	if (a->batch)
		argv[n++] = "--batch";
	if (o->state) {
		argv[n++] = "--state";
		argv[n++] = o->state;
	}
	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
		return kd_fail_errno(d, "cannot make a pipe");
	a->child_pid = fork();
	if (a->child_pid < 0)
		return kd_fail_errno(d, "cannot start the peer's agent");
	if (!a->child_pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(down[0], 0);
		dup2(up[1], 1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(down[0]);
	close(up[1]);
	kd_conn_init(&a->child, up[0], down[1]);
	return 0;
}

static int forward_down(struct kd_agent *a, json_t *frame, struct kd_diag *d)
{
	json_int_t id = json_integer_value(json_object_get(frame, "id"));
	struct kd_diag why = { 0 };
	json_t *answer;
	int r;

	if (!a->child_pid) {
		kd_fail(&why, -ENOTCONN,
			"this agent was started without a peer");
		return kd_agent_answer(a, id, json_object(), &why, d);
	}
	json_object_del(frame, "end");
	r = kd_conn_send(&a->child, frame, kd_now() + ANSWER_NS, &why);
	if (!r && !a->batch)
		return 0;
	if (!r)
		r = kd_conn_recv(&a->child, kd_now() + ANSWER_NS, &answer,
				 &why);
	if (r)
		return kd_agent_answer(a, id, json_object(), &why, d);
	r = kd_conn_send(&a->conn, answer, kd_now() + ANSWER_NS, d);
	json_decref(answer);
	return r;
}

static int forward_up(struct kd_agent *a, struct kd_diag *d)
{
	int end = kd_conn_fill(&a->child);
	json_t *frame;
	int r;

	while ((r = kd_conn_pop(&a->child, &frame, d)) > 0) {
		r = kd_conn_send(&a->conn, frame, kd_now() + ANSWER_NS, d);
		json_decref(frame);
		if (r)
			return r;
	}
	if (end)
		return kd_fail(d, -EPIPE, "the peer's agent has died");
	return r;
}

static int handle_input(struct kd_agent *a, struct kd_diag *d)
{
	json_t *frame;
	int r;

	while ((r = kd_conn_pop(&a->conn, &frame, d)) > 0) {
		if (!strcmp(json_string_value(json_object_get(frame, "end")) ?:
				    "device",
			    "peer"))
			r = forward_down(a, frame, d);
		else
			r = kd_agent_handle(a, frame, d);
		json_decref(frame);
		if (r)
			return r;
	}
	return r;
}

static int serve(struct kd_agent *a, struct kd_diag *d)
{
	struct pollfd p[] = {
		{ .fd = a->conn.in, .events = POLLIN },
		{ .fd = a->notify_fd, .events = POLLIN },
		{ .fd = a->child_pid && !a->batch ? a->child.in : -1,
		  .events = POLLIN },
	};
	uint64_t count;
	int r = 0;

	while (!r && !a->conn.eof) {
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			return kd_fail_errno(d, "cannot wait for requests");
		if (p[1].revents && read(a->notify_fd, &count, 8) == 8)
			r = kd_agent_reap(a, d);
		if (!r && p[2].revents)
			r = forward_up(a, d);
		if (r || !p[0].revents)
			continue;
		r = kd_conn_fill(&a->conn);
		if (r == -EPIPE)
			r = 0;
		else if (r)
			return kd_fail(d, r, "cannot read requests");
		r = handle_input(a, d);
	}
	return r;
}

static void finish(struct kd_agent *a)
{
	kd_agent_end_runs(a);
	kd_agent_knobs_end(a);
	if (a->child_pid) {
		close(a->child.out);
		waitpid(a->child_pid, NULL, 0);
		close(a->child.in);
		kd_conn_fini(&a->child);
	}
	json_decref(a->last_answer);
	kd_conn_fini(&a->conn);
	kd_root_close(a->root);
	close(a->notify_fd);
}

int kd_agent_main(int argc, char **argv)
{
	struct options o = { 0 };
	struct kd_agent a = { 0 };
	struct kd_diag d = { 0 };
	char text[1200];
	int r;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		kd_agent_usage(stdout);
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	r = parse_args(argc, argv, &o, &d);
	if (r) {
		kd_diag_format(&d, text, sizeof(text));
		fprintf(stderr, "kdelta-agent: %s\n", text);
		return 2;
	}
	a.batch = o.batch;
	a.ifname = o.ifname;
	a.state_dir = o.state;
	a.notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	kd_conn_init(&a.conn, STDIN_FILENO, STDOUT_FILENO);
	if (o.netns)
		r = enter_netns(o.netns, &d);
	if (!r)
		r = kd_root_open(o.root, &a.root, &d);
	if (!r && o.peer)
		r = start_peer(&a, &o, &d);
	if (!r)
		r = serve(&a, &d);
	if (r) {
		kd_diag_format(&d, text, sizeof(text));
		fprintf(stderr, "kdelta-agent: %s\n", text);
	}
	finish(&a);
	kd_opt_fini(options, &o);
	return r ? 3 : 0;
}
