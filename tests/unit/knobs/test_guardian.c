// SPDX-License-Identifier: GPL-2.0-or-later
/* an agent that is killed at any moment, and what its guardian makes of it */
#include "tree.h"

#include "base/buf.h"
#include "base/clock.h"
#include "knobs/guardian.h"
#include "knobs/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define A "/proc/sys/net/a"
#define B "/proc/sys/net/b"
#define KILLS 100

/* as wide as all values: a plain file is written at once only so */
static struct tree tree;
static char dir[128];

struct agent {
	pid_t pid;
	pid_t guardian;
	pid_t child;
	int out;		/* its standard output */
};

static int setup(void **state)
{
	tree_open(&tree);
	tree_put(&tree, A, "100\n");
	tree_put(&tree, B, "200\n");
	snprintf(dir, sizeof(dir), "%s/journal", tree.dir);
	/* so that its exit can be waited for when its parent is gone */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return 0;
}

static int teardown(void **state)
{
	tree_close(&tree);
	return 0;
}

static void set(struct kd_journal *j, const struct kd_knob_env *e,
		const char *knob, int value)
{
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	kd_journal_set(j, e, knob, text, &seen, &match, NULL);
	kd_buf_fini(&seen);
}

/* never returns; says its guardian's and its child's number, then works */
static void act(int out, bool ends)
{
	struct kd_knob_env e = { .root = tree.root };
	struct kd_guardian *g = NULL;
	struct kd_journal *j = NULL;
	pid_t ids[2];

	dup2(out, STDOUT_FILENO);
	if (kd_journal_open(dir, "experiment \"x\"", &e, NULL, NULL, &j, NULL) ||
	    kd_guardian_start(j, &e, &g, NULL))
		_exit(1);
	ids[0] = kd_guardian_pid(g);
	ids[1] = fork();
	if (!ids[1]) {
		alarm(600);
		setpgid(0, 0);
		execl("/bin/sleep", "sleep", "1000", (char *)NULL);
		_exit(127);
	}
	setpgid(ids[1], ids[1]);
	kd_guardian_children(g, ids[1]);
	if (write(STDOUT_FILENO, ids, sizeof(ids)) != sizeof(ids))
		_exit(1);
	for (int i = 0; !ends || i < 10; i++) {
		set(j, &e, "sysctl:net.a", 300 + i % 300);
		set(j, &e, "sysctl:net.b", 600 + i % 200);
	}
	kd_journal_restore(j, &e, NULL, NULL);
	kill(-ids[1], SIGKILL);
	waitpid(ids[1], NULL, 0);
	kd_guardian_children_ended(g, ids[1]);
	kd_guardian_release(g);
	kd_journal_close(j);
	_exit(0);
}

static void start(struct agent *a, bool ends)
{
	pid_t ids[2];
	int p[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	a->pid = fork();
	if (!a->pid) {
		/* with the test, should it be killed */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		close(p[0]);
		act(p[1], ends);
	}
	setpgid(a->pid, a->pid);
	close(p[1]);
	a->out = p[0];
	assert_int_equal(read(p[0], ids, sizeof(ids)), sizeof(ids));
	a->guardian = ids[0];
	a->child = ids[1];
}

/* false after a second */
static bool ends_in_time(pid_t pid)
{
	uint64_t deadline = kd_now() + KD_NS_PER_SEC;

	while (kd_now() < deadline) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		kd_sleep_until(kd_now() + KD_NS_PER_MS / 2);
	}
	return false;
}

static void check_restored(const struct agent *a)
{
	assert_true(ends_in_time(a->guardian));
	assert_true(ends_in_time(a->child));
	assert_string_equal(tree_get(&tree, A), "100\n");
	assert_string_equal(tree_get(&tree, B), "200\n");
	/* nothing is left for the next one */
	assert_int_equal(rmdir(dir), 0);
}

