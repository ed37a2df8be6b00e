// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Logs that are known by sight, but not read: said by name, with what would be
 * read, and never taken for a table. A format that gets its reader leaves this
 * list.
 */
#include "imports/foreign.h"

#include "base/parse.h"
#include "base/str.h"
#include "imports/import.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct mark {
	const char *tool;
	const char *words[3];	/* all in one line, in this order */
	const char *hint;
};

#define GIVE_JSON "give the output of iperf3 -J"

static const struct mark marks[] = {
	{ "iperf or iperf3 text", { "[ ID]", "Interval" }, GIVE_JSON },
	{ "iperf or iperf3 text", { " sec ", "Bytes ", "bits/s" }, GIVE_JSON },
	{ "iperf text", { "Interval", "Transfer", "Bandwidth" }, GIVE_JSON },
	{ "iperf3 text", { "iperf3: ", "error" }, GIVE_JSON },
	{ "nuttcp text", { " MB /", " sec =", " Mbps" },
	  "give one rate per line" },
	{ "nuttcp text", { "megabytes=", "rate_Mbps=" },
	  "give one rate per line" },
	{ "perf stat output", { "Performance counter stats for" },
	  "give one number per line and run" },
	{ "perf stat output", { "seconds time elapsed" },
	  "give one number per line and run" },
	{ "perf stat output", { "<not counted>" },
	  "give one number per line and run" },
	{ "ioping output", { "ioping statistics" },
	  "give one number per line and run" },
	{ "ioping output", { "requests completed in" },
	  "give one number per line and run" },
	{ "netperf output", { "MIGRATED ", " TEST from" },
	  "give one rate per line" },
	{ "netperf output", { "secs.", "10^6bits" }, "give one rate per line" },
	{ "fio JSON", { "\"fio version\"" },
	  "give one number per line and run" },
	{ "hyperfine CSV", { "command,mean,stddev" },
	  "give the values of \"times\" in its JSON, one per line" },
	{ "hyperfine JSON", { "\"exit_codes\"" },
	  "give the values of \"times\", one per line" },
	{ "hyperfine JSON", { "\"times\"", "[" },
	  "give the values of \"times\", one per line" },
	{ "Go benchmark output", { "ns/op" },
	  "give one number per line and run" },
	{ "turbostat output", { "Bzy_MHz" },
	  "its rows are a time series inside one run; give one number per run" },
	{ "mpstat or sar output", { "%usr", "%sys" },
	  "its rows are a time series inside one run; give one number per run" },
	{ "mpstat or sar output", { "%user", "%system" },
	  "its rows are a time series inside one run; give one number per run" },
	{ "vmstat output", { "swpd", "free", "cache" },
	  "its rows are a time series inside one run; give one number per run" },
	{ "irtt output", { "seq=", "rtt=", "ipdv=" },
	  "its rows are packets of one run; give one number per run" },
	{ "ping output", { "icmp_seq=", "ttl=", "time=" },
	  "its rows are packets of one run; give one number per run" },
	{ "a kernel log of mmc_test", { "mmc", "Test case " },
	  "give one number per line and run" },
	{ "wrk output", { "Requests/sec:" }, "give one rate per line" },
};

static bool matches(const struct mark *m, const char *line, size_t len)
{
	const char *end = line + len;

	for (size_t i = 0; i < KD_ARRAY_SIZE(m->words) && m->words[i]; i++) {
		size_t n = strlen(m->words[i]);
		const char *p = memmem(line, (size_t)(end - line), m->words[i],
				       n);

		if (!p)
			return false;
		line = p + n;
	}
	return true;
}

/* iperf -y C: a stamp of 14 digits, then addresses and ports */
static bool is_iperf_csv(const char *line, size_t len)
{
	size_t n = 0, commas = 0;

	while (n < len && isdigit((unsigned char)line[n]))
		n++;
	for (size_t i = n; i < len; i++)
		commas += line[i] == ',';
	return n == 14 && (line[n] == ',' || line[n] == '.') && commas >= 8;
}

static int refuse(const struct kd_import_file *f, int line, const char *tool,
		  const char *hint, struct kd_diag *d)
{
	kd_fail_at(d, -EINVAL, f->name, line, 1,
		   "%s is not a format that I know", tool);
	kd_diag_hint(d, "%s", hint);
	return -EINVAL;
}

int kd_foreign_check(const struct kd_import_file *f, struct kd_diag *d)
{
	const char *cur = f->data, *end = f->data + f->len, *line;
	const char *first = f->data;
	size_t len;
	int no = 0;

	while ((line = kd_parse_line(&cur, end, &len))) {
		no++;
		for (size_t i = 0; i < KD_ARRAY_SIZE(marks); i++)
			if (matches(&marks[i], line, len))
				return refuse(f, no, marks[i].tool,
					      marks[i].hint, d);
		if (is_iperf_csv(line, len))
			return refuse(f, no, "iperf CSV", GIVE_JSON, d);
	}
	while (first < end && isspace((unsigned char)*first))
		first++;
	if (first < end && (*first == '{' ||
			    (*first == '[' && first + 1 < end &&
			     strchr(" \t\r\n{[\"", first[1]))))
		return refuse(f, 1, "this JSON", "of JSON, iperf3 -J is read",
			      d);
	return 0;
}
