// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers as people write them into tables.
 *
 * A comma groups thousands only where the groups are right ("76,672"); "0,39"
 * is a decimal comma, which is refused and never read as 39 or 0.
 */
#include "imports/doc.h"

#include "base/parse.h"

#include <ctype.h>
#include <string.h>

#define DIGITS_MAX 60

static const char *skip_digits(const char *s)
{
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

/* "76,672" or "1,234,567.8" from @s; the end of the whole part */
static const char *skip_groups(const char *s)
{
	const char *p = skip_digits(s);

	if (*p != ',' || p - s > 3 || p == s || *s == '0')
		return p;
	while (*p == ',' && isdigit((unsigned char)p[1])) {
		const char *group = p + 1;

		p = skip_digits(group);
		if (p - group != 3)
			return NULL;
	}
	return p;
}

const char *kd_number_scan(const char *s, bool suffix, double *value,
			   bool *approx)
{
	char digits[DIGITS_MAX + 1];
	const char *start, *p;
	size_t n = 0;
	double v;

	if (*s == '~') {
		if (approx)
			*approx = true;
		s++;
	}
	start = s;
	if (*s == '-' || *s == '+')
		s++;
	p = skip_groups(s);
	if (!p)
		return NULL;
	if (*p == '.')
		p = skip_digits(p + 1);
	if ((*p == 'e' || *p == 'E') &&
	    isdigit((unsigned char)p[1 + (p[1] == '-' || p[1] == '+')]))
		p = skip_digits(p + 1 + (p[1] == '-' || p[1] == '+'));
	if (*p == ',' && isdigit((unsigned char)p[1]))
		return NULL;
	for (; start < p; start++) {
		if (*start == ',')
			continue;
		if (n == DIGITS_MAX)
			return NULL;
		digits[n++] = *start;
	}
	digits[n] = '\0';
	if (kd_parse_double(digits, &v))
		return NULL;
	if (suffix && *p && strchr("kKMG", *p) && !isalnum((unsigned char)p[1]) &&
	    p[1] != '/') {
		v *= *p == 'M' ? 1e6 : *p == 'G' ? 1e9 : 1e3;
		p++;
	}
	*value = v;
	return p;
}

bool kd_number_is(const char *s)
{
	double v;
	const char *end = kd_number_scan(s, false, &v, NULL);

	return end && !*end;
}
