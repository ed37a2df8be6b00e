// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text to numbers. See parse.h.
 *
 * strtod() follows the locale; nothing in kdelta calls setlocale() for
 * LC_NUMERIC, which is what keeps the point a point.
 */
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", 0x1p10 }, { "kib", 0x1p10 }, { "kb", 1e3 },
	{ "m", 0x1p20 }, { "mib", 0x1p20 }, { "mb", 1e6 },
	{ "g", 0x1p30 }, { "gib", 0x1p30 }, { "gb", 1e9 },
	{ "t", 0x1p40 }, { "tib", 0x1p40 }, { "tb", 1e12 },
	{ NULL, 0 },
};

static const struct unit time_units[] = {
	{ "", 1e9 },
	{ "ns", 1 },
	{ "us", 1e3 }, { "usec", 1e3 },
	{ "ms", 1e6 }, { "msec", 1e6 },
	{ "s", 1e9 }, { "sec", 1e9 },
	{ "min", 60e9 }, { "m", 60e9 },
	{ "h", 3600e9 },
	{ NULL, 0 },
};

static const struct unit rate_units[] = {
	{ "", 1 },
	{ "bit", 1 }, { "bit/s", 1 },
	{ "k", 1e3 }, { "kbit", 1e3 }, { "kbit/s", 1e3 },
	{ "m", 1e6 }, { "mbit", 1e6 }, { "mbit/s", 1e6 },
	{ "g", 1e9 }, { "gbit", 1e9 }, { "gbit/s", 1e9 },
	{ NULL, 0 },
};

int kd_parse_i64(const char *s, int64_t *out)
{
	char *end;
	long long v;

	if (!isdigit((unsigned char)s[s[0] == '-' || s[0] == '+']))
		return -EINVAL;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno)
		return -ERANGE;
	*out = v;
	return 0;
}

int kd_parse_u64(const char *s, uint64_t *out)
{
	char *end;
	unsigned long long v;

	if (!isdigit((unsigned char)s[0]))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno)
		return -ERANGE;
	*out = v;
	return 0;
}

int kd_parse_double(const char *s, double *out)
{
	const char *digits = s + (*s == '-' || *s == '+');
	char *end;
	double v;

	if (!isdigit((unsigned char)*digits) &&
	    !(*digits == '.' && isdigit((unsigned char)digits[1])))
		return -EINVAL;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return -EINVAL;
	v = strtod(s, &end);
	if (*end)
		return -EINVAL;
	if (!isfinite(v))
		return -ERANGE;
	*out = v;
	return 0;
}

int kd_parse_bool(const char *s, bool *out)
{
	static const char *const yes[] = { "1", "y", "yes", "on", "true" };
	static const char *const no[] = { "0", "n", "no", "off", "false" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (!strcasecmp(s, yes[i])) {
			*out = true;
			return 0;
		}
		if (!strcasecmp(s, no[i])) {
			*out = false;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_scaled(const char *s, const struct unit *units, uint64_t *out)
{
	const char *u = s + strspn(s, "0123456789.");
	size_t n = (size_t)(u - s);
	char number[64];
	uint64_t whole;
	double v;
	int r;

	if (!n || n >= sizeof(number))
		return -EINVAL;
	memcpy(number, s, n);
	number[n] = '\0';
	while (*u == ' ')
		u++;
	while (units->name && strcasecmp(u, units->name))
		units++;
	if (!units->name)
		return -EINVAL;
	if (!strchr(number, '.')) {
		r = kd_parse_u64(number, &whole);
		if (r)
			return r;
		if (units->factor >= 1 &&
		    whole > UINT64_MAX / (uint64_t)units->factor)
			return -ERANGE;
		*out = whole * (uint64_t)units->factor;
		return 0;
	}
	r = kd_parse_double(number, &v);
	if (r)
		return r;
	v *= units->factor;
	if (v >= 0x1p64)
		return -ERANGE;
	*out = (uint64_t)llround(v);
	return 0;
}

int kd_parse_size(const char *s, uint64_t *out)
{
	return parse_scaled(s, size_units, out);
}

int kd_parse_time(const char *s, uint64_t *out)
{
	return parse_scaled(s, time_units, out);
}

int kd_parse_rate(const char *s, uint64_t *out)
{
	return parse_scaled(s, rate_units, out);
}

int kd_parse_pct(const char *s, double *out)
{
	size_t n = strlen(s);
	char number[64];

	if (n && s[n - 1] == '%')
		n--;
	while (n && s[n - 1] == ' ')
		n--;
	if (!n || n >= sizeof(number))
		return -EINVAL;
	memcpy(number, s, n);
	number[n] = '\0';
	return kd_parse_double(number, out);
}

const char *kd_parse_line(const char **cur, const char *end, size_t *len)
{
	const char *line = *cur;
	const char *nl;

	if (line >= end)
		return NULL;
	nl = memchr(line, '\n', (size_t)(end - line));
	*cur = nl ? nl + 1 : end;
	*len = (size_t)((nl ? nl : end) - line);
	if (nl && *len && line[*len - 1] == '\r')
		--*len;
	return line;
}
