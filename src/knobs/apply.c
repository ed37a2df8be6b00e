// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Set and verify. See knob.h.
 */
#include "knobs/knob.h"

#include "base/buf.h"
#include "base/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* one word out of "a [b] c" where there is a bracket, blanks made single */
static void normalise(const char *in, char *out, size_t size)
{
	const char *open = strchr(in, '['), *close = open ? strchr(open, ']') : NULL;
	size_t n = 0;

	if (open && close) {
		snprintf(out, size, "%.*s", (int)(close - open - 1), open + 1);
		return;
	}
	while (isspace((unsigned char)*in))
		in++;
	for (; *in && n + 1 < size; in++) {
		bool blank = isspace((unsigned char)*in);

		if (blank && (!n || out[n - 1] == ' '))
			continue;
		out[n++] = blank ? ' ' : *in;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

enum kd_knob_match kd_knob_match_text(const char *wanted, const char *seen)
{
	char a[1024], b[1024];
	double x, y;
	bool p, q;

	normalise(wanted, a, sizeof(a));
	normalise(seen, b, sizeof(b));
	if (!strcmp(a, b))
		return KD_KNOB_SAME;
	if (!kd_parse_double(a, &x) && !kd_parse_double(b, &y))
		return x == y ? KD_KNOB_SAME : KD_KNOB_DIFFERS;
	if (!kd_parse_bool(a, &p) && !kd_parse_bool(b, &q) && p == q)
		return KD_KNOB_SAME;
	return KD_KNOB_DIFFERS;
}

int kd_knob_apply(const struct kd_knob_env *env, const char *knob,
		  const char *value, struct kd_buf *seen,
		  enum kd_knob_match *match, struct kd_diag *d)
{
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);
	struct kd_buf old = { 0 };
	bool readable;
	int r;

	if (!ops)
		return kd_fail(d, -EOPNOTSUPP, "this agent has no knob \"%s\"",
			       knob);
	readable = !(ops->flags & KD_KNOB_WRITE_ONLY) &&
		   !(env->cmd_set && !env->cmd_get);
	if (readable)
		ops->get(env, name, &old, NULL);
	r = ops->set(env, name, value, d);
	*match = KD_KNOB_SAME;
	if (!r && readable)
		r = ops->get(env, name, seen, d);
	if (!r && readable) {
		*match = (ops->match ? ops->match : kd_knob_match_text)(
			value, kd_buf_str(seen));
		if (*match == KD_KNOB_DIFFERS)
			r = kd_fail(d, -EINVAL,
				    "did not take: it was \"%s\", wanted was \"%s\", now it reads \"%s\"",
				    kd_buf_str(&old), value, kd_buf_str(seen));
	} else if (r && d && d->err == r) {
		size_t n = strlen(d->text);

		snprintf(d->text + n, sizeof(d->text) - n,
			 " (it is \"%s\", wanted \"%s\")", kd_buf_str(&old),
			 value);
	}
	if (r)
		kd_diag_subject(d, "%s", knob);
	kd_buf_fini(&old);
	return r;
}
