// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The quick form: arguments written as a file, which is then read as any other.
 * So there is one set of checks, and what is stored can be run again. Each line
 * of the file remembers its argument, for the messages.
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/str.h"
#include "transports/transport.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "command line"

/**
 * struct writer - the file, line by line
 * @args: one text a line: the argument that made it
 * @arg:  of the lines to come
 */
struct writer {
	struct kd_buf text;
	char **args;
	size_t n_args;
	const char *flag;
	const char *arg;
	int err;
};

static void quote(const char *s, struct kd_buf *out)
{
	kd_buf_puts(out, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			kd_buf_printf(out, "\\%c", *s);
		else if ((unsigned char)*s < ' ' || *s == 0x7f)
			kd_buf_printf(out, "\\x%02x", (unsigned char)*s);
		else
			kd_buf_add(out, s, 1);
	}
	kd_buf_puts(out, "\"");
}

/* one line: "key: value", "key:" (@value NULL) or "- value" (@key NULL) */
static void line(struct writer *w, int indent, const char *key,
		 const char *value)
{
	char **slot = kd_exp_grow(&w->args, &w->n_args, sizeof(*slot));

	if (!slot || asprintf(slot, "%s%s%s", w->flag, *w->flag ? " " : "",
			      w->arg ? w->arg : "") < 0) {
		if (slot)
			*slot = NULL;
		w->err = -ENOMEM;
		return;
	}
	kd_buf_printf(&w->text, "%*s", indent, "");
	if (key) {
		quote(key, &w->text);
		kd_buf_puts(&w->text, ":");
	} else {
		kd_buf_puts(&w->text, "-");
	}
	if (value) {
		kd_buf_puts(&w->text, " ");
		quote(value, &w->text);
	}
	kd_buf_puts(&w->text, "\n");
}

/* call @fn for each line of @list, which are arguments of @flag */
static int each(struct writer *w, const char *flag, const char *list,
		int (*fn)(struct writer *w, const char *arg, struct kd_diag *d),
		struct kd_diag *d)
{
	int r = 0;

	while (!r && list && *list) {
		size_t len = strcspn(list, "\n");
		char *arg = strndup(list, len);

		if (!arg)
			return kd_fail(d, -ENOMEM, "out of memory");
		w->flag = flag;
		w->arg = arg;
		r = fn(w, arg, d);
		w->arg = NULL;
		free(arg);
		list += len + (list[len] == '\n');
	}
	w->flag = "";
	return r;
}

static int bad(struct writer *w, struct kd_diag *d, const char *text)
{
	kd_fail(d, -EINVAL, "%s", text);
	kd_diag_subject(d, "%s %s", w->flag, w->arg);
	return -EINVAL;
}

/* "tx" of "tcp:tx" is "direction: tx", "nodelay" is "nodelay: yes" */
static void bare(struct writer *w, const struct kd_opt *opts, const char *word,
		 int indent)
{
	for (const struct kd_opt *o = opts; o && o->name; o++) {
		if (!(o->flags & KD_OPT_POSITIONAL))
			continue;
		for (int i = 0; o->type == KD_OPT_ENUM && o->choices[i]; i++)
			if (!strcmp(o->choices[i], word)) {
				line(w, indent, o->name, word);
				return;
			}
		if (o->type != KD_OPT_ENUM) {
			line(w, indent, o->name, word);
			return;
		}
	}
	for (const struct kd_opt *o = opts; o && o->name; o++)
		if (o->type == KD_OPT_BOOL && !strcmp(o->name, word)) {
			line(w, indent, word, "yes");
			return;
		}
	line(w, indent, word, NULL);
}

static void item(struct writer *w, const struct kd_opt *opts, char *text,
		 int indent)
{
	char *eq = strchr(text, '='), *colon;

	if (!eq) {
		bare(w, opts, text, indent);
		return;
	}
	*eq++ = '\0';
	colon = strchr(eq, ':');
	if (strcmp(text, "against") || !colon) {
		line(w, indent, text, eq);
		return;
	}
	*colon++ = '\0';
	line(w, indent, text, NULL);
	line(w, indent + 2, eq, colon);
}

static bool has_repeated(const struct kd_opt *opts)
{
	for (; opts && opts->name; opts++)
		if (opts->flags & KD_OPT_REPEAT)
			return true;
	return false;
}

/* an option given more than once stands in one list */
static void repeated(struct writer *w, const struct kd_opt *opts,
		     const char *list, int indent)
{
	struct kd_buf text = { 0 };

	for (; opts->name; opts++) {
		const char *rest = list;
		size_t len = strlen(opts->name);
		bool first = true;

		if (!(opts->flags & KD_OPT_REPEAT))
			continue;
		while (*rest) {
			rest = kd_opt_next_item(rest, &text);
			if (strncmp(kd_buf_str(&text), opts->name, len) ||
			    kd_buf_str(&text)[len] != '=')
				continue;
			if (first)
				line(w, indent, opts->name, NULL);
			first = false;
			line(w, indent + 2, NULL, text.data + len + 1);
		}
	}
	kd_buf_fini(&text);
}

