/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_REPORTS_WORDS_H
#define KD_REPORTS_WORDS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct kd_comparison;
struct kd_dataset;
struct kd_analysis;
struct kd_measure;
struct kd_diag;

/*
 * Numbers and names as people read them, the same in every format. All use the
 * C locale's point. Names come from files and may hold anything.
 */

/** kd_rep_columns() - columns that UTF-8 text takes on a terminal */
size_t kd_rep_columns(const char *s);

/** kd_rep_name() - append @s on one line: control characters as \n, \x1b,
 * broken UTF-8 as '?' */
void kd_rep_name(struct kd_buf *out, const char *s);

/** kd_rep_fit() - append @s as kd_rep_name(), in at most @columns: the middle
 * is left out, for names often differ at an end */
void kd_rep_fit(struct kd_buf *out, const char *s, size_t columns);

/** kd_rep_wrap() - print @text in lines of at most @width columns; words that
 * are longer are cut */
void kd_rep_wrap(FILE *out, const char *text, int width, const char *first,
		 const char *others);

/**
 * kd_rep_decimals() - places behind the point for a measure's figures
 *
 * As many as the samples have, and one more for means of few; for samples with
 * all digits of a double three digits of the smallest spread. Never so few
 * that two different means look the same.
 */
int kd_rep_decimals(const struct kd_dataset *ds, const struct kd_analysis *a,
		    size_t measure);

/** kd_rep_value() - append a figure with @decimals places; "-" for a NAN */
void kd_rep_value(struct kd_buf *out, double v, int decimals);

/** kd_rep_change() - append "+21.44 %", or with KD_FLAG_DIFFERENCE "+0.5 W" */
void kd_rep_change(struct kd_buf *out, const struct kd_comparison *c,
		   double change, const char *unit);

/** kd_rep_interval() - append "+12.31..+31.12 %"; "-" where there is none */
void kd_rep_interval(struct kd_buf *out, const struct kd_comparison *c,
		     const char *unit);

/** kd_rep_pct() - append "+21.44 %": two places, three digits at the most,
 * more where it would look like nothing */
void kd_rep_pct(struct kd_buf *out, double fraction);

/** kd_rep_median() - append "by median +1.20 % [+0.80..+1.60 %]" where the
 * change of the median has an interval; else nothing */
void kd_rep_median(struct kd_buf *out, const struct kd_comparison *c);

/** kd_rep_p() - append "0.031", "0.0012", "<0.0001"; "-" for a NAN */
void kd_rep_p(struct kd_buf *out, double p);

/** kd_rep_measure() - append "tx throughput" */
void kd_rep_measure(struct kd_buf *out, const struct kd_measure *m);

/** kd_rep_better() - "higher is better", "lower is better", "no good side" */
const char *kd_rep_better(const struct kd_measure *m);

/** kd_rep_flags() - append the words of all flags, joined by "; " */
void kd_rep_flags(struct kd_buf *out, unsigned int flags);

/**
 * kd_rep_needed() - append what an unclear verdict needs: "needs 12 rounds for
 * the change seen, 40 for one of 2 %"; nothing where it cannot be said
 */
void kd_rep_needed(struct kd_buf *out, const struct kd_analysis *a,
		   const struct kd_comparison *c);

/** kd_rep_is_tested() - is it a row with a comparison (not the baseline, not
 * a variant without samples) */
bool kd_rep_is_tested(const struct kd_dataset *ds, const struct kd_analysis *a,
		      size_t measure, size_t variant);

/** kd_rep_n() - samples of a variant in a measure */
size_t kd_rep_n(const struct kd_analysis *a, size_t measure, size_t variant);

/** kd_rep_id() - append @s for programs that take few characters: letters,
 * digits and @also; all else is '_' */
void kd_rep_id(struct kd_buf *out, const char *s, const char *also);

/** kd_rep_done() - check @out for write errors; 0 or -errno with words */
int kd_rep_done(FILE *out, struct kd_diag *d);

#endif
