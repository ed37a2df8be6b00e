// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One sampler, one clock. See sampler.h.
 */
#include "observers/sampler.h"

#include "base/clock.h"
#include "base/opt.h"
#include "observers/observer.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define MAX_OBSERVERS 32

static const struct kd_metric_desc cost = {
	"sampler.cpu", "%", KD_BETTER_NONE,
	"CPU time of the sampler, of one core"
};
static const struct kd_metric_desc late = { "sampler.late", "",
					    KD_BETTER_NONE, "ticks missed" };

struct member {
	const struct kd_obs_ops *ops;
	void *opts;
	void *priv;
};

struct kd_sampler {
	struct kd_obs_env env;
	struct member members[MAX_OBSERVERS];
	size_t n;
	uint64_t t0_ns, t1_ns;
	uint64_t cpu_ns;
	uint64_t missed;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
};

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * KD_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

int kd_sampler_new(const struct kd_obs_env *env, struct kd_sampler **out,
		   struct kd_diag *d)
{
	struct kd_sampler *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;

	if (!s)
		return kd_fail(d, -ENOMEM, "out of memory");
	s->env = *env;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	*out = s;
	return 0;
}

static void free_member(struct member *m)
{
	if (m->opts)
		kd_opt_fini(m->ops->opts, m->opts);
	free(m->opts);
	free(m->priv);
}

int kd_sampler_add(struct kd_sampler *s, const char *name, const char *options,
		   struct kd_diag *d)
{
	struct member m = { .ops = kd_obs_find(name) };
	int r;

	if (!m.ops)
		return kd_fail(d, -ENOENT, "there is no observer \"%s\"", name);
	if (s->n == MAX_OBSERVERS)
		return kd_fail(d, -EINVAL, "too many observers");
	m.opts = calloc(1, m.ops->opts_size + 1);
	m.priv = calloc(1, m.ops->priv_size + 1);
	if (!m.opts || !m.priv) {
		free_member(&m);
		return kd_fail(d, -ENOMEM, "out of memory");
	}
	r = kd_opt_init(m.ops->opts, m.opts);
	if (!r && m.ops->opts)
		r = kd_opt_set_list(m.ops->opts, m.opts, options, d);
	if (!r && m.ops->probe)
		r = m.ops->probe(&s->env, m.opts, d);
	if (!r)
		r = m.ops->start(m.priv, &s->env, m.opts, d);
	if (r) {
		free_member(&m);
		return r;
	}
	s->members[s->n++] = m;
	return 0;
}

static void sample_all(struct kd_sampler *s, enum kd_obs_when when)
{
	uint64_t now = kd_now();

	for (size_t i = 0; i < s->n; i++)
		s->members[i].ops->sample(s->members[i].priv, when, now);
	if (when == KD_OBS_BEGIN)
		s->t0_ns = now;
	else if (when == KD_OBS_END)
		s->t1_ns = now;
}

/* on the caller's thread, of which the sampler's part alone counts */
static void sample_edge(struct kd_sampler *s, enum kd_obs_when when)
{
	uint64_t before = thread_cpu_ns();

	sample_all(s, when);
	s->cpu_ns += thread_cpu_ns() - before;
}

static void *ticker(void *arg)
{
	struct kd_sampler *s = arg;
	uint64_t next = s->t0_ns + s->env.period_ns;

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		struct timespec until = {
			.tv_sec = (time_t)(next / KD_NS_PER_SEC),
			.tv_nsec = (long)(next % KD_NS_PER_SEC),
		};

		if (pthread_cond_timedwait(&s->wake, &s->lock, &until) !=
			    ETIMEDOUT ||
		    s->stop)
			continue;
		sample_all(s, KD_OBS_TICK);
		next += s->env.period_ns;
		while (next <= kd_now()) {
			next += s->env.period_ns;
			s->missed++;
		}
	}
	pthread_mutex_unlock(&s->lock);
	/* with the waking up, not the readings alone */
	s->cpu_ns += thread_cpu_ns();
	return NULL;
}

int kd_sampler_begin(struct kd_sampler *s, uint64_t *t0_ns, struct kd_diag *d)
{
	int r;

	s->cpu_ns = 0;
	s->missed = 0;
	sample_edge(s, KD_OBS_BEGIN);
	*t0_ns = s->t0_ns;
	if (!s->n)
		return 0;
	r = -pthread_create(&s->thread, NULL, ticker, s);
	if (r)
		return kd_fail(d, r, "cannot start the sampler");
	s->running = true;
	return 0;
}

static void join(struct kd_sampler *s)
{
	if (!s->running)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->running = false;
}

int kd_sampler_end(struct kd_sampler *s, uint64_t *t1_ns, struct kd_diag *d)
{
	join(s);
	sample_edge(s, KD_OBS_END);
	*t1_ns = s->t1_ns;
	return 0;
}

void kd_sampler_result(struct kd_sampler *s, struct kd_sink *sink)
{
	if (!s->n || s->t1_ns <= s->t0_ns)
		return;
	for (size_t i = 0; i < s->n; i++)
		s->members[i].ops->result(s->members[i].priv, sink);
	sink->metric(sink, &cost, NULL,
		     (double)s->cpu_ns * 100 / (double)(s->t1_ns - s->t0_ns));
	sink->metric(sink, &late, NULL, (double)s->missed);
}

void kd_sampler_free(struct kd_sampler *s)
{
	if (!s)
		return;
	join(s);
	for (size_t i = 0; i < s->n; i++) {
		s->members[i].ops->stop(s->members[i].priv);
		free_member(&s->members[i]);
	}
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