static bool is_repeated(const struct kd_opt *opts, const char *text)
{
	char name[64];
	const struct kd_opt *o;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="), text);
	o = kd_opt_find(opts, name);
	return o && (o->flags & KD_OPT_REPEAT);
}

static void items(struct writer *w, const struct kd_opt *opts,
		  const char *list, int indent)
{
	const char *rest = list;
	struct kd_buf text = { 0 };

	while (*rest) {
		rest = kd_opt_next_item(rest, &text);
		if (text.len && !is_repeated(opts, text.data))
			item(w, opts, text.data, indent);
	}
	kd_buf_fini(&text);
	if (has_repeated(opts))
		repeated(w, opts, list, indent);
}

static bool is_taken(const struct writer *w, const char *name)
{
	struct kd_buf key = { 0 };
	bool found;

	kd_buf_puts(&key, "\n  ");
	quote(name, &key);
	kd_buf_puts(&key, ":");
	found = strstr(kd_buf_str(&w->text), kd_buf_str(&key));
	kd_buf_fini(&key);
	return found;
}

/* a name for what the arguments do not name: unique in the file */
static void unique(const struct writer *w, const char *from, char *name,
		   size_t size)
{
	snprintf(name, size, "%s", from);
	for (int i = 2; is_taken(w, name) && i < 1000; i++)
		snprintf(name, size, "%.80s-%d", from, i);
}

static int workload(struct writer *w, const char *arg, struct kd_diag *d)
{
	const char *eq = strchr(arg, '='), *colon = strchr(arg, ':');
	bool named = eq && (!colon || eq < colon);
	const char *kind = named ? eq + 1 : arg;
	size_t kind_len = strcspn(kind, ":");
	const struct kd_work_ops *ops;
	char word[64], name[96], base[128];
	const char *rest = kind + kind_len;
	size_t len;

	snprintf(word, sizeof(word), "%.*s", (int)kind_len, kind);
	if (*rest)
		rest++;
	len = strcspn(rest, ",=\"");
	if (named)
		snprintf(base, sizeof(base), "%.*s", (int)(eq - arg), arg);
	else if (len && rest[len] != '=')
		snprintf(base, sizeof(base), "%s-%.*s", word, (int)len, rest);
	else
		snprintf(base, sizeof(base), "%s", word);
	for (char *c = base; !named && *c; c++)
		if (strchr(".:/ ", *c))
			*c = '-';
	unique(w, base, name, sizeof(name));
	ops = kd_work_find(word);
	line(w, 2, name, NULL);
	line(w, 4, word, NULL);
	items(w, ops ? ops->opts : NULL, rest, 6);
	return w->err ? kd_fail(d, w->err, "out of memory") : 0;
}

static void values(struct writer *w, const char *list)
{
	const char *sep = strchr(list, ';') ? ";" : ",";

	line(w, 4, "values", NULL);
	for (;;) {
		size_t len = strcspn(list, sep);
		char *value = strndup(list, len);

		if (!value) {
			w->err = -ENOMEM;
			return;
		}
		line(w, 6, NULL, kd_str_trim(value));
		free(value);
		if (!list[len])
			return;
		list += len + 1;
	}
}

/* "sysctl:net.ipv4.tcp_sack=0,1" is a factor "tcp_sack" */
static int knob(struct writer *w, const char *arg, struct kd_diag *d)
{
	const char *eq = strchr(arg, '=');
	char *target, *colon, *last, name[96];

	if (!eq || eq == arg || !eq[1])
		return bad(w, d, "expected KNOB=VALUE,VALUE such as sysctl:net.ipv4.tcp_sack=0,1");
	target = strndup(arg, (size_t)(eq - arg));
	if (!target)
		return kd_fail(d, -ENOMEM, "out of memory");
	colon = strchr(target, ':');
	last = target + strcspn(target, "");
	while (last > target && !strchr(".:/", last[-1]))
		last--;
	if (!*last)
		last = target;
	unique(w, last, name, sizeof(name));
	line(w, 2, name, NULL);
	if (colon)
		*colon++ = '\0';
	line(w, 4, colon ? target : "workload", colon ? colon : target);
	values(w, eq + 1);
	free(target);
	return w->err ? kd_fail(d, w->err, "out of memory") : 0;
}

