/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STORE_INTERNAL_H
#define KD_STORE_INTERNAL_H

#include "store/store.h"

#include <sqlite3.h>

/**
 * struct kd_store - an open store
 * @in_batch: between kd_store_batch_begin() and _end()
 * @read_only: nothing can be written
 */
struct kd_store {
	sqlite3 *db;
	char *path;
	bool in_batch;
	bool read_only;
};

/* schema/001.sql is [0]; ends with NULL */
extern const char *const kd_store_schema[];

/** kd_store_fail() - record SQLite's last failure in words; @doing: "cannot
 * store the run" */
int kd_store_fail(struct kd_store *s, struct kd_diag *d, const char *doing);

/** kd_store_exec() - run SQL without parameters; 0 or as kd_store_fail() */
int kd_store_exec(struct kd_store *s, const char *sql, struct kd_diag *d,
		  const char *doing);

/* a savepoint inside a batch, a transaction of its own otherwise */
int kd_store_txn_begin(struct kd_store *s, struct kd_diag *d,
		       const char *doing);
int kd_store_txn_end(struct kd_store *s, int r, struct kd_diag *d,
		     const char *doing);

/**
 * struct kd_query - a prepared statement; the first failure stays in @rc
 *
 * So that a statement is written as: prepare, bind, bind, step, end.
 */
struct kd_query {
	struct kd_store *store;
	sqlite3_stmt *stmt;
	int rc;
};

void kd_query_init(struct kd_query *q, struct kd_store *s, const char *sql);
void kd_query_int(struct kd_query *q, int i, int64_t v);
void kd_query_text(struct kd_query *q, int i, const char *text);
void kd_query_blob(struct kd_query *q, int i, const void *data, size_t len);

/** kd_query_step() - true while there is a row */
bool kd_query_step(struct kd_query *q);

/** kd_query_done() - step to the end and make ready for other values */
void kd_query_done(struct kd_query *q);

/** kd_query_fini() - 0 or as kd_store_fail() */
int kd_query_fini(struct kd_query *q, struct kd_diag *d, const char *doing);

/** kd_query_str() - column as the caller's string, NULL for NULL; an
 * allocation failure is kept in @q */
char *kd_query_str(struct kd_query *q, int column);

/* little-endian blobs */
void kd_blob_put_u32(unsigned char *p, uint32_t v);
void kd_blob_put_u64(unsigned char *p, uint64_t v);
void kd_blob_put_double(unsigned char *p, double v);
uint32_t kd_blob_u32(const unsigned char *p);
uint64_t kd_blob_u64(const unsigned char *p);
double kd_blob_double(const unsigned char *p);

/* a figure in run.figures: u32 metric.id, double */
#define KD_FIGURE_BYTES 12

#endif
