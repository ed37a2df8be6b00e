// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Datasets for the report tests. wilc1000 and mwifiex hold the numbers of two
 * published experiments; the others are made up to be awkward.
 */
#include "samples.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(struct kd_dataset *ds, const char *variant,
		const char *workload, const char *metric, const char *unit,
		enum kd_better better, bool primary, bool paired,
		const double *values, size_t n)
{
	int v = kd_dataset_variant(ds, variant);
	struct kd_measure *m = kd_dataset_measure(ds, workload, metric, unit,
						  better);

	assert_true(v >= 0 && m);
	m->primary = primary;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(kd_measure_add(m, v, paired ? (int)i : -1,
						(int)i, values[i]), 0);
}

#define ADD(ds, variant, workload, metric, unit, better, primary, paired, ...) \
	do { \
		const double values_[] = { __VA_ARGS__ }; \
		add(ds, variant, workload, metric, unit, better, primary, \
		    paired, values_, KD_ARRAY_SIZE(values_)); \
	} while (0)

static void make_wilc1000(struct kd_dataset *ds, struct kd_report_info *info)
{
	ds->title = strdup("wilc1000-chip-sleep");
	ADD(ds, "enable_sleep=1", "TX", "rate", "KB/s", KD_BETTER_HIGHER, true,
	    false, 397.50, 402.81, 398.83, 396.25);
	ADD(ds, "enable_sleep=0", "TX", "rate", "KB/s", KD_BETTER_HIGHER, true,
	    false, 1472.78, 1523.10, 1385.21, 1497.66, 1617.21);
	ADD(ds, "enable_sleep=1", "RX", "rate", "KB/s", KD_BETTER_HIGHER, true,
	    false, 1941.97, 1290.94, 1280.93, 1322.33);
	ADD(ds, "enable_sleep=0", "RX", "rate", "KB/s", KD_BETTER_HIGHER, true,
	    false, 2811.94, 2848.09, 2744.44, 2681.96, 2724.09);
	kd_dataset_note(ds, "enable_sleep=1 has 4 rows where enable_sleep=0 has 5");
	info->method = "read from wilc1000-chip-sleep.txt, unpaired";
	info->runs = 18;
}

static void make_mwifiex(struct kd_dataset *ds, struct kd_report_info *info)
{
	ds->title = strdup("mwifiex-int-status");
	ADD(ds, "Before", "Bidirectional RX", "rate", "Mbit/s",
	    KD_BETTER_HIGHER, true, false, 193, 163, 198, 147, 194, 195, 129,
	    167, 198, 174);
	ADD(ds, "After", "Bidirectional RX", "rate", "Mbit/s",
	    KD_BETTER_HIGHER, true, false, 171, 194, 187, 165, 167, 197, 163,
	    199, 192, 120);
	ADD(ds, "Before", "Bidirectional TX", "rate", "Mbit/s",
	    KD_BETTER_HIGHER, true, false, 15.2, 21.4, 15.8, 26.2, 13.8, 12.6,
	    22.9, 14.3, 14.7, 35.1);
	ADD(ds, "After", "Bidirectional TX", "rate", "Mbit/s",
	    KD_BETTER_HIGHER, true, false, 30.4, 19, 19.8, 20.2, 20.7, 20.1,
	    27.3, 18.8, 19.3, 6.74);
	ADD(ds, "Before", "TX only", "rate", "Mbit/s", KD_BETTER_HIGHER, true,
	    false, 60.6, 52.4, 70, 66, 60.9, 64.9, 58.3, 59.8, 53.3, 58.3);
	ADD(ds, "After", "TX only", "rate", "Mbit/s", KD_BETTER_HIGHER, true,
	    false, 73.9, 78.1, 73.3, 73.2, 74.5, 82.1, 73.8, 69.6, 68.7, 66.9);
	ADD(ds, "Before", "RX only", "rate", "Mbit/s", KD_BETTER_HIGHER, true,
	    false, 151, 186, 209, 201, 180, 208, 210, 189, 176, 196);
	ADD(ds, "After", "RX only", "rate", "Mbit/s", KD_BETTER_HIGHER, true,
	    false, 160, 163, 179, 195, 203, 187, 192, 202, 207, 153);
	info->runs = 80;
}

