/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_REPORTS_CSV_FIELD_H
#define KD_REPORTS_CSV_FIELD_H

#include <stdio.h>

/**
 * kd_csv_field() - print text as one field: in quotes where it holds a comma,
 * quote, line's end or blanks at its ends; with a ' before what a spreadsheet
 * would take for a formula
 */
void kd_csv_field(FILE *out, const char *s);

/** kd_csv_number() - the shortest text that reads back as the same double;
 * empty for a NAN. Returns @out, 32 bytes. */
const char *kd_csv_number(char *out, double v);

#endif
