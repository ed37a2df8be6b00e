// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iperf3 -J: one object a run, several in a file, in an array, or as the lines
 * of --json-stream.
 *
 * The figure is what the receiver counted, end.sum_received. Integers that do
 * not fit 64 signed bits (3.12 writes 18446744073709551615 for "no count") are
 * read as reals and taken for "unknown". A run with an error has no figure.
 */
#include "imports/import.h"

#include "imports/doc.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_HINT "give the whole output of iperf3 -J, from its first brace"

struct reader {
	const struct kd_import_file *f;
	struct kd_dataset *ds;
	struct kd_diag *d;
	char stem[KD_IMPORT_LABEL_MAX];
	json_t *stream;		/* the start event of --json-stream */
	bool failed;		/* its error event came */
	int runs;
	int line;		/* of the present object */
};

static int detect(const struct kd_import_file *f)
{
	static const char *const keys[] = {
		"\"bits_per_second\"", "\"sum_received\"", "\"iperf3\"",
		"\"sender_tcp_congestion\"", "\"server_output_text\"",
		"\"test_start\"", "\"remote_total\"", "\"version\":\t\"iperf 3",
	};
	size_t i = 0;
	bool key = false;

	while (i < f->len && isspace((unsigned char)f->data[i]))
		i++;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]) && !key; k++)
		key = memmem(f->data, f->len, keys[k], strlen(keys[k]));
	if (key)
		return 90;
	/* a run that failed at once holds little but its error */
	if (i < f->len && f->data[i] == '{' &&
	    memmem(f->data, f->len, "\"intervals\"", 11) &&
	    memmem(f->data, f->len, "\"error\"", 7))
		return 80;
	return 0;
}

static const json_t *path(const json_t *from, const char *a, const char *b)
{
	from = json_object_get(from, a);
	return b ? json_object_get(from, b) : from;
}

/* a count or rate; false where absent, negative or "no count" */
static bool number(const json_t *from, const char *a, const char *b, double *v)
{
	const json_t *x = path(from, a, b);

	if (!json_is_number(x))
		return false;
	*v = json_number_value(x);
	return isfinite(*v) && *v >= 0 && *v < 0x1p63;
}

static const char *text(const json_t *from, const char *a, const char *b)
{
	const char *s = json_string_value(path(from, a, b));

	return s ? s : "";
}

static int note_run(struct reader *rd, const char *why)
{
	return kd_note(rd->ds, "%s: run %d (line %d) has no figure: %s",
		       rd->stem, rd->runs, rd->line, why);
}

static int add(struct reader *rd, const char *workload, const char *metric,
	       const char *unit, double value, bool exploratory)
{
	return kd_figure_add(rd->ds, &(struct kd_figure){
		.variant = rd->f->label ? rd->f->label : rd->stem,
		.workload = workload, .metric = metric, .unit = unit,
		.value = value, .exploratory = exploratory,
	}, rd->d);
}

/* one direction: "sum_sent" and "sum_received", or those of the way back */
static int add_direction(struct reader *rd, const json_t *end,
			 const char *workload, const char *sent,
			 const char *received, bool udp)
{
	const json_t *in = json_object_get(end, received);
	double bits, v, secs = 0;
	char why[200];
	int r;

	/* before 3.2 a UDP run has one sum, the sender's, with the loss */
	if (udp && !in) {
		double lost;

		in = json_object_get(end, "sum");
		if (!number(in, "bits_per_second", NULL, &bits) ||
		    !number(in, "lost_packets", NULL, &lost) ||
		    !number(in, "packets", NULL, &v) || v <= 0 || lost > v)
			return note_run(rd, "nothing was counted at the receiver");
		bits *= 1 - lost / v;
		r = kd_note(rd->ds, "%s: the receiver's rate of UDP runs is the sender's, less the datagrams lost",
			    rd->stem);
		if (r)
			return r;
	} else if (!number(in, "bits_per_second", NULL, &bits)) {
		return note_run(rd, in ? "no rate in end.sum_received" :
				"end.sum_received is missing");
	}
	number(in, "seconds", NULL, &secs);
	r = add(rd, workload, "throughput", "Mbit/s", bits / 1e6, false);
	if (!r && bits == 0) {
		snprintf(why, sizeof(why),
			 "the receiver counted 0 bytes in %g s; taken as 0, whatever the sender put into its buffer",
			 secs);
		r = kd_note(rd->ds, "%s: run %d (line %d): %s", rd->stem,
			    rd->runs, rd->line, why);
	}
	if (!r && secs > 0 && secs < 1)
		r = kd_note(rd->ds, "%s: run %d (line %d) lasted %g s, too short to say much",
			    rd->stem, rd->runs, rd->line, secs);
	if (!r && number(end, sent, "retransmits", &v))
		r = add(rd, workload, "retransmits", "", v, true);
	if (!udp || r)
		return r;
	if (!json_object_get(in, "packets"))
		in = json_object_get(end, "sum");
	if (number(in, "lost_packets", NULL, &v) &&
	    number(in, "packets", NULL, &bits) && bits > 0)
		r = add(rd, workload, "loss", "%", v / bits * 100, true);
	if (!r && number(in, "jitter_ms", NULL, &v) && bits > 1)
		r = add(rd, workload, "jitter", "ms", v, true);
	return r;
}

