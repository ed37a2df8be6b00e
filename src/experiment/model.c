// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The experiment as memory, and as JSON for the store.
 */
#include "experiment/parse.h"

#include "base/buf.h"
#include "base/str.h"
#include "knobs/knob.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

void kd_exp_variant_fini(struct kd_exp_variant *v, size_t n_factors)
{
	for (size_t i = 0; i < v->n_knobs; i++) {
		free(v->knobs[i].knob);
		free(v->knobs[i].value);
		free(v->knobs[i].get);
		free(v->knobs[i].set);
		free(v->knobs[i].restore);
	}
	for (size_t i = 0; i < v->n_overrides; i++) {
		free(v->overrides[i].pair.key);
		free(v->overrides[i].pair.value);
	}
	for (size_t i = 0; v->levels && i < n_factors; i++)
		free(v->levels[i]);
	free(v->knobs);
	free(v->overrides);
	free(v->levels);
	free(v->name);
}

static void end_fini(struct kd_exp_end *end)
{
	free(end->transport);
	free(end->options);
	free(end->ifname);
	free(end->cpus);
}

static void workload_fini(struct kd_exp_workload *w)
{
	struct kd_exp_pairs pairs = { w->pairs, w->n_pairs };

	kd_exp_pairs_fini(&pairs);
	free(w->name);
	free(w->primary);
}

void kd_experiment_fini(struct kd_experiment *exp)
{
	for (size_t i = 0; i < exp->n_variants; i++)
		kd_exp_variant_fini(&exp->variants[i], exp->n_factors);
	for (size_t i = 0; i < exp->n_factors; i++)
		free(exp->factors[i]);
	for (size_t i = 0; i < exp->n_workloads; i++)
		workload_fini(&exp->workloads[i]);
	for (size_t i = 0; i < exp->n_observers; i++) {
		free(exp->observers[i].name);
		free(exp->observers[i].options);
	}
	end_fini(&exp->dut);
	end_fini(&exp->peer);
	kd_opt_fini(kd_exp_plan_opts, &exp->plan);
	free(exp->variants);
	free(exp->factors);
	free(exp->workloads);
	free(exp->observers);
	free(exp->name);
	free(exp->file_name);
	free(exp->text);
	*exp = (struct kd_experiment){ 0 };
}

int kd_experiment_variant(const struct kd_experiment *exp, const char *name,
			  struct kd_diag *d)
{
	const char *near;

	for (size_t i = 0; i < exp->n_variants; i++)
		if (!strcmp(exp->variants[i].name, name))
			return (int)i;
	kd_fail(d, -ENOENT, "%s has no variant \"%s\"", exp->name, name);
	near = kd_str_nearest(name, &exp->variants[0].name, exp->n_variants,
			      sizeof(exp->variants[0]));
	if (near)
		kd_diag_hint(d, "did you mean \"%s\"?", near);
	return -ENOENT;
}

int kd_experiment_keep(struct kd_experiment *exp, size_t variant,
		       const char *name, struct kd_diag *d)
{
	char *copy = strdup(name);

	if (!copy)
		return kd_fail(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < exp->n_variants; i++)
		if (i != variant)
			kd_exp_variant_fini(&exp->variants[i], exp->n_factors);
	exp->variants[0] = exp->variants[variant];
	exp->n_variants = 1;
	exp->baseline = 0;
	free(exp->variants[0].name);
	exp->variants[0].name = copy;
	return 0;
}

bool kd_experiment_resets(const struct kd_experiment *exp)
{
	for (size_t v = 0; v < exp->n_variants; v++) {
		for (size_t i = 0; i < exp->variants[v].n_knobs; i++) {
			const struct kd_exp_knob *k = &exp->variants[v].knobs[i];
			const char *colon = strchr(k->knob, ':');
			unsigned int flags = k->ops->scope ?
				k->ops->scope(colon ? colon + 1 : "") :
				k->ops->flags;

			if (flags & KD_KNOB_RESETS)
				return true;
		}
	}
	return false;
}

static int put(json_t *object, struct kd_buf *out)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	int r = text ? kd_buf_puts(out, text) : -ENOMEM;

	free(text);
	json_decref(object);
	return r;
}

static void put_text(json_t *object, const char *key, const char *value)
{
	if (value)
		json_object_set_new(object, key, json_string(value));
}

int kd_experiment_knobs_json(const struct kd_experiment *exp, size_t variant,
			     struct kd_buf *out)
{
	const struct kd_exp_variant *v = &exp->variants[variant];
	json_t *o = json_object();

	for (size_t i = 0; i < v->n_knobs; i++) {
		const struct kd_exp_knob *k = &v->knobs[i];

		put_text(o, k->knob, k->value[0] || !k->set ? k->value :
							      k->set);
	}
	for (size_t i = 0; i < v->n_overrides; i++) {
		const struct kd_exp_override *w = &v->overrides[i];
		struct kd_buf key = { 0 };

		kd_buf_printf(&key, "workload:%s.%s",
			      exp->workloads[w->workload].name, w->pair.key);
		put_text(o, kd_buf_str(&key), w->pair.value);
		kd_buf_fini(&key);
	}
	return put(o, out);
}

int kd_experiment_plan_json(const struct kd_experiment *exp,
			    struct kd_buf *out)
{
	const struct kd_exp_plan *plan = &exp->plan;
	json_t *o = json_object();

	for (const struct kd_opt *opt = kd_exp_plan_opts; opt->name; opt++) {
		struct kd_buf text = { 0 };

		kd_opt_format(opt, plan, &text);
		put_text(o, opt->name, kd_buf_str(&text));
		kd_buf_fini(&text);
	}
	json_object_del(o, "min-effect");
	json_object_set_new(o, "rounds", json_integer(plan->rounds));
	json_object_set_new(o, "alpha", json_real(plan->alpha));
	json_object_set_new(o, "power", json_real(plan->power));
	json_object_set_new(o, "min_effect",
			    json_real(plan->min_effect_pct / 100));
	json_object_del(o, "max-rounds");
	if (plan->until == KD_UNTIL_DECIDED)
		json_object_set_new(o, "max_rounds",
				    json_integer(plan->max_rounds));
	put_text(o, "unit", kd_experiment_resets(exp) ? "boot" : "run");
	return put(o, out);
}

int kd_experiment_end_json(const struct kd_exp_end *end, struct kd_buf *out)
{
	json_t *o = json_object();

	put_text(o, "transport", end->transport);
	if (end->options && end->options[0])
		put_text(o, "options", end->options);
	put_text(o, "ifname", end->ifname);
	put_text(o, "cpus", end->cpus);
	return put(o, out);
}
