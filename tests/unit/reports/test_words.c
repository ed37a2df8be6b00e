// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/words.h"

#include "stats/analysis.h"
#include "stats/dataset.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void is(struct kd_buf *b, const char *want)
{
	assert_string_equal(kd_buf_str(b), want);
	kd_buf_reset(b);
}

static void counts_columns(void **state)
{
	assert_int_equal(kd_rep_columns(""), 0);
	assert_int_equal(kd_rep_columns("a\xc2\xb5s"), 3);
	assert_int_equal(kd_rep_columns("\xe6\xb8\xac\xe5\xae\x9a"), 4);
	assert_int_equal(kd_rep_columns("e\xcc\x81"), 1);
	assert_int_equal(kd_rep_columns("\xff\xfe"), 2);
	assert_int_equal(kd_rep_columns("\xe6\xb8"), 2);
}

static void cleans_names(void **state)
{
	struct kd_buf b = { 0 };

	kd_rep_name(&b, "a\nb\t\033[31m\x7f");
	is(&b, "a\\nb\\t\\x1b[31m\\x7f");
	kd_rep_name(&b, "\xff\xc3(\xed\xa0\x80\xc2\xb5");
	is(&b, "?\x3f(???\xc2\xb5");
	kd_rep_fit(&b, "abcdefghijklmnop", 10);
	is(&b, "abcd..mnop");
	kd_rep_fit(&b, "abcdefghij", 10);
	is(&b, "abcdefghij");
	kd_rep_fit(&b, "\xe6\xb8\xac\xe5\xae\x9a\xe6\xb8\xac\xe5\xae\x9a", 7);
	assert_true(kd_rep_columns(kd_buf_str(&b)) <= 7);
	kd_buf_fini(&b);
}

static void prints_probabilities(void **state)
{
	struct kd_buf b = { 0 };

	kd_rep_p(&b, 0.00009999);
	is(&b, "<0.0001");
	kd_rep_p(&b, 0);
	is(&b, "<0.0001");
	kd_rep_p(&b, 0.0001);
	is(&b, "0.0001");
	kd_rep_p(&b, 0.04999);
	is(&b, "0.0500");
	kd_rep_p(&b, 0.5);
	is(&b, "0.500");
	kd_rep_p(&b, NAN);
	is(&b, "-");
	kd_buf_fini(&b);
}

static void prints_changes(void **state)
{
	struct kd_comparison c = { .lo = -0.0001, .hi = 0.2 };
	struct kd_buf b = { 0 };

	kd_rep_pct(&b, 2.7588);
	is(&b, "+275.9 %");
	kd_rep_pct(&b, -0.0017);
	is(&b, "-0.17 %");
	kd_rep_pct(&b, 0.0000012);
	is(&b, "+0.00012 %");
	kd_rep_pct(&b, 12.3456);
	is(&b, "+1235 %");
	kd_rep_interval(&b, &c, "W");
	is(&b, "-0.01..+20.00 %");
	c = (struct kd_comparison){ .change = 0.51234, .lo = 0.25, .hi = 0.75,
				    .flags = KD_FLAG_DIFFERENCE };
	kd_rep_change(&b, &c, c.change, "W");
	is(&b, "+0.512 W");
	c.lo = NAN;
	kd_rep_interval(&b, &c, "W");
	is(&b, "-");
	kd_buf_fini(&b);
}

static int decimals_of(const double *x, size_t nx, const double *y, size_t ny)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_dataset ds = { 0 };
	struct kd_analysis a;
	struct kd_measure *m;
	int places;

	kd_dataset_variant(&ds, "x");
	kd_dataset_variant(&ds, "y");
	m = kd_dataset_measure(&ds, "", "m", "", KD_BETTER_NONE);
	for (size_t i = 0; i < nx; i++)
		kd_measure_add(m, 0, -1, (int)i, x[i]);
	for (size_t i = 0; i < ny; i++)
		kd_measure_add(m, 1, -1, (int)i, y[i]);
	assert_int_equal(kd_analyse(&ds, &plan, &a, NULL), 0);
	places = kd_rep_decimals(&ds, &a, 0);
	kd_analysis_fini(&a);
	kd_dataset_fini(&ds);
	return places;
}

static void chooses_decimals(void **state)
{
	/* whole numbers: one place for their mean */
	assert_int_equal(decimals_of((double[]){ 193, 163, 198 }, 3,
				     (double[]){ 171, 194, 187 }, 3), 1);
	/* two places: no more than these */
	assert_int_equal(decimals_of((double[]){ 397.50, 402.81 }, 2,
				     (double[]){ 1472.78, 1523.10 }, 2), 2);
	/* bytes: no fraction of one */
	assert_int_equal(decimals_of((double[]){ 16777216, 16777999 }, 2,
				     (double[]){ 16977216, 16777111 }, 2), 0);
	/* all digits of a double: by the spread, 0.02 here */
	assert_int_equal(decimals_of((double[]){ 1.2345678, 1.2645678 }, 2,
				     (double[]){ 1.3345678, 1.3645678 }, 2), 4);
	/* a difference in the ninth digit is not rounded away */
	assert_true(decimals_of((double[]){ 1000, 1000, 1000 }, 3,
				(double[]){ 1000.000001, 1000.000001,
					    1000.000001 }, 3) >= 6);
}

static void wraps_lines(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	kd_rep_wrap(f, "one two three abcdefghijklmnopq", 10, "* ", "  ");
	fclose(f);
	assert_string_equal(text, "* one two\n  three\n  abcdefgh\n  ijklmnop\n  q\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_columns),
		cmocka_unit_test(cleans_names),
		cmocka_unit_test(prints_probabilities),
		cmocka_unit_test(prints_changes),
		cmocka_unit_test(chooses_decimals),
		cmocka_unit_test(wraps_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