static int observer(struct writer *w, const char *arg, struct kd_diag *d)
{
	const char *colon = strchr(arg, ':');
	struct kd_buf text = { 0 };
	char name[64];

	if (colon) {
		snprintf(name, sizeof(name), "%.*s", (int)(colon - arg), arg);
		line(w, 2, name, NULL);
		items(w, NULL, colon + 1, 4);
		return 0;
	}
	while (*arg) {
		arg = kd_opt_next_item(arg, &text);
		if (text.len)
			line(w, 2, kd_str_trim(text.data), NULL);
	}
	kd_buf_fini(&text);
	return 0;
}

static void end(struct writer *w, const char *what, const char *arg)
{
	size_t len = strcspn(arg, ":");
	const struct kd_transport_ops *ops;
	const struct kd_opt *first;
	char name[64];
	const char *rest = arg + len;

	w->arg = arg;
	w->flag = !strcmp(what, "dut") ? "--dut" : "--peer";
	snprintf(name, sizeof(name), "%.*s", (int)len, arg);
	ops = kd_transport_find(name);
	first = ops ? ops->opts : NULL;
	line(w, 0, what, NULL);
	line(w, 2, name, NULL);
	if (*rest && rest[1]) {
		bool whole = first && first->arg && !strcmp(first->arg, "CMD");

		if (whole)
			line(w, 4, first->name, rest + 1);
		else
			items(w, first, rest + 1, 4);
	}
	w->arg = NULL;
	w->flag = "";
}

static void plan(struct writer *w, const char *list)
{
	w->arg = list;
	line(w, 0, "plan", NULL);
	items(w, kd_exp_plan_opts, list, 2);
	w->arg = NULL;
}

static void name_it(struct writer *w, const struct kd_exp_quick *q)
{
	struct kd_buf name = { 0 };
	const char *p = q->knobs ? q->knobs : "";
	size_t end = strcspn(p, "=\n"), start = end;

	while (start && !strchr(".:/", p[start - 1]))
		start--;
	if (q->name)
		kd_buf_puts(&name, q->name);
	else if (end > start)
		kd_buf_add(&name, p + start, end - start);
	else
		kd_buf_puts(&name, q->identical ? "identical" : "quick");
	line(w, 0, "name", kd_buf_str(&name));
	kd_buf_fini(&name);
}

static int write_file(struct writer *w, const struct kd_exp_quick *q,
		      struct kd_diag *d)
{
	char name[32];
	int r = 0;

	name_it(w, q);
	if (q->dut)
		end(w, "dut", q->dut);
	if (q->peer)
		end(w, "peer", q->peer);
	if (q->identical) {
		line(w, 0, "variants", NULL);
		for (unsigned int i = 0; i < q->identical; i++) {
			snprintf(name, sizeof(name), "A%u", i + 1);
			line(w, 2, name, NULL);
		}
	} else {
		line(w, 0, "sweep", NULL);
		r = each(w, "-k", q->knobs, knob, d);
	}
	line(w, 0, "workloads", NULL);
	if (!r)
		r = each(w, "-w", q->workloads, workload, d);
	if (!r && q->observers && q->observers[0]) {
		line(w, 0, "observe", NULL);
		r = each(w, "-o", q->observers, observer, d);
	}
	if (!r && q->plan && q->plan[0])
		plan(w, q->plan);
	if (!r && (w->err || w->text.err))
		r = kd_fail(d, -ENOMEM, "out of memory");
	return r;
}

/* an argument has no line: name it instead */
static void blame(const struct writer *w, const struct kd_diag *why,
		  struct kd_diag *d)
{
	size_t n = (size_t)why->line;

	kd_fail(d, why->err, "%s", why->text);
	if (why->hint[0])
		kd_diag_hint(d, "%s", why->hint);
	if (n && n <= w->n_args && w->args[n - 1] && w->args[n - 1][0])
		kd_diag_subject(d, "%s", w->args[n - 1]);
	else
		kd_diag_subject(d, FILE_NAME);
}

int kd_experiment_quick(const struct kd_exp_quick *quick,
			struct kd_experiment *out, struct kd_diag *d)
{
	struct writer w = { .flag = "" };
	struct kd_diag why = { 0 };
	int r;

	if (!quick->workloads || !quick->workloads[0])
		return kd_fail(d, -EINVAL,
			       "no workload: -w KIND[:OPTION=VALUE,...] such as -w tcp:tx,time=2s");
	if (!quick->identical && (!quick->knobs || !quick->knobs[0]))
		return kd_fail(d, -EINVAL,
			       "nothing to compare: -k KNOB=VALUE,VALUE such as -k sysctl:net.ipv4.tcp_sack=0,1");
	r = write_file(&w, quick, d);
	if (!r) {
		r = kd_exp_parse_text(kd_buf_str(&w.text), w.text.len,
				      FILE_NAME, quick->identical == 1, out,
				      &why);
		if (r)
			blame(&w, &why, d);
	}
	for (size_t i = 0; i < w.n_args; i++)
		free(w.args[i]);
	free(w.args);
	kd_buf_fini(&w.text);
	return r;
}
