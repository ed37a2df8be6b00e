// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interval figures with real lengths. See ticks.h.
 */
#include "workloads/engine/ticks.h"

void kd_ticks_begin(struct kd_ticks *t, uint64_t now_ns, uint64_t count)
{
	t->start_ns = t->last_ns = now_ns;
	t->last_count = count;
	t->period_ns = KD_TICK_NS;
	t->n = 0;
}

uint64_t kd_ticks_due(const struct kd_ticks *t)
{
	return t->start_ns ? t->last_ns + t->period_ns : 0;
}

static void join_pairs(struct kd_ticks *t)
{
	uint64_t from = 0;

	for (size_t i = 0; i + 1 < t->n; i += 2) {
		double a = (double)(t->t_ns[i] - from);
		double b = (double)(t->t_ns[i + 1] - t->t_ns[i]);

		from = t->t_ns[i + 1];
		t->t_ns[i / 2] = from;
		t->rate[i / 2] = (t->rate[i] * a + t->rate[i + 1] * b) /
				 (a + b);
	}
	t->n /= 2;
	t->period_ns *= 2;
}

void kd_ticks_add(struct kd_ticks *t, uint64_t now_ns, uint64_t count)
{
	if (!t->start_ns || now_ns <= t->last_ns)
		return;
	if (t->n == KD_TICKS_MAX)
		join_pairs(t);
	t->t_ns[t->n] = now_ns - t->start_ns;
	t->rate[t->n++] = (double)(count - t->last_count) * 1e9 /
			  (double)(now_ns - t->last_ns);
	t->last_ns = now_ns;
	t->last_count = count;
}

void kd_ticks_result(struct kd_ticks *t, struct kd_sink *sink,
		     const struct kd_metric_desc *m, double scale)
{
	for (size_t i = 0; i < t->n; i++)
		t->rate[i] *= scale;
	if (t->n)
		sink->series(sink, m, NULL, t->t_ns, t->rate, t->n);
}
