// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command line read by an option table. getopt would need a second list.
 */
#include "cli/args.h"

#include "base/buf.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

struct parser {
	const struct kd_opt *opts;
	void *base;
	int argc;
	char **argv;
	int next;
	struct kd_diag *d;
};

static const struct kd_opt *find(const struct kd_opt *opts, const char *name,
				 size_t len)
{
	for (; opts && opts->name; opts++)
		if (strlen(opts->name) == len &&
		    !strncmp(opts->name, name, len))
			return opts;
	return NULL;
}

static const struct kd_opt *find_letter(const struct kd_opt *opts, char letter)
{
	for (; opts && opts->name; opts++)
		if (opts->letter == letter)
			return opts;
	return NULL;
}

static int unknown(struct parser *p, const char *name, size_t len)
{
	char word[64];
	const char *near;
	size_t n = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), name);
	while (p->opts && p->opts[n].name)
		n++;
	near = n ? kd_str_nearest(word, p->opts, n, sizeof(*p->opts)) : NULL;
	kd_fail(p->d, -ENOENT, "there is no option --%s", word);
	if (near) {
		kd_diag_hint(p->d, "did you mean --%s?", near);
	} else if (n && kd_str_has_prefix(word, "no-")) {
		near = kd_str_nearest(word + 3, p->opts, n, sizeof(*p->opts));
		if (near && kd_opt_find(p->opts, near)->type == KD_OPT_BOOL)
			kd_diag_hint(p->d, "did you mean --no-%s?", near);
	}
	return -ENOENT;
}

/* kd_opt_set() says "name: ..."; a command line says "--name: ..." */
static int set(struct parser *p, const struct kd_opt *opt, const char *value)
{
	struct kd_diag d = { 0 };
	int r = kd_opt_set(p->opts, p->base, opt->name, value, &d);

	if (!r)
		return 0;
	kd_fail(p->d, r, "--%s", d.text);
	if (d.hint[0])
		kd_diag_hint(p->d, "%s", d.hint);
	return r;
}

static int take_value(struct parser *p, const struct kd_opt *opt,
		      const char **value)
{
	struct kd_buf want = { 0 };

	if (p->next < p->argc) {
		*value = p->argv[p->next++];
		return 0;
	}
	kd_opt_expected(opt, &want);
	kd_fail(p->d, -EINVAL, "--%s needs a value: %s", opt->name,
		kd_buf_str(&want));
	kd_buf_fini(&want);
	return -EINVAL;
}

static int parse_long(struct parser *p, const char *word)
{
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value - word) : strlen(word);
	const struct kd_opt *opt = find(p->opts, word, len);
	int r;

	if (value)
		value++;
	if (!opt && len > 3 && kd_str_has_prefix(word, "no-")) {
		opt = find(p->opts, word + 3, len - 3);
		if (opt && opt->type == KD_OPT_BOOL) {
			if (value)
				return kd_fail(p->d, -EINVAL,
					       "--no-%s takes no value",
					       opt->name);
			return set(p, opt, "no");
		}
		opt = NULL;
	}
	if (!opt)
		return unknown(p, word, len);
	if (!value && opt->type == KD_OPT_BOOL)
		return set(p, opt, "yes");
	if (!value) {
		r = take_value(p, opt, &value);
		if (r)
			return r;
	}
	return set(p, opt, value);
}

static int parse_letters(struct parser *p, const char *word)
{
	for (; *word; word++) {
		const struct kd_opt *opt = find_letter(p->opts, *word);
		const char *value = word + 1;
		int r;

		if (!opt)
			return kd_fail(p->d, -ENOENT,
				       "there is no option -%c", *word);
		if (opt->type == KD_OPT_BOOL) {
			r = set(p, opt, "yes");
			if (r)
				return r;
			continue;
		}
		r = *value ? 0 : take_value(p, opt, &value);
		return r ? r : set(p, opt, value);
	}
	return 0;
}

static bool is_help(const struct parser *p, const char *word)
{
	return (!strcmp(word, "--help") && !find(p->opts, "help", 4)) ||
	       (!strcmp(word, "-h") && !find_letter(p->opts, 'h'));
}

int kd_args_parse(const struct kd_opt *opts, void *base, int argc, char **argv,
		  bool stops, struct kd_args *out, struct kd_diag *d)
{
	struct parser p = {
		.opts = opts, .base = base, .argc = argc, .argv = argv, .d = d,
	};
	bool over = false;
	int n = 0;

	*out = (struct kd_args){ .argv = argv };
	while (p.next < argc) {
		char *word = argv[p.next++];
		int r;

		if (over || word[0] != '-' || !word[1]) {
			argv[n++] = word;
			over |= stops;
			continue;
		}
		if (!strcmp(word, "--")) {
			over = true;
			continue;
		}
		if (is_help(&p, word)) {
			out->help = true;
			return 0;
		}
		r = word[1] == '-' ? parse_long(&p, word + 2) :
				     parse_letters(&p, word + 1);
		if (r)
			return r;
	}
	argv[n] = NULL;
	out->argc = n;
	return 0;
}
