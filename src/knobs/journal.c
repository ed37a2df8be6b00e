// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal of changed knobs. See journal.h.
 *
 * A line: "kd1 CRC32 BOOT NETNS KNOB OLD NEW RESTORE", fields parted by tabs
 * and escaped so that each is one word. A torn last line fails its CRC; the
 * knob it names was not written yet.
 */
#include "knobs/journal.h"

#include "base/buf.h"
#include "base/parse.h"
#include "base/root.h"
#include "knobs/knob.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIELDS 8
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

enum field { MAGIC, CRC, BOOT, NETNS, KNOB, OLD, NEW, RESTORE };

struct kd_journal {
	int fd;
	char *path;
	char boot[64];
	uint64_t netns;
};

struct entry {
	char *f[FIELDS];
};

/* CRC-32 (ISO-HDLC), bit by bit: lines are short and few */
static uint32_t crc32(const char *p, size_t n)
{
	uint32_t c = ~0u;

	while (n--) {
		c ^= (unsigned char)*p++;
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return ~c;
}

static void escape(struct kd_buf *b, const char *s)
{
	kd_buf_puts(b, "\t=");
	for (; *s; s++) {
		if (*s == '\t' || *s == '\n' || *s == '\\')
			kd_buf_printf(b, "\\%c",
				      *s == '\t' ? 't' : *s == '\n' ? 'n' : '\\');
		else
			kd_buf_add(b, s, 1);
	}
}

static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*out++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

/* a whole line in place; false for one that is torn or foreign */
static bool parse(char *line, struct entry *e)
{
	char *rest = line, *body;
	uint32_t want;

	for (int i = 0; i < FIELDS; i++) {
		e->f[i] = strsep(&rest, "\t");
		if (!e->f[i])
			return false;
		if (i == CRC) {
			body = rest;
			if (!body || strcmp(e->f[MAGIC], "kd1") ||
			    sscanf(e->f[CRC], "%8" SCNx32, &want) != 1 ||
			    crc32(body, strlen(body)) != want)
				return false;
		}
		if (i > CRC) {
			if (*e->f[i] != '=')
				return false;
			unescape(++e->f[i]);
		}
	}
	return !rest;
}

static uint64_t own_netns(const struct kd_root *root)
{
	struct stat st;

	return kd_root_is_live(root) && !stat("/proc/self/ns/net", &st) ?
		       st.st_ino :
		       0;
}

static int load(int fd, struct kd_buf *text)
{
	char chunk[4096];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		kd_buf_add(text, chunk, (size_t)n);
		at += n;
	}
	return n < 0 ? -errno : text->err;
}

static int put_back(const struct kd_knob_env *base, const struct entry *e,
		    kd_journal_report *report, void *arg)
{
	char words[1400], command[1024], set[1024];
	struct kd_knob_env env = *base;
	struct kd_buf now = { 0 };
	struct kd_diag d = { 0 };
	enum kd_knob_match match;
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(e->f[KNOB], &name);
	enum kd_knob_match (*same)(const char *, const char *);
	int r = 0;

	words[0] = '\0';
	if (!ops)
		return 0;
	same = ops->match ? ops->match : kd_knob_match_text;
	if (*e->f[RESTORE]) {
		/* "get\nrestore" of a command knob; get may be empty */
		char *nl;

		snprintf(command, sizeof(command), "%s", e->f[RESTORE]);
		nl = strchr(command, '\n');
		snprintf(set, sizeof(set), "%s", nl ? nl + 1 : "");
		if (nl)
			*nl = '\0';
		env.cmd_get = command[0] ? command : NULL;
		env.cmd_set = set;
	}
	if (!*e->f[RESTORE] || env.cmd_get)
		r = ops->get(&env, name, &now, NULL);
	if (!r && now.len && same(e->f[OLD], kd_buf_str(&now)) == KD_KNOB_SAME)
		goto out;
	if (!r && now.len && same(e->f[NEW], kd_buf_str(&now)) == KD_KNOB_DIFFERS) {
		snprintf(words, sizeof(words),
			 "%s: somebody else set it to \"%.200s\"; left so (it was \"%.200s\")",
			 e->f[KNOB], kd_buf_str(&now), e->f[OLD]);
		r = 0;
	} else {
		kd_buf_reset(&now);
		r = kd_knob_apply(&env, e->f[KNOB], e->f[OLD], &now, &match, &d);
		if (r)
			snprintf(words, sizeof(words),
				 "%s: could not be put back to \"%.200s\": %s",
				 e->f[KNOB], e->f[OLD], d.text);
		else
			snprintf(words, sizeof(words), "%s: back to \"%.200s\"",
				 e->f[KNOB], e->f[OLD]);
	}
	if (report)
		report(arg, words);
out:
	kd_buf_fini(&now);
	return r ? 1 : 0;
}

