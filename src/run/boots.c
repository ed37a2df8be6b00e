// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices that start anew for each run. See boots.h.
 */
#include "run/boots.h"

#include "base/clock.h"
#include "experiment/schedule.h"
#include "run/batch.h"
#include "run/parts.h"
#include "run/session.h"
#include "transports/argv.h"

#include <stdio.h>
#include <stdlib.h>

/* @why.err: it could not be started */
struct boot {
	struct kd_slot slot;
	int attempt;
	uint64_t started_wall_ns;
	struct kd_parts parts;
	struct kd_batch *batch;
	struct kd_diag why;
};

struct kd_boots {
	char **argv;
	struct boot **list;
	size_t n;
	size_t max;
};

int kd_boots_open(struct kd_session *s, struct kd_diag *d)
{
	struct kd_boots *b = calloc(1, sizeof(*b));

	s->boots = b;
	if (b)
		b->list = calloc(s->lab.boots + 1, sizeof(struct boot *));
	if (!b || !b->list)
		return kd_fail(d, -ENOMEM, "out of memory");
	b->max = s->lab.boots;
	return kd_lab_command(s->exp, s->req->agent, &b->argv, d);
}

static void free_boot(struct boot *boot)
{
	kd_batch_abandon(boot->batch);
	kd_parts_fini(&boot->parts);
	free(boot);
}

void kd_boots_close(struct kd_session *s)
{
	struct kd_boots *b = s->boots;

	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		kd_batch_cancel(b->list[i]->batch);
	for (size_t i = 0; i < b->n; i++)
		free_boot(b->list[i]);
	kd_argv_free(b->argv);
	free(b->list);
	free(b);
	s->boots = NULL;
}

static bool is_for(const struct boot *boot, const struct kd_slot *slot,
		   int attempt)
{
	return boot->slot.round == slot->round &&
	       boot->slot.seq == slot->seq && boot->attempt == attempt;
}

static size_t find(const struct kd_boots *b, const struct kd_slot *slot,
		   int attempt)
{
	size_t i = 0;

	while (i < b->n && !is_for(b->list[i], slot, attempt))
		i++;
	return i;
}

/* all that the device is told follows from the plan's seed; a second attempt
 * with the first one's would fail as it did */
static int start(struct kd_session *s, const struct kd_slot *slot, int attempt)
{
	uint64_t seed = kd_schedule_run_seed((uint64_t)s->exp->plan.seed +
						     (uint64_t)attempt - 1,
					     slot);
	struct boot *x = calloc(1, sizeof(*x));
	struct kd_parts *p;
	int r;

	if (!x)
		return -ENOMEM;
	p = &x->parts;
	x->slot = *slot;
	x->attempt = attempt;
	x->started_wall_ns = kd_wall();
	s->boots->list[s->boots->n++] = x;
	r = kd_parts_fill(p, s, slot, &x->why);
	p->one.port = (uint16_t)(KD_PORT_FIRST + seed % KD_PORT_COUNT);
	snprintf(p->token, sizeof(p->token), "%016llx%016llx",
		 (unsigned long long)seed, (unsigned long long)~seed);
	snprintf(p->name, sizeof(p->name), "r%d.%d", slot->round, slot->seq);
	if (!r)
		kd_batch_start(s->boots->argv, seed, s->exp, slot->variant,
			       &p->one, &x->batch, &x->why);
	return 0;
}

void kd_boots_expect(struct kd_session *s, const struct kd_slot *slots,
		     size_t n)
{
	struct kd_boots *b = s->boots;

	for (size_t i = 0; b && i < n && b->n < b->max; i++)
		if (find(b, &slots[i], 1) == b->n && start(s, &slots[i], 1))
			return;
}

int kd_boots_run(struct kd_session *s, const struct kd_slot *slot,
		 struct kd_store_run *run, bool *refused, struct kd_diag *d)
{
	struct kd_boots *b = s->boots;
	struct kd_batch_answer answer = { .refused = true };
	size_t i = find(b, slot, run->attempt);
	struct boot *x;
	int r;

	if (i == b->n && start(s, slot, run->attempt))
		return kd_fail(d, -ENOMEM, "out of memory");
	x = b->list[i];
	b->list[i] = b->list[--b->n];
	run->started_wall_ns = x->started_wall_ns;
	r = x->why.err;
	if (r)
		*d = x->why;
	else
		r = kd_batch_finish(x->batch, run, &answer, d);
	run->boot_id = answer.boot_id;
	run->environment = answer.environment;
	*refused = answer.refused;
	free_boot(x);
	return r;
}
