/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_PROGRESS_H
#define KD_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_experiment;
struct kd_run_watch;

/**
 * struct kd_progress - an experiment's progress on stderr
 *
 * One line that changes where stderr is a terminal, else a line a round.
 */
struct kd_progress {
	const struct kd_experiment *exp;
	bool quiet;
	bool tty;
	int rounds;
	uint64_t started_ns;
	size_t done;
	size_t failed;
	size_t expected;
	char last[48];
};

/** kd_progress_init() - fill in @watch */
void kd_progress_init(struct kd_progress *p, const struct kd_experiment *exp,
		      bool quiet, struct kd_run_watch *watch);

/** kd_progress_end() - take the changing line away */
void kd_progress_end(struct kd_progress *p);

#endif
