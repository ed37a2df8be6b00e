// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta peer: the other end for devices that have no agent.
 */
#include "base/clock.h"
#include "cli/cmd.h"
#include "peer/peer.h"

#include <inttypes.h>
#include <jansson.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define FLUSH_NS (20 * KD_NS_PER_MS)

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	stopped = sig;
}

static void print_line(const struct kd_peer_transfer *t)
{
	double mbps = t->seconds > 0 ?
			      (double)t->bytes * 8 / 1e6 / t->seconds :
			      0;

	printf("%s %s %s %s %" PRIu64 " bytes in %.3f s, %.2f Mbit/s",
	       t->service, t->protocol, t->client, t->direction, t->bytes,
	       t->seconds, mbps);
	if (t->streams > 1)
		printf(", %u streams", t->streams);
	if (t->lost >= 0)
		printf(", %" PRId64 "/%" PRId64 " lost, jitter %.3f ms",
		       t->lost, t->datagrams, t->jitter_s * 1e3);
	printf("%s%s\n", t->ended[0] ? "; " : "", t->ended);
}

static void print_json(const struct kd_peer_transfer *t)
{
	json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:i,s:I,s:f}", "service",
			      t->service, "protocol", t->protocol, "client",
			      t->client, "direction", t->direction, "streams",
			      (int)t->streams, "bytes", (json_int_t)t->bytes,
			      "seconds", t->seconds);

	if (t->lost >= 0) {
		json_object_set_new(o, "lost", json_integer(t->lost));
		json_object_set_new(o, "datagrams", json_integer(t->datagrams));
		json_object_set_new(o, "jitter_s", json_real(t->jitter_s));
	}
	if (t->ended[0])
		json_object_set_new(o, "ended", json_string(t->ended));
	json_dumpf(o, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(o);
}

struct log {
	const struct kd_peer_options *o;
	uint64_t flushed_ns;
};

/* a line is seen at once, but thousands a second are written some at a time */
static void report(void *arg, const struct kd_peer_transfer *t)
{
	struct log *log = arg;
	uint64_t now = kd_now();

	if (t && log->o->json)
		print_json(t);
	else if (t)
		print_line(t);
	if (t && now - log->flushed_ns < FLUSH_NS)
		return;
	fflush(stdout);
	log->flushed_ns = now;
}

static void say_ports(const struct kd_peer_options *o)
{
	fprintf(stderr, "kdelta peer on %s:", o->bind);
	if (o->iperf3_port)
		fprintf(stderr, " iperf3 %" PRId64, o->iperf3_port);
	if (o->ttcp_port)
		fprintf(stderr, " ttcp and iperf2 %" PRId64, o->ttcp_port);
	if (o->http_port)
		fprintf(stderr, " http %" PRId64, o->http_port);
	fputs("; Ctrl-C ends it\n", stderr);
}

/* each stream of each test takes one */
static void raise_descriptors(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

static int run(const void *opts, int argc, char **argv)
{
	struct kd_peer_options o = *(const struct kd_peer_options *)opts;
	struct sigaction sa = { .sa_handler = on_signal };
	struct kd_diag d = { 0 };
	struct log log = { .o = &o };
	struct kd_peer_totals totals;
	struct kd_peer *peer;
	int r;

	raise_descriptors();
	/* an arena for each of its short threads would only grow */
	mallopt(M_ARENA_MAX, 2);
	if (o.ttcp_to)
		o.iperf3_port = o.http_port = 0;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (o.ttcp_to) {
		int64_t port = o.ttcp_port;

		o.ttcp_port = 0;
		r = kd_peer_open(&o, report, &log, &peer, &d);
		if (r)
			return kd_cli_fail("peer", &d);
		o.ttcp_port = port;
		r = kd_peer_ttcp_source(peer, &stopped, &d);
		kd_peer_close(peer, NULL);
		return r ? kd_cli_fail("peer", &d) : KD_EXIT_DONE;
	}
	r = kd_peer_open(&o, report, &log, &peer, &d);
	if (r)
		return kd_cli_fail("peer", &d);
	say_ports(&o);
	r = kd_peer_serve(peer, &stopped, &d);
	kd_peer_close(peer, &totals);
	fflush(stdout);
	fprintf(stderr, "%" PRIu64 " transfers, %" PRIu64 " bytes; %" PRIu64
		" connections refused\n", totals.transfers, totals.bytes,
		totals.refused);
	return r ? kd_cli_fail("peer", &d) : KD_EXIT_DONE;
}

const struct kd_command kd_command_peer = {
	.name = "peer",
	.summary = "the other end for devices without an agent",
	.details =
		"Serves stock clients until Ctrl-C: iperf3 (TCP, UDP, -R, "
		"--bidir, -P), ttcp and iperf 2 (a sink for TCP and UDP), and "
		"HTTP GET of /fixed/SIZE. One line per transfer; what did not "
		"end as it should says why.\n"
		"Listens on loopback unless *--bind* says otherwise. With "
		"*--ttcp-to* it is the source for a listening ttcp -r instead.",
	.opts = kd_peer_opts,
	.opts_size = sizeof(struct kd_peer_options),
	.run = run,
};