static void killed_at_any_moment(void **state)
{
	struct agent a;

	srand(1);
	for (int i = 0; i < KILLS; i++) {
		start(&a, false);
		kd_sleep_until(kd_now() + (uint64_t)(rand() % 4000) * 1000);
		kill(a.pid, SIGKILL);
		waitpid(a.pid, NULL, 0);
		check_restored(&a);
		close(a.out);
	}
}

static void lives_through_signals(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGPIPE, SIGUSR1 };
	struct agent a;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		start(&a, false);
		/* to the group, as a terminal does, and to itself */
		kill(a.guardian, signals[i]);
		kill(-a.pid, signals[i]);
		waitpid(a.pid, NULL, 0);
		check_restored(&a);
		close(a.out);
	}
}

static void leaves_after_release(void **state)
{
	struct agent a;
	int status;

	start(&a, true);
	assert_int_equal(waitpid(a.pid, &status, 0), a.pid);
	assert_int_equal(status, 0);
	/* waited for by the agent: nobody's child any more */
	assert_int_equal(kill(a.guardian, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_string_equal(tree_get(&tree, A), "100\n");
	assert_int_equal(rmdir(dir), 0);
	close(a.out);
}

/* the agent's output ends with the agent, whatever its guardian does */
static void holds_no_pipe(void **state)
{
	struct agent a;
	struct pollfd p;
	char path[64], target[256];
	int others = 0;
	ssize_t n;

	start(&a, false);
	kill(a.guardian, SIGSTOP);
	for (int fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", a.guardian, fd);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		others += !strncmp(target, "pipe:", 5) ||
			  !strncmp(target, "net:", 4);
	}
	assert_int_equal(others, 0);
	kill(a.pid, SIGKILL);
	waitpid(a.pid, NULL, 0);
	kill(-a.child, SIGKILL);
	p = (struct pollfd){ .fd = a.out, .events = POLLIN };
	assert_int_equal(poll(&p, 1, 1000), 1);
	assert_true(p.revents & POLLHUP);
	kill(a.guardian, SIGCONT);
	check_restored(&a);
	close(a.out);
}

/* both killed: the next one's opening puts all back */
static void guardian_killed_too(void **state)
{
	struct kd_knob_env e = { .root = tree.root };
	struct kd_journal *j;
	struct agent a;

	for (int i = 0; i < 20; i++) {
		start(&a, false);
		kd_sleep_until(kd_now() + (uint64_t)(rand() % 4000) * 1000);
		kill(a.guardian, SIGKILL);
		kill(a.pid, SIGKILL);
		kill(-a.child, SIGKILL);
		waitpid(a.pid, NULL, 0);
		waitpid(a.guardian, NULL, 0);
		waitpid(a.child, NULL, 0);
		assert_int_equal(kd_journal_open(dir, "y", &e, NULL, NULL, &j,
						 NULL), 0);
		assert_string_equal(tree_get(&tree, A), "100\n");
		assert_string_equal(tree_get(&tree, B), "200\n");
		kd_journal_close(j);
		close(a.out);
	}
}

/* the next agent waits for a guardian at work instead of giving up */
static void next_waits_for_guardian(void **state)
{
	struct kd_knob_env e = { .root = tree.root };
	struct kd_journal *j;
	struct agent a;
	pid_t waker;

	start(&a, false);
	kill(a.guardian, SIGSTOP);
	kill(a.pid, SIGKILL);
	waitpid(a.pid, NULL, 0);
	waker = fork();
	if (!waker) {
		usleep(100000);
		kill(a.guardian, SIGCONT);
		_exit(0);
	}
	assert_int_equal(kd_journal_open(dir, "y", &e, NULL, NULL, &j, NULL), 0);
	assert_string_equal(tree_get(&tree, A), "100\n");
	kd_journal_close(j);
	waitpid(waker, NULL, 0);
	check_restored(&a);
	close(a.out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(killed_at_any_moment),
		TEST(lives_through_signals),
		TEST(leaves_after_release),
		TEST(holds_no_pipe),
		TEST(guardian_killed_too),
		TEST(next_waits_for_guardian),
	};

	/* a shell's background jobs begin with these ignored */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
