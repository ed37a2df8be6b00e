// SPDX-License-Identifier: GPL-2.0-or-later
#include "proto/conn.h"

#include "base/clock.h"
#include "proto/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct ends {
	int fds[2];
	struct kd_conn c;
	struct kd_buf console;
};

static void keep(void *arg, const char *text, size_t len)
{
	struct kd_buf *b = arg;

	kd_buf_add(b, text, len);
	kd_buf_puts(b, "|");
}

static int set_up(void **state)
{
	struct ends *e = calloc(1, sizeof(*e));

	if (pipe(e->fds))
		return -1;
	kd_conn_init(&e->c, e->fds[0], e->fds[1]);
	e->c.console = keep;
	e->c.console_arg = &e->console;
	*state = e;
	return 0;
}

static int tear_down(void **state)
{
	struct ends *e = *state;

	close(e->fds[0]);
	close(e->fds[1]);
	kd_conn_fini(&e->c);
	kd_buf_fini(&e->console);
	free(e);
	return 0;
}

static void say(struct ends *e, const char *text)
{
	assert_int_equal(write(e->fds[1], text, strlen(text)), strlen(text));
}

static uint64_t soon(void)
{
	return kd_now() + 20 * KD_NS_PER_MS;
}

static void finds_frames_in_a_console(void **state)
{
	struct ends *e = *state;
	json_t *f;

	say(e, "U-Boot 2023\r\n[    0.5] random: {\"kd\":1,\"id\":7}\r\nlogin: \n"
	       "{\"kd\":1,\"id\":8}\n{\"other\":1}\n");
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), 0);
	assert_int_equal(json_integer_value(json_object_get(f, "id")), 7);
	json_decref(f);
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), 0);
	assert_int_equal(json_integer_value(json_object_get(f, "id")), 8);
	json_decref(f);
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), -ETIMEDOUT);
	assert_string_equal(kd_buf_str(&e->console),
			    "U-Boot 2023|[    0.5] random: |login: |{\"other\":1}|");
}

static void waits_for_the_rest_of_a_frame(void **state)
{
	struct ends *e = *state;
	json_t *f;

	say(e, "{\"kd\":1,\"id\"");
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), -ETIMEDOUT);
	say(e, ":9}\n");
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), 0);
	assert_int_equal(json_integer_value(json_object_get(f, "id")), 9);
	json_decref(f);
}

static void refuses_malformed_frames_and_goes_on(void **state)
{
	static const char *const bad[] = {
		"{\"kd\":1,\n", "{\"kd\":1,\"a\":1,\"a\":2}\n",
		"{\"kd\":1,\"s\":\"\xff\"}\n", "{\"kd\":1,\"n\":99999999999999999999}\n",
		"{\"kd\":1,\"a\":1}x\n",
	};
	struct ends *e = *state;
	struct kd_diag d;
	json_t *f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&d, 0, sizeof(d));
		say(e, bad[i]);
		assert_int_equal(kd_conn_recv(&e->c, soon(), &f, &d), -EPROTO);
		assert_true(d.text[0]);
	}
	say(e, "{\"kd\":1,\"id\":1}\n");
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), 0);
	json_decref(f);
}

static void says_when_the_other_end_has_closed(void **state)
{
	struct ends *e = *state;
	json_t *f;

	say(e, "{\"kd\":1,\"id\":1}\n{\"kd\":1,");
	close(e->fds[1]);
	e->fds[1] = -1;
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), 0);
	json_decref(f);
	assert_int_equal(kd_conn_recv(&e->c, soon(), &f, NULL), -EPIPE);
}

static void sends_what_it_receives(void **state)
{
	struct ends *e = *state;
	json_t *out = json_pack("{s:i,s:I,s:o}", "kd", 1, "id", (json_int_t)3,
				"seed", kd_json_u64(UINT64_MAX));
	json_t *in;

	assert_int_equal(kd_conn_send(&e->c, out, soon(), NULL), 0);
	assert_int_equal(kd_conn_recv(&e->c, soon(), &in, NULL), 0);
	assert_true(json_equal(out, in));
	assert_true(kd_json_get_u64(in, "seed", 0) == UINT64_MAX);
	json_decref(out);
	json_decref(in);
}

static void sending_to_a_full_pipe_has_a_deadline(void **state)
{
	struct ends *e = *state;
	char *big = calloc(1, 1 << 20);
	json_t *out;

	memset(big, 'x', (1 << 20) - 1);
	out = json_pack("{s:i,s:s}", "kd", 1, "big", big);
	assert_int_equal(kd_conn_send(&e->c, out, soon(), NULL), -ETIMEDOUT);
	json_decref(out);
	free(big);
}

static void carries_failures(void **state)
{
	struct kd_diag in = { 0 }, out = { 0 };
	json_t *e;

	kd_fail_at(&in, -ERANGE, "sysctl:net.x", 3, 4, "caf\xe9 \"%d\"", 5);
	kd_diag_hint(&in, "less");
	e = kd_json_diag(&in);
	assert_int_equal(kd_json_get_diag(e, &out), -ERANGE);
	assert_string_equal(out.text, "caf? \"5\"");
	assert_string_equal(out.subject, in.subject);
	assert_string_equal(out.hint, "less");
	assert_int_equal(out.line, 3);
	json_decref(e);
	e = json_pack("{s:i}", "err", 5);
	memset(&out, 0, sizeof(out));
	assert_int_equal(kd_json_get_diag(e, &out), -EPROTO);
	json_decref(e);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(finds_frames_in_a_console),
		TEST(waits_for_the_rest_of_a_frame),
		TEST(refuses_malformed_frames_and_goes_on),
		TEST(says_when_the_other_end_has_closed),
		TEST(sends_what_it_receives),
		TEST(sending_to_a_full_pipe_has_a_deadline),
		TEST(carries_failures),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
