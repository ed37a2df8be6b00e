// SPDX-License-Identifier: GPL-2.0-or-later
#include "helper.h"

static void columns_are_variants(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "armada-xp-cpuidle.txt", NULL, msg), 0);
	assert_int_equal(ds.n_variants, 3);
	assert_int_equal(ds.n_measures, 5);
	EXPECT(&ds, "without patch", "iperf localhost", "throughput", "Gbit/s",
	       3.7);
	EXPECT(&ds, "vendor kernel", "iperf localhost", "throughput", "Gbit/s",
	       5.4);
	EXPECT(&ds, "with patch", "ioping tmpfs", "rate", "IOPS", 206000);
	EXPECT(&ds, "with patch", "ioping tmpfs", "throughput", "MiB/s", 805);
	EXPECT(&ds, "with patch", "power consumption idle", "power", "W", 3.2);
	assert_int_equal(measure(&ds, "power consumption busy", "power")->better,
			 KD_BETTER_LOWER);
	kd_dataset_fini(&ds);
}

static void parameters(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "ath10k-pacing-shift.txt", NULL, msg),
			 0);
	assert_int_equal(ds.n_variants, 11);
	EXPECT(&ds, "sk_pacing_shift=6", "Table 1: ARM board, 5 streams",
	       "throughput", "Mbit/s", 500);
	EXPECT(&ds, "sk_pacing_shift=9", "Table 1: ARM board, 5 streams",
	       "throughput", "Mbit/s", 200);
	EXPECT(&ds, "sk_pacing_shift=7", "Table 1: ARM board, 5 streams",
	       "idle", "%", 80);
	EXPECT(&ds, "sk_pacing_shift=7", "Table 1: ARM board, 5 streams",
	       "idle [Focus on CPU1]", "%", 4);
	EXPECT(&ds, "default(262144)+1 Stream",
	       "Table 2: x86 board, sk_pacing_shift 6", "throughput", "Mbit/s",
	       336);
	EXPECT(&ds, "changed(2621440)+2 Streams",
	       "Table 2: x86 board, sk_pacing_shift 6", "throughput", "Mbit/s",
	       601);
	has_note(&ds, "sk_pacing_shift=6 carries \"(-P5)\"");
	kd_dataset_fini(&ds);
}

static void two_figures_in_a_cell(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "68-table-two-metrics-per-cell.txt",
				   NULL, msg), 0);
	EXPECT(&ds, "TOT", "UDP UL", "throughput", "Mbit/s", 720);
	EXPECT(&ds, "+NAPI", "UDP UL", "throughput", "Mbit/s", 717);
	EXPECT(&ds, "TOT", "UDP UL", "avg. cpu usage", "%", 28);
	EXPECT(&ds, "+NAPI", "UDP UL", "avg. cpu usage", "%", 11);
	assert_int_equal(measure(&ds, "UDP UL", "avg. cpu usage")->better,
			 KD_BETTER_LOWER);
	kd_dataset_fini(&ds);
}

static void thousands_and_summaries(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "70-table-summary-rows-thousands.txt",
				   NULL, msg), 0);
	EXPECT(&ds, "before", "", "pswpin", "", 76672);
	EXPECT(&ds, "after", "", "pswpout", "", 3325);
	EXPECT(&ds, "duration=100", "by duration", "pswpout", "", 3340);
	EXPECT(&ds, "max_pgs=1024", "On the fast block device", "Avg", "",
	       417.8);
	has_note(&ds, "only Min..Stddev, of an unknown number of runs");
	has_note(&ds, "lines 14 and 15 are equal in every figure");
	has_note(&ds, "2 lines of no known format left out; the first is line 16");
	kd_dataset_fini(&ds);
}

static void changes_beside_values(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds,
		"72-mmtests-hmean-quoted-printable.txt", NULL, msg), 0);
	assert_int_equal(ds.n_variants, 3);
	assert_int_equal(ds.n_measures, 5);
	EXPECT(&ds, "simple-spinlock", "Hmean 14", "value", "", 73.50);
	EXPECT(&ds, "dirty", "Hmean 850", "value", "", 6863.12);
	has_note(&ds, "are their changes; recomputed, they agree");
	kd_dataset_fini(&ds);
}

