/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_CSV_H
#define KD_IMPORTS_CSV_H

#include <stdbool.h>
#include <stddef.h>

/** struct kd_csv_row - the cells of a line, cut in place; trimmed */
struct kd_csv_row {
	char **cells;
	size_t n;
	size_t cap;
};

/** kd_csv_delimiter() - the one that a line uses: ',', ';' or tab; 0: none */
char kd_csv_delimiter(const char *line);

/** kd_csv_count() - delimiters in a line outside of quotes */
size_t kd_csv_count(const char *line, char delimiter);

/** kd_csv_split() - cut @line at its delimiters; 0 or -ENOMEM */
int kd_csv_split(char *line, char delimiter, struct kd_csv_row *row);

void kd_csv_fini(struct kd_csv_row *row);

#endif
