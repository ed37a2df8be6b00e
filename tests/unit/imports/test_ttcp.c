// SPDX-License-Identifier: GPL-2.0-or-later
#include "helper.h"

static void wilc1000(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "wilc1000-chip-sleep.txt", NULL, msg),
			 0);
	assert_int_equal(ds.n_variants, 2);
	assert_string_equal(ds.variants[0], "enable_sleep=1");
	EXPECT(&ds, "enable_sleep=1", "TX", "throughput", "KB/s", 397.50,
	       402.81, 398.83, 396.25);
	EXPECT(&ds, "enable_sleep=0", "TX", "throughput", "KB/s", 1472.78,
	       1523.10, 1385.21, 1497.66, 1617.21);
	EXPECT(&ds, "enable_sleep=1", "RX", "throughput", "KB/s", 1941.97,
	       1290.94, 1280.93, 1322.33);
	EXPECT(&ds, "enable_sleep=0", "RX", "throughput", "KB/s", 2811.94,
	       2848.09, 2744.44, 2681.96, 2724.09);
	has_note(&ds, "TX: 4 rows found for enable_sleep=1 where enable_sleep=0 has 5");
	has_note(&ds, "RX: 4 rows found for enable_sleep=1 where enable_sleep=0 has 5");
	has_note(&ds, "second prefix, \"wilc1000, w/ sleep\"");
	assert_int_equal(measure(&ds, "TX", "throughput")->better,
			 KD_BETTER_HIGHER);
	kd_dataset_fini(&ds);
}

static void two_modes(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "02-ttcp-ax8817-bimodal.txt", NULL,
				   msg), 0);
	assert_int_equal(ds.n_variants, 1);
	EXPECT(&ds, "02-ttcp-ax8817-bimodal", "RX", "throughput", "KB/s",
	       673.40, 618.95, 11011.40, 10994.16, 11183.02);
	has_note(&ds, "67108864 bytes");
	kd_dataset_fini(&ds);
}

static void both_ends(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "04-ttcp-udp-pairs.txt", NULL, msg),
			 0);
	EXPECT(&ds, "starfire -> 3c59x", "", "received", "KB/s", 11641.10);
	EXPECT(&ds, "3c59x -> tulip", "", "sent", "KB/s", 11717.4, 11714.81,
	       11704.4);
	EXPECT(&ds, "3c59x -> tulip", "", "received", "KB/s", 11679.39,
	       11660.28, 11674.67);
	EXPECT(&ds, "3c59x -> tulip", "", "loss", "%", 0.048828125, 0.29296875,
	       0.1953125);
	kd_dataset_fini(&ds);
}

/* other labels, counts, units, line ends and blank lines than the samples */
static void variations(void **state)
{
	static const char *const ends[] = { "\n", "\r\n", "\n\n", " \n" };
	static const char *const marks[] = { " +++", "" };

	for (size_t e = 0; e < 4; e++) {
		for (size_t m = 0; m < 2; m++) {
			struct kd_dataset ds = { 0 };
			char text[4096] = "", msg[1280];

			for (int k = 0; k < 6; k++) {
				char line[200];

				snprintf(line, sizeof(line),
					 "%s: ttcp-r: %d bytes in 2.00 real seconds = %d.00 %s%s%s",
					 k & 1 ? "fq" : "fq_codel",
					 2048 * (k + 1) * (k == 5 ? 1024 : 1),
					 k + 1, k == 5 ? "MB/sec" : "KB/sec",
					 marks[m], ends[e]);
				strcat(text, line);
			}
			assert_int_equal(read_text(&ds, "a/log.b.txt", NULL,
						   text, msg), 0);
			EXPECT(&ds, "fq_codel", "RX", "throughput", "KB/s", 1,
			       3, 5);
			EXPECT(&ds, "fq", "RX", "throughput", "KB/s", 2, 4,
			       6 * 1024);
			kd_dataset_fini(&ds);
		}
	}
}

static void files_as_variants(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "a", "old",
		"TX:\n8192 bytes in 1.00 real seconds = 8.00 KB/sec\n", msg), 0);
	assert_int_equal(read_text(&ds, "b", "new",
		"TX:\n8388608 bytes in 1.00 real seconds = 8.00 MB/sec\n", msg),
		0);
	EXPECT(&ds, "old", "TX", "throughput", "KB/s", 8);
	EXPECT(&ds, "new", "TX", "throughput", "KB/s", 8192);
	has_note(&ds, "1 MB/s = 1024 KB/s");
	kd_dataset_fini(&ds);
}

static void bad_lines(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "x", NULL,
		"8192 bytes in 1.00 real seconds = 8.00 KB/sec\n"
		"8192 bytes in 1.00 real seconds = fast\n"
		"8192 bytes in 1.00 real seconds = 8.00 KB/sec\n", msg),
		-EINVAL);
	assert_non_null(strstr(msg, "x:2:35: expected a rate"));
	assert_int_equal(read_text(&ds, "x", NULL,
		"8192 bytes in 1.00 real seconds = 8.00 XB/sec\n"
		"8192 bytes in 1.00 real seconds = 8.00 KB/sec\n", msg),
		-EINVAL);
	assert_non_null(strstr(msg, "x:1:40: \"XB/sec\" is no unit"));
	kd_dataset_fini(&ds);
	/* a log that was cut in its last line */
	assert_int_equal(read_text(&ds, "x", NULL,
		"8192 bytes in 1.00 real seconds = 8.00 KB/sec\n"
		"8192 bytes in 1.00 real seconds = 7", msg), 0);
	EXPECT(&ds, "x", "", "throughput", "KB/s", 8);
	has_note(&ds, "line 2 is cut");
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL,
		"8192 bytes in 1.00 real seconds = 9.00 KB/sec\n", msg), 0);
	has_note(&ds, "give 8.00");
	kd_dataset_fini(&ds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wilc1000),
		cmocka_unit_test(two_modes),
		cmocka_unit_test(both_ends),
		cmocka_unit_test(variations),
		cmocka_unit_test(files_as_variants),
		cmocka_unit_test(bad_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
