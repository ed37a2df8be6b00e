/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_REPORT_H
#define KD_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct kd_diag;

/**
 * kd_cli_report() - a stored experiment on standard output
 * @store:  path, or NULL
 * @format: name of a report format
 * @worse:  set where a primary metric is worse; may be NULL
 */
int kd_cli_report(const char *store, int64_t id, const char *format,
		  bool *worse, struct kd_diag *d);

#endif
