// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must hold of every report whatever the data: widths, lines, that a
 * program can read it, that no name breaks out of its place.
 */
#include "samples.h"

#include "reports/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static void check_width(const char *what, char *text, size_t width)
{
	char *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		if (kd_rep_columns(l) > width)
			fail_msg("%s: %zu columns of %zu: %s", what,
				 kd_rep_columns(l), width, l);
		for (char *p = l; *p; p++)
			if ((unsigned char)*p < ' ' || *p == 0x7f)
				fail_msg("%s: control character: %s", what, l);
		if (*l && l[strlen(l) - 1] == ' ')
			fail_msg("%s: blank at the end: \"%s\"", what, l);
	}
	free(text);
}

static void text_keeps_its_width(void **state)
{
	static const int widths[] = { 120, 80, 72, 60 };

	for (const struct sample_set *s = sample_sets; s->name; s++)
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
			for (int v = 0; v < 2; v++)
				check_width(s->name,
					    sample_report(s, "text", widths[i],
							  v),
					    (size_t)widths[i]);
}

static void commit_keeps_its_size(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "commit", 0, false);
		size_t lines = 0;

		for (char *p = text; *p; p++)
			lines += *p == '\n';
		if (lines > 20)
			fail_msg("%s: %zu lines:\n%s", s->name, lines, text);
		/* git drops lines that start with a '#' */
		assert_true(text[0] != '#');
		assert_null(strstr(text, "\n#"));
		check_width(s->name, text, 72);
	}
}

static void json_can_be_read(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "json", 0, false);
		json_error_t why;
		json_t *j = json_loads(text, 0, &why), *measures;

		if (!j)
			fail_msg("%s: %s", s->name, why.text);
		measures = json_object_get(j, "measures");
		assert_true(json_is_array(measures));
		assert_string_equal(json_string_value(
			json_object_get(j, "format")), "kdelta-report");
		json_decref(j);
		free(text);
	}
}

/* RFC 4180 fields of a record; the start of the next one */
static const char *count_fields(const char *p, size_t *n)
{
	*n = 1;
	for (; *p && *p != '\n'; p++) {
		if (*p == ',')
			(*n)++;
		if (*p != '"')
			continue;
		for (p++; *p && (*p != '"' || p[1] == '"'); p++)
			p += *p == '"';
		if (!*p)
			return p;
	}
	return *p ? p + 1 : p;
}

static void csv_keeps_its_columns(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "csv", 0, false);
		size_t n;

		for (const char *p = text; *p;) {
			p = count_fields(p, &n);
			if (n != 9)
				fail_msg("%s: %zu fields before %s", s->name, n,
					 p);
		}
		free(text);
	}
}

static void markdown_keeps_its_columns(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "markdown", 0, false), *save;

		assert_null(strstr(text, "<script"));
		assert_null(strstr(text, "<b>"));
		for (char *l = strtok_r(text, "\n", &save); l;
		     l = strtok_r(NULL, "\n", &save)) {
			size_t bars = 0;

			for (char *p = l; *p; p++)
				bars += *p == '|' && (p == l || p[-1] != '\\');
			if (bars && bars != 11)
				fail_msg("%s: %zu bars: %s", s->name, bars, l);
		}
		free(text);
	}
}

/* tags of the page itself alone, each closed, and nothing is fetched */
static void html_is_closed(void **state)
{
	static const char *const tags[] = { "table", "svg", "ul", "li", "h2",
					    "details", "tr", "td", "text" };

	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "html", 0, false);

		assert_null(strstr(text, "<script"));
		assert_null(strstr(text, "http://"));
		assert_null(strstr(text, "https://"));
		assert_null(strstr(text, "<b>"));
		for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
			char open[16], close[16];
			int n = 0;

			snprintf(open, sizeof(open), "<%s", tags[i]);
			snprintf(close, sizeof(close), "</%s>", tags[i]);
			for (char *p = text; (p = strstr(p, open)); p++)
				n += strchr(" >", p[strlen(open)]) != NULL;
			for (char *p = text; (p = strstr(p, close)); p++)
				n--;
			if (n)
				fail_msg("%s: <%s>: %d not closed", s->name,
					 tags[i], n);
		}
		free(text);
	}
}

