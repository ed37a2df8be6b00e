// SPDX-License-Identifier: GPL-2.0-or-later
/* curl, task shares, histograms, lists, and what is refused */
#include "helper.h"

#include "imports/limits.h"
#include "imports/unit.h"

#include <dirent.h>

static void curl_and_tasks(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "bcm4359-driver-swap.txt", NULL, msg),
			 0);
	assert_int_equal(ds.n_variants, 2);
	EXPECT(&ds, "brcmfmac", "", "download", "MiB/s", 9747 / 1024.0);
	EXPECT(&ds, "bcmdhd", "", "download", "MiB/s", 17.3);
	EXPECT(&ds, "brcmfmac", "", "time spent", "s", 107);
	EXPECT(&ds, "bcmdhd", "", "cpu share[irq/17-ffe03000]", "%", 13.8287);
	EXPECT(&ds, "bcmdhd", "", "cpu share[swapper]", "%", 81.5653);
	has_note(&ds, "5 lines of no known format left out; the first is line 21");
	kd_dataset_fini(&ds);
}

static void curl_records(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "48-curl-progress-carriage-returns.txt",
				   "x", msg), 0);
	EXPECT(&ds, "x", "", "download", "MiB/s", 5684 / 1024.0);
	EXPECT(&ds, "x", "", "time spent", "s", 34);
	kd_dataset_fini(&ds);
	/* an upload, and a transfer that broke off */
	assert_int_equal(read_text(&ds, "x", NULL,
		"up:\r\n"
		"  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\r\n"
		"                                 Dload  Upload   Total   Spent    Left  Speed\r\n"
		"100 64.0M    0     0  100 64.0M      0  8192k  0:00:08  0:00:08 --:--:-- 9000k\r\n"
		"  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\r\n"
		"                                 Dload  Upload   Total   Spent    Left  Speed\r\n"
		" 46 64.0M    0     0   46 29.4M      0  8192k  0:00:08  0:00:04  0:00:04 9000k\r\n",
		msg), 0);
	EXPECT(&ds, "up", "", "upload", "MiB/s", 8);
	has_note(&ds, "line 7: the transfer stopped at 46 %");
	kd_dataset_fini(&ds);
}

static void histograms(void **state)
{
	struct kd_dataset ds = { 0 };
	const struct kd_measure *m;
	double sum = 0;
	char msg[1280];

	assert_int_equal(read_data(&ds, "66-uniq-c-numeric.txt", "x", msg), 0);
	m = measure(&ds, "", "value");
	assert_int_equal(m->n_samples, 79);
	for (size_t i = 0; i < m->n_samples; i++)
		sum += m->samples[i].value;
	/* the case's weighted mean */
	assert_true(fabs(sum / 79 - 31.13481) < 1e-5);
	has_note(&ds, "each of its 79 events counts as one value");
	kd_dataset_fini(&ds);
	assert_int_equal(read_data(&ds, "64-uniq-c-categorical.txt", "x", msg),
			 0);
	assert_int_equal(ds.n_measures, 3);
	EXPECT(&ds, "x", "", "share[QAM64]", "%", 372 / 623.0 * 100);
	kd_dataset_fini(&ds);
	/* counts that would not fit into memory one by one */
	assert_int_equal(read_text(&ds, "x", NULL,
		"      1 4\n 9000000000 5\n 1000000000 7\n", msg), -EINVAL);
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL,
		"      1 4\n9000000000 5\n1000000000 7\n", msg), 0);
	EXPECT(&ds, "x", "", "mean", "", 5.1999999999);
	EXPECT(&ds, "x", "", "p99", "", 7);
	has_note(&ds, "10000000001 events");
	kd_dataset_fini(&ds);
}

static void lists(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds, "76-list-ministat-netbenches-r356840.txt",
				   "r356840", msg), 0);
	assert_int_equal(read_data(&ds,
		"76-list-ministat-netbenches-r356840-D23242.txt", "D23242",
		msg), 0);
	EXPECT(&ds, "r356840", "", "value", "", 768790.5, 765535, 769735,
	       763950.5, 772812.5);
	EXPECT(&ds, "D23242", "", "value", "", 815083, 823150, 818868, 819913,
	       812003.5);
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL,
		"\r\n# made by hand\r\nbefore:\r\n1.5 ms\r\n\r\n-2e3 ms\r\nafter:\r\n"
		"# again\r\n+7 ms\r\n", msg), 0);
	EXPECT(&ds, "before", "", "time", "ms", 1.5, -2000);
	EXPECT(&ds, "after", "", "time", "ms", 7);
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL, "1.5 ms\n1.5 us\n", msg),
			 -EINVAL);
	assert_non_null(strstr(msg, "x:2:1: the unit \"us\""));
	kd_dataset_fini(&ds);
	/* labels in comments, and comments that are none */
	assert_int_equal(read_text(&ds, "x", NULL,
		"# without patch\n1\n2\n# with patch\n3\n# a slow one\n4\n", msg),
		0);
	EXPECT(&ds, "without patch", "", "value", "", 1, 2);
	EXPECT(&ds, "with patch", "", "value", "", 3, 4);
	has_note(&ds, "line 6: the comment \"a slow one\" is not taken for a label");
	assert_int_equal(ds.n_notes, 1);
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL, "1 2 3\n4 5 6\n", msg),
			 -EINVAL);
	assert_non_null(strstr(msg, "3 columns of numbers without a header"));
	kd_dataset_fini(&ds);
}

