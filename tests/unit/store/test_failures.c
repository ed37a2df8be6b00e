// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the store says when the world is not as it should be.
 */
#include "fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void sql(const char *path, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static struct kd_store *with_a_run(const char *path, struct kd_store_exp *e)
{
	struct kd_store_run r = a_run(0, 0, 0, 0);
	struct kd_store *s;

	assert_int_equal(kd_store_open(path, &s, NULL), 0);
	assert_int_equal(kd_store_begin(s, e, NULL), 0);
	assert_int_equal(kd_store_add_run(s, e->id, &r, NULL), 0);
	return s;
}

static void says_when_there_is_nothing(void **state)
{
	struct kd_diag d = { 0 };
	struct kd_store *s;

	assert_int_equal(kd_store_open_read(in_folder(state, "none.db"), &s, &d),
			 -ENOENT);
	assert_string_equal(d.text, "nothing is stored here yet");
	assert_string_equal(d.subject, in_folder(state, "none.db"));
}

static void refuses_a_newer_schema(void **state)
{
	const char *path = in_folder(state, "s.db");
	struct kd_store_exp e = an_experiment("x");
	struct kd_diag d = { 0 };
	struct kd_store *s;

	kd_store_close(with_a_run(path, &e));
	sql(path, "PRAGMA user_version = 99");
	assert_int_equal(kd_store_open(path, &s, &d), -EPROTO);
	assert_string_equal(d.text, "the store was written by a newer kdelta (schema 99, this one knows 1)");
	kd_diag_clear(&d);
	assert_int_equal(kd_store_open_read(path, &s, &d), -EPROTO);
}

static void refuses_what_is_not_ours(void **state)
{
	const char *path = in_folder(state, "s.db");
	struct kd_diag d = { 0 };
	struct kd_store *s;
	FILE *f;

	sql(path, "CREATE TABLE bookmarks (a)");
	assert_int_equal(kd_store_open(path, &s, &d), -EBADMSG);
	assert_string_equal(d.text, "it is a database of another program, not a kdelta store");
	unlink(path);
	f = fopen(path, "w");
	for (int i = 0; i < 1000; i++)
		fprintf(f, "this is a text file\n");
	fclose(f);
	kd_diag_clear(&d);
	assert_int_equal(kd_store_open(path, &s, &d), -EBADMSG);
	assert_string_equal(d.text, "cannot read the store: it is not a kdelta store");
}

/* every page after the first overwritten: whatever is read next must fail in
 * words, never crash */
static void says_when_it_is_damaged(void **state)
{
	const char *path = in_folder(state, "s.db");
	struct kd_store_exp e = an_experiment("x");
	struct kd_diag d = { 0 };
	struct kd_store_item *items;
	struct kd_store *s;
	struct stat st;
	int fd, r;

	kd_store_close(with_a_run(path, &e));
	fd = open(path, O_WRONLY);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 4096; at < st.st_size; at += 64)
		assert_int_equal(pwrite(fd, "\xff\xfe\x00\xa5", 4, at), 4);
	close(fd);
	r = kd_store_open(path, &s, &d);
	if (!r) {
		size_t n;

		r = kd_store_list(s, &items, &n, &d);
		kd_store_close(s);
	}
	assert_int_equal(r, -EBADMSG);
	assert_non_null(strstr(d.text, "the file is damaged"));
}

static void says_when_it_is_locked(void **state)
{
	const char *path = in_folder(state, "s.db");
	struct kd_store_exp e = an_experiment("x");
	struct kd_store_run r = a_run(0, 0, 0, 1);
	struct kd_store *s = with_a_run(path, &e);
	struct kd_store_run *runs;
	struct kd_diag d = { 0 };
	struct kd_store *reader;
	sqlite3 *db;
	size_t n;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL),
			 SQLITE_OK);
	kd_store_set_patience(s, 50);
	assert_int_equal(kd_store_add_run(s, e.id, &r, &d), -EBUSY);
	assert_string_equal(d.text, "cannot store the run: another program has it locked");
	/* readers do not mind */
	assert_int_equal(kd_store_open_read(path, &reader, NULL), 0);
	assert_int_equal(kd_store_load_runs(reader, e.id, &runs, &n, NULL), 0);
	assert_int_equal(n, 1);
	kd_store_runs_free(runs, n);
	kd_store_close(reader);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	assert_int_equal(kd_store_add_run(s, e.id, &r, NULL), 0);
	sqlite3_close(db);
	kd_store_close(s);
}

