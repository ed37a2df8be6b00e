/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_REPORTS_TABLE_H
#define KD_REPORTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct kd_table - rows of text cells; the first row is the heading
 * @columns: of each row
 * @cells:   @columns * rows strings, owned
 * @err:     -ENOMEM once a cell could not be added
 *
 * Column 0 stands left, all others right, but for @left.
 */
struct kd_table {
	size_t columns;
	char **cells;
	size_t n_cells;
	unsigned int left;	/* bit per column: stands left */
	int err;
};

void kd_table_cell(struct kd_table *t, const char *text);

/** kd_table_width() - columns on the terminal that it takes */
size_t kd_table_width(const struct kd_table *t, size_t indent);

/**
 * kd_table_print() - print it
 * @indent: blanks before each row
 * @colour: verdict words get their colour
 */
void kd_table_print(FILE *out, const struct kd_table *t, size_t indent,
		    bool colour);

void kd_table_fini(struct kd_table *t);

#endif
