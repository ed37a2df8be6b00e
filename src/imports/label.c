// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a label says: which way data goes, or which state of the change.
 */
#include "imports/doc.h"

#include "base/str.h"
#include "imports/import.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>


static const char *const direction_words[] = {
	"tx", "rx", "ul", "dl", "uplink", "downlink", "upload", "download",
	"bidir", "bidirectional", "transmit", "receive", "send", "sent",
	"received", NULL,
};

static const char *const change_words[] = {
	"before", "after", "old", "new", "base", "baseline", "patched",
	"unpatched", "vanilla", "with", "without", "on", "off", "enabled",
	"disabled", NULL,
};

static const char *next_word(const char *s, const char **end)
{
	while (*s && !isalnum((unsigned char)*s))
		s++;
	*end = s;
	while (isalnum((unsigned char)**end) || **end == '_')
		++*end;
	return *s ? s : NULL;
}

static const char *find_word(const char *label, const char *const *words,
			     const char **end)
{
	const char *w = label;

	while ((w = next_word(w, end))) {
		for (size_t i = 0; words[i]; i++)
			if (strlen(words[i]) == (size_t)(*end - w) &&
			    !strncasecmp(w, words[i], (size_t)(*end - w)))
				return w;
		w = *end;
	}
	return NULL;
}

bool kd_label_is_direction(const char *label)
{
	const char *end;

	return find_word(label, direction_words, &end);
}

bool kd_label_is_change(const char *label)
{
	const char *end;

	return strchr(label, '=') || find_word(label, change_words, &end);
}

/* "TX, before": cut into the direction and the rest, where the rest says
 * what was changed */
static bool split(const char *label, char *direction, char *rest)
{
	const char *end, *w = find_word(label, direction_words, &end);
	char text[KD_IMPORT_LABEL_MAX], *p;
	size_t n;

	if (!w || !kd_label_is_change(label))
		return false;
	snprintf(direction, KD_IMPORT_LABEL_MAX, "%.*s", (int)(end - w), w);
	snprintf(text, sizeof(text), "%.*s%s", (int)(w - label), label, end);
	p = text + strspn(text, " \t,;:-/");
	n = strlen(p);
	while (n && strchr(" \t,;:-/", p[n - 1]))
		p[--n] = '\0';
	snprintf(rest, KD_IMPORT_LABEL_MAX, "%s", p);
	return *p;
}

static int join(const struct kd_doc *doc, const char *a, const char *b,
		char *out)
{
	int n = snprintf(out, KD_IMPORT_LABEL_MAX, "%s%s%s", a,
			 *a && *b ? " " : "", b);

	if (n < KD_IMPORT_LABEL_MAX)
		return 0;
	return kd_fail(doc->d, -E2BIG, "%s: a label of over %d bytes",
		       doc->file->name, KD_IMPORT_LABEL_MAX);
}

int kd_doc_place(const struct kd_doc *doc, const char *label, char *variant,
		 char *workload)
{
	const char *a = doc->heading, *b = *label ? label : doc->sub;
	const char *one = *a ? a : b;

	*workload = '\0';
	if (*label && *doc->sub && !strcmp(a, doc->sub))
		b = label;
	if (doc->file->label) {
		snprintf(variant, KD_IMPORT_LABEL_MAX, "%s", doc->file->label);
		return join(doc, a, b, workload);
	}
	if (*a && *b) {
		bool heading_is_variant =
			(kd_label_is_change(a) && !kd_label_is_change(b)) ||
			(kd_label_is_direction(b) && !kd_label_is_direction(a));

		join(doc, heading_is_variant ? a : b, "", variant);
		return join(doc, heading_is_variant ? b : a, "", workload);
	}
	if (!*one)
		return join(doc, doc->stem, "", variant);
	if (split(one, workload, variant))
		return 0;
	*workload = '\0';
	if (!kd_label_is_direction(one))
		return join(doc, one, "", variant);
	join(doc, doc->stem, "", variant);
	return join(doc, one, "", workload);
}
