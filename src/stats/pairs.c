// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which values are compared with which. Only complete rounds make pairs.
 */
#include "stats/pairs.h"

#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int kd_pairs_init(struct kd_pairs *p, size_t cap)
{
	*p = (struct kd_pairs){ .cap = cap };
	p->x = calloc(cap, sizeof(*p->x));
	p->y = calloc(cap, sizeof(*p->y));
	p->cx = calloc(cap, sizeof(*p->cx));
	p->cy = calloc(cap, sizeof(*p->cy));
	return p->x && p->y && p->cx && p->cy ? 0 : -ENOMEM;
}

void kd_pairs_fini(struct kd_pairs *p)
{
	free(p->x);
	free(p->y);
	free(p->cx);
	free(p->cy);
}

bool kd_is_usable(double value)
{
	return fabs(value) <= KD_STATS_LIMIT;
}

static int by_round(const void *a, const void *b)
{
	const struct kd_sample *x = a, *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static size_t collect(const struct kd_measure *m, size_t v,
		      struct kd_sample *out, bool *rounds)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_samples; i++) {
		const struct kd_sample *s = &m->samples[i];

		if ((size_t)s->variant != v || !kd_is_usable(s->value))
			continue;
		if (s->round < 0)
			*rounds = false;
		out[n++] = *s;
	}
	return n;
}

/* one value a round: averages in place; the count of rounds */
static size_t one_a_round(struct kd_sample *s, size_t n)
{
	size_t rounds = 0;

	qsort(s, n, sizeof(*s), by_round);
	for (size_t i = 0, end; i < n; i = end) {
		double mean = s[i].value;

		for (end = i + 1; end < n && s[end].round == s[i].round; end++)
			mean += (s[end].value - mean) / (double)(end - i + 1);
		s[rounds] = s[i];
		s[rounds++].value = mean;
	}
	return rounds;
}

static void take_pairs(struct kd_pairs *p, size_t nx, size_t ny)
{
	size_t i = 0, j = 0;

	p->nx = 0;
	while (i < nx && j < ny) {
		if (p->cx[i].round < p->cy[j].round) {
			i++;
		} else if (p->cx[i].round > p->cy[j].round) {
			j++;
		} else {
			p->x[p->nx] = p->cx[i++].value;
			p->y[p->nx++] = p->cy[j++].value;
		}
	}
	p->ny = p->nx;
	p->missing = p->nx != nx || p->nx != ny;
}

void kd_pairs_take(struct kd_pairs *p, const struct kd_measure *m, size_t vx,
		   size_t vy)
{
	bool rounds = true;
	size_t nx, ny;

	p->missing = false;
	p->paired = false;
	p->runs_x = collect(m, vx, p->cx, &rounds);
	p->runs_y = collect(m, vy, p->cy, &rounds);
	if (rounds) {
		nx = one_a_round(p->cx, p->runs_x);
		ny = one_a_round(p->cy, p->runs_y);
		take_pairs(p, nx, ny);
		p->paired = p->nx >= 2 || nx < 2 || ny < 2;
		if (p->paired)
			return;
	} else {
		nx = p->runs_x;
		ny = p->runs_y;
	}
	p->nx = nx;
	p->ny = ny;
	for (size_t i = 0; i < nx; i++)
		p->x[i] = p->cx[i].value;
	for (size_t i = 0; i < ny; i++)
		p->y[i] = p->cy[i].value;
}
