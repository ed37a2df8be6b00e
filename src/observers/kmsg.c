// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel said, from /dev/kmsg (Documentation/ABI/testing/dev-kmsg):
 * one record a read,
 *   "4,1234,98765432,-;WARNING: CPU: 0 PID: 7 at net/core/dev.c:1 f+0x1/0x2"
 * being prefix (facility * 8 + level), sequence, us, flags; text; then lines
 * that begin with a blank are properties. -EPIPE says that records were
 * overwritten before they were read. What programs write there has a facility
 * other than 0 and is passed over.
 *
 * Trouble fails the run from the observer's start on, so in the warm-up too;
 * messages are counted in the window.
 */
#include "base/root.h"
#include "base/str.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_SIZE (16 << 10) /* the kernel's own limit is 8 KiB */
#define MAX_EVENTS 32
#define EVENT_SIZE 256
#define MAX_READS 4096 /* a tick: a console flood must not hold the sampler */

enum metric { M_MESSAGES, M_LOST };

static const struct kd_metric_desc metrics[] = {
	[M_MESSAGES] = { "kmsg.messages", "", KD_BETTER_LOWER,
			 "kernel messages in the window" },
	[M_LOST] = { "kmsg.lost", "", KD_BETTER_LOWER,
		     "times that messages were overwritten before they were "
		     "read" },
	{ 0 },
};

struct event {
	const char *kind;
	uint64_t at_ns;
	char text[EVENT_SIZE];
};

struct state {
	int fd;
	char *record;
	struct event events[MAX_EVENTS];
	size_t n_events;
	uint64_t more_events;
	uint64_t messages, lost;
	uint64_t t0_ns;
	bool in_window;
	int error;
};

/* NULL: nothing that spoils a run */
static const char *classify(const char *text)
{
	static const struct {
		const char *words, *kind;
	} rows[] = {
		{ "Oops", "oops" },
		{ "BUG:", "oops" },
		{ "kernel BUG at", "oops" },
		{ "Kernel panic", "oops" },
		{ "soft lockup", "oops" },
		{ "hard LOCKUP", "oops" },
		{ "blocked for more than", "oops" },
		{ "detected stall", "oops" },
	};
	const char *p;

	if (kd_str_has_prefix(text, "WARNING:"))
		return "warn";
	for (size_t i = 0; i < KD_ARRAY_SIZE(rows); i++)
		if (strstr(text, rows[i].words))
			return rows[i].kind;
	p = strcasestr(text, "firmware");
	if (p && strcasestr(p, "crash"))
		return "oops";
	return NULL;
}

static void take(struct state *s, char *line, uint64_t now_ns)
{
	char *text, *end;
	unsigned long prefix;
	const char *kind;
	struct event *e;

	if (!isdigit((unsigned char)line[0]))
		return;
	prefix = strtoul(line, &end, 10);
	text = strchr(line, ';');
	if (*end != ',' || !text || prefix >> 3)
		return;
	text++;
	if (s->in_window)
		s->messages++;
	kind = classify(text);
	if (!kind)
		return;
	if (s->n_events == MAX_EVENTS) {
		s->more_events++;
		return;
	}
	e = &s->events[s->n_events++];
	e->kind = kind;
	e->at_ns = s->in_window ? now_ns - s->t0_ns : 0;
	snprintf(e->text, sizeof(e->text), "%s", text);
}

static void drain(struct state *s, uint64_t now_ns)
{
	for (int i = 0; i < MAX_READS; i++) {
		ssize_t n = read(s->fd, s->record, RECORD_SIZE - 1);
		char *rest = s->record, *line;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE) {
			s->lost++;
			continue;
		}
		if (n < 0 && errno != EAGAIN)
			s->error = -errno;
		if (n <= 0)
			return;
		s->record[n] = '\0';
		while ((line = strsep(&rest, "\n")))
			take(s, line, now_ns);
	}
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;
	int r = 0;

	s->fd = kd_root_openat(env->root, "/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (s->fd < 0)
		return kd_fail(d, s->fd, "cannot open /dev/kmsg; it needs root "
			       "or kernel.dmesg_restrict=0");
	if (lseek(s->fd, 0, SEEK_END) < 0)
		r = kd_fail_errno(d, "cannot go to the end of /dev/kmsg");
	s->record = malloc(RECORD_SIZE);
	if (!r && !s->record)
		r = kd_fail(d, -ENOMEM, "out of memory");
	if (r) {
		kd_number_close(s->fd);
		free(s->record);
	}
	return r;
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;

	drain(s, now_ns);
	if (when == KD_OBS_BEGIN) {
		s->t0_ns = now_ns;
		s->in_window = true;
	}
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	char text[96];

	for (size_t i = 0; i < s->n_events; i++)
		sink->event(sink, s->events[i].kind, KD_EVENT_FAIL,
			    s->events[i].at_ns, s->events[i].text);
	if (s->more_events) {
		snprintf(text, sizeof(text), "kmsg: %llu more like these",
			 (unsigned long long)s->more_events);
		sink->event(sink, "note", 0, 0, text);
	}
	if (s->error) {
		sink->event(sink, "note", 0, 0, "kmsg: /dev/kmsg failed");
		return;
	}
	sink->metric(sink, &metrics[M_MESSAGES], NULL, (double)s->messages);
	if (s->lost)
		sink->metric(sink, &metrics[M_LOST], NULL, (double)s->lost);
}

static void stop(void *priv)
{
	struct state *s = priv;

	kd_number_close(s->fd);
	free(s->record);
}

const struct kd_obs_ops kd_obs_kmsg_ops = {
	.name = "kmsg",
	.summary = "kernel messages; an oops or warning fails the run",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
