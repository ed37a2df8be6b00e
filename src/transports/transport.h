/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TRANSPORTS_TRANSPORT_H
#define KD_TRANSPORTS_TRANSPORT_H

#include "base/diag.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kd_opt;

/* bytes may be lost or mixed with a console's text: framed with CRC */
#define KD_TRANSPORT_LOSSY 1u
/* requests are read to their end before the device starts; one boot each time.
 * The command also takes "--seed N" (below 2^31), "--console FILE" and
 * "--quiet", appended; where the device did not end well the last line of
 * that file says why */
#define KD_TRANSPORT_BATCH 2u
/* the device can be power-cycled or rebooted under us */
#define KD_TRANSPORT_REBOOTS 4u
/* the device is this machine */
#define KD_TRANSPORT_LOCAL 8u

/**
 * struct kd_pipe - an agent at the other end of a command
 * @in:  read its answers here
 * @out: write requests here
 * @pid: of the command
 */
struct kd_pipe {
	int in;
	int out;
	pid_t pid;
};

/**
 * struct kd_transport_ops - a way to start an agent elsewhere
 * @name:  word in "dut: { NAME: ... }"
 * @opts:  options; a bare value ("ssh: root@board") is the first row's
 * @argv:  build the command that gives a byte pipe to kdelta-agent; the words
 *         are the caller's to free, as is the array
 * @boots: of a KD_TRANSPORT_BATCH transport: how many devices these options allow
 *         at once; 0: one, that answers while requests come. NULL: 1.
 */
struct kd_transport_ops {
	const char *name;
	const char *summary;
	const struct kd_opt *opts;
	size_t opts_size;
	unsigned int flags;
	int (*argv)(const void *opts, const char *agent, char ***argv,
		    struct kd_diag *d);
	unsigned int (*boots)(const void *opts);
};

extern const struct kd_transport_ops *const kd_transport_table[];

const struct kd_transport_ops *kd_transport_find(const char *name);

/** kd_pipe_open() - start @argv with its standard input and output on a pipe */
int kd_pipe_open(char *const *argv, struct kd_pipe *out, struct kd_diag *d);

/** kd_pipe_end_input() - no more requests will come */
void kd_pipe_end_input(struct kd_pipe *p);

/** kd_pipe_close() - close both ends, give the command @grace_ns to end, then
 * kill it; returns its wait status */
int kd_pipe_close(struct kd_pipe *p, unsigned long long grace_ns);

#endif