static char knob_old[] = "tso: ethtool:tso=on";
static char knob_new[] = "no-tso: ethtool:tso=off";
static char *knobs[] = { knob_old, knob_new };
static char env_line[] = "cpu.governor: powersave in tso, performance in no-tso";
static char *env[] = { env_line };

static void make_paired(struct kd_dataset *ds, struct kd_report_info *info)
{
	ds->title = strdup("tso-off");
	ADD(ds, "tso", "tx", "throughput", "Mbit/s", KD_BETTER_HIGHER, true,
	    true, 9412.123, 9398.331, 9450.002, 9377.71, 9401.98, 9420.555,
	    9433.1, 9390.25);
	ADD(ds, "no-tso", "tx", "throughput", "Mbit/s", KD_BETTER_HIGHER, true,
	    true, 6120.15, 6098.002, 6177.31, 6050.9, 6101.33, 6133.37,
	    6149.02, 6088.6);
	ADD(ds, "tso", "idle", "power", "W", KD_BETTER_LOWER, true, true,
	    1.18, 1.19, 1.18, 1.17, 1.18, 1.20, 1.18, 1.18);
	ADD(ds, "no-tso", "idle", "power", "W", KD_BETTER_LOWER, true, true,
	    1.18, 1.18, 1.19, 1.17, 1.18, 1.19, 1.18, 1.19);
	ADD(ds, "tso", "tx", "cpu.busy[1]", "%", KD_BETTER_LOWER, false, true,
	    31.2, 30.9, 32.2, 31.7, 30.5, 31.1, 31.9, 31.4);
	ADD(ds, "no-tso", "tx", "cpu.busy[1]", "%", KD_BETTER_LOWER, false,
	    true, 77.2, 76.9, 79.2, 78.7, 76.5, 77.1, 78.9, 77.4);
	ADD(ds, "tso", "tx", "temperature", "K", KD_BETTER_NONE, false, true,
	    -1, 0, 1, 2, 0, 1, -1, 1);
	ADD(ds, "no-tso", "tx", "temperature", "K", KD_BETTER_NONE, false,
	    true, 1, 2, 1, 1, 2, 1, 2, 3);
	kd_dataset_note(ds, "no-tso, tx, round 4 failed: the receiver closed early");
	info->id = "7";
	info->method = "8 rounds, interleaved, random order inside each (seed 7)";
	info->kernel = "Linux 6.1.0-18-amd64";
	info->machine = "Intel(R) Celeron(R) J4125 CPU @ 2.00GHz, 4 cores";
	info->version = "0.1.0";
	info->date = "2026-01-02T03:04:05Z";
	info->knobs = knobs;
	info->n_knobs = 2;
	info->environment = env;
	info->n_environment = 1;
	info->where = "/home/me/.local/state/kdelta/store.db";
	info->runs = 32;
	info->failed = 1;
}

static void make_empty(struct kd_dataset *ds, struct kd_report_info *info)
{
	ds->title = strdup("empty");
}

static void make_one_run(struct kd_dataset *ds, struct kd_report_info *info)
{
	ds->title = strdup("one-run");
	ADD(ds, "a", "tx", "rate", "Mbit/s", KD_BETTER_HIGHER, true, true, 93.5);
	ADD(ds, "b", "tx", "rate", "Mbit/s", KD_BETTER_HIGHER, true, true, 94);
	info->runs = 2;
}

static void make_one_variant(struct kd_dataset *ds,
			     struct kd_report_info *info)
{
	ds->title = strdup("one-variant");
	ADD(ds, "a", "tx", "rate", "", KD_BETTER_HIGHER, true, true, 1, 2, 3);
}