/* entries in reverse order; the first change of a knob holds its true value,
 * and comes last */
static int restore_fd(int fd, const char *boot, uint64_t netns,
		      const struct kd_knob_env *env, kd_journal_report *report,
		      void *arg)
{
	struct kd_buf text = { 0 };
	struct entry *entries = NULL;
	size_t n = 0;
	char *rest, *line;
	int left = 0;

	if (load(fd, &text) || !text.len) {
		kd_buf_fini(&text);
		return 0;
	}
	rest = text.data;
	while ((line = strsep(&rest, "\n"))) {
		struct entry e;
		struct entry *grown;

		if (!rest || !parse(line, &e))
			continue;
		grown = reallocarray(entries, n + 1, sizeof(*entries));
		if (!grown)
			break;
		entries = grown;
		entries[n++] = e;
	}
	while (n--) {
		const struct entry *e = &entries[n];
		const char *name;
		const struct kd_knob_ops *ops = kd_knob_find(e->f[KNOB], &name);
		unsigned int flags = ops ? ops->flags : 0;
		uint64_t in = strtoull(e->f[NETNS], NULL, 10);
		bool later = false;

		if (ops && ops->scope)
			flags |= ops->scope(name);
		if (strcmp(e->f[BOOT], boot) ||
		    ((flags & KD_KNOB_NETNS) && in != netns))
			continue;
		/* only the oldest entry of a knob counts, compared with the
		 * newest value that was set */
		for (size_t k = 0; k < n; k++)
			if (!strcmp(entries[k].f[KNOB], e->f[KNOB])) {
				entries[k].f[NEW] = e->f[NEW];
				later = true;
			}
		if (!later)
			left += put_back(env, e, report, arg);
	}
	free(entries);
	kd_buf_fini(&text);
	return left;
}

static int make_dir(const char *dir, struct kd_diag *d)
{
	if (mkdir(dir, 0700) && errno != EEXIST)
		return kd_fail_errno(d, "cannot make %s for the journal of changed knobs",
				     dir);
	return 0;
}

int kd_journal_open(const char *dir, const char *owner,
		    const struct kd_knob_env *env, kd_journal_report *report,
		    void *arg, struct kd_journal **out, struct kd_diag *d)
{
	struct kd_journal *j = calloc(1, sizeof(*j));
	char lock_words[256] = "";
	int r;

	if (!j)
		return kd_fail(d, -ENOMEM, "out of memory");
	kd_root_read_line(env->root, BOOT_ID, j->boot, sizeof(j->boot));
	j->netns = own_netns(env->root);
	r = make_dir(dir, d);
	if (!r && asprintf(&j->path, "%s/journal-%" PRIu64, dir, j->netns) < 0)
		r = kd_fail(d, -ENOMEM, "out of memory");
	j->fd = r ? -1 : open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (!r && j->fd < 0)
		r = kd_fail_errno(d, "cannot open %s", j->path);
	if (!r && flock(j->fd, LOCK_EX | LOCK_NB)) {
		if (pread(j->fd, lock_words, sizeof(lock_words) - 1, 0) > 0)
			lock_words[strcspn(lock_words, "\n")] = '\0';
		r = kd_fail(d, -EBUSY, "the device is in use by %s",
			    lock_words[0] == '#' ? lock_words + 2 :
						   "another experiment");
		kd_diag_hint(d, "wait for it to end");
	}
	if (!r) {
		restore_fd(j->fd, j->boot, j->netns, env, report, arg);
		if (ftruncate(j->fd, 0) ||
		    dprintf(j->fd, "# %s\n", owner) < 0 || fsync(j->fd))
			r = kd_fail_errno(d, "cannot write %s", j->path);
	}
	if (r) {
		if (j->fd >= 0)
			close(j->fd);
		free(j->path);
		free(j);
		return r;
	}
	*out = j;
	return 0;
}

