// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal of changed knobs. See journal.h; record.h has the file's form.
 */
#include "knobs/journal.h"

#include "base/buf.h"
#include "base/root.h"
#include "knobs/apply.h"
#include "knobs/history.h"
#include "knobs/journal_file.h"
#include "knobs/restore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kd_journal {
	struct kd_journal_file file, machine;
	int dir;
	char *owner;
	pid_t pid;		/* the owner's; not of its guardian */
	char boot[64];
	struct kd_netns_id netns;
	char **logged;		/* knob, interface and value that are in it */
	size_t n_logged;
};

static void forget(struct kd_journal *j)
{
	while (j->n_logged)
		free(j->logged[--j->n_logged]);
	free(j->logged);
	j->logged = NULL;
}

static int start_file(struct kd_journal *j, struct kd_journal_file *f,
		      struct kd_diag *d)
{
	struct kd_record r = {
		.kind = KD_RECORD_OWNER, .pid = j->pid, .owner = j->owner,
		.boot = j->boot, .netns = j->netns, .device = "", .ifname = "",
		.knob = "", .old = "", .value = "",
	};

	return kd_journal_file_add(f, &r, d);
}

int kd_journal_open(const char *dir, const char *owner,
		    const struct kd_knob_env *env, kd_journal_report *report,
		    void *arg, struct kd_journal **out, struct kd_diag *d)
{
	struct kd_journal *j = calloc(1, sizeof(*j));
	char name[40];
	int r;

	if (!j)
		return kd_fail(d, -ENOMEM, "out of memory");
	j->file.fd = j->machine.fd = j->dir = -1;
	j->owner = strdup(owner);
	j->pid = getpid();
	kd_restore_boot_id(env->root, j->boot);
	kd_restore_netns(env->root, &j->netns);
	snprintf(name, sizeof(name), "journal-%" PRIu64, j->netns.inode);
	r = j->owner ? kd_journal_file_dir(dir, true, &j->dir, d) :
		       kd_fail(d, -ENOMEM, "out of memory");
	if (!r)
		r = kd_journal_file_open(j->dir, name, true, true, &j->file, d);
	if (!r) {
		/* what could not be put back stays in it */
		if (!kd_restore_fd(j->file.fd, env, report, arg))
			r = kd_journal_file_empty(&j->file, d);
	}
	if (!r)
		r = start_file(j, &j->file, d);
	if (r) {
		kd_journal_close(j);
		return r;
	}
	kd_journal_file_recover(j->dir, env, NULL, report, arg);
	*out = j;
	return 0;
}

/* a knob of the whole machine belongs to one experiment at a time */
static int take_machine(struct kd_journal *j, const struct kd_knob_env *env,
			struct kd_diag *d)
{
	int r = 0;

	if (j->machine.fd < 0) {
		r = kd_journal_file_open(j->dir, "machine", true, true,
					 &j->machine, d);
		if (!r)
			r = kd_journal_file_empty(&j->machine, d);
		if (!r)
			r = start_file(j, &j->machine, d);
		if (!r)
			kd_journal_file_recover(j->dir, env, NULL, NULL, NULL);
	}
	return r;
}

int kd_journal_claim(struct kd_journal *j, const struct kd_knob_env *env,
		     const char *knob, struct kd_diag *d)
{
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);

	if (!ops || (kd_knob_flags(env, ops, name) & KD_KNOB_NETNS))
		return 0;
	return take_machine(j, env, d);
}

static char *key_of(const struct kd_record *r)
{
	char *key;

	return asprintf(&key, "%s\n%s\n%d\n%s", r->knob, r->ifname, r->kind,
			r->value) < 0 ? NULL : key;
}

/* each value of a knob is written once: it is all that restoring looks for, and
 * the file stays small however many runs there are */
static int log_once(struct kd_journal *j, const struct kd_record *r,
		    struct kd_diag *d)
{
	char *key = key_of(r), **grown;
	int err;

	for (size_t i = 0; key && i < j->n_logged; i++) {
		if (!strcmp(j->logged[i], key)) {
			free(key);
			return 0;
		}
	}
	grown = key ? reallocarray(j->logged, j->n_logged + 1,
				   sizeof(*grown)) : NULL;
	if (!grown) {
		free(key);
		return kd_fail(d, -ENOMEM, "out of memory");
	}
	j->logged = grown;
	err = kd_journal_file_add(&j->file, r, d);
	if (err)
		free(key);
	else
		j->logged[j->n_logged++] = key;
	return err;
}

