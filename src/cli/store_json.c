// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is stored, as JSON.
 */
#include "cli/store_json.h"

#include "base/buf.h"
#include "cli/stored.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static json_t *text(const char *s)
{
	json_t *j = s ? json_string(s) : NULL;

	/* not UTF-8: byte by byte as Latin-1 rather than lost */
	if (s && !j) {
		struct kd_buf b = { 0 };

		for (; *s; s++) {
			unsigned char c = (unsigned char)*s;

			if (c < 0x80)
				kd_buf_add(&b, s, 1);
			else
				kd_buf_printf(&b, "%c%c", 0xc0 | c >> 6,
					      0x80 | (c & 0x3f));
		}
		j = json_string(kd_buf_str(&b));
		kd_buf_fini(&b);
	}
	return j ? j : json_null();
}

static json_t *wide(uint64_t v)
{
	char s[24];

	snprintf(s, sizeof(s), "%" PRIu64, v);
	return json_string(s);
}

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) :
	       isnan(v) ? json_null() : json_string(v > 0 ? "inf" : "-inf");
}

/* JSON where it is some, else text */
static json_t *parsed(const char *s)
{
	json_t *j = s ? json_loads(s, 0, NULL) : NULL;

	return j ? j : text(s);
}

static json_t *wall(uint64_t ns)
{
	char s[32];

	return text(kd_stored_date(ns, s));
}

static void set(json_t *j, const char *key, json_t *value)
{
	json_object_set_new(j, key, value);
}

json_t *kd_store_exp_json(const struct kd_store_exp *e)
{
	json_t *j = json_object(), *list = json_array();

	set(j, "id", json_integer(e->id));
	set(j, "name", text(e->name));
	set(j, "created", wall(e->created_wall_ns));
	set(j, "created_wall_ns", wide(e->created_wall_ns));
	set(j, "kdelta", text(e->version));
	set(j, "seed", wide(e->seed));
	set(j, "plan", parsed(e->plan));
	set(j, "device", parsed(e->device));
	set(j, "peer", parsed(e->peer));
	set(j, "baseline", e->n_variants ?
	    text(e->variants[e->baseline].name) : json_null());
	for (size_t i = 0; i < e->n_factors; i++)
		json_array_append_new(list, text(e->factors[i]));
	set(j, "factors", list);
	list = json_array();
	for (size_t i = 0; i < e->n_variants; i++) {
		json_t *v = json_object(), *levels = json_object();

		set(v, "name", text(e->variants[i].name));
		set(v, "knobs", parsed(e->variants[i].knobs));
		for (size_t f = 0; e->variants[i].levels && f < e->n_factors;
		     f++)
			set(levels, e->factors[f],
			    text(e->variants[i].levels[f]));
		set(v, "levels", levels);
		json_array_append_new(list, v);
	}
	set(j, "variants", list);
	list = json_array();
	for (size_t i = 0; i < e->n_workloads; i++) {
		json_t *w = json_object();

		set(w, "name", text(e->workloads[i].name));
		set(w, "kind", text(e->workloads[i].kind));
		set(w, "options", text(e->workloads[i].options));
		set(w, "primary", text(e->workloads[i].primary));
		json_array_append_new(list, w);
	}
	set(j, "workloads", list);
	set(j, "file_name", text(e->file_name));
	set(j, "file_digest", text(e->digest));
	set(j, "file", text(e->file_text));
	return j;
}

static json_t *named(const char *name, const char *instance, const char *unit,
		     enum kd_better better, enum kd_run_from from)
{
	json_t *j = json_object();

	set(j, "name", text(name));
	set(j, "instance", text(instance));
	set(j, "unit", text(unit));
	set(j, "better", text(kd_better_name(better)));
	set(j, "from", text(from == KD_FROM_PEER ? "peer" : "device"));
	return j;
}

static json_t *reals(const double *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, real(v[i]));
	return list;
}

static json_t *integers(const uint64_t *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, v[i] >> 53 ? wide(v[i]) :
				      json_integer((json_int_t)v[i]));
	return list;
}

static void set_contents(json_t *j, const struct kd_store_run *r)
{
	json_t *list = json_array(), *one;

	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct kd_run_metric *m = &r->metrics[i];

		one = named(m->name, m->instance, m->unit, m->better, m->from);
		set(one, "value", real(m->value));
		json_array_append_new(list, one);
	}
	set(j, "metrics", list);
	list = json_array();
	for (size_t i = 0; i < r->n_series; i++) {
		const struct kd_run_series *s = &r->series[i];

		one = named(s->name, s->instance, s->unit, s->better, s->from);
		set(one, "t_ns", integers(s->t_ns, s->n));
		set(one, "values", reals(s->values, s->n));
		json_array_append_new(list, one);
	}
	set(j, "series", list);
	list = json_array();
	for (size_t i = 0; i < r->n_hists; i++) {
		const struct kd_run_hist *h = &r->hists[i];

		one = named(h->name, h->instance, h->unit, h->better, h->from);
		set(one, "upper", reals(h->upper, h->n));
		set(one, "counts", integers(h->counts, h->n));
		json_array_append_new(list, one);
	}
	set(j, "histograms", list);
	list = json_array();
	for (size_t i = 0; i < r->n_events; i++) {
		const struct kd_run_event *e = &r->events[i];

		one = json_object();
		set(one, "kind", text(e->kind));
		set(one, "fails", json_boolean(e->flags & KD_EVENT_FAIL));
		set(one, "from", text(e->from == KD_FROM_PEER ? "peer" :
							       "device"));
		set(one, "t_ns", integers(&e->t_ns, 1));
		set(one, "text", text(e->text));
		json_array_append_new(list, one);
	}
	set(j, "events", list);
	set(j, "environment", parsed(r->environment));
}

json_t *kd_store_run_json(const struct kd_store_exp *e,
			  const struct kd_store_run *r, bool full)
{
	json_t *j = json_object();

	set(j, "id", json_integer(r->id));
	set(j, "variant", text((size_t)r->variant < e->n_variants ?
			       e->variants[r->variant].name : NULL));
	set(j, "workload", text((size_t)r->workload < e->n_workloads ?
				e->workloads[r->workload].name : NULL));
	set(j, "round", r->round < 0 ? json_null() : json_integer(r->round));
	set(j, "slot", json_integer(r->slot));
	set(j, "seq", json_integer(r->seq));
	set(j, "attempt", json_integer(r->attempt));
	set(j, "status", text(kd_run_status_name(r->status)));
	set(j, "reason", text(r->reason));
	set(j, "started", wall(r->started_wall_ns));
	set(j, "started_wall_ns", wide(r->started_wall_ns));
	set(j, "device_window_ns", json_integer((json_int_t)r->device_window_ns));
	set(j, "peer_window_ns", json_integer((json_int_t)r->peer_window_ns));
	set(j, "boot_id", text(r->boot_id));
	if (full)
		set_contents(j, r);
	return j;
}

json_t *kd_store_item_json(const struct kd_store_item *i)
{
	json_t *j = json_object();

	set(j, "id", json_integer(i->id));
	set(j, "name", text(i->name));
	set(j, "created", wall(i->created_wall_ns));
	set(j, "variants", json_integer(i->variants));
	set(j, "workloads", json_integer(i->workloads));
	set(j, "rounds", json_integer(i->rounds));
	set(j, "runs_ok", json_integer(i->runs_ok));
	set(j, "runs_failed", json_integer(i->runs_failed));
	return j;
}
