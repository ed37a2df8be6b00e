// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The histogram that a file holds, by the difference over the window. A line is
 * one of
 *   "3 2230"                             value and count (or count and value,
 *                                        as uniq -c prints), debugfs
 *   "{ passes:          3 } hitcount:       2230"
 *                                        of a tracepoint's "hist" file,
 *                                        Documentation/trace/histogram.rst
 * Lines that begin with a letter or '#' are words; what else is neither is passed
 * over, and said.
 */
#include "base/opt.h"
#include "base/root.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE (64 << 10)
#define MAX_VALUES 512

enum { LAYOUT_VALUE_COUNT, LAYOUT_COUNT_VALUE };
static const char *const layouts[] = { "value-count", "count-value", NULL };

enum metric { M_SHARE, M_MEAN, M_COUNT, M_HIST };

static const struct kd_metric_desc metrics[] = {
	[M_SHARE] = { "histogram.share", "%", KD_BETTER_NONE,
		      "of the window's counts, those at this value" },
	[M_MEAN] = { "histogram.mean", "", KD_BETTER_NONE,
		     "mean of the values, weighted by their counts" },
	[M_COUNT] = { "histogram.rate", "1/s", KD_BETTER_NONE,
		      "counts at all values" },
	[M_HIST] = { "histogram.values", "", KD_BETTER_NONE,
		     "values and their counts" },
	{ 0 },
};

struct options {
	char *file;
	int layout;
};

static const struct kd_opt opts_table[] = {
	{ "file", KD_OPT_STR, offsetof(struct options, file), .arg = "PATH",
	  .help = "file that holds the histogram" },
	{ "layout", KD_OPT_ENUM, offsetof(struct options, layout),
	  .choices = layouts, .def = "value-count",
	  .help = "what stands first in a line of two numbers" },
	{ 0 },
};

struct bucket {
	double value;
	uint64_t count;
};

struct table {
	struct bucket buckets[MAX_VALUES];
	size_t n;
	uint64_t t_ns;
	int foreign;	/* lines that are something else */
	int error;
};

struct histogram {
	const struct options *opts;
	int fd;
	char *text;
	struct table first, last;
};

static bool read_double(const char **p, double *out)
{
	char *end;

	*out = strtod(*p, &end);
	if (end == *p || !isfinite(*out))
		return false;
	*p = end;
	return true;
}

static bool read_count(const char **p, uint64_t *out)
{
	char *end;

	while (isblank((unsigned char)**p))
		++*p;
	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*out = strtoull(*p, &end, 10);
	*p = end;
	return !errno;
}

/* "{ key: VALUE, ... } hitcount: COUNT" */
static bool read_trigger(const char *p, struct bucket *b)
{
	static const char word[] = "hitcount:";
	const char *colon = strchr(p, ':'), *hits = strstr(p, word);

	if (!colon || !hits)
		return false;
	colon++;
	hits += sizeof(word) - 1;
	return read_double(&colon, &b->value) && read_count(&hits, &b->count);
}

static bool read_pair(const char *p, int layout, struct bucket *b)
{
	bool ok;

	if (layout == LAYOUT_COUNT_VALUE)
		ok = read_count(&p, &b->count) && isblank((unsigned char)*p) &&
		     read_double(&p, &b->value);
	else
		ok = read_double(&p, &b->value) && read_count(&p, &b->count);
	while (isspace((unsigned char)*p))
		p++;
	return ok && !*p;
}

static struct bucket *find(struct table *t, double value)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->buckets[i].value == value)
			return &t->buckets[i];
	return NULL;
}

static void parse(char *text, int layout, struct table *t)
{
	char *line;

	t->n = 0;
	t->foreign = 0;
	while ((line = strsep(&text, "\n"))) {
		struct bucket b, *same;

		while (isspace((unsigned char)*line))
			line++;
		/* comments, and a trigger's totals */
		if (!*line || *line == '#' || isalpha((unsigned char)*line))
			continue;
		if (!(*line == '{' ? read_trigger(line, &b) :
				     read_pair(line, layout, &b)))
			t->foreign++;
		else if ((same = find(t, b.value)))
			same->count += b.count;
		else if (t->n < MAX_VALUES)
			t->buckets[t->n++] = b;
		else
			t->error = -E2BIG;
	}
}

