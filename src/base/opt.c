// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options declared once. See opt.h.
 */
#include "base/opt.h"

#include "base/buf.h"
#include "base/parse.h"
#include "base/str.h"
#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type_info {
	const char *arg;
	const char *expected;
	size_t size;
};

static const struct type_info types[] = {
	[KD_OPT_BOOL] = { "BOOL", "yes or no", sizeof(bool) },
	[KD_OPT_INT] = { "N", "a whole number", sizeof(int64_t) },
	[KD_OPT_SIZE] = { "SIZE", "a size such as 64KiB", sizeof(uint64_t) },
	[KD_OPT_TIME] = { "TIME", "a time such as 2s", sizeof(uint64_t) },
	[KD_OPT_RATE] = { "RATE", "a rate such as 200mbit", sizeof(uint64_t) },
	[KD_OPT_REAL] = { "NUMBER", "a number", sizeof(double) },
	[KD_OPT_PCT] = { "PERCENT", "a percentage such as 2%", sizeof(double) },
	[KD_OPT_STR] = { "TEXT", "text", sizeof(char *) },
	[KD_OPT_ENUM] = { "WORD", "one of", sizeof(int) },
};

union value {
	bool b;
	int64_t i;
	uint64_t u;
	double d;
	int e;
};

static void *field(const struct kd_opt *opt, void *base)
{
	return (char *)base + opt->offset;
}

static size_t count(const struct kd_opt *opts)
{
	size_t n = 0;

	while (opts[n].name)
		n++;
	return n;
}

const struct kd_opt *kd_opt_find(const struct kd_opt *opts, const char *name)
{
	for (; opts && opts->name; opts++)
		if (!strcmp(opts->name, name))
			return opts;
	return NULL;
}

