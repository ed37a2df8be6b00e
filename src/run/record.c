// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the agents' results to a run of the store. See record.h.
 */
#include "run/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* one more zeroed element at the end of an array; NULL when memory is out */
static void *grow(struct kd_record *rec, void *array, size_t *n, size_t size)
{
	char *p = *(void **)array;

	if (!(*n & (*n - 1))) {
		p = reallocarray(p, *n ? *n * 2 : 1, size);
		if (!p) {
			rec->err = -ENOMEM;
			return NULL;
		}
		*(void **)array = p;
	}
	p += *n * size;
	memset(p, 0, size);
	++*n;
	return p;
}

static char *copy(struct kd_record *rec, const char *s)
{
	char *c = s ? strdup(s) : NULL;

	if (s && !c)
		rec->err = -ENOMEM;
	return c;
}

static void *copy_array(struct kd_record *rec, const void *a, size_t n,
			size_t size)
{
	void *c = malloc(n * size + 1);

	if (!c)
		rec->err = -ENOMEM;
	else if (n)
		memcpy(c, a, n * size);
	return c;
}

static void on_metric(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, double value)
{
	struct kd_record *rec = (struct kd_record *)s;
	struct kd_run_metric *x = grow(rec, &rec->run->metrics,
				       &rec->run->n_metrics, sizeof(*x));

	if (!x)
		return;
	x->name = copy(rec, m->name);
	x->instance = copy(rec, instance);
	x->unit = copy(rec, m->unit);
	x->better = m->better;
	x->from = rec->from;
	x->value = value;
}

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
	struct kd_record *rec = (struct kd_record *)s;
	struct kd_run_series *x = grow(rec, &rec->run->series,
				       &rec->run->n_series, sizeof(*x));

	if (!x)
		return;
	x->name = copy(rec, m->name);
	x->instance = copy(rec, instance);
	x->unit = copy(rec, m->unit);
	x->better = m->better;
	x->from = rec->from;
	x->t_ns = copy_array(rec, t_ns, n, sizeof(*t_ns));
	x->values = copy_array(rec, values, n, sizeof(*values));
	x->n = n;
}

static void on_hist(struct kd_sink *s, const struct kd_metric_desc *m,
		    const char *instance, const double *upper,
		    const uint64_t *counts, size_t n)
{
	struct kd_record *rec = (struct kd_record *)s;
	struct kd_run_hist *x = grow(rec, &rec->run->hists,
				     &rec->run->n_hists, sizeof(*x));

	if (!x)
		return;
	x->name = copy(rec, m->name);
	x->instance = copy(rec, instance);
	x->unit = copy(rec, m->unit);
	x->better = m->better;
	x->from = rec->from;
	x->upper = copy_array(rec, upper, n, sizeof(*upper));
	x->counts = copy_array(rec, counts, n, sizeof(*counts));
	x->n = n;
}

static void on_event(struct kd_sink *s, const char *kind, unsigned int flags,
		     uint64_t t_ns, const char *text)
{
	struct kd_record *rec = (struct kd_record *)s;
	struct kd_run_event *x = grow(rec, &rec->run->events,
				      &rec->run->n_events, sizeof(*x));

	if (!x)
		return;
	x->kind = copy(rec, kind);
	x->flags = flags;
	x->from = rec->from;
	x->t_ns = t_ns;
	x->text = copy(rec, text);
}

void kd_record_init(struct kd_record *rec, struct kd_store_run *run)
{
	*rec = (struct kd_record){
		.sink = { .metric = on_metric,
			  .series = on_series,
			  .hist = on_hist,
			  .event = on_event },
		.run = run,
	};
}

double kd_record_value(const struct kd_store_run *run, const char *name)
{
	for (size_t i = 0; i < run->n_metrics; i++)
		if (!run->metrics[i].instance && run->metrics[i].name &&
		    !strcmp(run->metrics[i].name, name))
			return run->metrics[i].value;
	return NAN;
}

/* the sum of what both directions received, in Mbit/s; NAN for no traffic */
static double goodput(const struct kd_store_run *run)
{
	double sum = NAN;

	for (size_t i = 0; i < run->n_metrics; i++) {
		const struct kd_run_metric *m = &run->metrics[i];

		if (m->instance || !m->name ||
		    !strstr(m->name, "-throughput") ||
		    strstr(m->name, "sent"))
			continue;
		sum = isnan(sum) ? m->value : sum + m->value;
	}
	return sum;
}

void kd_record_derive(struct kd_record *rec, int cpus)
{
	static const struct kd_metric_desc per_pct = {
		"derived.throughput-per-cpu", "Mbit/s/%", KD_BETTER_HIGHER, ""
	};
	static const struct kd_metric_desc per_byte = {
		"derived.cpu-per-byte", "ns/B", KD_BETTER_LOWER, ""
	};
	static const struct kd_metric_desc per_gb = {
		"derived.energy", "J/GB", KD_BETTER_LOWER, ""
	};
	double mbps = goodput(rec->run);
	double busy = kd_record_value(rec->run, "cpu.busy");
	double watts = kd_record_value(rec->run, "power.mean");

	if (!(mbps > 0))
		return;
	rec->from = KD_FROM_DEVICE;
	if (busy > 0) {
		on_metric(&rec->sink, &per_pct, NULL, mbps / busy);
		/* busy % of all cores, over bytes per second */
		on_metric(&rec->sink, &per_byte, NULL,
			  busy / 100 * cpus * 1e9 / (mbps * 1e6 / 8));
	}
	if (watts > 0)
		on_metric(&rec->sink, &per_gb, NULL, watts / (mbps / 8e3));
}

const struct kd_run_event *kd_record_failure(const struct kd_store_run *run)
{
	for (size_t i = 0; i < run->n_events; i++)
		if (run->events[i].flags & KD_EVENT_FAIL)
			return &run->events[i];
	return NULL;
}