/* what stands where a value should is no label, and is not left out */
static void holes(void **state)
{
	static const char *const words[] = { "nan", "-inf", "1e309", "n/a", "-",
					     "3 4", "1,5", "0x10", "2_000",
					     "failed" };
	char text[64], msg[1280];
	struct kd_dataset ds = { 0 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(text, sizeof(text), "1\n2\n%s\n3\n", words[i]);
		assert_int_equal(read_text(&ds, "x", NULL, text, msg), -EINVAL);
		assert_non_null(strstr(msg, "x:3:1: \""));
		kd_dataset_fini(&ds);
		snprintf(text, sizeof(text), "1\n%s\n", words[i]);
		assert_int_equal(read_text(&ds, "x", NULL, text, msg), -EINVAL);
		assert_non_null(strstr(msg, "x:2:1: \""));
		kd_dataset_fini(&ds);
		snprintf(text, sizeof(text), "%s\n1\n2\n", words[i]);
		assert_int_equal(read_text(&ds, "x", NULL, text, msg), -EINVAL);
		kd_dataset_fini(&ds);
	}
	/* labels that look a little like numbers */
	assert_int_equal(read_text(&ds, "x", NULL,
		"6.1.0\n1\n2\n2024-05-01\n3\nnone\n4\n5 streams\n5\n7:\n6\n",
		msg), 0);
	EXPECT(&ds, "6.1.0", "", "value", "", 1, 2);
	EXPECT(&ds, "2024-05-01", "", "value", "", 3);
	EXPECT(&ds, "none", "", "value", "", 4);
	EXPECT(&ds, "5 streams", "", "value", "", 5);
	EXPECT(&ds, "7", "", "value", "", 6);
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL, "\xef\xbb\xbf" "1\n2\n",
				   msg), 0);
	EXPECT(&ds, "x", "", "value", "", 1, 2);
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL, "1e308\n1.1e308\n", msg),
			 -EINVAL);
	assert_non_null(strstr(msg, "a value of 1e+308"));
	kd_dataset_fini(&ds);
}

/* several variants get one unit, whatever each file was in */
static void units_are_one(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "a", "a", "100 Mbits/sec\n", msg), 0);
	assert_int_equal(read_text(&ds, "b", "b", "0.2 Gbit/s\n", msg), 0);
	assert_int_equal(read_text(&ds, "c", "c", "12.5 MB/s\n", msg), 0);
	assert_int_equal(read_text(&ds, "d", "d", "1 MiB/s\n", msg), 0);
	EXPECT(&ds, "a", "", "throughput", "Mbit/s", 100);
	EXPECT(&ds, "b", "", "throughput", "Mbit/s", 200);
	EXPECT(&ds, "c", "", "throughput", "Mbit/s", 100);
	EXPECT(&ds, "d", "", "throughput", "Mbit/s", 8.388608);
	has_note(&ds, "Gbit/s was turned into Mbit/s");
	kd_dataset_fini(&ds);
}

static void unit_names(void **state)
{
	static const struct {
		const char *text, *name;
		enum kd_dimension dim;
		double factor;
	} rows[] = {
		{ "Mbits/sec", "Mbit/s", KD_DIM_RATE, 1e6 },
		{ "Mbps", "Mbit/s", KD_DIM_RATE, 1e6 },
		{ "mbit/s", "Mbit/s", KD_DIM_RATE, 1e6 },
		{ "10^6bits/s", "Mbit/s", KD_DIM_RATE, 1e6 },
		{ "gbit/sec", "Gbit/s", KD_DIM_RATE, 1e9 },
		{ "bits/sec", "bit/s", KD_DIM_RATE, 1 },
		{ "MB/s", "MB/s", KD_DIM_RATE, 8e6 },
		{ "MBytes/sec", "MB/s", KD_DIM_RATE, 8e6 },
		{ "mib/s", "MiB/s", KD_DIM_RATE, 8 * 0x1p20 },
		{ "Mb/s", "Mbit/s", KD_DIM_RATE, 1e6 },
		{ "B/s", "B/s", KD_DIM_RATE, 8 },
		{ "iops", "IOPS", KD_DIM_OPS, 1 },
		{ "usec", "us", KD_DIM_TIME, 1e-6 },
		{ "\302\265s", "us", KD_DIM_TIME, 1e-6 },
		{ "mW", "mW", KD_DIM_POWER, 1e-3 },
		{ "%", "%", KD_DIM_SHARE, 1 },
	};
	struct kd_unit u;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!kd_unit_parse(rows[i].text, false, &u))
			fail_msg("%s is not known", rows[i].text);
		assert_string_equal(u.name, rows[i].name);
		assert_int_equal(u.dim, rows[i].dim);
		assert_true(fabs(u.factor - rows[i].factor) <=
			    1e-12 * rows[i].factor);
	}
	/* bits or bytes, milli or mega: not told, so not guessed */
	assert_false(kd_unit_parse("mb/s", false, &u));
	assert_false(kd_unit_parse("MW", false, &u));
	assert_true(kd_unit_parse("KB/sec", true, &u));
	assert_true(u.factor == 8192);
}

