// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole reports against stored ones. After a change that is meant:
 * KD_GOLDEN_UPDATE=1 build/tests/unit/reports/test_golden, then read the diff.
 */
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	if (!f)
		fail_msg("cannot read %s", path);
	text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void update(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void check(const struct sample_set *set, const char *format)
{
	char *text = sample_report(set, format, 80, false), *want;
	char path[300];

	snprintf(path, sizeof(path), "%s/%s.%s", KD_TEST_DATA, set->name,
		 format);
	if (getenv("KD_GOLDEN_UPDATE")) {
		update(path, text);
	} else {
		want = read_file(path);
		if (strcmp(text, want))
			fail_msg("%s differs; now:\n%s", path, text);
		free(want);
	}
	free(text);
}

/* the large ones are checked in text alone */
static bool is_large(const char *name)
{
	return !strcmp(name, "hundred") || !strcmp(name, "hostile");
}

static void matches(void **state)
{
	const char *format = *state;

	for (const struct sample_set *s = sample_sets; s->name; s++)
		if (!is_large(s->name) || !strcmp(format, "text"))
			check(s, format);
}

int main(void)
{
	struct CMUnitTest tests[64] = { 0 };
	size_t n = 0;

	for (; kd_report_table[n]; n++)
		tests[n] = (struct CMUnitTest){
			.name = kd_report_table[n]->name, .test_func = matches,
			.initial_state = (void *)kd_report_table[n]->name,
		};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return _cmocka_run_group_tests("reports", tests, n, NULL, NULL);
}
