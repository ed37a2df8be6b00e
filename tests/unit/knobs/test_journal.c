// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree.h"

#include "base/buf.h"
#include "base/root.h"
#include "knobs/history.h"
#include "knobs/journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define A "/proc/sys/net/a"
#define B "/proc/sys/kernel/b"
#define C "/sys/block/c"
#define OWNER "experiment \"one\", process 4711"

static struct tree tree;
static char dir[128], file[192];

static int setup(void **state)
{
	tree_open(&tree);
	tree_put(&tree, A, "1\n");
	tree_put(&tree, B, "2 2\n");
	tree_put(&tree, C, "x [three] y\n");
	snprintf(dir, sizeof(dir), "%s/journal", tree.dir);
	snprintf(file, sizeof(file), "%s/journal-0", dir);
	return 0;
}

static int teardown(void **state)
{
	tree_close(&tree);
	return 0;
}

static struct kd_knob_env env(void)
{
	return (struct kd_knob_env){ .root = tree.root };
}

static void add_words(void *arg, const char *words)
{
	kd_buf_printf(arg, "%s\n", words);
}

static struct kd_journal *open_journal(struct kd_buf *words)
{
	struct kd_knob_env e = env();
	struct kd_journal *j = NULL;
	struct kd_diag d = { 0 };

	if (kd_journal_open(dir, OWNER, &e, add_words, words, &j, &d))
		fail_msg("%s", d.text);
	return j;
}

static int set(struct kd_journal *j, const char *knob, const char *value)
{
	struct kd_knob_env e = env();
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	int r = kd_journal_set(j, &e, knob, value, &seen, &match, NULL);

	kd_buf_fini(&seen);
	return r;
}

static void set_all(struct kd_journal *j)
{
	assert_int_equal(set(j, "sysctl:net.a", "10"), 0);
	assert_int_equal(set(j, "sysctl:kernel.b", "20 20"), 0);
	assert_int_equal(set(j, "sysctl:net.a", "11"), 0);
	assert_int_equal(set(j, "sysfs:" C, "y"), 0);
}

static void check_original(void)
{
	assert_string_equal(tree_get(&tree, A), "1\n");
	assert_string_equal(tree_get(&tree, B), "2 2\n");
	assert_string_equal(tree_get(&tree, C), "three\n");
}

/* as an agent that is killed: nothing of it is closed in order */
static void leave_behind(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct kd_buf words = { 0 };

		set_all(open_journal(&words));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(tree_get(&tree, A), "11\n");
	assert_string_equal(tree_get(&tree, C), "y\n");
}

static void restores(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf words = { 0 };
	struct kd_journal *j = open_journal(&words);

	assert_int_equal(words.len, 0);
	set_all(j);
	assert_int_equal(kd_journal_restore(j, &e, add_words, &words), 0);
	check_original();
	/* newest first */
	assert_string_equal(words.data,
			    "sysfs:" C ": back to \"x [three] y\"\n"
			    "sysctl:kernel.b: back to \"2 2\"\n"
			    "sysctl:net.a: back to \"1\"\n");
	/* and usable after it */
	set_all(j);
	assert_int_equal(kd_journal_restore(j, &e, NULL, NULL), 0);
	check_original();
	kd_journal_close(j);
	assert_int_equal(access(file, F_OK), -1);
	kd_buf_fini(&words);
}

static void next_owner_restores(void **state)
{
	struct kd_buf words = { 0 };
	struct kd_journal *j;

	leave_behind();
	j = open_journal(&words);
	check_original();
	assert_non_null(strstr(words.data, "sysctl:net.a: back to \"1\""));
	kd_journal_close(j);
	kd_buf_fini(&words);
}

static void recovers(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf words = { 0 };

	leave_behind();
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 0);
	check_original();
	assert_int_equal(access(file, F_OK), -1);
	/* nothing is left to do, and nothing to say */
	kd_buf_reset(&words);
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 0);
	assert_int_equal(words.len, 0);
	assert_int_equal(kd_journal_recover("/nonexistent/x", &e, add_words,
					    &words, NULL), 0);
	kd_buf_fini(&words);
}

static void leaves_what_others_changed(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf words = { 0 };

	leave_behind();
	tree_put(&tree, A, "99\n");
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 0);
	assert_string_equal(tree_get(&tree, A), "99\n");
	assert_string_equal(tree_get(&tree, B), "2 2\n");
	assert_non_null(strstr(words.data,
		"sysctl:net.a: somebody else has set it to \"99\" meanwhile, and it is left so; it was \"1\""));
	kd_buf_fini(&words);
}

