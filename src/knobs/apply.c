// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Set, read back and verify. See knob.h.
 */
#include "knobs/apply.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

unsigned int kd_knob_flags(const struct kd_knob_env *env,
			   const struct kd_knob_ops *ops, const char *name)
{
	if (ops->look)
		return ops->look(env, name);
	return ops->scope ? ops->scope(name) : ops->flags;
}

/* the kind said why; old and wanted value belong to it */
static void add_values(struct kd_diag *d, const char *old, const char *wanted)
{
	size_t n;

	if (!d || !d->text[0])
		return;
	n = strlen(d->text);
	snprintf(d->text + n, sizeof(d->text) - n,
		 " (it is \"%.80s\", wanted \"%.80s\")", old, wanted);
}

static int verify(const struct kd_knob_env *env, const struct kd_knob_ops *ops,
		  const char *name, const char *old, const char *wanted,
		  struct kd_buf *seen, enum kd_knob_match *match,
		  struct kd_diag *d)
{
	size_t start = seen->len;
	const char *now;
	int r = ops->get(env, name, seen, d);

	if (r)
		return r;
	now = kd_buf_str(seen) + start;
	*match = kd_knob_match(ops, wanted, now);
	if (*match == KD_KNOB_ROUNDED && !strcmp(old, now))
		*match = KD_KNOB_DIFFERS;
	if (*match != KD_KNOB_DIFFERS)
		return 0;
	kd_fail(d, -EINVAL,
		"did not take: it was \"%.80s\", wanted \"%.80s\", now it reads \"%.80s\"",
		old, wanted, now);
	kd_diag_hint(d, "the kernel took the write but not the value: it may be out of range, or something else sets it again");
	return -EINVAL;
}

int kd_knob_change(const struct kd_knob_env *env,
		   const struct kd_knob_ops *ops, const char *name,
		   const char *old, const char *value, struct kd_buf *seen,
		   enum kd_knob_match *match, struct kd_diag *d)
{
	int r = ops->set(env, name, value, d);

	*match = KD_KNOB_SAME;
	if (r && old)
		add_values(d, old, value);
	if (!r && old)
		r = verify(env, ops, name, old, value, seen, match, d);
	if (r)
		kd_diag_subject(d, "%s:%s", ops->name, name);
	return r;
}

int kd_knob_apply(const struct kd_knob_env *env, const char *knob,
		  const char *value, struct kd_buf *seen,
		  enum kd_knob_match *match, struct kd_diag *d)
{
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);
	struct kd_buf old = { 0 };
	bool readable;
	int r = 0;

	if (!ops)
		return kd_fail(d, -EOPNOTSUPP,
			       "there is no kind of knob in \"%s\"", knob);
	readable = !(kd_knob_flags(env, ops, name) & KD_KNOB_WRITE_ONLY);
	if (readable)
		r = ops->get(env, name, &old, d);
	if (r)
		kd_diag_subject(d, "%s", knob);
	else
		r = kd_knob_change(env, ops, name,
				   readable ? kd_buf_str(&old) : NULL, value,
				   seen, match, d);
	kd_buf_fini(&old);
	return r;
}