static void slashes(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "74-table-before-after-slash.txt",
				   NULL, msg), 0);
	EXPECT(&ds, "Before", "Fast station 1", "throughput", "Mbit/s", 19.17);
	EXPECT(&ds, "After", "Slow station", "throughput", "Mbit/s", 1.77);
	EXPECT(&ds, "After", "Total", "throughput", "Mbit/s", 52.07);
	assert_false(measure(&ds, "Total", "throughput")->primary);
	has_note(&ds, "the total is the sum of the rows above");
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL,
		"v1 / v2 / v3\r\nread: 1 / 2 / 3 ms\r\nwrite: 4 / 5 / - ms\r\n",
		msg), 0);
	EXPECT(&ds, "v3", "read", "time", "ms", 3);
	EXPECT(&ds, "v2", "write", "time", "ms", 5);
	has_note(&ds, "line 3, v3: no value; it is missing, not 0");
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL,
		"old / new\nread: 1 / 2 ms\nwrite: 4 / five ms\n", msg),
		-EINVAL);
	assert_non_null(strstr(msg, "x:3:8: expected 2 values"));
	kd_dataset_fini(&ds);
}

/* the same table with other widths, units, indents, quoting and line ends */
static void variations(void **state)
{
	static const char *const units[][2] = {
		{ "(Mbps)", "Mbit/s" }, { "[MB/s]", "MB/s" }, { "(us)", "us" },
		{ "(mW)", "mW" },
	};
	static const char *const ends[] = { "\n", "\r\n" };

	for (int columns = 2; columns < 6; columns++) {
		for (int u = 0; u < 4; u++) {
			struct kd_dataset ds = { 0 };
			char text[4096], msg[1280];
			const char *quote = u & 1 ? "> " : "";
			const char *end = ends[u / 2];
			size_t len = 0;

			len += (size_t)sprintf(text, "%s%*s", quote,
					       24 + columns, "");
			for (int c = 0; c < columns; c++)
				len += (size_t)sprintf(text + len,
						       "kernel %c   ",
						       'A' + c);
			len += (size_t)sprintf(text + len, "%s", end);
			for (int row = 0; row < 3; row++) {
				char label[40];

				sprintf(label, "test %d %s", row, units[u][0]);
				len += (size_t)sprintf(text + len, "%s%-*s",
						       quote, 24 + columns,
						       label);
				for (int c = 0; c < columns; c++)
					len += (size_t)sprintf(text + len,
							       "~%-10g",
							       row * 100 + c +
							       0.5);
				len += (size_t)sprintf(text + len, "%s", end);
			}
			assert_int_equal(read_text(&ds, "x", NULL, text, msg),
					 0);
			assert_int_equal(ds.n_variants, columns);
			assert_int_equal(ds.n_measures, 3);
			for (int row = 0; row < 3; row++) {
				for (int c = 0; c < columns; c++) {
					char who[16], work[16];
					double v = row * 100 + c + 0.5;
					const char *metric = u < 2 ?
						"throughput" :
						u == 2 ? "time" : "power";

					sprintf(who, "kernel %c", 'A' + c);
					sprintf(work, "test %d", row);
					expect(&ds, who, work, metric,
					       units[u][1], &v, 1);
				}
			}
			kd_dataset_fini(&ds);
		}
	}
}

static void sweeps(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "x", NULL,
		"streams  rate [Gbit/s]  cpu usage (%)\n"
		"1        1.5            20\n4        3.5            n/a\n", msg),
		0);
	EXPECT(&ds, "streams=1", "by streams", "rate", "Gbit/s", 1.5);
	EXPECT(&ds, "streams=4", "by streams", "rate", "Gbit/s", 3.5);
	EXPECT(&ds, "streams=1", "by streams", "cpu usage", "%", 20);
	has_note(&ds, "line 3, streams=4: no value");
	kd_dataset_fini(&ds);
	/* is the first column a parameter or a figure? */
	assert_int_equal(read_text(&ds, "x", NULL,
		"Busy  MHz\n0.11  800\n0.01  800\n0.11  900\n", msg), -EINVAL);
	assert_non_null(strstr(msg, "x:4:1: \"0.11\" stands twice"));
	kd_dataset_fini(&ds);
}

static void broken_tables(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "x", NULL,
		"              old     new\nread (MB/s)   1.5     2.5\n"
		"write (MB/s)  3.5\n", msg), -EINVAL);
	assert_non_null(strstr(msg, "x:3:1: 1 of 2 columns"));
	kd_dataset_fini(&ds);
	/* a decimal comma is neither 39 nor 0 */
	assert_int_equal(read_text(&ds, "x", NULL,
		"              old     new\nread (MB/s)   0,39    0,41\n", msg),
		-EINVAL);
	kd_dataset_fini(&ds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_variants),
		cmocka_unit_test(parameters),
		cmocka_unit_test(two_figures_in_a_cell),
		cmocka_unit_test(thousands_and_summaries),
		cmocka_unit_test(changes_beside_values),
		cmocka_unit_test(slashes),
		cmocka_unit_test(variations),
		cmocka_unit_test(sweeps),
		cmocka_unit_test(broken_tables),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