static int read_end(struct reader *rd, const json_t *start, const json_t *end)
{
	const json_t *test = json_object_get(start, "test_start");
	const char *protocol = text(test, "protocol", NULL);
	bool udp = !strcmp(protocol, "UDP"), both;
	char workload[96], streams[24] = "";
	double n = 1, v;
	int r;

	if (number(test, "num_streams", NULL, &n) && n > 1)
		snprintf(streams, sizeof(streams), " x%.0f", n);
	if (!*protocol)
		protocol = json_object_get(end, "sum") ? "UDP" : "TCP";
	both = json_object_get(end, "sum_received_bidir_reverse") ||
	       (number(test, "bidir", NULL, &v) && v > 0);
	number(test, "reverse", NULL, &v);
	snprintf(workload, sizeof(workload), "%.20s %s%s", protocol,
		 both ? "bidir TX" :
		 number(test, "reverse", NULL, &v) && v > 0 ? "RX" : "TX",
		 streams);
	r = add_direction(rd, end, workload, "sum_sent", "sum_received", udp);
	if (!r && both) {
		snprintf(workload, sizeof(workload), "%.20s bidir RX%s",
			 protocol, streams);
		r = add_direction(rd, end, workload, "sum_sent_bidir_reverse",
				  "sum_received_bidir_reverse", udp);
	}
	if (!r && number(end, "cpu_utilization_percent", "host_total", &v))
		r = add(rd, workload, "cpu usage[host]", "%", v, true);
	if (!r && number(end, "cpu_utilization_percent", "remote_total", &v))
		r = add(rd, workload, "cpu usage[remote]", "%", v, true);
	return r;
}

static int read_run(struct reader *rd, const json_t *run)
{
	const json_t *end = json_object_get(run, "end");
	const char *error = text(run, "error", NULL);
	char why[240];

	rd->runs++;
	if (*error || json_object_get(run, "error")) {
		snprintf(why, sizeof(why), "iperf3 says \"%.200s\"", error);
		return note_run(rd, why);
	}
	if (!end && json_object_get(run, "server_output_text"))
		return note_run(rd, "it holds only the server's text, no \"end\"");
	if (!json_is_object(end))
		return note_run(rd, "it has no \"end\", so it did not finish");
	if (!json_object_size(end))
		return note_run(rd, "its \"end\" is empty, so it did not finish");
	return read_end(rd, json_object_get(run, "start"), end);
}

/* a line of --json-stream */
static int read_event(struct reader *rd, const json_t *o)
{
	const char *event = text(o, "event", NULL);
	const json_t *data = json_object_get(o, "data");
	const char *error;
	char why[240];
	int r;

	if (!strcmp(event, "start")) {
		if (rd->stream) {
			rd->runs++;
			r = note_run(rd, "it did not finish");
			if (r)
				return r;
		}
		json_decref(rd->stream);
		rd->stream = json_incref((json_t *)data);
		rd->failed = false;
	} else if (!strcmp(event, "error")) {
		error = json_string_value(data);
		rd->runs++;
		rd->failed = true;
		snprintf(why, sizeof(why), "iperf3 says \"%.200s\"",
			 error ? error : "");
		return note_run(rd, why);
	} else if (!strcmp(event, "end")) {
		json_t *start = rd->stream;

		rd->stream = NULL;
		if (!rd->failed) {
			rd->runs++;
			r = json_object_size(data) ?
				read_end(rd, start, data) :
				note_run(rd, "its \"end\" is empty, so it did not finish");
			json_decref(start);
			return r;
		}
		json_decref(start);
	}
	return 0;
}

