/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TRANSPORTS_ARGV_H
#define KD_TRANSPORTS_ARGV_H

#include <stddef.h>

struct kd_diag;

/** struct kd_argv - a command being put together; all zero is empty */
struct kd_argv {
	char **words;
	size_t n;
	int err;
};

/** kd_argv_add() - append a copy of @word; errors are kept for _take() */
void kd_argv_add(struct kd_argv *a, const char *word);

/** kd_argv_add_words() - append the words of @text, as a shell without
 * expansions splits it: blanks, '...', "...", backslash */
void kd_argv_add_words(struct kd_argv *a, const char *text);

/** kd_argv_take() - the NULL-terminated array, the caller's */
int kd_argv_take(struct kd_argv *a, char ***out, struct kd_diag *d);

/** kd_argv_free() - what _take() gave; NULL is fine */
void kd_argv_free(char **argv);

#endif