/* an earlier value of ours: the last one was noted but not written yet */
static void restores_between_two_values(void **state)
{
	struct kd_knob_env e = env();

	leave_behind();
	tree_put(&tree, A, "10\n");
	assert_int_equal(kd_journal_recover(dir, &e, NULL, NULL, NULL), 0);
	check_original();
}

static void drops_after_boot(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf words = { 0 };

	leave_behind();
	tree_put(&tree, "/proc/sys/kernel/random/boot_id", "another\n");
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 0);
	assert_string_equal(tree_get(&tree, A), "11\n");
	assert_non_null(strstr(words.data, "before the last boot"));
	kd_buf_fini(&words);
}

static void drops_other_namespaces(void **state)
{
	struct kd_record r = {
		.kind = KD_RECORD_SET, .flags = KD_KNOB_NETNS,
		.netns = { 12345, 678 }, .owner = "x", .device = "",
		.boot = "11111111-2222-3333-4444-555555555555", .ifname = "",
		.knob = "sysctl:net.a", .old = "5", .value = "1",
	};
	struct kd_knob_env e = env();
	struct kd_buf words = { 0 }, text = { 0 };
	FILE *f;

	mkdir(dir, 0700);
	kd_record_format(&r, &text);
	f = fopen(file, "w");
	fputs(text.data, f);
	fclose(f);
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 0);
	assert_string_equal(tree_get(&tree, A), "1\n");
	assert_non_null(strstr(words.data, "network namespace is gone"));
	kd_buf_fini(&words);
	kd_buf_fini(&text);
}

static void one_owner(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf words = { 0 };
	struct kd_journal *j = open_journal(&words), *k;
	struct kd_diag d = { 0 };

	assert_int_equal(kd_journal_open(dir, "another", &e, NULL, NULL, &k, &d),
			 -EBUSY);
	assert_non_null(strstr(d.text, OWNER));
	/* restore leaves alone what is at work, and says so */
	set_all(j);
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 0);
	assert_string_equal(tree_get(&tree, A), "11\n");
	assert_non_null(strstr(words.data, OWNER));
	kd_journal_restore(j, &e, NULL, NULL);
	kd_journal_close(j);
	assert_int_equal(kd_journal_open(dir, "another", &e, NULL, NULL, &k,
					 NULL), 0);
	kd_journal_close(k);
	kd_buf_fini(&words);
}

static void unsafe_folder(void **state)
{
	struct kd_knob_env e = env();
	struct kd_diag d = { 0 };
	struct kd_journal *j;

	mkdir(dir, 0700);
	chmod(dir, 0777);
	assert_int_equal(kd_journal_open(dir, "x", &e, NULL, NULL, &j, &d),
			 -EPERM);
	assert_non_null(strstr(d.text, "others can write"));
}

/* the value is not touched where the journal cannot be written */
static void nothing_without_journal(void **state)
{
	struct kd_buf words = { 0 };
	struct kd_journal *j = open_journal(&words);
	int fds[3], full = open("/dev/full", O_WRONLY);

	kd_journal_fds(j, fds);
	assert_int_equal(dup2(full, fds[1]), fds[1]);
	close(full);
	assert_int_equal(set(j, "sysctl:net.a", "10"), -ENOSPC);
	assert_string_equal(tree_get(&tree, A), "1\n");
	kd_journal_close(j);
}

static size_t read_file(char *out, size_t size)
{
	FILE *f = fopen(file, "r");
	size_t n = fread(out, 1, size, f);

	fclose(f);
	return n;
}

/*
 * A crash at any byte of the journal. The knobs of records that are whole may
 * have been written or not; those of later ones were not.
 */
static void torn_anywhere(void **state)
{
	static const char *const paths[] = { A, B, A, C };
	static const char *const values[] = { "10\n", "20 20\n", "11\n", "y\n" };
	struct kd_knob_env e = env();
	char text[8192];
	size_t n, ends[8], n_ends = 0;

	leave_behind();
	n = read_file(text, sizeof(text));
	/* the owner's record first, then one each: they end in a line end, and
	 * the next begins with one */
	for (size_t i = 1; i < n; i++)
		if (text[i] == '\n' && text[i - 1] != '\n')
			ends[n_ends++] = i;
	assert_int_equal(n_ends, 5);
	for (size_t len = 0; len <= n; len++) {
		for (size_t written = 0; written <= 4; written++) {
			FILE *f;

			if (written && ends[written] > len)
				break;
			tree_put(&tree, A, "1\n");
			tree_put(&tree, B, "2 2\n");
			tree_put(&tree, C, "three\n");
			for (size_t i = 0; i < written; i++)
				tree_put(&tree, paths[i], values[i]);
			mkdir(dir, 0700);
			f = fopen(file, "w");
			fwrite(text, 1, len, f);
			fclose(f);
			assert_int_equal(kd_journal_recover(dir, &e, NULL, NULL,
							    NULL), 0);
			check_original();
		}
	}
}

