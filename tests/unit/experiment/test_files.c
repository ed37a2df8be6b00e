// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bad files get the words that stand in their first line, "# want:
 * LINE:COLUMN: WORDS".
 */
#include "base/diag.h"
#include "experiment/experiment.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int is_yaml(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && !strcmp(dot, ".yaml");
}

/* call @fn for each file of a folder; returns how many, counts the wrong */
static int each(const char *folder, bool (*fn)(const char *path), int *wrong)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_yaml, alphasort);
	char path[1024];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder,
			 names[i]->d_name);
		*wrong += !fn(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n;
}

static bool is_bad(const char *path)
{
	struct kd_experiment e = { 0 };
	struct kd_diag d = { 0 };
	char want[512] = "", words[1280] = "";
	FILE *f = fopen(path, "r");
	int r;

	if (!f || !fgets(want, sizeof(want), f))
		want[0] = '\0';
	if (f)
		fclose(f);
	want[strcspn(want, "\n")] = '\0';
	r = kd_experiment_load(path, &e, &d);
	kd_diag_format(&d, words, sizeof(words));
	if (r == -EINVAL && !strncmp(want, "# want: ", 8) &&
	    !strncmp(words, path, strlen(path)) &&
	    !strncmp(words + strlen(path) + 1, want + 8, strlen(want + 8)))
		return true;
	print_error("%s\n%s\n", words, want);
	return false;
}

static void answers_bad_files(void **state)
{
	int wrong = 0;

	assert_true(each(KD_SOURCE "/tests/data/experiment/bad", is_bad,
			 &wrong) >= 20);
	assert_int_equal(wrong, 0);
}

static void tells_of_an_absent_file(void **state)
{
	struct kd_experiment e = { 0 };
	struct kd_diag d = { 0 };

	assert_int_equal(kd_experiment_load("/nonexistent/x.yaml", &e, &d),
			 -ENOENT);
	assert_string_equal(d.text, "cannot open the experiment file /nonexistent/x.yaml: No such file or directory");
	d = (struct kd_diag){ 0 };
	assert_int_equal(kd_experiment_load("/", &e, &d), -EISDIR);
	assert_string_equal(d.text, "cannot read /: Is a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_bad_files),
		cmocka_unit_test(tells_of_an_absent_file),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
