/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_CELL_H
#define KD_IMPORTS_CELL_H

#include <stdbool.h>
#include <stddef.h>

#define KD_CELLS_MAX 64

/**
 * struct kd_cell - "~3.7", "644 Mbps (42%)", "54.44 * -25.93%*", "500(-P5)"
 * @missing: "-", "n/a": no value
 * @unit:    as written, may be empty
 * @has_second: a number in parentheses or between stars, in @second_unit
 * @remark:  other text in parentheses
 * @spread:  a "+-" figure was there
 */
struct kd_cell {
	bool missing;
	double value;
	char unit[40];
	bool has_second;
	double second;
	char second_unit[8];
	char remark[40];
	bool spread;
};

/** struct kd_span - a piece of a line */
struct kd_span {
	const char *text;
	size_t len;
};

/**
 * kd_cells_split() - cut a line where two blanks or a tab stand outside of
 * parentheses and stars
 * Return: how many; 0 where there are more than KD_CELLS_MAX.
 */
size_t kd_cells_split(const char *line, struct kd_span out[KD_CELLS_MAX]);

/** kd_cell_parse() - is the whole span one value */
bool kd_cell_parse(struct kd_span s, struct kd_cell *out);

/**
 * kd_name_unit() - cut "name (unit)" or "name [unit]" into both
 * @unit: "" where there is none that is known; the name keeps it then
 */
void kd_name_unit(struct kd_span s, char *name, size_t size, char unit[40]);

/** kd_is_rule() - a line of "====" or "----" runs and blanks */
bool kd_is_rule(const char *line);

#endif
