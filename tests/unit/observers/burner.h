/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TESTS_OBSERVERS_BURNER_H
#define KD_TESTS_OBSERVERS_BURNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct burner - a process in a control group of its own, that burns CPU time
 * when told
 *
 * It sleeps at all other times, so that no counter of it is under way when
 * burner_burn() returns.
 */
struct burner {
	char group[256];
	pid_t pid;
	int fd;
};

/** burner_start() - @thread: a second thread, named kd-burner as the first one,
 * does the burning */
void burner_start(struct burner *b, bool thread);

/** burner_burn() - have it burn @ms of CPU time; wait until it sleeps again */
void burner_burn(const struct burner *b, int ms);

/** burner_used_ns() - by the control group's account */
uint64_t burner_used_ns(const struct burner *b);

/** burner_end() - let it exit and be reaped; the group stays to be asked */
void burner_end(struct burner *b);

/** burner_fini() - remove the group */
void burner_fini(struct burner *b);

#endif
