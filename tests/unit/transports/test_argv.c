// SPDX-License-Identifier: GPL-2.0-or-later
#include "transports/argv.h"
#include "transports/transport.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void splits_words(void **state)
{
	struct kd_argv a = { 0 };
	char **argv;

	kd_argv_add_words(&a, "  adb -s 'a b' \"c d\"e f\\ g '' ");
	assert_int_equal(kd_argv_take(&a, &argv, NULL), 0);
	assert_string_equal(argv[0], "adb");
	assert_string_equal(argv[1], "-s");
	assert_string_equal(argv[2], "a b");
	assert_string_equal(argv[3], "c de");
	assert_string_equal(argv[4], "f g");
	assert_string_equal(argv[5], "");
	assert_null(argv[6]);
	kd_argv_free(argv);
}

static void refuses_open_quotes(void **state)
{
	struct kd_argv a = { 0 };
	struct kd_diag d = { 0 };
	char **argv;

	kd_argv_add_words(&a, "sh -c 'exit");
	assert_int_equal(kd_argv_take(&a, &argv, &d), -EINVAL);
	assert_true(d.err == -EINVAL);
}

static void ssh_ends_its_options(void **state)
{
	const struct kd_transport_ops *ssh = kd_transport_find("ssh");
	char mem[256] = { 0 };
	char **argv;
	int n = 0;

	assert_true(ssh->opts_size <= sizeof(mem));
	assert_int_equal(kd_opt_init(ssh->opts, mem), 0);
	assert_int_equal(kd_opt_set_list(ssh->opts, mem, "-oProxyCommand", NULL), 0);
	assert_int_equal(ssh->argv(mem, "", &argv, NULL), 0);
	while (argv[n])
		n++;
	assert_string_equal(argv[n - 3], "--");
	assert_string_equal(argv[n - 2], "-oProxyCommand");
	kd_argv_free(argv);
	kd_opt_fini(ssh->opts, mem);
}

static void a_missing_command_is_named(void **state)
{
	char *argv[] = { "/nonexistent/agent", NULL };
	struct kd_diag d = { 0 };
	struct kd_pipe p;

	assert_int_equal(kd_pipe_open(argv, &p, &d), -ENOENT);
	assert_non_null(strstr(d.text, "/nonexistent/agent"));
}

static void closing_ends_the_command(void **state)
{
	char *cat[] = { "cat", NULL };
	char *stubborn[] = { "sh", "-c", "trap '' TERM; sleep 60", NULL };
	struct kd_pipe p;
	char byte = 'x';
	int status;

	assert_int_equal(kd_pipe_open(cat, &p, NULL), 0);
	assert_int_equal(write(p.out, &byte, 1), 1);
	assert_int_equal(read(p.in, &byte, 1), 1);
	assert_int_equal(kd_pipe_close(&p, 5 * KD_NS_PER_SEC), 0);
	assert_int_equal(kd_pipe_open(stubborn, &p, NULL), 0);
	status = kd_pipe_close(&p, 10 * KD_NS_PER_MS);
	assert_true(WIFSIGNALED(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_words),
		cmocka_unit_test(refuses_open_quotes),
		cmocka_unit_test(ssh_ends_its_options),
		cmocka_unit_test(a_missing_command_is_named),
		cmocka_unit_test(closing_ends_the_command),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