static void make_hundred(struct kd_dataset *ds, struct kd_report_info *info)
{
	char name[40];

	ds->title = strdup("hundred");
	for (int i = 0; i < 100; i++) {
		double v[5];

		snprintf(name, sizeof(name), "limit=%d,streams=%d",
			 1 << (i / 10), i % 10);
		for (int k = 0; k < 5; k++)
			v[k] = 1000 + 3 * i + (i * 37 + k * 101) % 29 + 0.25;
		add(ds, name, "tx", "throughput", "Mbit/s", KD_BETTER_HIGHER,
		    true, true, v, 5);
		for (int k = 0; k < 5; k++)
			v[k] = (i * 31 + k * 7) % 17;
		add(ds, name, "tx", "irq[eth0]", "1/s", KD_BETTER_LOWER, false,
		    true, v, 5);
	}
}

/* two factors: more streams help until 3, a small limit holds them back */
static void make_sweep(struct kd_dataset *ds, struct kd_report_info *info)
{
	static const double rate[2][5] = { { 310, 420, 480, 483, 486 },
					   { 520, 760, 938, 941, 940 } };
	static const char *const limits[] = { "262144", "1048576" };
	char name[40], level[8];

	ds->title = strdup("tcp-limit-sweep");
	ds->n_factors = 2;
	ds->factors = calloc(2, sizeof(*ds->factors));
	ds->factors[0] = strdup("limit");
	ds->factors[1] = strdup("streams");
	ds->levels = calloc(20, sizeof(*ds->levels));
	for (int i = 0; i < 10; i++) {
		double v[6], cpu[6];

		snprintf(level, sizeof(level), "%d", i % 5 + 1);
		snprintf(name, sizeof(name), "limit=%s,streams=%s",
			 limits[i / 5], level);
		ds->levels[2 * i] = strdup(limits[i / 5]);
		ds->levels[2 * i + 1] = strdup(level);
		for (int k = 0; k < 6; k++) {
			v[k] = rate[i / 5][i % 5] + (i * 7 + k * 5) % 9 - 4.5;
			cpu[k] = 20 + v[k] / 20 + i % 5 + (i * 3 + k) % 4;
		}
		add(ds, name, "uplink", "tcp.tx-throughput", "Mbit/s",
		    KD_BETTER_HIGHER, true, true, v, 6);
		add(ds, name, "uplink", "cpu.busy", "%", KD_BETTER_LOWER,
		    false, true, cpu, 6);
	}
	info->method = "6 rounds, interleaved, random order inside each (seed 7)";
	info->runs = 60;
}

/* rounds enough for the intervals of medians and of energy */
static void make_many(struct kd_dataset *ds, struct kd_report_info *info)
{
	double rate[24], joule[24], bytes[24];

	ds->title = strdup("many");
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "no-sleep" : "sleep";

		for (int k = 0; k < 24; k++) {
			rate[k] = 400 + 40 * i + (i * 11 + k * 17) % 23;
			bytes[k] = rate[k] * 125000;
			joule[k] = 1.1 + 0.2 * i + (k * 13 % 7) / 100.0;
		}
		add(ds, name, "tx", "tcp.tx-throughput", "Mbit/s",
		    KD_BETTER_HIGHER, true, true, rate, 24);
		add(ds, name, "tx", "tcp.tx-bytes", "B", KD_BETTER_NONE, false,
		    true, bytes, 24);
		add(ds, name, "tx", "tcp.tx-sent-bytes", "B", KD_BETTER_NONE,
		    false, true, bytes, 24);
		add(ds, name, "tx", "power.energy", "J", KD_BETTER_LOWER, false,
		    true, joule, 24);
	}
	info->method = "24 rounds, interleaved, random order inside each (seed 7)";
	info->runs = 48;
}