static int parse_enum(const struct kd_opt *opt, const char *text, int *out)
{
	for (int i = 0; opt->choices[i]; i++) {
		if (!strcmp(opt->choices[i], text)) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_value(const struct kd_opt *opt, const char *text,
		       union value *v, double *number)
{
	int r;

	switch (opt->type) {
	case KD_OPT_BOOL:
		r = kd_parse_bool(text, &v->b);
		*number = v->b;
		return r;
	case KD_OPT_INT:
		r = kd_parse_i64(text, &v->i);
		*number = (double)v->i;
		return r;
	case KD_OPT_SIZE:
		r = kd_parse_size(text, &v->u);
		*number = (double)v->u;
		return r;
	case KD_OPT_TIME:
		r = kd_parse_time(text, &v->u);
		*number = (double)v->u;
		return r;
	case KD_OPT_RATE:
		r = kd_parse_rate(text, &v->u);
		*number = (double)v->u;
		return r;
	case KD_OPT_REAL:
		r = kd_parse_double(text, &v->d);
		*number = v->d;
		return r;
	case KD_OPT_PCT:
		r = kd_parse_pct(text, &v->d);
		*number = v->d;
		return r;
	case KD_OPT_ENUM:
		return parse_enum(opt, text, &v->e);
	case KD_OPT_STR:
		break;
	}
	return -EINVAL;
}

static int set_string(const struct kd_opt *opt, void *base, const char *text)
{
	char **slot = field(opt, base);
	char *s;

	if (*slot && (opt->flags & KD_OPT_REPEAT)) {
		if (asprintf(&s, "%s\n%s", *slot, text) < 0)
			return -ENOMEM;
	} else {
		s = strdup(text);
		if (!s)
			return -ENOMEM;
	}
	free(*slot);
	*slot = s;
	return 0;
}

static bool is_ranged(const struct kd_opt *opt)
{
	return opt->type != KD_OPT_BOOL && opt->type != KD_OPT_ENUM &&
	       opt->type != KD_OPT_STR;
}

static int set_value(const struct kd_opt *opt, void *base, const char *text)
{
	union value v = { 0 };
	double number = 0;
	int r;

	if (opt->type == KD_OPT_STR)
		return set_string(opt, base, text);
	r = parse_value(opt, text, &v, &number);
	if (r)
		return r;
	if (is_ranged(opt) &&
	    (number < opt->min || (opt->max != 0 && number > opt->max)))
		return -ERANGE;
	memcpy(field(opt, base), &v, types[opt->type].size);
	return 0;
}

int kd_opt_init(const struct kd_opt *opts, void *base)
{
	for (; opts && opts->name; opts++) {
		int r;

		if (!opts->def)
			continue;
		r = set_value(opts, base, opts->def);
		if (r)
			return r;
	}
	return 0;
}

void kd_opt_fini(const struct kd_opt *opts, void *base)
{
	for (; opts && opts->name; opts++) {
		char **slot = field(opts, base);

		if (opts->type != KD_OPT_STR)
			continue;
		free(*slot);
		*slot = NULL;
	}
}

static void format_number(const struct kd_opt *opt, double v,
			  struct kd_buf *out)
{
	union {
		uint64_t u;
		int64_t i;
		double d;
	} x;

	if (opt->type == KD_OPT_INT)
		x.i = (int64_t)v;
	else if (opt->type == KD_OPT_REAL || opt->type == KD_OPT_PCT)
		x.d = v;
	else
		x.u = (uint64_t)v;
	kd_opt_format(&(struct kd_opt){ .type = opt->type }, &x, out);
}

void kd_opt_expected(const struct kd_opt *opt, struct kd_buf *out)
{
	kd_buf_puts(out, types[opt->type].expected);
	if (opt->type == KD_OPT_ENUM) {
		for (int i = 0; opt->choices[i]; i++)
			kd_buf_printf(out, "%s%s", i ? ", " : " ",
				      opt->choices[i]);
		return;
	}
	if (!is_ranged(opt) || (opt->min == 0 && opt->max == 0))
		return;
	kd_buf_puts(out, ", from ");
	format_number(opt, opt->min, out);
	if (opt->max != 0) {
		kd_buf_puts(out, " to ");
		format_number(opt, opt->max, out);
	}
}

int kd_opt_set(const struct kd_opt *opts, void *base, const char *name,
	       const char *value, struct kd_diag *d)
{
	const struct kd_opt *opt = kd_opt_find(opts, name);
	struct kd_buf want = { 0 };
	int r;

	if (!opt) {
		const char *near = kd_str_nearest(name, opts, count(opts),
						  sizeof(*opts));

		kd_fail(d, -ENOENT, "there is no option \"%s\"", name);
		if (near)
			kd_diag_hint(d, "did you mean \"%s\"?", near);
		return -ENOENT;
	}
	r = set_value(opt, base, value);
	if (!r || r == -ENOMEM)
		return r ? kd_fail(d, r, "out of memory") : 0;
	kd_opt_expected(opt, &want);
	kd_fail(d, r, "%s: \"%s\" is not %s", name, value, kd_buf_str(&want));
	if (opt->type == KD_OPT_ENUM) {
		size_t n = 0;
		const char *near;

		while (opt->choices[n])
			n++;
		near = kd_str_nearest(value, opt->choices, n, sizeof(char *));
		if (near)
			kd_diag_hint(d, "did you mean \"%s\"?", near);
	}
	kd_buf_fini(&want);
	return r;
}

static int set_word(const struct kd_opt *opts, void *base, const char *word,
		    struct kd_diag *d)
{
	int index;

	for (const struct kd_opt *o = opts; o->name; o++) {
		if (!(o->flags & KD_OPT_POSITIONAL))
			continue;
		if (o->type == KD_OPT_ENUM && parse_enum(o, word, &index))
			continue;
		return kd_opt_set(opts, base, o->name, word, d);
	}
	for (const struct kd_opt *o = opts; o->name; o++)
		if (o->type == KD_OPT_BOOL && !strcmp(o->name, word))
			return kd_opt_set(opts, base, word, "yes", d);
	if (kd_opt_find(opts, word))
		return kd_fail(d, -EINVAL, "%s needs a value: %s=...", word,
			       word);
	return kd_opt_set(opts, base, word, "", d);
}

const char *kd_opt_next_item(const char *list, struct kd_buf *item)
{
	bool quoted = false;

	kd_buf_reset(item);
	for (; *list && (quoted || *list != ','); list++) {
		if (quoted && *list == '\\' &&
		    (list[1] == '"' || list[1] == '\\'))
			kd_buf_add(item, ++list, 1);
		else if (*list == '"')
			quoted = !quoted;
		else
			kd_buf_add(item, list, 1);
	}
	return *list ? list + 1 : list;
}

void kd_opt_quote(const char *value, struct kd_buf *out)
{
	if (*value && !strpbrk(value, ",\"")) {
		kd_buf_puts(out, value);
		return;
	}
	kd_buf_puts(out, "\"");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			kd_buf_puts(out, "\\");
		kd_buf_add(out, value, 1);
	}
	kd_buf_puts(out, "\"");
}

int kd_opt_set_list(const struct kd_opt *opts, void *base, const char *list,
		    struct kd_diag *d)
{
	struct kd_buf item = { 0 };
	int r = 0;

	while (!r && *list) {
		char *eq;

		list = kd_opt_next_item(list, &item);
		if (!item.len)
			continue;
		eq = strchr(item.data, '=');
		if (eq) {
			*eq = '\0';
			r = kd_opt_set(opts, base, item.data, eq + 1, d);
		} else {
			r = set_word(opts, base, item.data, d);
		}
	}
	kd_buf_fini(&item);
	return r;
}

static void format_scaled(uint64_t v, const char *const *names,
			  const uint64_t *factors, struct kd_buf *out)
{
	while (*factors > 1 && (!v || v % *factors)) {
		factors++;
		names++;
	}
	kd_buf_printf(out, "%" PRIu64 "%s", v / *factors, *names);
}

int kd_opt_format(const struct kd_opt *opt, const void *base,
		  struct kd_buf *out)
{
	static const char *const size_names[] = { "GiB", "MiB", "KiB", "" };
	static const uint64_t sizes[] = { 1 << 30, 1 << 20, 1 << 10, 1 };
	static const char *const time_names[] = { "s", "ms", "us", "ns" };
	static const uint64_t times[] = { KD_NS_PER_SEC, KD_NS_PER_MS,
					  KD_NS_PER_US, 1 };
	static const char *const rate_names[] = { "gbit", "mbit", "kbit",
						  "bit" };
	static const uint64_t rates[] = { 1000000000, 1000000, 1000, 1 };
	const void *p = (const char *)base + opt->offset;
	const char *s;

	switch (opt->type) {
	case KD_OPT_BOOL:
		return kd_buf_puts(out, *(const bool *)p ? "yes" : "no");
	case KD_OPT_INT:
		return kd_buf_printf(out, "%" PRId64, *(const int64_t *)p);
	case KD_OPT_SIZE:
		format_scaled(*(const uint64_t *)p, size_names, sizes, out);
		return out->err;
	case KD_OPT_TIME:
		format_scaled(*(const uint64_t *)p, time_names, times, out);
		return out->err;
	case KD_OPT_RATE:
		format_scaled(*(const uint64_t *)p, rate_names, rates, out);
		return out->err;
	case KD_OPT_REAL:
		return kd_buf_printf(out, "%.15g", *(const double *)p);
	case KD_OPT_PCT:
		return kd_buf_printf(out, "%.15g%%", *(const double *)p);
	case KD_OPT_ENUM:
		return kd_buf_puts(out, opt->choices[*(const int *)p]);
	case KD_OPT_STR:
		s = *(char *const *)p;
		return kd_buf_puts(out, s ? s : "");
	}
	return -EINVAL;
}

const char *kd_opt_arg(const struct kd_opt *opt)
{
	return opt->arg ? opt->arg : types[opt->type].arg;
}
