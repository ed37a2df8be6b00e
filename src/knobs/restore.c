// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Putting knobs back out of a journal. See journal.h and restore.h.
 */
#include "knobs/history.h"
#include "knobs/netns.h"
#include "knobs/restore.h"

#include "base/root.h"
#include "knobs/apply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 1024

enum outcome {
	RESTORED,	/* as it was found, or dropped for a reason */
	FAILED,		/* should have been put back */
};

struct restoring {
	const struct kd_knob_env *env;
	struct kd_history history;
	size_t index;
	kd_journal_report *report;
	void *arg;
	char boot[64];
	struct kd_netns_id netns;
};

void kd_restore_boot_id(const struct kd_root *root, char out[64])
{
	if (kd_root_read_line(root, "/proc/sys/kernel/random/boot_id", out,
			      64) < 0)
		out[0] = '\0';
}

void kd_restore_netns(const struct kd_root *root, struct kd_netns_id *id)
{
	if (!kd_root_is_live(root) || kd_netns_own(id))
		*id = (struct kd_netns_id){ 0 };
}

static void __attribute__((format(printf, 2, 3)))
say(const struct restoring *s, const char *fmt, ...)
{
	char words[WORDS_MAX];
	va_list ap;
	int n;

	if (!s->report)
		return;
	n = snprintf(words, sizeof(words), "%.200s: ",
		     s->history.records[s->index].knob);
	va_start(ap, fmt);
	vsnprintf(words + n, sizeof(words) - (size_t)n, fmt, ap);
	va_end(ap);
	s->report(s->arg, words);
}

static bool is_same(void *arg, const char *wanted, const char *seen)
{
	return kd_knob_match(arg, wanted, seen) != KD_KNOB_DIFFERS;
}

static bool is_found(const struct kd_knob_ops *ops, const char *old,
		     const char *now)
{
	return kd_knob_match(ops, old, now) == KD_KNOB_SAME;
}

static int write_back(const struct restoring *s, const struct kd_knob_env *env,
		      const struct kd_knob_ops *ops, const char *name,
		      const char *now)
{
	const struct kd_record *r = &s->history.records[s->index];
	struct kd_buf value = { 0 }, seen = { 0 };
	enum kd_knob_match match;
	struct kd_diag d = { 0 };
	char why[1200];
	int err = kd_knob_settable(r->old, &value);

	if (!err)
		err = kd_knob_change(env, ops, name,
				     now, kd_buf_str(&value), &seen, &match,
				     &d);
	if (err) {
		kd_diag_subject(&d, "%s", r->knob);
		kd_diag_format(&d, why, sizeof(why));
		say(s, "could not be put back to \"%.200s\": %.600s", r->old,
		    why);
	} else if (!now) {
		say(s, "its restore command was run");
	} else if (match == KD_KNOB_ROUNDED) {
		say(s, "back to \"%.200s\", which reads as \"%.200s\"", r->old,
		    kd_buf_str(&seen));
	} else {
		say(s, "back to \"%.400s\"", r->old);
	}
	kd_buf_fini(&value);
	kd_buf_fini(&seen);
	return err ? FAILED : RESTORED;
}

static bool is_gone(int err)
{
	return err == -ENOENT || err == -ENODEV || err == -ENXIO;
}

static int look_and_write(const struct restoring *s,
			  const struct kd_knob_env *env,
			  const struct kd_knob_ops *ops, const char *name)
{
	const struct kd_record *r = &s->history.records[s->index];
	struct kd_buf now = { 0 };
	struct kd_diag d = { 0 };
	int err = ops->get(env, name, &now, &d), result = RESTORED;

	if (is_gone(err)) {
		say(s, "is gone, so that nothing is to be put back");
	} else if (err) {
		say(s, "cannot be read, so it is left as it is (it was \"%.200s\"): %.400s",
		    r->old, d.text);
		result = FAILED;
	} else if (is_found(ops, r->old, kd_buf_str(&now))) {
		/* changed and back, or never written: nothing to say */
	} else if (!kd_history_is_ours(&s->history, s->index, kd_buf_str(&now),
				       is_same, (void *)ops)) {
		say(s, "somebody else has set it to \"%.200s\" meanwhile, and it is left so; it was \"%.200s\"",
		    kd_buf_str(&now), r->old);
	} else {
		result = write_back(s, env, ops, name, kd_buf_str(&now));
	}
	kd_buf_fini(&now);
	return result;
}

