// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words. See str.h.
 */
#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 63

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* optimal string alignment distance, three rows of its table at a time */
unsigned int kd_str_distance(const char *a, const char *b)
{
	size_t la = strnlen(a, WORD_MAX), lb = strnlen(b, WORD_MAX);
	unsigned int rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *up = rows[(i + 2) % 3];
		const unsigned int *up2 = rows[(i + 1) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int cost = a[i - 1] != b[j - 1];

			row[j] = min3(up[j] + 1, row[j - 1] + 1,
				      up[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && up2[j - 2] + 1 < row[j])
				row[j] = up2[j - 2] + 1;
		}
	}
	return rows[la % 3][lb];
}

const char *kd_str_nearest(const char *s, const void *words, size_t n,
			   size_t stride)
{
	size_t len = strlen(s);
	unsigned int best = (unsigned int)(len < 3 ? 1 : (len + 2) / 3);
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *w = *(const char *const *)((const char *)words +
						       i * stride);
		unsigned int dist;

		if (!w)
			continue;
		dist = kd_str_distance(s, w);
		if (dist < best || (dist == best && !found)) {
			best = dist;
			found = w;
		}
	}
	return found;
}

char *kd_str_trim(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	return s;
}

bool kd_str_has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}