/* a record after a torn one counts */
static void goes_on_after_a_tear(void **state)
{
	struct kd_record r = {
		.kind = KD_RECORD_SET, .owner = "", .boot = "b", .device = "",
		.ifname = "", .knob = "sysctl:a.b", .old = "1", .value = "2",
	};
	struct kd_buf whole = { 0 };

	kd_record_format(&r, &whole);
	for (size_t cut = 0; cut <= whole.len; cut++) {
		struct kd_buf text = { 0 };
		struct kd_history h;

		kd_buf_add(&text, whole.data, cut);
		r.knob = "sysctl:c.d";
		kd_record_format(&r, &text);
		r.knob = "sysctl:a.b";
		assert_int_equal(kd_history_parse(text.data, text.len, &h), 0);
		assert_true(h.n >= 1);
		assert_string_equal(h.records[h.n - 1].knob, "sysctl:c.d");
		assert_int_equal(h.n, cut >= whole.len - 1 ? 2 : 1);
		kd_history_fini(&h);
		kd_buf_fini(&text);
	}
	kd_buf_fini(&whole);
}

static void any_text(void **state)
{
	struct kd_record r = {
		.kind = KD_RECORD_SEEN, .pid = -5, .flags = 7,
		.netns = { UINT64_MAX, 3 }, .owner = "a\tb\\n\n\r",
		.boot = "", .device = "=\t=", .ifname = "eth0",
		.knob = "command:\xff\x01x", .old = "\\\\t", .value = "",
		.get = "", .set = "printf 'a\\n\tb'\n#", .restore = NULL,
	}, back;
	struct kd_buf text = { 0 };

	assert_int_equal(kd_record_format(&r, &text), 0);
	assert_int_equal(text.data[0], '\n');
	text.data[text.len - 1] = '\0';
	assert_null(strchr(text.data + 1, '\n'));
	assert_true(kd_record_parse(text.data + 1, &back));
	assert_int_equal(back.kind, r.kind);
	assert_int_equal(back.pid, r.pid);
	assert_int_equal(back.flags, r.flags);
	assert_true(kd_netns_is_same(&back.netns, &r.netns));
	assert_string_equal(back.owner, r.owner);
	assert_string_equal(back.boot, r.boot);
	assert_string_equal(back.device, r.device);
	assert_string_equal(back.ifname, r.ifname);
	assert_string_equal(back.knob, r.knob);
	assert_string_equal(back.old, r.old);
	assert_string_equal(back.value, r.value);
	assert_string_equal(back.get, r.get);
	assert_string_equal(back.set, r.set);
	assert_null(back.restore);
	kd_buf_fini(&text);
}

/* any one bit turned: the record counts for nothing */
static void flipped_bits(void **state)
{
	struct kd_record r = {
		.kind = KD_RECORD_SET, .owner = "", .boot = "b", .device = "",
		.ifname = "", .knob = "sysctl:a.b", .old = "1", .value = "2",
	}, back;
	struct kd_buf text = { 0 };

	kd_record_format(&r, &text);
	for (size_t bit = 0; bit < 8 * (text.len - 2); bit++) {
		char copy[512];

		memcpy(copy, text.data + 1, text.len - 2);
		copy[text.len - 2] = '\0';
		copy[bit / 8] ^= (char)(1 << bit % 8);
		if (kd_record_parse(copy, &back))
			fail_msg("bit %zu is not missed", bit);
	}
	kd_buf_fini(&text);
}

/* commands travel in the journal, as the file that named them may be gone */
static void commands(void **state)
{
	char get_cmd[200], set_cmd[200], restore_cmd[200];
	struct kd_knob_env e = env(), plain = env();
	struct kd_buf words = { 0 }, seen = { 0 };
	struct kd_journal *j = open_journal(&words);
	enum kd_knob_match match;

	tree_put(&tree, "/gain", "5\n");
	snprintf(get_cmd, sizeof(get_cmd), "cat %s/gain", tree.dir);
	snprintf(set_cmd, sizeof(set_cmd), "echo $KD_VALUE >%s/gain", tree.dir);
	snprintf(restore_cmd, sizeof(restore_cmd),
		 "echo $KD_VALUE >%s/gain; echo r >%s/restored", tree.dir,
		 tree.dir);
	e.cmd_get = get_cmd;
	e.cmd_set = set_cmd;
	assert_int_equal(kd_journal_set(j, &e, "command:gain", "7", &seen,
					&match, NULL), 0);
	assert_string_equal(tree_get(&tree, "/gain"), "7\n");
	assert_int_equal(kd_journal_restore(j, &plain, add_words, &words), 0);
	assert_string_equal(tree_get(&tree, "/gain"), "5\n");

	e.cmd_restore = restore_cmd;
	assert_int_equal(kd_journal_set(j, &e, "command:gain", "8", &seen,
					&match, NULL), 0);
	assert_int_equal(kd_journal_restore(j, &plain, add_words, &words), 0);
	assert_string_equal(tree_get(&tree, "/gain"), "5\n");
	assert_string_equal(tree_get(&tree, "/restored"), "r\n");

	e.cmd_get = e.cmd_restore = NULL;
	kd_buf_reset(&words);
	assert_int_equal(kd_journal_set(j, &e, "command:gain", "9", &seen,
					&match, NULL), 0);
	assert_int_equal(kd_journal_restore(j, &plain, add_words, &words), 0);
	assert_string_equal(words.data,
		"command:gain: cannot be read and has no way back; it stays at \"9\"\n");
	kd_journal_close(j);
	kd_buf_fini(&words);
	kd_buf_fini(&seen);
}

