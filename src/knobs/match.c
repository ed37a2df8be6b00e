// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a value that was read back means the one that was written. See knob.h.
 *
 * The kernel prints "Y" for a bool written as "1", tabs between the numbers of
 * tcp_wmem, hexadecimal with or without 0x, and "none [mq-deadline]" or
 * "none (voluntary) full" where one of several can be chosen.
 */
#include "knobs/knob.h"

#include "base/buf.h"
#include "base/parse.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static const char *next_word(const char *s, size_t *len)
{
	while (isspace((unsigned char)*s))
		s++;
	*len = 0;
	while (s[*len] && !isspace((unsigned char)s[*len]))
		++*len;
	return s;
}

/* the one word in brackets of a list of two or more; NULL: no such list */
static const char *choice(const char *s, size_t *len)
{
	const char *found = NULL;
	size_t words = 0, n;

	for (s = next_word(s, &n); n; s = next_word(s + n, &n), words++) {
		if (n < 3 || !((s[0] == '[' && s[n - 1] == ']') ||
			       (s[0] == '(' && s[n - 1] == ')')))
			continue;
		if (found)
			return NULL;
		found = s + 1;
		*len = n - 2;
	}
	return words > 1 || (found && found[-1] == '[') ? found : NULL;
}

int kd_knob_settable(const char *seen, struct kd_buf *out)
{
	size_t len;
	const char *word = choice(seen, &len);

	return word ? kd_buf_add(out, word, len) : kd_buf_puts(out, seen);
}

static bool number(const char *s, size_t len, double *out)
{
	char word[64];
	int64_t whole;
	uint64_t bits = 0;
	size_t i;

	if (!len || len >= sizeof(word))
		return false;
	memcpy(word, s, len);
	word[len] = '\0';
	if (word[0] != '0' || (word[1] | 32) != 'x') {
		if (!kd_parse_i64(word, &whole)) {
			*out = (double)whole;
			return true;
		}
		return !kd_parse_double(word, out);
	}
	for (i = 2; i < len && isxdigit((unsigned char)word[i]) && i < 18; i++)
		bits = bits << 4 | (unsigned int)(isdigit((unsigned char)word[i]) ?
			word[i] - '0' : (word[i] | 32) - 'a' + 10);
	*out = (double)bits;
	return i == len && len > 2;
}

/* doubles hold whole numbers to 2^53; beyond, only the same text is the same */
#define EXACT 9007199254740992.0

static bool same_word(const char *a, size_t na, const char *b, size_t nb)
{
	double x, y;

	if (na == nb && !memcmp(a, b, na))
		return true;
	return number(a, na, &x) && number(b, nb, &y) && x == y &&
	       x < EXACT && x > -EXACT;
}

static bool same_words(const char *a, const char *b)
{
	size_t na, nb;

	do {
		a = next_word(a, &na);
		b = next_word(b, &nb);
		if (!na || !nb)
			return na == nb;
		if (!same_word(a, na, b, nb))
			return false;
		a += na;
		b += nb;
	} while (1);
}

static bool same_bool(const char *a, const char *b)
{
	bool p, q;

	return !kd_parse_bool(a, &p) && !kd_parse_bool(b, &q) && p == q;
}

static void strip(const char *s, struct kd_buf *out)
{
	size_t n;

	kd_knob_settable(s, out);
	for (n = out->len; n && isspace((unsigned char)out->data[n - 1]); n--)
		out->data[--out->len] = '\0';
}

enum kd_knob_match kd_knob_match_text(const char *wanted, const char *seen)
{
	struct kd_buf a = { 0 }, b = { 0 };
	bool same;

	if (!strcmp(wanted, seen))
		return KD_KNOB_SAME;
	strip(wanted, &a);
	strip(seen, &b);
	same = !a.err && !b.err &&
	       (same_words(kd_buf_str(&a), kd_buf_str(&b)) ||
		same_bool(kd_buf_str(&a), kd_buf_str(&b)));
	kd_buf_fini(&a);
	kd_buf_fini(&b);
	return same ? KD_KNOB_SAME : KD_KNOB_DIFFERS;
}

enum kd_knob_match kd_knob_match_rounded(const char *wanted, const char *seen)
{
	uint64_t a, b;

	if (kd_knob_match_text(wanted, seen) == KD_KNOB_SAME)
		return KD_KNOB_SAME;
	if (kd_parse_u64(wanted, &a) || kd_parse_u64(seen, &b) || !a || !b ||
	    a / 2 > b || b / 2 > a)
		return KD_KNOB_DIFFERS;
	return KD_KNOB_ROUNDED;
}

enum kd_knob_match kd_knob_match(const struct kd_knob_ops *ops,
				 const char *wanted, const char *seen)
{
	return ops->match ? ops->match(wanted, seen) :
			    kd_knob_match_text(wanted, seen);
}
