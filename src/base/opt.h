/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_OPT_H
#define KD_BASE_OPT_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_buf;

enum kd_opt_type {
	KD_OPT_BOOL,	/* bool */
	KD_OPT_INT,	/* int64_t */
	KD_OPT_SIZE,	/* uint64_t, bytes */
	KD_OPT_TIME,	/* uint64_t, ns */
	KD_OPT_RATE,	/* uint64_t, bit/s */
	KD_OPT_REAL,	/* double */
	KD_OPT_PCT,	/* double, percent */
	KD_OPT_STR,	/* char *, owned, NULL where unset */
	KD_OPT_ENUM,	/* int, index into choices */
};

/**
 * struct kd_opt - one option, declared once
 * @name:    as typed, lower case, words joined by '-'
 * @type:    says what stands at @offset
 * @offset:  into the structure that the table describes
 * @min:     smallest value allowed, in the type's unit
 * @max:     largest value allowed; 0 is no limit
 * @def:     default as text, as a user would type it; NULL is zero/unset
 * @choices: KD_OPT_ENUM: the words, NULL-terminated; their index is the value
 * @help:    one line, without full stop
 * @arg:     what the value is called in help: "TIME", "FILE"; NULL: by type
 * @letter:  short option on the command line, 0 for none
 * @flags:   KD_OPT_*
 *
 * A table ends with a row whose name is NULL. It feeds the command line, the
 * experiment file, the wire, --help, completion, the man page and what is
 * stored, so there is no second list to keep.
 */
struct kd_opt {
	const char *name;
	enum kd_opt_type type;
	size_t offset;
	double min;
	double max;
	const char *def;
	const char *const *choices;
	const char *help;
	const char *arg;
	char letter;
	unsigned int flags;
};

/* a bare word selects this enum value: "tcp:tx" for "tcp:direction=tx" */
#define KD_OPT_POSITIONAL 1u
/* may be given more than once; only for KD_OPT_STR, values joined by '\n' */
#define KD_OPT_REPEAT 2u
/* of a workload: once given, the workload ends by itself ("size", "count",
 * "command"), so that it has no length unless "time" is given too */
#define KD_OPT_ENDS 4u

/** kd_opt_init() - write the defaults into *@base (zeroed by the caller) */
int kd_opt_init(const struct kd_opt *opts, void *base);

/** kd_opt_fini() - free the strings in *@base */
void kd_opt_fini(const struct kd_opt *opts, void *base);

/**
 * kd_opt_find() - the row named @name, or NULL
 */
const struct kd_opt *kd_opt_find(const struct kd_opt *opts, const char *name);

/**
 * kd_opt_set() - set option @name of *@base from text
 *
 * Unknown names are answered with the nearest right one, wrong values with
 * what was expected (type, unit, range, choices).
 * Return: 0, -ENOENT (no such option), -EINVAL, -ERANGE or -ENOMEM.
 */
int kd_opt_set(const struct kd_opt *opts, void *base, const char *name,
	       const char *value, struct kd_diag *d);

/**
 * kd_opt_set_list() - set from "word,name=value,name=value"
 *
 * A value that holds a comma is quoted with "...", in which \" and \\ stand for
 * a quote and a backslash. A bare word is the value of
 * the KD_OPT_POSITIONAL row that knows it, or true for a KD_OPT_BOOL row.
 */
int kd_opt_set_list(const struct kd_opt *opts, void *base, const char *list,
		    struct kd_diag *d);

/** kd_opt_next_item() - the next item of such a list, its quotes taken out, into
 * @item; returns what follows */
const char *kd_opt_next_item(const char *list, struct kd_buf *item);

/** kd_opt_quote() - append @value as one value of such a list, in quotes where
 * it needs them */
void kd_opt_quote(const char *value, struct kd_buf *out);

/** kd_opt_format() - append the value of @opt as text that kd_opt_set() reads
 * back to the same value */
int kd_opt_format(const struct kd_opt *opt, const void *base,
		  struct kd_buf *out);

/** kd_opt_expected() - append what values @opt takes, for people:
 * "a time such as 2s, from 1ms to 1h" */
void kd_opt_expected(const struct kd_opt *opt, struct kd_buf *out);

/** kd_opt_arg() - the word for the value in help: @arg or one by type */
const char *kd_opt_arg(const struct kd_opt *opt);

#endif
