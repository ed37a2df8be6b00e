// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SQLite's calls and codes in one place: statements whose errors may be looked
 * at once, transactions, and what went wrong in words for a person.
 */
#include "store/internal.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct failure {
	int code;
	int err;
	const char *what;
	const char *hint;
};

static const struct failure failures[] = {
	{ SQLITE_BUSY, -EBUSY, "another program has it locked",
	  "wait until that is done, or name another store with --store" },
	{ SQLITE_LOCKED, -EBUSY, "another program has it locked",
	  "wait until that is done, or name another store with --store" },
	{ SQLITE_FULL, -ENOSPC, "the disk is full",
	  "make room, or name a store on another disk with --store" },
	{ SQLITE_READONLY, -EROFS, "it can only be read",
	  "check its owner and mode, or name another store with --store" },
	{ SQLITE_PERM, -EACCES, "access is not permitted", "" },
	{ SQLITE_AUTH, -EACCES, "access is not permitted", "" },
	{ SQLITE_CANTOPEN, -EACCES, "it cannot be opened",
	  "check owner and mode of the file and its folder" },
	{ SQLITE_CORRUPT, -EBADMSG, "the file is damaged",
	  "put a copy back, or move it away to start a new one" },
	{ SQLITE_NOTADB, -EBADMSG, "it is not a kdelta store",
	  "name another file with --store" },
	{ SQLITE_NOMEM, -ENOMEM, "out of memory", "" },
	{ SQLITE_TOOBIG, -E2BIG, "a text or series is too large", "" },
	{ SQLITE_CONSTRAINT, -EINVAL, "a value does not fit the store's rules",
	  "" },
};

static const struct failure *find_failure(struct kd_store *s)
{
	static const struct failure other = { SQLITE_ERROR, -EIO, NULL, "" };
	int code = s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM;
	int sys = s->db ? sqlite3_system_errno(s->db) : 0;

	if ((code & 0xff) == SQLITE_IOERR &&
	    (sys == ENOSPC || sys == EDQUOT))
		code = SQLITE_FULL;
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].code == (code & 0xff))
			return &failures[i];
	return &other;
}

int kd_store_fail(struct kd_store *s, struct kd_diag *d, const char *doing)
{
	const struct failure *f = find_failure(s);

	kd_diag_subject(d, "%s", s->path);
	if (f->what)
		kd_fail(d, f->err, "%s: %s", doing, f->what);
	else
		kd_fail(d, f->err, "%s: %s", doing, sqlite3_errmsg(s->db));
	if (f->hint[0])
		kd_diag_hint(d, "%s", f->hint);
	return f->err;
}

int kd_store_exec(struct kd_store *s, const char *sql, struct kd_diag *d,
		  const char *doing)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return kd_store_fail(s, d, doing);
	return 0;
}

int kd_store_txn_begin(struct kd_store *s, struct kd_diag *d,
		       const char *doing)
{
	return kd_store_exec(s, s->in_batch ? "SAVEPOINT one" :
			     "BEGIN IMMEDIATE", d, doing);
}

int kd_store_txn_end(struct kd_store *s, int r, struct kd_diag *d,
		     const char *doing)
{
	if (!r)
		r = kd_store_exec(s, s->in_batch ? "RELEASE one" : "COMMIT", d,
				  doing);
	/* a full disk may have rolled back already: nothing left to undo */
	if (r && !sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, s->in_batch ?
			     "ROLLBACK TO one; RELEASE one" : "ROLLBACK",
			     NULL, NULL, NULL);
	return r;
}

void kd_query_init(struct kd_query *q, struct kd_store *s, const char *sql)
{
	*q = (struct kd_query){ .store = s };
	q->rc = sqlite3_prepare_v2(s->db, sql, -1, &q->stmt, NULL);
}

void kd_query_int(struct kd_query *q, int i, int64_t v)
{
	if (!q->rc)
		q->rc = sqlite3_bind_int64(q->stmt, i, v);
}

void kd_query_text(struct kd_query *q, int i, const char *text)
{
	if (!q->rc)
		q->rc = sqlite3_bind_text(q->stmt, i, text, -1,
					  SQLITE_TRANSIENT);
}

void kd_query_blob(struct kd_query *q, int i, const void *data, size_t len)
{
	if (q->rc)
		return;
	if (len)
		q->rc = sqlite3_bind_blob64(q->stmt, i, data, len,
					    SQLITE_TRANSIENT);
	else
		q->rc = sqlite3_bind_zeroblob(q->stmt, i, 0);
}

bool kd_query_step(struct kd_query *q)
{
	int rc;

	if (q->rc)
		return false;
	rc = sqlite3_step(q->stmt);
	if (rc == SQLITE_ROW)
		return true;
	if (rc != SQLITE_DONE)
		q->rc = rc;
	return false;
}

void kd_query_done(struct kd_query *q)
{
	while (kd_query_step(q))
		;
	if (!q->rc)
		q->rc = sqlite3_reset(q->stmt);
}

int kd_query_fini(struct kd_query *q, struct kd_diag *d, const char *doing)
{
	int r = q->rc ? kd_store_fail(q->store, d, doing) : 0;

	sqlite3_finalize(q->stmt);
	q->stmt = NULL;
	return r;
}

char *kd_query_str(struct kd_query *q, int column)
{
	const char *text;
	char *s;

	if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL)
		return NULL;
	text = (const char *)sqlite3_column_text(q->stmt, column);
	s = text ? strdup(text) : NULL;
	if (!s)
		q->rc = SQLITE_NOMEM;
	return s;
}

void kd_blob_put_u32(unsigned char *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

void kd_blob_put_u64(unsigned char *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

void kd_blob_put_double(unsigned char *p, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	kd_blob_put_u64(p, bits);
}

uint32_t kd_blob_u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

uint64_t kd_blob_u64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

double kd_blob_double(const unsigned char *p)
{
	uint64_t bits = kd_blob_u64(p);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}