static int append(struct kd_journal *j, const struct kd_knob_env *env,
		  const char *knob, const char *old, const char *value,
		  struct kd_diag *d)
{
	struct kd_buf body = { 0 }, line = { 0 };
	char number[24], restore[2200] = "";
	int r;

	snprintf(number, sizeof(number), "%" PRIu64, j->netns);
	if (env->cmd_set)
		snprintf(restore, sizeof(restore), "%.1000s\n%.1000s",
			 env->cmd_get ? env->cmd_get : "",
			 env->cmd_restore ? env->cmd_restore : env->cmd_set);
	escape(&body, j->boot);
	escape(&body, number);
	escape(&body, knob);
	escape(&body, old);
	escape(&body, value);
	escape(&body, restore);
	/* the body's first tab parts it from the CRC */
	kd_buf_printf(&line, "kd1\t%08" PRIx32 "%s\n",
		      crc32(body.data + 1, body.len - 1), body.data);
	lseek(j->fd, 0, SEEK_END);
	r = line.err;
	if (!r && (write(j->fd, line.data, line.len) != (ssize_t)line.len ||
		   fdatasync(j->fd)))
		r = kd_fail_errno(d, "cannot write %s, so %s is not changed",
				  j->path, knob);
	kd_buf_fini(&body);
	kd_buf_fini(&line);
	return r;
}

int kd_journal_set(struct kd_journal *j, const struct kd_knob_env *env,
		   const char *knob, const char *value, struct kd_buf *seen,
		   enum kd_knob_match *match, struct kd_diag *d)
{
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);
	struct kd_buf old = { 0 };
	int r = 0;

	if (!ops)
		return kd_fail(d, -EOPNOTSUPP, "this agent has no knob \"%s\"",
			       knob);
	if (!(ops->flags & KD_KNOB_WRITE_ONLY) &&
	    !(env->cmd_set && !env->cmd_get))
		r = ops->get(env, name, &old, d);
	if (!r)
		r = append(j, env, knob, kd_buf_str(&old), value, d);
	kd_buf_fini(&old);
	if (r) {
		kd_diag_subject(d, "%s", knob);
		return r;
	}
	return kd_knob_apply(env, knob, value, seen, match, d);
}

int kd_journal_restore(struct kd_journal *j, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg)
{
	int left = restore_fd(j->fd, j->boot, j->netns, env, report, arg);

	if (!left && ftruncate(j->fd, 0))
		return -errno;
	return left;
}

void kd_journal_close(struct kd_journal *j)
{
	struct stat st;

	if (!j)
		return;
	if (!fstat(j->fd, &st) && !st.st_size)
		unlink(j->path);
	close(j->fd);
	free(j->path);
	free(j);
}

int kd_journal_recover(const char *dir, const struct kd_knob_env *env,
		       kd_journal_report *report, void *arg, struct kd_diag *d)
{
	char boot[64] = "";
	uint64_t netns = own_netns(env->root);
	DIR *folder = opendir(dir);
	struct dirent *e;
	int left = 0;

	if (!folder)
		return errno == ENOENT ? 0 :
					 kd_fail_errno(d, "cannot read %s", dir);
	kd_root_read_line(env->root, BOOT_ID, boot, sizeof(boot));
	while ((e = readdir(folder))) {
		int fd, some;

		if (strncmp(e->d_name, "journal-", 8))
			continue;
		fd = openat(dirfd(folder), e->d_name, O_RDWR | O_CLOEXEC);
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)) {
			if (fd >= 0)
				close(fd);
			continue;
		}
		some = restore_fd(fd, boot, netns, env, report, arg);
		left += some;
		if (!some)
			unlinkat(dirfd(folder), e->d_name, 0);
		close(fd);
	}
	closedir(folder);
	return left;
}