/* what does not take goes back at once; what is rounded is known as ours */
static void clamped_and_rounded(void **state)
{
	char get_cmd[200], set_cmd[300];
	struct kd_knob_env e = env(), plain = env();
	struct kd_buf words = { 0 }, seen = { 0 };
	struct kd_journal *j = open_journal(&words);
	enum kd_knob_match match;
	struct kd_diag d = { 0 };

	tree_put(&tree, "/gain", "5\n");
	snprintf(get_cmd, sizeof(get_cmd), "cat %s/gain", tree.dir);
	snprintf(set_cmd, sizeof(set_cmd),
		 "[ $KD_VALUE -gt 100 ] && KD_VALUE=100; echo $KD_VALUE >%s/gain",
		 tree.dir);
	e.cmd_get = get_cmd;
	e.cmd_set = set_cmd;
	assert_int_equal(kd_journal_set(j, &e, "command:gain", "900", &seen,
					&match, &d), -EINVAL);
	assert_string_equal(d.text,
		"did not take: it was \"5\", wanted \"900\", now it reads \"100\"");
	assert_string_equal(tree_get(&tree, "/gain"), "5\n");
	/* as if that had not been reached any more */
	tree_put(&tree, "/gain", "100\n");
	assert_int_equal(kd_journal_restore(j, &plain, add_words, &words), 0);
	assert_string_equal(tree_get(&tree, "/gain"), "5\n");
	kd_journal_close(j);
	kd_buf_fini(&words);
	kd_buf_fini(&seen);
}

/* a knob that cannot go back stays in the journal for the next try */
static void keeps_what_failed(void **state)
{
	struct kd_knob_env e = env();
	struct kd_buf words = { 0 };

	leave_behind();
	tree_mode(&tree, A, 0444);
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 1);
	assert_non_null(strstr(words.data,
			       "sysctl:net.a: could not be put back to \"1\""));
	assert_non_null(strstr(words.data, "read-only"));
	assert_string_equal(tree_get(&tree, B), "2 2\n");
	tree_mode(&tree, A, 0644);
	kd_buf_reset(&words);
	/* the others are done with: not even looked at */
	tree_put(&tree, B, "20 20\n");
	assert_int_equal(kd_journal_recover(dir, &e, add_words, &words, NULL),
			 0);
	assert_string_equal(words.data, "sysctl:net.a: back to \"1\"\n");
	assert_string_equal(tree_get(&tree, A), "1\n");
	assert_string_equal(tree_get(&tree, B), "20 20\n");
	kd_buf_fini(&words);
}

static void stays_small(void **state)
{
	struct kd_buf words = { 0 };
	struct kd_journal *j = open_journal(&words);
	struct kd_knob_env e = env();
	char value[16];
	struct stat st;

	for (int i = 0; i < 1000; i++) {
		snprintf(value, sizeof(value), "%d", i & 1 ? 10 : 11);
		assert_int_equal(set(j, "sysctl:net.a", value), 0);
	}
	assert_int_equal(stat(file, &st), 0);
	assert_true(st.st_size < 1024);
	kd_journal_restore(j, &e, NULL, NULL);
	assert_string_equal(tree_get(&tree, A), "1\n");
	kd_journal_close(j);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(restores),
		TEST(next_owner_restores),
		TEST(recovers),
		TEST(leaves_what_others_changed),
		TEST(restores_between_two_values),
		TEST(drops_after_boot),
		TEST(drops_other_namespaces),
		TEST(one_owner),
		TEST(unsafe_folder),
		TEST(nothing_without_journal),
		TEST(torn_anywhere),
		TEST(goes_on_after_a_tear),
		TEST(any_text),
		TEST(flipped_bits),
		TEST(commands),
		TEST(clamped_and_rounded),
		TEST(keeps_what_failed),
		TEST(stays_small),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
