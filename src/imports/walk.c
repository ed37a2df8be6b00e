// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk over a log: blocks of figures, the labels above them, and what is
 * neither, which is told and never dropped in silence.
 */
#include "imports/doc.h"

#include "base/str.h"
#include "imports/cell.h"
#include "imports/import.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEADING_MAX 80

struct walk {
	struct kd_doc *doc;
	const struct kd_import_ops *const *ops;
	size_t claimed;
	size_t left;		/* lines that hold digits and are not known */
	size_t left_first;
	bool strong;
};

static const struct kd_import_ops *find_claim(const struct walk *w, size_t i,
					      size_t *n)
{
	for (size_t k = 0; w->ops[k]; k++) {
		*n = w->ops[k]->claim(w->doc, i);
		if (*n)
			return w->ops[k];
	}
	return NULL;
}

static bool is_variant(const struct kd_doc *doc, const char *text)
{
	for (size_t i = 0; i < doc->ds->n_variants; i++)
		if (!strcmp(doc->ds->variants[i], text))
			return true;
	return false;
}

static bool is_command(const char *text)
{
	for (const char *p = text; (p = strstr(p, " -")); p += 2)
		if (isalpha((unsigned char)p[2]) ||
		    (p[2] == '-' && isalpha((unsigned char)p[3])))
			return true;
	return *text == '$' || strstr(text, "$ ") || strstr(text, "# ");
}

static unsigned int count_words(const char *s)
{
	unsigned int n = 0;

	for (; *s; s++)
		n += *s != ' ' && (s[1] == ' ' || !s[1]);
	return n;
}

static void set_heading(struct kd_doc *doc, const char *text, size_t len)
{
	snprintf(doc->heading, sizeof(doc->heading), "%.*s", (int)len, text);
	doc->sub[0] = '\0';
	while (len && strchr(" \t:", doc->heading[len - 1]))
		doc->heading[--len] = '\0';
}

/* "# Without patches", "## TX TCP", "# bcmdhd: the system was ..." */
static void take_comment(struct kd_doc *doc, const char *text)
{
	size_t level = strspn(text, "#"), len;
	char word[HEADING_MAX];
	const char *colon;

	text += level + strspn(text + level, " \t");
	len = strlen(text);
	while (len && strchr(" \t.", text[len - 1]))
		len--;
	doc->caption[0] = '\0';
	if (!len || len >= HEADING_MAX)
		goto label;
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	if (len < 48)
		snprintf(doc->caption, sizeof(doc->caption), "%s", word);
	if (count_words(word) > 4 || is_command(word) || strchr(word, ':') ||
	    !(level > 1 || kd_label_is_change(word) ||
	      kd_label_is_direction(word)))
		goto label;
	if (level > 1)
		snprintf(doc->sub, sizeof(doc->sub), "%s", word);
	else
		set_heading(doc, word, len);
	return;
label:
	colon = strchr(text, ':');
	if (!colon || colon - text >= HEADING_MAX)
		return;
	snprintf(word, sizeof(word), "%.*s", (int)(colon - text), text);
	if (is_variant(doc, word))
		set_heading(doc, word, strlen(word));
}

static bool take_heading(struct walk *w, size_t i)
{
	struct kd_doc *doc = w->doc;
	const char *text = doc->lines[i].text + strspn(doc->lines[i].text,
						       " \t*");
	size_t len = strlen(text), n;

	while (len && strchr(" \t*", text[len - 1]))
		len--;
	if (!len || len > HEADING_MAX || kd_is_rule(text))
		return false;
	if (text[len - 1] == ':' ||
	    (i + 1 < doc->n && kd_is_rule(doc->lines[i + 1].text))) {
		set_heading(doc, text, len);
		return true;
	}
	if (len < 48 && text[len - 1] != '.' && !is_command(text) &&
	    !kd_doc_is_blank(doc, i + 1) && find_claim(w, i + 1, &n)) {
		set_heading(doc, text, len);
		return true;
	}
	return false;
}

