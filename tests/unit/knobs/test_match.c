// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buf.h"
#include "base/str.h"
#include "knobs/knob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void same_text(void **state)
{
	static const char *const same[][2] = {
		{ "1", "Y" }, { "0", "N" }, { "y", "1" }, { "off", "N" },
		{ "4096 16384 4194304", "4096\t16384\t4194304" },
		{ " 7", "7 " }, { "0x10", "16" }, { "16", "0x00000010" },
		{ "010", "10" }, { "1.5", "1.50" }, { "-1", "-1" },
		{ "cubic", "[cubic] reno" }, { "mq-deadline", "none [mq-deadline]" },
		{ "voluntary", "none (voluntary) full" }, { "none", "[none]" },
		{ "", "" }, { "a b", "a\t b" }, { "[reno] x", "reno" },
		{ "18446744073709551615", "18446744073709551615" },
	};
	static const char *const different[][2] = {
		{ "1", "0" }, { "Y", "N" }, { "reno", "[cubic] reno" },
		{ "4096 16384", "4096 16384 1" }, { "16", "0x16" },
		{ "", "0" }, { "1", "" }, { "cubic", "cubic2" },
		{ "none", "none [mq-deadline]" }, { "0x", "0" },
		{ "18446744073709551615", "18446744073709551614" },
		{ "2", "Y" }, { "1 1", "Y" }, { "[a] [b]", "a" },
	};

	for (size_t i = 0; i < KD_ARRAY_SIZE(same); i++)
		if (kd_knob_match_text(same[i][0], same[i][1]) != KD_KNOB_SAME)
			fail_msg("\"%s\" and \"%s\" are the same", same[i][0],
				 same[i][1]);
	for (size_t i = 0; i < KD_ARRAY_SIZE(different); i++)
		if (kd_knob_match_text(different[i][0], different[i][1]) !=
		    KD_KNOB_DIFFERS)
			fail_msg("\"%s\" and \"%s\" differ", different[i][0],
				 different[i][1]);
}

static void rounds(void **state)
{
	assert_int_equal(kd_knob_match_rounded("256", "256"), KD_KNOB_SAME);
	assert_int_equal(kd_knob_match_rounded("200", "256"), KD_KNOB_ROUNDED);
	assert_int_equal(kd_knob_match_rounded("5", "4"), KD_KNOB_ROUNDED);
	assert_int_equal(kd_knob_match_rounded("1", "64"), KD_KNOB_DIFFERS);
	assert_int_equal(kd_knob_match_rounded("1024", "256"), KD_KNOB_DIFFERS);
	assert_int_equal(kd_knob_match_rounded("0", "1"), KD_KNOB_DIFFERS);
	assert_int_equal(kd_knob_match_rounded("on", "off"), KD_KNOB_DIFFERS);
}

static void settable(void **state)
{
	static const char *const cases[][2] = {
		{ "none [mq-deadline] kyber", "mq-deadline" },
		{ "[none]", "none" },
		{ "none (voluntary) full", "voluntary" },
		{ "4096\t1\t2", "4096\t1\t2" },
		{ "plain", "plain" },
		{ "(null)", "(null)" },
		{ "[a] [b]", "[a] [b]" },
		{ "", "" },
	};

	for (size_t i = 0; i < KD_ARRAY_SIZE(cases); i++) {
		struct kd_buf out = { 0 };

		assert_int_equal(kd_knob_settable(cases[i][0], &out), 0);
		assert_string_equal(kd_buf_str(&out), cases[i][1]);
		kd_buf_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_text),
		cmocka_unit_test(rounds),
		cmocka_unit_test(settable),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
