/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_OUTPUT_H
#define KD_RUN_OUTPUT_H

#include "base/diag.h"

struct kd_experiment;
struct kd_store_run;

/** kd_output_check() - does "parse" of each workload name a log format that is
 * known; else -EINVAL with its line */
int kd_output_check(const struct kd_experiment *exp, struct kd_diag *d);

/**
 * kd_output_read() - the figures in what a run's command printed
 * @run:    its "output" event holds the text; the figures are added as
 *          "exec.METRIC", with the log's own groups as instances
 * @format: of the log
 *
 * A figure that the text holds several times counts with its mean.
 * Return: 0, -ENODATA where the text holds no figure, -EINVAL where it is not of
 * that format, or -ENOMEM.
 */
int kd_output_read(struct kd_store_run *run, const char *format,
		   struct kd_diag *d);

#endif