/* intervals and differences of many digits */
static void make_wide(struct kd_dataset *ds, struct kd_report_info *info)
{
	ds->title = strdup("wide");
	for (int i = 0; i < 3; i++) {
		const double sign = i == 2 ? -1 : 1;
		char name[40];

		snprintf(name, sizeof(name), "limit=%d,streams=%d", 1 << 20, i);
		ADD(ds, name, "uplink", "rate", "Mbit/s", KD_BETTER_HIGHER,
		    true, true, 20123.5, sign * 91.25, 9000 + 5000.0 * i);
		ADD(ds, name, "uplink", "count", "requests/s",
		    KD_BETTER_HIGHER, true, true, sign * 12345678.5,
		    -98765432.25, 1.5 + i);
	}
	info->runs = 9;
}

static void make_hostile(struct kd_dataset *ds, struct kd_report_info *info)
{
	static char longish[3000];
	static char name[] = "# heading\n| a | b |";

	memset(longish, 'x', sizeof(longish) - 1);
	longish[sizeof(longish) - 1] = '\0';
	ds->title = strdup("evil\n\033[31m\"title\", <script>|#\xff\xfe");
	for (int i = 0; i < 2; i++) {
		const char *v = i ? longish : name;

		ADD(ds, v, "w,\"q\"\r\n", "m|x#*`_<b>", "=1+1", KD_BETTER_HIGHER,
		    true, false, 1.5, 2.5, 3.25 + i);
		ADD(ds, v, longish, "\xe6\xb8\xac\xe5\xae\x9a\xe2\x80\xae", "\xc2\xb5s",
		    KD_BETTER_LOWER, true, false, 1e-9, 2e-9, 4e-9 + i * 1e-10);
		ADD(ds, v, "big", "n", "B", KD_BETTER_NONE, false, false, 1e18,
		    2e18, 3e18);
	}
	kd_dataset_note(ds, "%s", longish);
	kd_dataset_note(ds, "two\nlines | and # more");
	info->method = longish;
	info->kernel = "6.1\n6.2";
	info->machine = longish;
	info->where = longish;
}

const struct sample_set sample_sets[] = {
	{ "wilc1000", make_wilc1000 },
	{ "mwifiex", make_mwifiex },
	{ "paired", make_paired },
	{ "empty", make_empty },
	{ "one-run", make_one_run },
	{ "one-variant", make_one_variant },
	{ "sweep", make_sweep },
	{ "many", make_many },
	{ "wide", make_wide },
	{ "hundred", make_hundred },
	{ "hostile", make_hostile },
	{ 0 },
};

/* one set is reported on many times in a row: it is analysed once */
static struct {
	const struct sample_set *set;
	struct kd_report_info info;
	struct kd_dataset ds;
	struct kd_analysis a;
} last;

static void load(const struct sample_set *set)
{
	struct kd_plan_stats plan = kd_plan_stats_default;
	struct kd_diag d = { 0 };

	if (last.set == set)
		return;
	kd_analysis_fini(&last.a);
	kd_dataset_fini(&last.ds);
	memset(&last, 0, sizeof(last));
	set->make(&last.ds, &last.info);
	plan.seed = 7;
	plan.min_effect = 0.02;
	if (kd_analyse(&last.ds, &plan, &last.a, &d))
		fail_msg("%s: %s", set->name, d.text);
	last.set = set;
}

char *sample_report(const struct sample_set *set, const char *format,
		    int width, bool verbose)
{
	const struct kd_report_style style = { .width = width,
					       .verbose = verbose };
	const struct kd_report_ops *ops = kd_report_find(format);
	struct kd_diag d = { 0 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(ops);
	assert_non_null(f);
	load(set);
	if (ops->write(f, &last.ds, &last.a, &last.info, &style, &d))
		fail_msg("%s, %s: %s", set->name, format, d.text);
	fclose(f);
	return text;
}
