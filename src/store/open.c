// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening the store: making folders and file (owned by the caller of sudo),
 * telling our files from others, and bringing the schema up to date.
 */
#include "store/internal.h"

#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x6b646c74	/* "kdlt" */
#define BUSY_TIMEOUT_MS 5000

/* under sudo: whose the files shall be; false otherwise */
static bool calling_user(uid_t *uid, gid_t *gid)
{
	const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID");
	uint64_t uid64, gid64;

	if (geteuid() != 0 || !u || !g || kd_parse_u64(u, &uid64) ||
	    kd_parse_u64(g, &gid64))
		return false;
	*uid = (uid_t)uid64;
	*gid = (gid_t)gid64;
	return true;
}

/* Nothing here follows a link that it just found at the last place: the folder
 * may be writable by somebody else. */
static void own(const char *path)
{
	uid_t uid;
	gid_t gid;

	if (calling_user(&uid, &gid) && lchown(path, uid, gid))
		return; /* still usable by root, who is running */
}

static int make_folders(char *path, struct kd_diag *d)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		int r = 0;

		*p = '\0';
		if (!mkdir(path, 0755))
			own(path);
		else if (errno != EEXIST)
			r = kd_fail_errno(d, "cannot make folder %s for the store",
					  path);
		*p = '/';
		if (r)
			return r;
	}
	return 0;
}

static int make_file(struct kd_store *s, struct kd_diag *d)
{
	int fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0) {
		if (errno == EEXIST)
			return 0;
		kd_diag_subject(d, "%s", s->path);
		return kd_fail_errno(d, "cannot make the store");
	}
	close(fd);
	own(s->path);
	return 0;
}

static int64_t pragma(struct kd_store *s, const char *name, int *rc)
{
	struct kd_query q;
	char sql[80];
	int64_t v = 0;

	snprintf(sql, sizeof(sql), "PRAGMA %s", name);
	kd_query_init(&q, s, sql);
	if (kd_query_step(&q))
		v = sqlite3_column_int64(q.stmt, 0);
	*rc = q.rc;
	sqlite3_finalize(q.stmt);
	return v;
}

static int latest_version(void)
{
	int n = 0;

	while (kd_store_schema[n])
		n++;
	return n;
}

/* one step of the schema inside a transaction; another program may have made
 * it while we waited for the lock */
static int migrate_one(struct kd_store *s, int from, struct kd_diag *d)
{
	static const char doing[] = "cannot bring the store up to date";
	char sql[120];
	int r, rc;

	r = kd_store_exec(s, "BEGIN IMMEDIATE", d, doing);
	if (r)
		return r;
	if (pragma(s, "user_version", &rc) == from && !rc) {
		snprintf(sql, sizeof(sql),
			 "PRAGMA user_version = %d; PRAGMA application_id = %d",
			 from + 1, APPLICATION_ID);
		r = kd_store_exec(s, kd_store_schema[from], d, doing);
		if (!r)
			r = kd_store_exec(s, sql, d, doing);
	}
	return kd_store_txn_end(s, r, d, doing);
}

/* is there anything in the file that is not ours */
static bool is_foreign(struct kd_store *s, int *rc)
{
	struct kd_query q;
	int64_t id = pragma(s, "application_id", rc);
	bool foreign = false;

	if (*rc || id == APPLICATION_ID)
		return false;
	kd_query_init(&q, s, "SELECT 1 FROM sqlite_schema LIMIT 1");
	foreign = kd_query_step(&q) || id;
	*rc = q.rc;
	sqlite3_finalize(q.stmt);
	return foreign;
}

static int check_schema(struct kd_store *s, struct kd_diag *d)
{
	int rc, r = 0, latest = latest_version(), version;
	bool foreign = is_foreign(s, &rc);

	if (rc)
		return kd_store_fail(s, d, "cannot read the store");
	kd_diag_subject(d, "%s", s->path);
	if (foreign) {
		kd_fail(d, -EBADMSG,
			"it is a database of another program, not a kdelta store");
		kd_diag_hint(d, "name another file with --store");
		return -EBADMSG;
	}
	version = (int)pragma(s, "user_version", &rc);
	if (rc)
		return kd_store_fail(s, d, "cannot read the store");
	if (version > latest || version < 0) {
		kd_fail(d, -EPROTO,
			"the store was written by a newer kdelta (schema %d, this one knows %d)",
			version, latest);
		kd_diag_hint(d, "use that kdelta, or name another store with --store");
		return -EPROTO;
	}
	if (version < latest && s->read_only)
		return kd_fail(d, -EROFS,
			       "the store has the old schema %d and can only be read here, so it cannot be brought up to date",
			       version);
	for (; !r && version < latest; version++)
		r = migrate_one(s, version, d);
	return r;
}

