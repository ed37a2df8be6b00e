/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_CONSOLE_H
#define KD_RUN_CONSOLE_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_store_run;

/**
 * struct kd_console - the file that a device's console goes to
 * @path: in the folder for temporary files, or where the user wants it
 * @kept: the user's: not removed
 */
struct kd_console {
	char *path;
	bool kept;
};

/** kd_console_open() - the file after "--console" in @argv, else a new one */
int kd_console_open(struct kd_console *c, char *const *argv, struct kd_diag *d);

/** kd_console_reason() - its last line, where that is the command's own word on
 * how the device ended ("kdelta-board: ..."); else "" */
void kd_console_reason(const struct kd_console *c, char *out, size_t size);

/** kd_console_keep() - add its end as an event "console" to @run; what cannot be
 * read is left out */
void kd_console_keep(const struct kd_console *c, struct kd_store_run *run);

void kd_console_close(struct kd_console *c);

#endif
