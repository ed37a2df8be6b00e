// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buf.h"
#include "base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const directions[] = { "tx", "rx", "bidir", NULL };

struct options {
	int direction;
	int64_t streams;
	uint64_t time_ns;
	uint64_t size;
	uint64_t rate;
	double effect;
	bool nodelay;
	char *congestion;
};

static const struct kd_opt table[] = {
	{ "direction", KD_OPT_ENUM, offsetof(struct options, direction),
	  .choices = directions, .def = "tx", .flags = KD_OPT_POSITIONAL },
	{ "streams", KD_OPT_INT, offsetof(struct options, streams),
	  .min = 1, .max = 128, .def = "1" },
	{ "time", KD_OPT_TIME, offsetof(struct options, time_ns), .def = "5s" },
	{ "size", KD_OPT_SIZE, offsetof(struct options, size) },
	{ "rate", KD_OPT_RATE, offsetof(struct options, rate) },
	{ "effect", KD_OPT_PCT, offsetof(struct options, effect) },
	{ "nodelay", KD_OPT_BOOL, offsetof(struct options, nodelay) },
	{ "congestion", KD_OPT_STR, offsetof(struct options, congestion) },
	{ 0 },
};

static void sets_a_list(void **state)
{
	struct options o = { 0 };

	assert_int_equal(kd_opt_init(table, &o), 0);
	assert_int_equal(o.time_ns, 5000000000ull);
	assert_int_equal(kd_opt_set_list(table, &o,
		"rx,streams=4,time=250ms,size=16MiB,rate=1.5gbit,effect=2%,nodelay,congestion=\"a,b\"",
		NULL), 0);
	assert_int_equal(o.direction, 1);
	assert_int_equal(o.streams, 4);
	assert_int_equal(o.time_ns, 250000000);
	assert_int_equal(o.size, 16 << 20);
	assert_int_equal(o.rate, 1500000000);
	assert_true(o.effect == 2);
	assert_true(o.nodelay);
	assert_string_equal(o.congestion, "a,b");
	kd_opt_fini(table, &o);
}

static void formats_what_it_reads(void **state)
{
	static const char *const texts[][2] = {
		{ "direction", "bidir" }, { "streams", "7" },
		{ "time", "250ms" },	  { "time", "0ns" },
		{ "size", "1GiB" },	  { "rate", "1500kbit" },
		{ "effect", "2.5%" },	  { "nodelay", "yes" },
		{ "congestion", "bbr" },
	};
	struct options o = { 0 };
	struct kd_buf b = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		kd_buf_reset(&b);
		assert_int_equal(kd_opt_set(table, &o, texts[i][0], texts[i][1], NULL), 0);
		kd_opt_format(kd_opt_find(table, texts[i][0]), &o, &b);
		if (strcmp(texts[i][1], "0ns"))
			assert_string_equal(kd_buf_str(&b), texts[i][1]);
	}
	kd_buf_fini(&b);
	kd_opt_fini(table, &o);
}

static void names_the_nearest(void **state)
{
	struct options o = { 0 };
	struct kd_diag d = { 0 };

	assert_int_equal(kd_opt_set(table, &o, "stream", "1", &d), -ENOENT);
	assert_string_equal(d.text, "there is no option \"stream\"");
	assert_string_equal(d.hint, "did you mean \"streams\"?");
	kd_diag_clear(&d);
	assert_int_equal(kd_opt_set(table, &o, "direction", "dx", &d), -EINVAL);
	assert_string_equal(d.text, "direction: \"dx\" is not one of tx, rx, bidir");
	kd_diag_clear(&d);
	assert_int_equal(kd_opt_set(table, &o, "streams", "200", &d), -ERANGE);
	assert_string_equal(d.text, "streams: \"200\" is not a whole number, from 1 to 128");
	kd_diag_clear(&d);
	assert_int_equal(kd_opt_set(table, &o, "time", "5 parsec", &d), -EINVAL);
	assert_int_equal(kd_opt_set(table, &o, "size", "18446744073709551616", NULL), -ERANGE);
	assert_int_equal(kd_opt_set(table, &o, "streams", "", NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_a_list),
		cmocka_unit_test(formats_what_it_reads),
		cmocka_unit_test(names_the_nearest),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