/* whatever the tool, it is refused by name and never read as a table */
static void refused(void **state)
{
	static const struct {
		const char *prefix, *words;
	} rows[] = {
		{ "06-", "nuttcp" }, { "08-", "nuttcp" }, { "10-", "iperf" },
		{ "12-", "iperf" }, { "14-", "iperf CSV" }, { "16-", "iperf" },
		{ "18-", "iperf" }, { "20-", "iperf" }, { "22-", "iperf" },
		{ "24-", "iperf" }, { "26-", "iperf" }, { "28-", "iperf" },
		{ "30-", "iperf" }, { "32-", "iperf" }, { "34-", "iperf" },
		{ "36-", "iperf" }, { "38-", "iperf" }, { "46-", "netperf" },
		{ "50-", "ioping" }, { "52-", "8 columns" }, { "54-", "fio" },
		{ "56-", "irtt" }, { "58-", "perf stat" },
		{ "60-", "perf stat" }, { "62-", "perf stat" },
		{ "80-", "Go benchmark" }, { "82-", "hyperfine" },
		{ "84-", "turbostat" }, { "86-", "mpstat" },
		{ "88-", "mmc_test" }, { "90-", "iperf" },
	};
	struct dirent *e;
	size_t seen = 0;
	DIR *dir = opendir(KD_TEST_DATA);

	assert_non_null(dir);
	while ((e = readdir(dir))) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct kd_dataset ds = { 0 };
			char msg[1280];

			if (strncmp(e->d_name, rows[i].prefix, 3))
				continue;
			assert_int_equal(read_data(&ds, e->d_name, NULL, msg),
					 -EINVAL);
			if (!strstr(msg, rows[i].words))
				fail_msg("%s: %s", e->d_name, msg);
			assert_int_equal(ds.n_measures, 0);
			kd_dataset_fini(&ds);
			seen++;
		}
	}
	closedir(dir);
	assert_int_equal(seen, 32);
}

static void hostile(void **state)
{
	struct kd_import_file f = { .name = "x", .data = "1\n\0" "2\n",
				    .len = 5 };
	struct kd_dataset ds = { 0 };
	struct kd_diag d = { 0 };
	char msg[1280], *text = malloc(3000001);
	size_t len = 0;

	assert_int_equal(kd_import_read(&f, NULL, &ds, &d), -EINVAL);
	assert_int_equal(d.line, 2);
	assert_int_equal(d.column, 1);
	kd_dataset_fini(&ds);
	memset(text, '7', 3000000);
	text[3000000] = '\0';
	assert_int_equal(read_text(&ds, "x", NULL, text, msg), -E2BIG);
	assert_string_equal(msg, "x:1:1: a line of 3000000 bytes; at most 1048576 can be read");
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL, text + 2000000, msg),
			 -EINVAL);
	kd_dataset_fini(&ds);
	for (int i = 0; len < 2900000; i++)
		len += (size_t)sprintf(text + len, "label %d:\n%d\n", i, i);
	assert_int_equal(read_text(&ds, "x", NULL, text, msg), -E2BIG);
	assert_non_null(strstr(msg, "more than 256 different labels"));
	kd_dataset_fini(&ds);
	free(text);
	/* names come out as UTF-8 */
	assert_int_equal(read_text(&ds, "x", NULL, "a\xff\x1b:\n1\nb:\n2\n",
				   msg), 0);
	assert_string_equal(ds.variants[0], "a?");
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "x", NULL, " \n\r\n", msg), -EINVAL);
	assert_string_equal(msg, "x: it is empty");
}

static void formats(void **state)
{
	struct kd_import_file f = { .name = "x", .data = "1\n", .len = 2 };
	struct kd_dataset ds = { 0 };
	struct kd_diag d = { 0 };

	assert_int_equal(kd_import_read(&f, "lists", &ds, &d), -EINVAL);
	assert_non_null(strstr(d.hint, "ttcp"));
	kd_diag_clear(&d);
	assert_int_equal(kd_import_read(&f, "ttcp", &ds, &d), -EINVAL);
	kd_diag_clear(&d);
	assert_int_equal(kd_import_read(&f, "list", &ds, &d), 0);
	kd_dataset_fini(&ds);
	for (size_t i = 0; kd_import_table[i]; i++) {
		assert_ptr_equal(kd_import_find(kd_import_table[i]->name),
				 kd_import_table[i]);
		assert_non_null(kd_import_table[i]->summary);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curl_and_tasks),
		cmocka_unit_test(curl_records),
		cmocka_unit_test(histograms),
		cmocka_unit_test(lists),
		cmocka_unit_test(holes),
		cmocka_unit_test(units_are_one),
		cmocka_unit_test(unit_names),
		cmocka_unit_test(refused),
		cmocka_unit_test(hostile),
		cmocka_unit_test(formats),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