static void leave(struct walk *w, size_t i)
{
	const char *s = w->doc->lines[i].text;

	if (kd_is_rule(s) || !s[strcspn(s, "0123456789")])
		return;
	if (!w->left++)
		w->left_first = i;
}

/* where one of the labels has fewer rows than another, somebody lost some */
static int tell_counts(const struct kd_dataset *from, struct kd_dataset *ds)
{
	for (size_t m = 0; m < from->n_measures; m++) {
		const struct kd_measure *x = &from->measures[m];
		size_t counts[KD_IMPORT_VARIANTS_MAX] = { 0 };
		size_t least = 0, most = 0;
		bool any = false;

		for (size_t i = 0; i < x->n_samples; i++)
			counts[x->samples[i].variant]++;
		for (size_t v = 0; v < ds->n_variants; v++) {
			if (!counts[v])
				continue;
			if (!any)
				least = most = v;
			any = true;
			if (counts[v] < counts[least])
				least = v;
			if (counts[v] > counts[most])
				most = v;
		}
		if (!any || counts[least] == counts[most])
			continue;
		if (kd_note(ds, "%s%s%zu %s found for %s where %s has %zu",
			    x->workload, *x->workload ? ": " : "",
			    counts[least], counts[least] == 1 ? "row" : "rows",
			    ds->variants[least], ds->variants[most],
			    counts[most]))
			return -ENOMEM;
	}
	return 0;
}

static int finish(struct walk *w)
{
	struct kd_doc *doc = w->doc;
	char snip[48];
	int r = 0;

	if (w->left && !w->strong && w->left >= w->claimed) {
		kd_doc_fail(doc, w->left_first, 0,
			    "not understood: \"%s\"; so are %zu of %zu lines with figures",
			    kd_snip(doc->lines[w->left_first].text, snip),
			    w->left, w->left + w->claimed);
		kd_diag_hint(doc->d, "see kdelta compare --help for the formats; cut the log to the part with results");
		return -EINVAL;
	}
	if (w->left)
		r = kd_note(doc->ds, "%s: %zu %s of no known format left out; the first is line %d: \"%s\"",
			    doc->stem, w->left, w->left == 1 ? "line" : "lines",
			    doc->lines[w->left_first].no,
			    kd_snip(doc->lines[w->left_first].text, snip));
	if (!r && !doc->file->label)
		r = tell_counts(doc->ds, doc->ds);
	return r ? kd_fail(doc->d, r, "out of memory") : 0;
}

/* how many formats have blocks here */
static size_t count_formats(const struct walk *w)
{
	bool seen[32] = { false };
	size_t n, formats = 0;

	for (size_t i = 0; i < w->doc->n; i++) {
		const struct kd_import_ops *ops = find_claim(w, i, &n);

		if (!ops)
			continue;
		for (size_t k = 0; w->ops[k] && k < 32; k++) {
			if (w->ops[k] == ops && !seen[k]) {
				seen[k] = true;
				formats++;
			}
		}
		i += n - 1;
	}
	return formats;
}

int kd_doc_read(struct kd_doc *doc, const struct kd_import_ops *const *ops)
{
	struct walk w = { .doc = doc, .ops = ops };
	size_t n, formats = count_formats(&w);
	int r;

	if (!formats)
		return -ENOENT;
	doc->alone = formats == 1;
	for (size_t i = 0; i < doc->n; i++) {
		const struct kd_import_ops *found;

		if (kd_doc_is_blank(doc, i))
			continue;
		found = find_claim(&w, i, &n);
		if (found) {
			r = found->block(doc, i, n);
			if (r)
				return r;
			w.claimed += n;
			w.strong |= !found->weak;
			i += n - 1;
		} else if (doc->lines[i].text[strspn(doc->lines[i].text,
						     " \t")] == '#') {
			take_comment(doc, doc->lines[i].text +
				     strspn(doc->lines[i].text, " \t"));
		} else if (!take_heading(&w, i)) {
			leave(&w, i);
		}
	}
	return finish(&w);
}
