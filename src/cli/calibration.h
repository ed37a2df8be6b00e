/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_CALIBRATION_H
#define KD_CLI_CALIBRATION_H

#include "stats/calibration.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kd_experiment;

/**
 * struct kd_cli_calibration - what "kdelta calibrate" prints
 * @exp:  its plan and its number of rounds; borrowed
 * @seed: of the first experiment
 * @first_id, @last_id: in the store
 * @runs: that were good
 */
struct kd_cli_calibration {
	const struct kd_experiment *exp;
	struct kd_calibration sum;
	int64_t seed;
	int64_t first_id, last_id;
	unsigned int runs;
};

/** kd_cli_calibration_is_bad() - is the whole 95 % interval of the rate of
 * false verdicts above the plan's alpha */
bool kd_cli_calibration_is_bad(const struct kd_cli_calibration *c);

void kd_cli_calibration_text(const struct kd_cli_calibration *c, int width,
			     FILE *out);
void kd_cli_calibration_json(const struct kd_cli_calibration *c, FILE *out);

#endif
