// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A log as lines under labels, and the walk over its blocks.
 *
 * Logs come out of mail and forums: "> " quoting, quoted-printable soft breaks
 * and terminal colours are taken off first; columns in messages stay those of
 * the file.
 */
#include "imports/doc.h"

#include "base/parse.h"
#include "base/str.h"
#include "imports/import.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kd_doc_fail(const struct kd_doc *doc, size_t i, size_t column,
		const char *fmt, ...)
{
	const struct kd_doc_line *l = &doc->lines[i < doc->n ? i : doc->n - 1];
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return kd_fail_at(doc->d, -EINVAL, doc->file->name, l->no,
			  l->col + (int)column, "%s", text);
}

bool kd_doc_is_blank(const struct kd_doc *doc, size_t i)
{
	const char *s;

	if (i >= doc->n)
		return true;
	s = doc->lines[i].text;
	return !s[strspn(s, " \t\r\v\f")];
}

/* ESC [ ... letter, as colour codes; works in place */
static size_t drop_escapes(char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] != 0x1b) {
			s[n++] = s[i];
			continue;
		}
		if (i + 1 < len && s[i + 1] == '[') {
			i += 2;
			while (i < len && (isdigit((unsigned char)s[i]) ||
					   s[i] == ';'))
				i++;
		}
	}
	s[n] = '\0';
	return n;
}

static void unquote(struct kd_doc_line *l)
{
	while (*l->text == '>') {
		size_t n = 1 + (l->text[1] == ' ');

		l->text += n;
		l->len -= n;
		l->col += (int)n;
	}
}

static bool is_quoted(const struct kd_doc *doc)
{
	size_t quoted = 0, all = 0;

	for (size_t i = 0; i < doc->n; i++) {
		if (kd_doc_is_blank(doc, i))
			continue;
		all++;
		quoted += doc->lines[i].text[0] == '>';
	}
	return quoted * 2 >= all && quoted;
}

static int hex(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* "=20" in a line that was mailed as quoted-printable */
static void decode_printable(struct kd_doc_line *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->len; i++) {
		char c = l->text[i];

		if (c == '=' && i + 2 < l->len + 0 && hex(l->text[i + 1]) >= 0 &&
		    hex(l->text[i + 2]) >= 0) {
			c = (char)(hex(l->text[i + 1]) * 16 +
				   hex(l->text[i + 2]));
			i += 2;
			if (!c)
				c = '?';
		}
		l->text[n++] = c;
	}
	l->text[n] = '\0';
	l->len = n;
}

static bool ends_soft(const struct kd_doc_line *l)
{
	return l->len > 1 && l->text[l->len - 1] == '=' &&
	       l->text[l->len - 2] != '=';
}

/* quoted mail with lines that end in "=": join them with the next */
static void join_soft(struct kd_doc *doc)
{
	bool any = false;
	size_t n = 0;

	for (size_t i = 0; i + 1 < doc->n; i++)
		any |= ends_soft(&doc->lines[i]);
	if (!any)
		return;
	for (size_t i = 0; i < doc->n; i++) {
		struct kd_doc_line l = doc->lines[i];

		while (ends_soft(&l) && i + 1 < doc->n) {
			const struct kd_doc_line *next = &doc->lines[i + 1];

			/* the next line's text lies behind this one's */
			memmove(l.text + l.len - 1, next->text, next->len);
			l.len += next->len - 1;
			l.text[l.len] = '\0';
			i++;
		}
		decode_printable(&l);
		doc->lines[n++] = l;
	}
	doc->n = n;
}

static int cut_lines(struct kd_doc *doc, const struct kd_import_file *f)
{
	const char *cur = doc->store, *end = doc->store + f->len, *text;
	size_t lines = 1, len;
	int no = 0;

	for (size_t i = 0; i < f->len; i++)
		lines += f->data[i] == '\n';
	if (lines > KD_IMPORT_LINES_MAX)
		return kd_fail_at(doc->d, -E2BIG, f->name, 0, 0,
				  "%zu lines; at most %d can be read", lines,
				  KD_IMPORT_LINES_MAX);
	doc->lines = calloc(lines, sizeof(*doc->lines));
	if (!doc->lines)
		return kd_fail(doc->d, -ENOMEM, "out of memory");
	while ((text = kd_parse_line(&cur, end, &len))) {
		struct kd_doc_line *l = &doc->lines[doc->n++];

		if (len > KD_IMPORT_LINE_MAX)
			return kd_fail_at(doc->d, -E2BIG, f->name, no + 1, 1,
					  "a line of %zu bytes; at most %u can be read",
					  len, KD_IMPORT_LINE_MAX);

		l->text = doc->store + (text - doc->store);
		l->no = ++no;
		l->col = 1;
		l->len = len;
	}
	/* only now, as the search for the next line is over */
	for (size_t i = 0; i < doc->n; i++) {
		struct kd_doc_line *l = &doc->lines[i];

		l->len = drop_escapes(l->text, l->len);
	}
	return 0;
}

static void take_stem(struct kd_doc *doc, const char *name)
{
	const char *base = strrchr(name, '/');
	char *dot;

	snprintf(doc->stem, sizeof(doc->stem), "%s", base ? base + 1 : name);
	dot = strrchr(doc->stem, '.');
	if (dot && dot != doc->stem)
		*dot = '\0';
}

int kd_doc_open(struct kd_doc *doc, const struct kd_import_file *f,
		struct kd_dataset *ds, struct kd_diag *d)
{
	const char *nul = memchr(f->data, '\0', f->len);
	const char *start = f->data;
	int line = 1, r;

	*doc = (struct kd_doc){ .file = f, .ds = ds, .d = d };
	if (nul) {
		for (const char *p = f->data; p < nul; p++) {
			if (*p == '\n') {
				line++;
				start = p + 1;
			}
		}
		kd_fail_at(d, -EINVAL, f->name, line, (int)(nul - start) + 1,
			   "a NUL byte: this is no text");
		kd_diag_hint(d, "give the tool's text or JSON output");
		return -EINVAL;
	}
	take_stem(doc, f->name);
	doc->store = malloc(f->len + 1);
	if (!doc->store)
		return kd_fail(d, -ENOMEM, "out of memory");
	memcpy(doc->store, f->data, f->len);
	doc->store[f->len] = '\0';
	r = cut_lines(doc, f);
	if (r) {
		kd_doc_close(doc);
		return r;
	}
	if (doc->n && is_quoted(doc)) {
		join_soft(doc);
		for (size_t i = 0; i < doc->n; i++)
			unquote(&doc->lines[i]);
	}
	return 0;
}

void kd_doc_close(struct kd_doc *doc)
{
	free(doc->lines);
	free(doc->store);
	*doc = (struct kd_doc){ 0 };
}
