// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Putting a command together. See argv.h.
 */
#include "transports/argv.h"

#include "base/buf.h"
#include "base/diag.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void kd_argv_add(struct kd_argv *a, const char *word)
{
	char **words = reallocarray(a->words, a->n + 2, sizeof(*words));

	if (!words) {
		a->err = -ENOMEM;
		return;
	}
	a->words = words;
	words[a->n] = strdup(word);
	words[a->n + 1] = NULL;
	if (!words[a->n])
		a->err = -ENOMEM;
	else
		a->n++;
}

void kd_argv_add_words(struct kd_argv *a, const char *text)
{
	struct kd_buf word = { 0 };
	bool started = false;
	char quote = '\0';

	for (; *text; text++) {
		if (quote && *text == quote) {
			quote = '\0';
		} else if (!quote && (*text == '\'' || *text == '"')) {
			quote = *text;
			started = true;
		} else if (*text == '\\' && quote != '\'' && text[1]) {
			kd_buf_add(&word, ++text, 1);
			started = true;
		} else if (!quote && isspace((unsigned char)*text)) {
			if (started)
				kd_argv_add(a, kd_buf_str(&word));
			kd_buf_reset(&word);
			started = false;
		} else {
			kd_buf_add(&word, text, 1);
			started = true;
		}
	}
	if (quote)
		a->err = -EINVAL;
	else if (started)
		kd_argv_add(a, kd_buf_str(&word));
	kd_buf_fini(&word);
}

int kd_argv_take(struct kd_argv *a, char ***out, struct kd_diag *d)
{
	int r = a->err;

	if (!r && !a->n)
		r = -EINVAL;
	if (r) {
		kd_argv_free(a->words);
		*a = (struct kd_argv){ 0 };
		return kd_fail(d, r, r == -ENOMEM ? "out of memory" :
			       "the command is empty or a quote is not closed");
	}
	*out = a->words;
	*a = (struct kd_argv){ 0 };
	return 0;
}

void kd_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}
