/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_TABLE_H
#define KD_IMPORTS_TABLE_H

#include "imports/cell.h"
#include "imports/doc.h"

/**
 * struct kd_table - names across, names down, a value in each cell
 * @param: name of the first column; "" where it has none
 * @n:     columns of values, their names and units
 * @rows:  labels and cells
 */
struct kd_table_row {
	size_t line;
	char label[KD_IMPORT_LABEL_MAX];
	char unit[40];
	struct kd_cell *cells;
};

struct kd_table {
	struct kd_doc *doc;
	size_t head;
	char param[KD_IMPORT_LABEL_MAX];
	size_t n;
	char names[KD_CELLS_MAX][KD_IMPORT_LABEL_MAX];
	char units[KD_CELLS_MAX][40];
	struct kd_table_row *rows;
	size_t n_rows;
};

/** kd_table_add() - which way it is to be read, and its values */
int kd_table_add(struct kd_table *t);

void kd_table_free(struct kd_table *t);

#endif
