// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a workload as two processes on this machine, each on a CPU of
 * its own: the engine's speed without the rest of kdelta.
 *
 *   traffic WORKLOAD OPTIONS SECONDS [ADDRESS [PEER-NETNS]]
 *
 * Prints each end's metrics. There is no warm-up, as the peers have none.
 */
#include "pair.h"

#include "base/clock.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void pin(int nth)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(n > 1 ? nth : 0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void print_end(const char *who, const struct pair_end *e)
{
	if (e->result)
		printf("%s failed: %s\n", who, e->diag.text);
	for (unsigned int i = 0; !e->result && i < e->sink.count; i++) {
		const struct pair_metric *m = &e->sink.metrics[i];

		if (!m->instance[0])
			printf("%-26s %.10g\n", m->name, m->value);
	}
}

static int enter(const char *netns)
{
	int fd = open(netns, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && !setns(fd, CLONE_NEWNET))
		return 0;
	printf("peer failed: %s: %s\n", netns, strerror(errno));
	return -1;
}

static int run_peer(struct pair_end *e, const char *netns, int ready, int go)
{
	char c = 0;

	pin(0);
	if (netns && enter(netns))
		return 1;
	if (pair_end_prepare(e)) {
		print_end("peer", e);
		return 1;
	}
	if (write(ready, &c, 1) != 1 || read(go, &c, 1) != 1)
		return 1;
	pair_end_run(e);
	print_end("peer", e);
	fflush(stdout);
	return e->result != 0;
}

static int run_device(struct pair_end *e, int ready, int go)
{
	char c = 0;

	pin(1);
	if (read(ready, &c, 1) != 1 || pair_end_prepare(e)) {
		print_end("device", e);
		return 1;
	}
	if (write(go, &c, 1) != 1)
		return 1;
	pair_end_run(e);
	print_end("device", e);
	return e->result != 0;
}

int main(int argc, char **argv)
{
	static struct pair p;
	int ready[2], go[2], status = 0, r;
	double seconds;
	pid_t pid;

	if (argc < 4 || kd_parse_double(argv[3], &seconds) || seconds < 0) {
		fprintf(stderr,
			"usage: traffic WORKLOAD OPTIONS SECONDS [ADDRESS [PEER-NETNS]]\n");
		return 2;
	}
	pair_init(&p, argv[1], argv[2], argc > 4 ? argv[4] : "127.0.0.1",
		  (uint64_t)(seconds * 1e9));
	if (p.device.result) {
		fprintf(stderr, "%s\n", p.device.diag.text);
		return 2;
	}
	p.device.env.deadline_ns = p.peer.env.deadline_ns =
		kd_now() + (uint64_t)((seconds + 20) * 1e9);
	/* each end's traffic outlives the other's window a little */
	p.device.alone = p.peer.alone = true;
	p.device.cooldown_ns = p.peer.cooldown_ns = 100 * KD_NS_PER_MS;
	if (pipe(ready) || pipe(go))
		return 1;
	pid = fork();
	if (!pid)
		_exit(run_peer(&p.peer, argc > 5 ? argv[5] : NULL,
			       ready[1], go[0]));
	r = run_device(&p.device, ready[0], go[1]);
	waitpid(pid, &status, 0);
	pair_fini(&p);
	return r || status;
}
