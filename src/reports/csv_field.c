// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fields of a CSV file. See csv_field.h.
 */
#include "reports/csv_field.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void kd_csv_field(FILE *out, const char *s)
{
	size_t len = strlen(s);
	bool formula = len && strchr("=+-@", s[0]);
	bool quote = formula || strpbrk(s, ",\"\r\n") ||
		     (len && (s[0] == ' ' || s[len - 1] == ' '));

	if (!quote) {
		fputs(s, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

const char *kd_csv_number(char *out, double v)
{
	out[0] = '\0';
	for (int digits = 6; !isnan(v) && digits <= 17; digits++) {
		snprintf(out, 32, "%.*g", digits, v);
		if (strtod(out, NULL) == v)
			break;
	}
	return out;
}
