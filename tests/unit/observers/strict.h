/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TESTS_OBSERVERS_STRICT_H
#define KD_TESTS_OBSERVERS_STRICT_H

#include <stdbool.h>

/**
 * strict_run() - call @work in a process that may not do what a sample may not
 * @may_open: but it may open files
 *
 * The kernel ends that process at a call that opens, maps memory, starts a
 * process or writes; malloc() and its like (of this program, not of the C
 * library's own code) end it as well.
 * Return: true where it came to its end; else what it did is printed.
 */
bool strict_run(void (*work)(void *arg), void *arg, bool may_open);

#endif