struct change {
	const struct kd_knob_env *env;
	const struct kd_knob_ops *ops;
	const char *name;
	struct kd_buf old;
	struct kd_buf device;
	struct kd_record record;
};

static int prepare(struct kd_journal *j, const char *knob, const char *value,
		   struct change *c, struct kd_diag *d)
{
	const struct kd_knob_env *env = c->env;
	int r;

	c->ops = kd_knob_find(knob, &c->name);
	if (!c->ops)
		return kd_fail(d, -EOPNOTSUPP,
			       "there is no kind of knob in \"%s\"", knob);
	r = c->ops->check ? c->ops->check(c->name, d) : 0;
	if (r)
		return r;
	c->record = (struct kd_record){
		.kind = KD_RECORD_SET,
		.flags = kd_knob_flags(env, c->ops, c->name),
		.netns = j->netns, .pid = j->pid, .owner = "",
		.boot = j->boot, .knob = knob, .value = value,
		.ifname = env->ifname ? env->ifname : "",
		.get = env->cmd_get, .set = env->cmd_set,
		.restore = env->cmd_restore,
	};
	if (!(c->record.flags & KD_KNOB_NETNS))
		r = take_machine(j, env, d);
	if (!r && !(c->record.flags & KD_KNOB_WRITE_ONLY))
		r = c->ops->get(env, c->name, &c->old, d);
	if (!r && c->ops->device)
		r = c->ops->device(env, c->name, &c->device);
	c->record.old = kd_buf_str(&c->old);
	c->record.device = kd_buf_str(&c->device);
	return r;
}

/* the kernel made something else of the value: that is ours too */
static void log_seen(struct kd_journal *j, struct change *c, const char *seen)
{
	if (!strcmp(seen, c->record.value) || !strcmp(seen, c->record.old))
		return;
	c->record.kind = KD_RECORD_SEEN;
	c->record.value = seen;
	log_once(j, &c->record, NULL);
}

static void undo(struct change *c)
{
	struct kd_buf now = { 0 }, value = { 0 };

	if (!c->ops->get(c->env, c->name, &now, NULL) &&
	    kd_knob_match(c->ops, c->record.old, kd_buf_str(&now)) !=
		    KD_KNOB_SAME &&
	    !kd_knob_settable(c->record.old, &value))
		c->ops->set(c->env, c->name, kd_buf_str(&value), NULL);
	kd_buf_fini(&now);
	kd_buf_fini(&value);
}

int kd_journal_set(struct kd_journal *j, const struct kd_knob_env *env,
		   const char *knob, const char *value, struct kd_buf *seen,
		   enum kd_knob_match *match, struct kd_diag *d)
{
	struct change c = { .env = env };
	size_t start = seen->len;
	bool readable;
	int r = prepare(j, knob, value, &c, d);

	*match = KD_KNOB_SAME;
	readable = !(c.record.flags & KD_KNOB_WRITE_ONLY);
	if (!r)
		r = log_once(j, &c.record, d);
	if (r) {
		kd_diag_subject(d, "%s", knob);
	} else {
		r = kd_knob_change(env, c.ops, c.name,
				   readable ? c.record.old : NULL, value, seen,
				   match, d);
		if (seen->len > start)
			log_seen(j, &c, kd_buf_str(seen) + start);
		if (r && readable)
			undo(&c);
	}
	kd_buf_fini(&c.old);
	kd_buf_fini(&c.device);
	return r;
}

int kd_journal_restore(struct kd_journal *j, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg)
{
	int left = kd_restore_fd(j->file.fd, env, report, arg);

	forget(j);
	if (!left && !kd_journal_file_empty(&j->file, NULL))
		start_file(j, &j->file, NULL);
	return left;
}

size_t kd_journal_fds(const struct kd_journal *j, int fds[3])
{
	size_t n = 0;

	fds[n++] = j->dir;
	fds[n++] = j->file.fd;
	if (j->machine.fd >= 0)
		fds[n++] = j->machine.fd;
	return n;
}

void kd_journal_close(struct kd_journal *j)
{
	if (!j)
		return;
	kd_journal_file_close(&j->file, j->dir);
	kd_journal_file_close(&j->machine, j->dir);
	if (j->dir >= 0)
		close(j->dir);
	forget(j);
	free(j->owner);
	free(j);
}

int kd_journal_recover(const char *dir, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg, struct kd_diag *d)
{
	int fd, r = kd_journal_file_dir(dir, false, &fd, d);

	if (r)
		return r == -ENOENT ? 0 : r;
	r = kd_journal_file_recover(fd, env, report, report, arg);
	close(fd);
	return r;
}
