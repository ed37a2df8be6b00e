// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cells of tables that were made for people. See cell.h.
 */
#include "imports/cell.h"

#include "imports/doc.h"
#include "imports/unit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

size_t kd_cells_split(const char *line, struct kd_span out[KD_CELLS_MAX])
{
	const char *last_close = strrchr(line, ')');
	size_t n = 0, stars = 0;
	const char *p = line;

	for (const char *s = line; *s; s++)
		stars += *s == '*';
	while (*p) {
		bool starred = false;
		const char *start, *end;
		int depth = 0;

		p += strspn(p, " \t\r");
		if (!*p)
			break;
		if (n == KD_CELLS_MAX)
			return 0;
		start = end = p;
		for (; *p; p++) {
			if (*p == '(' && p < last_close)
				depth++;
			else if (*p == ')' && depth)
				depth--;
			else if (*p == '*' && stars % 2 == 0)
				starred = !starred;
			if (!depth && !starred &&
			    (*p == '\t' || (*p == ' ' && p[1] == ' ')))
				break;
			if (*p != ' ' && *p != '\r')
				end = p + 1;
		}
		out[n++] = (struct kd_span){ start, (size_t)(end - start) };
	}
	return n;
}

static bool is_missing(const char *s)
{
	static const char *const words[] = {
		"-", "--", "n/a", "na", "nan", "x", "fail", "failed", "?",
		NULL,
	};

	for (size_t i = 0; words[i]; i++)
		if (!strcasecmp(s, words[i]))
			return true;
	return false;
}

static const char *skip(const char *s)
{
	return s + strspn(s, " \t");
}

/* "( 42% )", "(-P5)", "* -25.93%*" */
static const char *parse_second(const char *p, struct kd_cell *out)
{
	char close = *p == '(' ? ')' : '*';
	const char *end = strchr(p + 1, close), *q;
	size_t n;

	if (!end)
		return NULL;
	q = kd_number_scan(skip(p + 1), false, &out->second, NULL);
	if (q && *q == '%') {
		strcpy(out->second_unit, "%");
		q++;
	}
	if (q && skip(q) == end) {
		out->has_second = true;
		return end + 1;
	}
	if (close == '*')
		return NULL;
	out->second_unit[0] = '\0';
	n = (size_t)(end - p - 1);
	if (n >= sizeof(out->remark))
		return NULL;
	snprintf(out->remark, sizeof(out->remark), "%.*s", (int)n, p + 1);
	return end + 1;
}

static const char *parse_spread(const char *p, struct kd_cell *out)
{
	static const char *const marks[] = { "\302\261", "+/-", "+-", NULL };
	double v;

	for (size_t i = 0; marks[i]; i++) {
		size_t n = strlen(marks[i]);

		if (strncmp(p, marks[i], n))
			continue;
		p = kd_number_scan(skip(p + n), false, &v, NULL);
		out->spread = true;
		if (p && *p == '%')
			p++;
		return p ? skip(p) : NULL;
	}
	return p;
}

bool kd_cell_parse(struct kd_span s, struct kd_cell *out)
{
	char text[96];
	const char *p;
	struct kd_unit u;
	size_t n;

	*out = (struct kd_cell){ 0 };
	if (!s.len || s.len >= sizeof(text))
		return false;
	memcpy(text, s.text, s.len);
	text[s.len] = '\0';
	n = strcspn(text, " ");
	if (!text[n] || kd_unit_parse(text + n + 1, false, &u)) {
		char end = text[n];

		text[n] = '\0';
		out->missing = is_missing(text);
		text[n] = end;
		if (out->missing && end && strlen(text + n + 1) < 40)
			strcpy(out->unit, text + n + 1);
		if (out->missing)
			return true;
	}
	p = kd_number_scan(text, true, &out->value, NULL);
	if (!p)
		return false;
	p = parse_spread(skip(p), out);
	if (!p)
		return false;
	n = strcspn(p, " (*");
	if (n && n < sizeof(out->unit)) {
		snprintf(out->unit, sizeof(out->unit), "%.*s", (int)n, p);
		if (!kd_unit_parse(out->unit, false, &u))
			return false;
	} else if (n) {
		return false;
	}
	p = parse_spread(skip(p + n), out);
	if (p && (*p == '(' || *p == '*'))
		p = parse_second(p, out);
	return p && !*skip(p);
}

void kd_name_unit(struct kd_span s, char *name, size_t size, char unit[40])
{
	char text[KD_IMPORT_LABEL_MAX], *open;
	struct kd_unit u;
	size_t n;

	if (s.len >= sizeof(text))
		s.len = sizeof(text) - 1;
	memcpy(text, s.text, s.len);
	text[s.len] = '\0';
	unit[0] = '\0';
	n = strlen(text);
	if (n && (text[n - 1] == ')' || text[n - 1] == ']')) {
		open = strrchr(text, text[n - 1] == ')' ? '(' : '[');
		if (open && strlen(open) < 40) {
			text[n - 1] = '\0';
			if (kd_unit_parse(open + 1, false, &u)) {
				strcpy(unit, open + 1);
				*open = '\0';
			} else {
				text[n - 1] = s.text[n - 1];
			}
		}
	}
	n = strlen(text);
	while (n && strchr(" \t:,", text[n - 1]))
		text[--n] = '\0';
	snprintf(name, size, "%s", text);
}

bool kd_is_rule(const char *line)
{
	const char *s = line + strspn(line, " \t");

	if (!*s || !strchr("-=~", *s))
		return false;
	return !s[strspn(s, "-=~ \t\r|+")] &&
	       (s[1] == s[0] || !s[1]);
}