static int read_value(struct reader *rd, const json_t *o)
{
	const json_t *x;
	size_t i;
	int r = 0;

	if (json_is_array(o)) {
		json_array_foreach(o, i, x) {
			if (!json_is_object(x))
				return kd_fail_at(rd->d, -EINVAL, rd->f->name,
						  rd->line, 1,
						  "an array of something else than runs");
			r = read_run(rd, x);
			if (r)
				return r;
		}
		return 0;
	}
	return json_object_get(o, "event") ? read_event(rd, o) :
					     read_run(rd, o);
}

static int lines_in(const char *s, const char *end)
{
	int n = 0;

	for (; s < end; s++)
		n += *s == '\n';
	return n;
}

static int bad_json(struct reader *rd, const json_error_t *e)
{
	if (e->line == 1 && e->column <= 1)
		kd_fail_at(rd->d, -EINVAL, rd->f->name, rd->line, 1,
			   "not JSON: %s", e->text);
	else
		kd_fail_at(rd->d, -EINVAL, rd->f->name, rd->line + e->line - 1,
			   e->column > 0 ? e->column : 1, "bad JSON: %s",
			   e->text);
	kd_diag_hint(rd->d, "%s", KEY_HINT);
	return -EINVAL;
}

/* text between and after the objects, such as "iperf3: error - ..." */
static int take_text(struct reader *rd, const char **at, const char *end)
{
	const char *nl;
	char line[64], snip[48];

	if (!rd->runs && !rd->stream)
		return 0;
	while (*at < end && **at != '{' && **at != '[') {
		nl = memchr(*at, '\n', (size_t)(end - *at));
		if (!nl)
			nl = end;
		snprintf(line, sizeof(line), "%.*s",
			 (int)(nl - *at < 63 ? nl - *at : 63), *at);
		if (line[strspn(line, " \t\r")] &&
		    kd_note(rd->ds, "%s: text after run %d (line %d): \"%s\"",
			    rd->stem, rd->runs, rd->line, kd_snip(line, snip)))
			return -ENOMEM;
		*at = nl < end ? nl + 1 : end;
		rd->line++;
	}
	return 0;
}

static void take_stem(struct reader *rd)
{
	const char *base = strrchr(rd->f->name, '/');
	char *dot;

	snprintf(rd->stem, sizeof(rd->stem), "%s",
		 base ? base + 1 : rd->f->name);
	dot = strrchr(rd->stem, '.');
	if (dot && dot != rd->stem)
		*dot = '\0';
}

static int read(const struct kd_import_file *f, struct kd_dataset *ds,
		struct kd_diag *d)
{
	struct reader rd = { .f = f, .ds = ds, .d = d, .line = 1 };
	const char *at = f->data, *end = f->data + f->len;
	json_error_t e;
	int r = 0;

	take_stem(&rd);
	while (!r) {
		json_t *o;

		while (at < end && isspace((unsigned char)*at))
			rd.line += *at++ == '\n';
		if (at == end)
			break;
		r = take_text(&rd, &at, end);
		if (r || at == end)
			break;
		o = json_loadb(at, (size_t)(end - at),
			       JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL,
			       &e);
		if (!o) {
			r = bad_json(&rd, &e);
			break;
		}
		r = read_value(&rd, o);
		json_decref(o);
		rd.line += lines_in(at, at + e.position);
		at += e.position;
	}
	if (!r && rd.stream) {
		rd.runs++;
		r = note_run(&rd, "it did not finish");
	}
	json_decref(rd.stream);
	return r;
}

const struct kd_import_ops kd_import_iperf3_ops = {
	.name = "iperf3-json",
	.summary = "output of iperf3 -J or --json-stream, any number of runs",
	.detect = detect,
	.read = read,
};
