// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The knobs of an experiment on its device. See knobset.h.
 */
#include "run/knobset.h"

#include "base/clock.h"
#include "experiment/experiment.h"
#include "knobs/knob.h"
#include "proto/json.h"
#include "run/one.h"
#include "run/remote.h"

#include <stdlib.h>
#include <string.h>

#define KNOB_NS (30 * KD_NS_PER_SEC)

static const struct kd_exp_knob *find(const struct kd_exp_variant *v,
				      const char *knob)
{
	for (size_t i = 0; i < v->n_knobs; i++)
		if (!strcmp(v->knobs[i].knob, knob))
			return &v->knobs[i];
	return NULL;
}

static int add(struct kd_knobset *set, const struct kd_exp_knob *knob)
{
	struct kd_knobset_entry *e;

	for (size_t i = 0; i < set->n; i++)
		if (!strcmp(set->entries[i].knob->knob, knob->knob))
			return 0;
	e = reallocarray(set->entries, set->n + 1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	set->entries = e;
	e[set->n++] = (struct kd_knobset_entry){ .knob = knob };
	return 0;
}

json_t *kd_knobset_args(const struct kd_exp_knob *k, const char *value)
{
	json_t *args = json_pack("{s:o}", "knob", kd_json_text(k->knob));

	if (value)
		json_object_set_new(args, "value", kd_json_text(value));
	if (k->get)
		json_object_set_new(args, "get", kd_json_text(k->get));
	if (k->set)
		json_object_set_new(args, "set", kd_json_text(k->set));
	if (k->restore)
		json_object_set_new(args, "restore", kd_json_text(k->restore));
	return args;
}

static int read_original(struct kd_knobset_entry *e, struct kd_remote *device,
			 struct kd_diag *d)
{
	const struct kd_exp_knob *k = e->knob;
	json_t *answer = NULL;
	const char *value;
	int r;

	if (k->set && !k->get)
		return 0;
	r = kd_remote_call(device, "knob.get", kd_knobset_args(k, NULL), KNOB_NS,
			   &answer, d);
	value = r ? NULL : kd_json_get_str(answer, "value", NULL);
	if (value) {
		e->original = strdup(value);
		if (!e->original)
			r = kd_fail(d, -ENOMEM, "out of memory");
	}
	json_decref(answer);
	return r;
}

int kd_knobset_open(const struct kd_experiment *exp, struct kd_remote *device,
		    struct kd_knobset *set, struct kd_diag *d)
{
	int r = 0;

	memset(set, 0, sizeof(*set));
	for (size_t v = 0; v < exp->n_variants; v++)
		for (size_t i = 0; i < exp->variants[v].n_knobs; i++)
			r = r ?: add(set, &exp->variants[v].knobs[i]);
	if (r)
		return kd_fail(d, r, "out of memory");
	for (size_t i = 0; !r && i < set->n; i++)
		r = read_original(&set->entries[i], device, d);
	return r;
}

static int set_one(struct kd_knobset *set, struct kd_knobset_entry *e,
		   const struct kd_exp_knob *k, const char *value,
		   struct kd_remote *device, const volatile sig_atomic_t *stop,
		   struct kd_diag *d)
{
	json_t *answer = NULL;
	char *copy;
	int r;

	if (e->current ? !strcmp(e->current, value) :
			 e->original && !strcmp(e->original, value))
		return 0;
	r = kd_one_call(device, "knob.set", kd_knobset_args(k, value), KNOB_NS, stop,
			&answer, d);
	if (!r && json_is_true(json_object_get(answer, "rounded")))
		set->rounded = true;
	json_decref(answer);
	if (r)
		return r;
	copy = strdup(value);
	if (!copy)
		return kd_fail(d, -ENOMEM, "out of memory");
	free(e->current);
	e->current = copy;
	return 0;
}

int kd_knobset_apply(const struct kd_experiment *exp, size_t variant,
		     struct kd_remote *device, struct kd_knobset *set,
		     const volatile sig_atomic_t *stop, struct kd_diag *d)
{
	const struct kd_exp_variant *v = &exp->variants[variant];
	int r = 0;

	for (size_t i = 0; !r && i < set->n; i++) {
		struct kd_knobset_entry *e = &set->entries[i];
		const struct kd_exp_knob *k = find(v, e->knob->knob);
		const char *value = k ? k->value : e->original;

		if (value)
			r = set_one(set, e, k ? k : e->knob, value, device,
				    stop, d);
	}
	return r;
}

void kd_knobset_fini(struct kd_knobset *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->entries[i].original);
		free(set->entries[i].current);
	}
	free(set->entries);
	memset(set, 0, sizeof(*set));
}
