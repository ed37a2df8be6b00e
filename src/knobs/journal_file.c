// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of the journal: folder, locks, appending. See journal_file.h.
 */
#include "knobs/journal_file.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/history.h"
#include "knobs/restore.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "journal-"
#define WAIT_NS (5 * KD_NS_PER_SEC)
#define POLL_NS (10 * KD_NS_PER_MS)

int kd_journal_dir(struct kd_buf *out)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (!geteuid())
		return kd_buf_puts(out, "/run/kdelta");
	if (runtime && *runtime == '/')
		return kd_buf_printf(out, "%s/kdelta", runtime);
	return kd_buf_printf(out, "/tmp/kdelta-%u", (unsigned int)geteuid());
}

static int open_dir(const char *dir, bool create, int *fd, struct kd_diag *d)
{
	struct stat st;

	if (create && mkdir(dir, 0700) && errno != EEXIST)
		return kd_fail_errno(d, "cannot make %s for the journal of changed knobs",
				     dir);
	*fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0 && errno == ENOENT && !create)
		return -ENOENT;
	if (*fd < 0)
		return kd_fail_errno(d, "cannot use %s for the journal of changed knobs",
				     dir);
	if (fstat(*fd, &st) || (st.st_uid && st.st_uid != geteuid()) ||
	    (st.st_mode & 022)) {
		close(*fd);
		*fd = -1;
		kd_fail(d, -EPERM, "%s is not safe for the journal of changed knobs: others can write to it",
			dir);
		kd_diag_hint(d, "chown and chmod 700 it");
		return -EPERM;
	}
	return 0;
}

int kd_journal_file_dir(const char *dir, bool create, int *fd,
			struct kd_diag *d)
{
	struct kd_buf path = { 0 };
	int r = dir ? kd_buf_puts(&path, dir) : kd_journal_dir(&path);

	if (!r)
		r = open_dir(path.data, create, fd, d);
	kd_buf_fini(&path);
	return r;
}

/* who has it; "" where that is not known */
static void read_owner(int fd, char *words, size_t size, int64_t *pid)
{
	struct kd_history h;

	*words = '\0';
	*pid = 0;
	if (!kd_history_load(fd, &h)) {
		snprintf(words, size, "%s (agent %" PRId64 ")", h.owner.owner,
			 h.owner.pid);
		*pid = h.owner.pid;
	}
	kd_history_fini(&h);
}

static bool is_alive(int64_t pid)
{
	return pid <= 0 || pid > INT32_MAX || !kill((pid_t)pid, 0) ||
	       errno != ESRCH;
}

/* 0, or -EBUSY after waiting for a dead owner's guardian */
static int lock(int fd, bool wait, struct kd_diag *d)
{
	uint64_t deadline = kd_now() + WAIT_NS;
	char words[400];
	int64_t pid;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return kd_fail_errno(d, "cannot lock the journal");
		read_owner(fd, words, sizeof(words), &pid);
		if (!wait || (*words && pid && is_alive(pid)) ||
		    kd_now() > deadline) {
			kd_fail(d, -EBUSY, "the device is in use by %s",
				pid ? words : "another experiment");
			kd_diag_hint(d, "wait for it to end");
			return -EBUSY;
		}
		kd_sleep_until(kd_now() + POLL_NS);
	}
	return 0;
}

static bool is_still(int dir, const char *name, int fd)
{
	struct stat a, b;

	return !fstat(fd, &a) &&
	       !fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW) &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

int kd_journal_file_open(int dir, const char *name, bool create, bool wait,
			 struct kd_journal_file *f, struct kd_diag *d)
{
	int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	int r;

	snprintf(f->name, sizeof(f->name), "%s", name);
	/* whoever had it may have removed it while it was waited for */
	do {
		f->fd = openat(dir, name, create ? flags | O_CREAT : flags, 0600);
		if (f->fd < 0)
			return kd_fail_errno(d, "cannot open %s, the journal of changed knobs",
					     name);
		r = lock(f->fd, wait, d);
		if (r || !is_still(dir, name, f->fd)) {
			close(f->fd);
			f->fd = -1;
		}
	} while (!r && f->fd < 0);
	return r;
}

int kd_journal_file_add(struct kd_journal_file *f, const struct kd_record *r,
			struct kd_diag *d)
{
	struct kd_buf line = { 0 };
	ssize_t n;
	int err = kd_record_format(r, &line);

	if (!err) {
		n = write(f->fd, line.data, line.len);
		if (n < 0)
			err = -errno;
		else if ((size_t)n < line.len)
			err = -ENOSPC;
		else if (fdatasync(f->fd) && errno != EINVAL)
			err = -errno;
	}
	kd_buf_fini(&line);
	if (!err)
		return 0;
	kd_fail(d, err, "cannot write the journal of changed knobs: %s",
		strerror(-err));
	kd_diag_hint(d, "nothing was changed");
	return err;
}

int kd_journal_file_empty(struct kd_journal_file *f, struct kd_diag *d)
{
	if (ftruncate(f->fd, 0))
		return kd_fail_errno(d, "cannot empty the journal of changed knobs");
	return 0;
}

void kd_journal_file_close(struct kd_journal_file *f, int dir)
{
	struct kd_history h;

	if (f->fd < 0)
		return;
	if (!kd_history_load(f->fd, &h) && !kd_history_pending(&h) &&
	    is_still(dir, f->name, f->fd))
		unlinkat(dir, f->name, 0);
	kd_history_fini(&h);
	close(f->fd);
	f->fd = -1;
}

static int recover_one(int dir, const char *name,
		       const struct kd_knob_env *env, kd_journal_report *busy,
		       kd_journal_report *report, void *arg)
{
	struct kd_journal_file f = { .fd = -1 };
	struct kd_diag d = { 0 };
	char words[800];
	int left, r = kd_journal_file_open(dir, name, false, busy, &f, &d);

	if (r) {
		if (busy && r != -ENOENT) {
			snprintf(words, sizeof(words), "%s: left alone: %s",
				 name, d.text);
			busy(arg, words);
		}
		return 0;
	}
	left = kd_restore_fd(f.fd, env, report, arg);
	kd_journal_file_close(&f, dir);
	return left < 0 ? 1 : left;
}

int kd_journal_file_recover(int dir, const struct kd_knob_env *env,
			    kd_journal_report *busy, kd_journal_report *report,
			    void *arg)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int left = 0;

	while (folder && (e = readdir(folder)))
		if (kd_str_has_prefix(e->d_name, PREFIX))
			left += recover_one(dir, e->d_name, env, busy, report,
					    arg);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	return left;
}
