// SPDX-License-Identifier: GPL-2.0-or-later
#include "helper.h"

static void mwifiex(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "mwifiex-int-status.txt", NULL, msg),
			 0);
	assert_int_equal(ds.n_variants, 2);
	assert_int_equal(ds.n_measures, 4);
	EXPECT(&ds, "Before", "TX only", "throughput", "Mbit/s", 60.6, 52.4, 70,
	       66, 60.9, 64.9, 58.3, 59.8, 53.3, 58.3);
	EXPECT(&ds, "After", "Bidirectional RX", "throughput", "Mbit/s", 171,
	       194, 187, 165, 167, 197, 163, 199, 192, 120);
	has_note(&ds, "Min, Max, Mean, Median and Stddev columns agree");
	has_note(&ds, "4 Delta rows: differences in the unit");
	has_note(&ds, "4 rows of percentages");
	has_note(&ds, "histogram \"download in a loop\" (line 8): 72043 events");
	has_note(&ds, "counts 1 empty line");
	kd_dataset_fini(&ds);
}

static void crlf(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "78-csv-label-values-summary-crlf.csv",
				   NULL, msg), 0);
	EXPECT(&ds, "r320657", "", "value", "", 462894, 464535, 464490, 463080,
	       465011);
	EXPECT(&ds, "r320657+D11476", "", "value", "", 477031, 478369, 477130,
	       476909, 477972);
	has_note(&ds, "columns agree with its values");
	kd_dataset_fini(&ds);
}

/* written out again with other delimiters, orders, counts and line ends */
static void variations(void **state)
{
	static const char delimiters[] = ",;\t";
	static const char *const ends[] = { "\n", "\r\n" };

	for (int n = 1; n < 7; n++) {
		for (const char *c = delimiters; *c; c++) {
			struct kd_dataset ds = { 0 };
			char text[4096], msg[1280];
			double v[2][8];
			size_t len = 0;
			const char *end = ends[n & 1];

			len += (size_t)sprintf(text, "name%cMedian", *c);
			for (int k = 0; k < n; k++)
				len += (size_t)sprintf(text + len, "%crun %d",
						       *c, k + 1);
			len += (size_t)sprintf(text + len, "%cMax%cN%s", *c,
					       *c, end);
			for (int g = 0; g < 2; g++) {
				double top = 100 * g + n;

				len += (size_t)sprintf(text + len,
					"\"with %s\"%c%.1f",
					g ? "b" : "a", *c,
					100 * g + (n + 1) / 2.0);
				for (int k = 0; k < n; k++) {
					v[g][k] = 100 * g + n - k;
					len += (size_t)sprintf(text + len,
							       "%c%g", *c,
							       v[g][k]);
				}
				len += (size_t)sprintf(text + len,
						       "%c%g%c%d%s", *c, top,
						       *c, n, end);
			}
			assert_int_equal(read_text(&ds, "x", NULL, text, msg),
					 0);
			expect(&ds, "with a", "", "value", "", v[0],
			       (size_t)n);
			expect(&ds, "with b", "", "value", "", v[1],
			       (size_t)n);
			has_note(&ds, "the file's own Max, Median and Count columns agree");
			kd_dataset_fini(&ds);
		}
	}
}

static void wrong_summaries(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "x", NULL,
		"label,v1,v2,v3,Mean,Stddev\n"
		"a,1,2,3,2.0,1.0\n"
		"b,2,4,6,5.0,1.633\n", msg), 0);
	EXPECT(&ds, "b", "", "value", "", 2, 4, 6);
	has_note(&ds, "line 3: its Mean says 5.0, its values give 4");
	has_note(&ds, "divides by n");
	has_note(&ds, "agree with its values in 2 of 4 cells");
	kd_dataset_fini(&ds);
}

static void percent_that_is_none(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "x", NULL,
		"label,ms,,Mean\n"
		"old: read,10,20,15\nold: write,30,50,40\n"
		"new: read,12,22,17\nnew: write,40,60,50\n"
		"% change: read,,,2\n% change: write,,,10\n"
		",,,13.33%\n,,,99%\n", msg), 0);
	EXPECT(&ds, "new", "read", "time", "ms", 12, 22);
	assert_int_equal(measure(&ds, "read", "time")->better,
			 KD_BETTER_LOWER);
	has_note(&ds, "line 6 is headed %, but holds differences");
	has_note(&ds, "2 Delta rows: differences");
	has_note(&ds, "1 row of percentages: recomputed");
	has_note(&ds, "line 9 has no values, and what it says does not follow");
	kd_dataset_fini(&ds);
}

static void bad_cells(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "x", NULL,
		"label,v1,v2,Min,Max\na,1,2,1,2\nb,1,2x,1,2\n", msg), -EINVAL);
	assert_non_null(strstr(msg, "x:3:5: expected a number"));
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL,
		"label,v1,v2,Min,Max\na,1,2,1,2\nb,1,2,3,1,2\n", msg), -EINVAL);
	assert_non_null(strstr(msg, "x:3:1: 6 columns where the header has 5"));
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL,
		"label,v1,v2,Min,Max\na,1,n/a,1,1\nb,1,2,1,2\n", msg), 0);
	EXPECT(&ds, "a", "", "value", "", 1);
	has_note(&ds, "missing, not 0");
	has_note(&ds, "1 row found for a where b has 2");
	kd_dataset_fini(&ds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mwifiex),
		cmocka_unit_test(crlf),
		cmocka_unit_test(variations),
		cmocka_unit_test(wrong_summaries),
		cmocka_unit_test(percent_that_is_none),
		cmocka_unit_test(bad_cells),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
