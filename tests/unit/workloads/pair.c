// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a workload in two threads, called in the agent's order.
 */
#include "pair.h"

#include "base/clock.h"
#include "base/opt.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_metric(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, double value)
{
	struct pair_sink *p = (struct pair_sink *)s;
	struct pair_metric *x = &p->metrics[p->count];

	if (p->count == PAIR_METRICS)
		return;
	snprintf(x->name, sizeof(x->name), "%s", m->name);
	snprintf(x->instance, sizeof(x->instance), "%s",
		 instance ? instance : "");
	x->value = value;
	p->count++;
}

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
	struct pair_sink *p = (struct pair_sink *)s;
	uint64_t from = 0;

	for (size_t i = 0; i < n; i++) {
		p->series_integral += values[i] * (double)(t_ns[i] - from) /
				      1e9;
		from = t_ns[i];
	}
	p->series_points += (unsigned int)n;
	p->series_end_ns = from;
}

static void on_hist(struct kd_sink *s, const struct kd_metric_desc *m,
		    const char *instance, const double *upper,
		    const uint64_t *counts, size_t n)
{
	struct pair_sink *p = (struct pair_sink *)s;

	for (size_t i = 0; i < n; i++)
		p->hist_count += counts[i];
}

static void on_event(struct kd_sink *s, const char *kind, unsigned int flags,
		     uint64_t t_ns, const char *text)
{
	struct pair_sink *p = (struct pair_sink *)s;

	snprintf(p->event, sizeof(p->event), "%s", text);
	snprintf(p->event_kind, sizeof(p->event_kind), "%s", kind);
	p->event_flags = flags;
	p->events++;
}

uint16_t pair_port(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	bind(fd, (struct sockaddr *)&a, sizeof(a));
	getsockname(fd, (struct sockaddr *)&a, &len);
	close(fd);
	return ntohs(a.sin_port);
}

static void end_init(struct pair_end *e, const char *workload,
		     const char *options)
{
	e->ops = kd_work_find(workload);
	if (!e->ops)
		abort();
	e->opts = calloc(1, e->ops->opts_size + 1);
	e->priv = aligned_alloc(256, (e->ops->priv_size + 256) & ~(size_t)255);
	memset(e->priv, 0, e->ops->priv_size);
	e->result = kd_opt_init(e->ops->opts, e->opts);
	if (!e->result)
		e->result = kd_opt_set_list(e->ops->opts, e->opts, options,
					    &e->diag);
	if (!e->result && e->ops->check)
		e->result = e->ops->check(e->opts, &e->diag);
	e->env.cancelled = &e->cancelled;
	e->env.deadline_ns = kd_now() + 20 * KD_NS_PER_SEC;
	e->sink.sink = (struct kd_sink){ on_metric, on_series, on_hist,
					 on_event };
}

void pair_init(struct pair *p, const char *workload, const char *options,
	       const char *addr, uint64_t length_ns)
{
	memset(p, 0, sizeof(*p));
	end_init(&p->device, workload, options);
	end_init(&p->peer, workload, options);
	p->device.other = &p->peer;
	p->peer.other = &p->device;
	p->device.env.role = KD_ROLE_DEVICE;
	p->peer.env.role = KD_ROLE_PEER;
	p->device.env.addr = p->peer.env.addr = addr;
	p->device.env.port = p->peer.env.port = pair_port();
	p->device.env.length_ns = p->peer.env.length_ns = length_ns;
	for (int i = 0; i < 16; i++)
		p->device.env.token[i] = p->peer.env.token[i] =
			(uint8_t)(17 * i + 3);
}

int pair_end_prepare(struct pair_end *e)
{
	if (!e->result)
		e->result = e->ops->prepare(e->priv, &e->env, e->opts,
					    &e->diag);
	e->prepared = !e->result;
	return e->result;
}

int pair_end_run(struct pair_end *e)
{
	const struct kd_work_ops *ops = e->ops;
	struct kd_diag late = { 0 };
	uint64_t until;
	int r;

	kd_sleep_until(kd_now() + e->delay_ns);
	r = ops->start(e->priv, &e->diag);
	if (!r && e->env.warmup_ns)
		r = ops->wait(e->priv, kd_now() + e->env.warmup_ns, &e->diag);
	if (!r && e->window)
		e->window(e, true);
	if (!r)
		r = ops->begin(e->priv, &e->t0_ns, &e->diag);
	until = e->env.length_ns ? e->t0_ns + e->env.length_ns :
				   e->env.deadline_ns;
	if (!r)
		r = ops->wait(e->priv, until, &e->diag);
	if (!r)
		r = ops->end(e->priv, &e->t1_ns, &e->diag);
	if (!r && e->window)
		e->window(e, false);
	__atomic_store_n(&e->over, 1, __ATOMIC_RELEASE);
	while (!r && !e->alone && e->other && kd_now() < e->env.deadline_ns &&
	       !__atomic_load_n(&e->other->over, __ATOMIC_ACQUIRE) &&
	       !e->cancelled)
		if (ops->wait(e->priv, kd_now() + 2 * KD_NS_PER_MS, &late))
			break;
	if (!r && e->cooldown_ns)
		ops->wait(e->priv, kd_now() + e->cooldown_ns, &late);
	ops->stop(e->priv);
	if (!r)
		ops->result(e->priv, &e->sink.sink);
	if (e->stopped)
		e->stopped(e, e->stopped_arg);
	ops->fini(e->priv);
	e->prepared = false;
	e->result = r;
	return r;
}

static void *end_thread(void *arg)
{
	pair_end_run(arg);
	return NULL;
}

int pair_prepare(struct pair *p)
{
	int r = pair_end_prepare(&p->peer);

	return r ? r : pair_end_prepare(&p->device);
}

void pair_go(struct pair *p)
{
	pthread_create(&p->peer.thread, NULL, end_thread, &p->peer);
	pthread_create(&p->device.thread, NULL, end_thread, &p->device);
	pthread_join(p->device.thread, NULL);
	pthread_join(p->peer.thread, NULL);
}

int pair_run(struct pair *p)
{
	int r = pair_prepare(p);

	if (r)
		return r;
	pair_go(p);
	return p->device.result ? p->device.result : p->peer.result;
}

static void end_fini(struct pair_end *e)
{
	if (e->prepared)
		e->ops->fini(e->priv);
	kd_opt_fini(e->ops->opts, e->opts);
	free(e->opts);
	free(e->priv);
}

void pair_fini(struct pair *p)
{
	end_fini(&p->device);
	end_fini(&p->peer);
}

double pair_value(const struct pair_end *e, const char *name)
{
	for (unsigned int i = 0; i < e->sink.count; i++)
		if (!strcmp(e->sink.metrics[i].name, name))
			return e->sink.metrics[i].value;
	return -1;
}
