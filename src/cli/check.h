/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_CHECK_H
#define KD_CLI_CHECK_H

#include "base/diag.h"
#include "stats/boundary.h"
#include "stats/dataset.h"
#include "stats/sequential.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kd_buf;
struct kd_store;

enum kd_check_verdict { KD_CHECK_GOOD, KD_CHECK_BAD, KD_CHECK_UNSURE };

/** kd_check_name() - "good", "bad", "unsure" */
const char *kd_check_name(enum kd_check_verdict v);

/**
 * struct kd_reference - a stored state that is known to be good or bad
 * @name:    as given: "ID", "NAME", either with ":VARIANT"
 * @id:      of the experiment
 * @variant: index in @ds
 */
struct kd_reference {
	const char *name;
	int64_t id;
	struct kd_dataset ds;
	size_t variant;
};

/**
 * kd_reference_load() - find and read it
 *
 * Where no variant is named the experiment must have runs of one alone.
 * Caller frees with kd_reference_fini().
 */
int kd_reference_load(struct kd_store *store, const char *name,
		      struct kd_reference *out, struct kd_diag *d);
void kd_reference_fini(struct kd_reference *ref);

/** struct kd_check_measure - one metric; texts borrowed from the dataset */
struct kd_check_measure {
	const char *workload, *metric, *unit;
	size_t n;
	struct kd_boundary line;
	double p;		/* after the stopping rule and the family */
	enum kd_check_verdict verdict;
	const char *why;
};

/**
 * struct kd_check - one look at the present state
 * @good, @bad: references; @bad NULL: a loss of @loss is bad
 * @metric:     shell patterns joined by '\n'; NULL: the primary metrics
 * @alpha:      chance of a wrong answer for a state on the line
 * @verdict:    bad where any metric is bad, good where all are good
 */
struct kd_check {
	const struct kd_reference *good, *bad;
	const char *metric;
	double loss;
	double alpha;
	struct kd_check_measure *measures;
	size_t n;
	enum kd_check_verdict verdict;
};

/**
 * kd_check_look() - judge @here, whose variant 0 is the present state
 * @seq: the bounds of this look
 * Return: 0; -EINVAL with what the references lack.
 */
int kd_check_look(struct kd_check *c, const struct kd_dataset *here,
		  const struct kd_seq *seq, struct kd_diag *d);
void kd_check_fini(struct kd_check *c);

/**
 * kd_check_references() - can the references judge anything
 *
 * Of good and bad ones only what differs between them can.
 * Return: 0, or -EINVAL.
 */
int kd_check_references(const struct kd_check *c, struct kd_diag *d);

void kd_check_text(const struct kd_check *c, int rounds, int width, FILE *out);
void kd_check_json(const struct kd_check *c, int rounds, int64_t id,
		   FILE *out);

#endif
