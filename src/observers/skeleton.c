// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A place to start from, not an observer of kdelta: only its test is built.
 * Copy it to NAME.c, put NAME for "skeleton" everywhere, add the word NAME to
 * the list in meson.build, and then change what stands here.
 *
 * Say first where the figures come from and in which unit, with a line as the
 * kernel prints it and the file of Documentation/ or man page that defines it:
 *   /proc/stat  "ctxt 2016839": context switches since boot, proc(5)
 * and what is not obvious: what wraps, who may read it, since which kernel.
 */
#include "base/opt.h"
#include "base/root.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE (128 << 10)

enum metric { M_SWITCHES, M_PER_CORE };

/*
 * All that it can report. Names are dotted and begin with the observer's;
 * reports, the store and the experiment's "primary" use them, so they stay. A
 * metric of which there are several, one a core or a queue, has one row here;
 * which one it is goes to sink->metric() as the instance.
 */
static const struct kd_metric_desc metrics[] = {
	[M_SWITCHES] = { "skeleton.switches", "1/s", KD_BETTER_LOWER,
			 "context switches of the whole machine" },
	[M_PER_CORE] = { "skeleton.switches-per-core", "1/s", KD_BETTER_LOWER,
			 "the same, divided by option cores" },
	{ 0 },
};

/*
 * Options, for "observe: [{skeleton: {cores: 2}}]" and "-o skeleton:cores=2".
 * Types, ranges and defaults stand here alone; help, man page, completion and
 * messages about wrong values are made from it. Without options leave .opts and
 * .opts_size out.
 */
struct options {
	int64_t cores;
};

static const struct kd_opt opts_table[] = {
	{ "cores", KD_OPT_INT, offsetof(struct options, cores), 1, 4096, "1",
	  .help = "what to divide by" },
	{ 0 },
};

/*
 * One run's state: zeroed before start(). Everything is in here, as two of one
 * observer work side by side (device and peer in one process); there are no
 * variables outside.
 */
struct state {
	const struct options *opts;
	int fd;
	char *text;
	uint64_t first, last;
	uint64_t t0_ns, t1_ns;
	int error;
};

/*
 * Text from outside may be cut, empty, or not text at all. A parser is a
 * function of its own that says so, since nobody may trust it.
 */
static int parse(const char *text, uint64_t *out)
{
	const char *p = strstr(text, "\nctxt ");

	if (!p || !isdigit((unsigned char)p[6]))
		return -EINVAL;
	*out = strtoull(p + 6, NULL, 10);
	return 0;
}

/*
 * Can it work here? Optional: start() may say so as well. -ENODEV, -ENOENT,
 * -EACCES or -EOPNOTSUPP with words lets the run go on without it, and the
 * report says why; -EINVAL and -ENOMEM fail the run.
 */
static int probe(const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	int fd = kd_root_openat(env->root, "/proc/stat", O_RDONLY);

	if (fd < 0)
		return kd_fail(d, fd, "cannot open /proc/stat");
	kd_number_close(fd);
	return 0;
}

/*
 * Open and allocate all that sample() will need; always below env->root, which
 * may be a recorded tree. env->max_samples says how many ticks may come. After
 * an error nothing is left open: stop() is not called then.
 */
static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;

	s->opts = opts;
	s->fd = kd_root_openat(env->root, "/proc/stat", O_RDONLY);
	if (s->fd < 0)
		return kd_fail(d, s->fd, "cannot open /proc/stat");
	s->text = malloc(TEXT_SIZE);
	if (!s->text) {
		kd_number_close(s->fd);
		return kd_fail(d, -ENOMEM, "out of memory");
	}
	return 0;
}

/*
 * Read the counters at @now_ns (CLOCK_MONOTONIC). It runs while the run is
 * measured, so: no allocation, no open, no fork, no printing, and nothing at a
 * tick that the two ends of the window can tell alone. A failure is kept, and
 * told by result().
 */
static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;
	bool begin = when == KD_OBS_BEGIN;

	if (when == KD_OBS_TICK)
		return;
	if (begin)
		s->error = 0;
	*(begin ? &s->t0_ns : &s->t1_ns) = now_ns;
	if (kd_pread_text(s->fd, s->text, TEXT_SIZE) <= 0 ||
	    parse(s->text, begin ? &s->first : &s->last))
		s->error = -EIO;
}

/*
 * Hand over the window's figures, once, after KD_OBS_END. A rate is divided by
 * the window's real length. Where the figure would mislead (the counter began
 * anew, a file went away) report nothing but a note that says why. With
 * KD_EVENT_FAIL an event fails the run.
 */
static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	double span_s = (double)(s->t1_ns - s->t0_ns) / 1e9;
	double rate;

	if (s->error || s->t1_ns <= s->t0_ns || s->last < s->first) {
		sink->event(sink, "note", 0, 0,
			    "skeleton: /proc/stat gave nothing to count");
		return;
	}
	rate = (double)(s->last - s->first) / span_s;
	sink->metric(sink, &metrics[M_SWITCHES], NULL, rate);
	sink->metric(sink, &metrics[M_PER_CORE], NULL,
		     rate / (double)s->opts->cores);
}

/* close and free what start() took; the state itself is the caller's */
static void stop(void *priv)
{
	struct state *s = priv;

	kd_number_close(s->fd);
	free(s->text);
}

const struct kd_obs_ops kd_obs_skeleton_ops = {
	.name = "skeleton",
	.summary = "context switches, as an example",
	.opts = opts_table,
	.opts_size = sizeof(struct options),
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.probe = probe,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