/* the same name may be another device by now */
static bool is_device(const struct kd_knob_env *env,
		      const struct kd_knob_ops *ops, const char *name,
		      const char *was)
{
	struct kd_buf now = { 0 };
	bool same;

	if (!ops->device || !*was)
		return true;
	same = !ops->device(env, name, &now) && !strcmp(kd_buf_str(&now), was);
	kd_buf_fini(&now);
	return same;
}

static int put_back(void *arg)
{
	const struct restoring *s = arg;
	const struct kd_record *r = &s->history.records[s->index];
	struct kd_knob_env env = *s->env;
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(r->knob, &name);

	if (!ops) {
		say(s, "this kdelta does not know the kind, so it is left; it was \"%.200s\"",
		    r->old);
		return FAILED;
	}
	env.ifname = *r->ifname ? r->ifname : s->env->ifname;
	env.cmd_get = r->get;
	env.cmd_set = r->restore ? r->restore : r->get ? r->set : NULL;
	env.cmd_restore = NULL;
	if (!is_device(&env, ops, name, r->device)) {
		say(s, "%.200s is gone, so that nothing is to be put back",
		    r->device);
		return RESTORED;
	}
	if (!(r->flags & KD_KNOB_WRITE_ONLY))
		return look_and_write(s, &env, ops, name);
	if (env.cmd_set)
		return write_back(s, &env, ops, name, NULL);
	say(s, "cannot be read and has no way back; it stays at \"%.200s\"",
	    r->value);
	return RESTORED;
}

/* in the right namespace */
static int put_back_there(struct restoring *s)
{
	const struct kd_record *r = &s->history.records[s->index];
	int fd, result;

	if (strcmp(r->boot, s->boot)) {
		say(s, "was changed before the last boot, so that nothing is to be put back");
		return RESTORED;
	}
	if (!(r->flags & KD_KNOB_NETNS) ||
	    kd_netns_is_same(&r->netns, &s->netns))
		return put_back(s);
	fd = kd_root_is_live(s->env->root) ? kd_netns_find(&r->netns) : -ENOENT;
	if (fd < 0) {
		say(s, "its network namespace is gone, so that nothing is to be put back");
		return RESTORED;
	}
	result = kd_netns_call(fd, put_back, s);
	close(fd);
	if (result < 0) {
		say(s, "cannot enter its network namespace: %s",
		    strerror(-result));
		return FAILED;
	}
	return result;
}

static void note_done(int fd, const struct kd_record *change)
{
	struct kd_record done = *change;
	struct kd_buf line = { 0 };

	done.kind = KD_RECORD_DONE;
	done.old = done.value = "";
	done.get = done.set = done.restore = NULL;
	/* lost, it costs a look at the knob the next time */
	if (!kd_record_format(&done, &line) &&
	    write(fd, line.data, line.len) < 0)
		errno = 0;
	kd_buf_fini(&line);
}

int kd_restore_fd(int fd, const struct kd_knob_env *env,
		  kd_journal_report *report, void *arg)
{
	struct restoring s = { .env = env, .report = report, .arg = arg };
	int left = 0, r = kd_history_load(fd, &s.history);

	kd_restore_boot_id(env->root, s.boot);
	kd_restore_netns(env->root, &s.netns);
	for (s.index = s.history.n; !r && s.index--;) {
		if (!kd_history_is_change(&s.history, s.index))
			continue;
		if (put_back_there(&s) == FAILED)
			left++;
		else
			note_done(fd, &s.history.records[s.index]);
	}
	kd_history_fini(&s.history);
	return r ? r : left;
}
