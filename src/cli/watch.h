/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_WATCH_H
#define KD_CLI_WATCH_H

#include "base/diag.h"

#include <stdint.h>

struct kd_buf;
struct kd_root;
struct kd_store_run;

/* what shells and timeout(1) end with where a command cannot be run */
#define KD_WATCH_NOT_RUNNABLE 126
#define KD_WATCH_NOT_FOUND 127

/**
 * struct kd_watch - a command under the observers
 * @argv:     the command
 * @observers: "cpu,irq" or "tasks:top=20" joined by '\n'
 * @root:     where they read
 * @period_ns: between samples
 * @skipped:  filled in: a line for each observer that cannot work here
 */
struct kd_watch {
	char *const *argv;
	const char *observers;
	const struct kd_root *root;
	uint64_t period_ns;
	struct kd_buf *skipped;
};

/**
 * kd_watch_run() - run it once, with this process's standard files
 * @run:  metrics, series, histograms and events are added, those of the command
 *        itself as "command.*"
 * @code: what a shell would say: its exit status, 128 and the number of the
 *        signal that ended it, 126 or 127
 *
 * SIGINT and SIGQUIT are the command's alone meanwhile; SIGTERM and SIGHUP are
 * passed on to it.
 * Return: 0 where the command ran, or could not be found; else why not.
 */
int kd_watch_run(const struct kd_watch *w, struct kd_store_run *run, int *code,
		 struct kd_diag *d);

#endif
