// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of an experiment's plan the statistics need. The rest is the runner's.
 */
#include "store/internal.h"

#include "stats/analysis.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

/* a number in [lo, hi]; absent keeps what is there */
static int number(const json_t *plan, const char *key, double lo, double hi,
		  double *out, struct kd_diag *d)
{
	const json_t *v = json_object_get(plan, key);

	if (!v || json_is_null(v))
		return 0;
	if (!json_is_number(v) || json_number_value(v) < lo ||
	    json_number_value(v) > hi)
		return kd_fail(d, -EBADMSG,
			       "the stored plan is damaged: \"%s\" is no number from %g to %g",
			       key, lo, hi);
	*out = json_number_value(v);
	return 0;
}

int kd_store_plan(const struct kd_store_exp *exp, struct kd_plan_stats *plan,
		  struct kd_diag *d)
{
	struct kd_plan_stats p = kd_plan_stats_default;
	double max_rounds = 0, looks = 0, look = 0;
	json_error_t why;
	json_t *json;
	int r;

	p.seed = exp->seed;
	if (!exp->plan) {
		*plan = p;
		return 0;
	}
	json = json_loads(exp->plan, JSON_ALLOW_NUL, &why);
	if (!json_is_object(json)) {
		json_decref(json);
		return kd_fail(d, -EBADMSG, "the stored plan is damaged: %s",
			       why.text[0] ? why.text : "it is no JSON object");
	}
	r = number(json, "alpha", 1e-9, 0.5, &p.alpha, d);
	if (!r)
		r = number(json, "power", 0.01, 0.9999, &p.power, d);
	if (!r)
		r = number(json, "min_effect", 0, 1e6, &p.min_effect, d);
	if (!r)
		r = number(json, "max_rounds", 0, 1e9, &max_rounds, d);
	if (!r)
		r = number(json, "look", 0, 1e6, &look, d);
	if (!r)
		r = number(json, "looks", 0, 1e6, &looks, d);
	json_decref(json);
	if (r)
		return r;
	p.max_rounds = (int)max_rounds;
	p.look = (int)look;
	p.looks = (int)looks;
	*plan = p;
	return 0;
}