static int histogram_start(void *priv, const struct kd_obs_env *env,
			   const void *opts, struct kd_diag *d)
{
	struct histogram *h = priv;

	h->opts = opts;
	if (!h->opts->file || *h->opts->file != '/') {
		kd_fail(d, -EINVAL, "histogram needs a file");
		kd_diag_hint(d, "{ histogram: { file: /sys/kernel/debug/... } }");
		return -EINVAL;
	}
	h->fd = kd_root_openat(env->root, h->opts->file, O_RDONLY);
	if (h->fd < 0)
		return kd_fail(d, h->fd, "histogram: cannot open %s: %s",
			       h->opts->file, strerror(-h->fd));
	h->text = malloc(TEXT_SIZE);
	if (!h->text) {
		kd_number_close(h->fd);
		return kd_fail(d, -ENOMEM, "out of memory");
	}
	return 0;
}

static void histogram_sample(void *priv, enum kd_obs_when when,
			     uint64_t now_ns)
{
	struct histogram *h = priv;
	struct table *t = when == KD_OBS_BEGIN ? &h->first : &h->last;
	ssize_t n;

	if (when == KD_OBS_TICK)
		return;
	t->error = 0;
	t->t_ns = now_ns;
	n = kd_pread_text(h->fd, h->text, TEXT_SIZE);
	if (n < 0)
		t->error = (int)n;
	else
		parse(h->text, h->opts->layout, t);
}

static int by_value(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* the window's counts, sorted; their sum, or UINT64_MAX where one went down */
static uint64_t subtract(struct histogram *h)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < h->last.n; i++) {
		struct bucket *b = &h->last.buckets[i];
		const struct bucket *old = find(&h->first, b->value);

		if (old && old->count > b->count)
			return UINT64_MAX;
		b->count -= old ? old->count : 0;
		sum += b->count;
	}
	qsort(h->last.buckets, h->last.n, sizeof(struct bucket), by_value);
	return sum;
}

static void note(const struct histogram *h, struct kd_sink *sink,
		 const char *what)
{
	char words[256];

	snprintf(words, sizeof(words), "histogram: %.160s %s", h->opts->file,
		 what);
	sink->event(sink, "note", 0, 0, words);
}

static void report(const struct histogram *h, struct kd_sink *sink,
		   uint64_t sum)
{
	double span_s = (double)(h->last.t_ns - h->first.t_ns) / 1e9;
	double upper[MAX_VALUES], mean = 0;
	uint64_t counts[MAX_VALUES];

	for (size_t i = 0; i < h->last.n; i++) {
		const struct bucket *b = &h->last.buckets[i];
		char value[32];

		upper[i] = b->value;
		counts[i] = b->count;
		mean += b->value * ((double)b->count / (double)sum);
		snprintf(value, sizeof(value), "%g", b->value);
		sink->metric(sink, &metrics[M_SHARE], value,
			     100.0 * (double)b->count / (double)sum);
	}
	sink->metric(sink, &metrics[M_MEAN], NULL, mean);
	if (span_s > 0)
		sink->metric(sink, &metrics[M_COUNT], NULL,
			     (double)sum / span_s);
	sink->hist(sink, &metrics[M_HIST], NULL, upper, counts, h->last.n);
}

static void histogram_result(void *priv, struct kd_sink *sink)
{
	struct histogram *h = priv;
	uint64_t sum;

	if (h->first.error || h->last.error) {
		note(h, sink, "could not be read, or has too many values");
		return;
	}
	if (h->last.foreign)
		note(h, sink, "holds lines that are no value and count");
	sum = subtract(h);
	if (sum == UINT64_MAX)
		note(h, sink, "began anew in the window");
	else if (!sum)
		note(h, sink, "counted nothing in the window");
	else
		report(h, sink, sum);
}

static void histogram_stop(void *priv)
{
	struct histogram *h = priv;

	kd_number_close(h->fd);
	free(h->text);
}

const struct kd_obs_ops kd_obs_histogram_ops = {
	.name = "histogram",
	.summary = "the histogram in a file, such as passes per interrupt",
	.opts = opts_table,
	.opts_size = sizeof(struct options),
	.priv_size = sizeof(struct histogram),
	.metrics = metrics,
	.start = histogram_start,
	.sample = histogram_sample,
	.result = histogram_result,
	.stop = histogram_stop,
};