static int settle(struct kd_store *s, struct kd_diag *d)
{
	static const char doing[] = "cannot open the store";
	int r;

	sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
	sqlite3_extended_result_codes(s->db, 0);
	s->read_only = sqlite3_db_readonly(s->db, "main") == 1;
	r = check_schema(s, d);
	if (!r && !s->read_only)
		r = kd_store_exec(s, "PRAGMA journal_mode = WAL", d, doing);
	if (!r)
		r = kd_store_exec(s,
			"PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; "
			"PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; "
			"PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY", d,
			doing);
	return r;
}

static int open_db(struct kd_store *s, const char *name, int flags)
{
	int rc;

	sqlite3_close(s->db);
	s->db = NULL;
	rc = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	return rc;
}

/* "file:" with what means something in a URI escaped */
static char *immutable_uri(const char *path)
{
	char *uri = malloc(strlen(path) * 3 + sizeof("file:?immutable=1"));
	char *p = uri;

	if (!uri)
		return NULL;
	p += sprintf(p, "file:");
	for (; *path; path++) {
		if (strchr("%?#", *path))
			p += sprintf(p, "%%%02X", (unsigned char)*path);
		else
			*p++ = *path;
	}
	strcpy(p, "?immutable=1");
	return uri;
}

/* On read-only media a WAL database has no place for its index; where no log
 * is left beside it, it may be read as it is. */
static int reopen_immutable(struct kd_store *s, struct kd_diag *d)
{
	char *wal, *uri;
	struct stat st;
	int r = 0;

	if (asprintf(&wal, "%s-wal", s->path) < 0)
		return kd_fail(d, -ENOMEM, "out of memory");
	if (!stat(wal, &st) && st.st_size) {
		free(wal);
		return kd_fail(d, -EROFS,
			       "%s holds runs that were not merged yet, and the folder can only be read",
			       s->path);
	}
	free(wal);
	uri = immutable_uri(s->path);
	if (!uri)
		return kd_fail(d, -ENOMEM, "out of memory");
	if (open_db(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI))
		r = kd_store_fail(s, d, "cannot open the store");
	free(uri);
	return r ? r : settle(s, d);
}

static struct kd_store *new_store(const char *path, struct kd_diag *d)
{
	struct kd_store *s = calloc(1, sizeof(*s));

	if (!s) {
		kd_fail(d, -ENOMEM, "out of memory");
		return NULL;
	}
	if (kd_store_path(path, &s->path, d)) {
		free(s);
		return NULL;
	}
	return s;
}

int kd_store_open(const char *path, struct kd_store **out, struct kd_diag *d)
{
	struct kd_store *s = new_store(path, d);
	int r;

	if (!s)
		return path ? -ENOMEM : -ENOENT;
	r = make_folders(s->path, d);
	if (!r)
		r = make_file(s, d);
	if (!r && open_db(s, s->path, SQLITE_OPEN_READWRITE))
		r = kd_store_fail(s, d, "cannot open the store");
	if (!r)
		r = settle(s, d);
	if (!r && s->read_only) {
		kd_diag_subject(d, "%s", s->path);
		r = kd_fail(d, -EROFS, "the store can only be read");
		kd_diag_hint(d, "check its owner and mode, or name another store with --store");
	}
	if (r) {
		kd_store_close(s);
		return r;
	}
	*out = s;
	return 0;
}

int kd_store_open_read(const char *path, struct kd_store **out,
		       struct kd_diag *d)
{
	struct kd_store *s = new_store(path, d);
	struct kd_diag first = { 0 };
	int r = 0;

	if (!s)
		return path ? -ENOMEM : -ENOENT;
	if (access(s->path, F_OK)) {
		r = errno == ENOENT || errno == ENOTDIR ? -ENOENT : -errno;
		kd_diag_subject(d, "%s", s->path);
		if (r == -ENOENT)
			kd_fail(d, r, "nothing is stored here yet");
		else
			kd_fail(d, r, "cannot open the store: %s", strerror(-r));
		kd_store_close(s);
		return r;
	}
	if (open_db(s, s->path, SQLITE_OPEN_READWRITE))
		r = kd_store_fail(s, &first, "cannot open the store");
	if (!r)
		r = settle(s, &first);
	if (r == -EROFS || r == -EACCES)
		r = access(s->path, R_OK) ? r : reopen_immutable(s, d);
	if (r) {
		if (d && !d->err)
			*d = first;
		kd_store_close(s);
		return r;
	}
	*out = s;
	return 0;
}

void kd_store_close(struct kd_store *store)
{
	if (!store)
		return;
	sqlite3_close(store->db);
	free(store->path);
	free(store);
}

void kd_store_set_patience(struct kd_store *store, int ms)
{
	sqlite3_busy_timeout(store->db, ms);
}

const char *kd_store_name(const struct kd_store *store)
{
	return store->path;
}