/* 0: full in the right words, and what was there before is whole */
static int fill(const char *path)
{
	struct kd_store_exp e = an_experiment("x");
	struct kd_store_run run = a_run(0, 0, 0, 0);
	struct kd_store_run *runs;
	struct kd_diag d = { 0 };
	struct kd_store *s;
	size_t n, stored = 0;
	int r;

	if (kd_store_open(path, &s, NULL) || kd_store_begin(s, &e, NULL))
		return 2;
	run.reason = calloc(1, 40001);
	memset(run.reason, 'x', 40000);
	do {
		r = kd_store_add_run(s, e.id, &run, &d);
		stored += !r;
	} while (!r && stored < 1000);
	if (r != -ENOSPC ||
	    strcmp(d.text, "cannot store the run: the disk is full"))
		return 3;
	if (kd_store_load_runs(s, e.id, &runs, &n, NULL) || n != stored)
		return 4;
	kd_store_close(s);
	return stored < 2 ? 5 : 0;
}

static int on_a_small_disk(const char *folder)
{
	char path[400];

	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return 77;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, "tmpfs", 0, "size=768k"))
		return 77;
	snprintf(path, sizeof(path), "%s/s.db", folder);
	return fill(path);
}

static int wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void says_when_the_disk_is_full(void **state)
{
	pid_t pid = fork();
	int r;

	if (pid == 0)
		_exit(on_a_small_disk(*state));
	r = wait_for(pid);
	if (r == 77)
		skip();
	assert_int_equal(r, 0);
}

/* as nobody, in a folder that only root may write to */
static int read_as_nobody(const char *path)
{
	struct kd_diag d = { 0 };
	struct kd_store_item *items;
	struct kd_store *s;
	size_t n;

	if (setgid(65534) || setuid(65534))
		return 77;
	if (kd_store_open(path, &s, &d) != -EROFS ||
	    !strstr(d.text, "can only be read"))
		return 2;
	kd_diag_clear(&d);
	if (kd_store_open_read(path, &s, &d))
		return 3;
	if (kd_store_list(s, &items, &n, NULL) || n != 1)
		return 4;
	return 0;
}

static void reads_what_it_may_not_write(void **state)
{
	const char *path = in_folder(state, "s.db");
	struct kd_store_exp e = an_experiment("x");
	pid_t pid;
	int r;

	kd_store_close(with_a_run(path, &e));
	assert_int_equal(chmod(*state, 0755), 0);
	assert_int_equal(chmod(path, 0644), 0);
	pid = fork();
	if (pid == 0)
		_exit(read_as_nobody(path));
	r = wait_for(pid);
	if (r == 77)
		skip();
	assert_int_equal(r, 0);
}

static void belongs_to_the_caller_of_sudo(void **state)
{
	const char *path = in_folder(state, "new/s.db");
	struct kd_store_exp e = an_experiment("x");
	struct stat st;

	if (geteuid())
		skip();
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65533", 1);
	kd_store_close(with_a_run(path, &e));
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_gid, 65533);
	assert_int_equal(stat(in_folder(state, "new"), &st), 0);
	assert_int_equal(st.st_uid, 65534);
}

static void knows_where_it_is(void **state)
{
	char *path = NULL;

	setenv("HOME", "/home/me", 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("KDELTA_STORE");
	unsetenv("SUDO_UID");
	assert_int_equal(kd_store_path(NULL, &path, NULL), 0);
	assert_string_equal(path, "/home/me/.local/state/kdelta/store.db");
	free(path);
	setenv("XDG_STATE_HOME", "/s", 1);
	assert_int_equal(kd_store_path(NULL, &path, NULL), 0);
	assert_string_equal(path, "/s/kdelta/store.db");
	free(path);
	setenv("KDELTA_STORE", "x.db", 1);
	assert_int_equal(kd_store_path(NULL, &path, NULL), 0);
	assert_string_equal(path, "x.db");
	free(path);
	assert_int_equal(kd_store_path("y.db", &path, NULL), 0);
	assert_string_equal(path, "y.db");
	free(path);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		CASE(says_when_there_is_nothing),
		CASE(refuses_a_newer_schema),
		CASE(refuses_what_is_not_ours),
		CASE(says_when_it_is_damaged),
		CASE(says_when_it_is_locked),
		CASE(says_when_the_disk_is_full),
		CASE(reads_what_it_may_not_write),
		CASE(belongs_to_the_caller_of_sudo),
		CASE(knows_where_it_is),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