static void ktap_can_be_read(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "ktap", 0, false), *save;
		char *l = strtok_r(text, "\n", &save);
		int plan, number, n = 0;

		assert_string_equal(l, "KTAP version 1");
		l = strtok_r(NULL, "\n", &save);
		assert_int_equal(sscanf(l, "1..%d", &plan), 1);
		while ((l = strtok_r(NULL, "\n", &save))) {
			char *hash = strchr(l, '#');

			if (hash == l)
				continue;
			if (sscanf(l, "ok %d ", &number) != 1 &&
			    sscanf(l, "not ok %d ", &number) != 1)
				fail_msg("%s: %s", s->name, l);
			assert_int_equal(number, ++n);
			if (hash)
				assert_memory_equal(hash, "# SKIP ", 7);
		}
		assert_int_equal(n, plan);
		free(text);
	}
}

static void lava_can_be_read(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "lava", 0, false), *save;

		for (char *l = strtok_r(text, "\n", &save); l;
		     l = strtok_r(NULL, "\n", &save)) {
			char *id = strstr(l, "TEST_CASE_ID="), *p;
			int blanks = 0, end = 0;
			double v;

			for (p = l; *p; p++)
				blanks += *p == ' ';
			p = strstr(l, " MEASUREMENT=");
			if (!id || strchr(id, '/') || blanks > 4 || !p ||
			    sscanf(p, " MEASUREMENT=%lf>%n", &v, &end) != 1 ||
			    p[end] || strchr(p + 13, 'e'))
				fail_msg("%s: %s", s->name, l);
		}
		free(text);
	}
}

static void kcidb_can_be_read(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "kcidb", 0, false);
		json_t *j = json_loads(text, 0, NULL), *tests, *t;
		size_t i;

		assert_non_null(j);
		tests = json_object_get(j, "tests");
		json_array_foreach(tests, i, t) {
			const char *path = json_string_value(
				json_object_get(t, "path"));

			assert_non_null(path);
			assert_int_equal(strspn(path,
				"abcdefghijklmnopqrstuvwxyz0123456789_-."
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ"), strlen(path));
			assert_non_null(json_object_get(t, "id"));
			assert_non_null(json_object_get(t, "build_id"));
			assert_non_null(json_object_get(t, "origin"));
		}
		json_decref(j);
		free(text);
	}
}

static void gobench_can_be_read(void **state)
{
	for (const struct sample_set *s = sample_sets; s->name; s++) {
		char *text = sample_report(s, "gobench", 0, false), *save;

		for (char *l = strtok_r(text, "\n", &save); l;
		     l = strtok_r(NULL, "\n", &save)) {
			char name[8000], unit[100];
			int end = 0;
			double v;

			if (strncmp(l, "Benchmark", 9))
				continue;
			if (sscanf(l, "Benchmark_%7999s 1 %lf %99s%n", name, &v,
				   unit, &end) != 3 || l[end])
				fail_msg("%s: %s", s->name, l);
		}
		free(text);
	}
}

static void says_the_same_twice(void **state)
{
	for (size_t i = 0; kd_report_table[i]; i++) {
		const char *format = kd_report_table[i]->name;
		char *a = sample_report(&sample_sets[2], format, 80, false);
		char *b = sample_report(&sample_sets[2], format, 80, false);

		assert_string_equal(a, b);
		free(a);
		free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_keeps_its_width),
		cmocka_unit_test(commit_keeps_its_size),
		cmocka_unit_test(json_can_be_read),
		cmocka_unit_test(csv_keeps_its_columns),
		cmocka_unit_test(markdown_keeps_its_columns),
		cmocka_unit_test(html_is_closed),
		cmocka_unit_test(ktap_can_be_read),
		cmocka_unit_test(lava_can_be_read),
		cmocka_unit_test(kcidb_can_be_read),
		cmocka_unit_test(gobench_can_be_read),
		cmocka_unit_test(says_the_same_twice),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
