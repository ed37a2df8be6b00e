// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results of a run, to the wire and back. See docs/protocol.md.
 */
#include "proto/result.h"

#include "proto/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static json_t *named(const struct kd_metric_desc *m, const char *instance)
{
	json_t *o = json_object();

	json_object_set_new(o, "n", kd_json_text(m->name));
	if (instance)
		json_object_set_new(o, "i", kd_json_text(instance));
	json_object_set_new(o, "u", kd_json_text(m->unit));
	return o;
}

static json_t *out_of(struct kd_sink *s, const char *list)
{
	struct kd_json_sink *js = (struct kd_json_sink *)s;

	return json_object_get(js->out, list);
}

static void on_metric(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, double value)
{
	json_t *o;

	if (!isfinite(value))
		return;
	o = named(m, instance);
	json_object_set_new(o, "b", json_string(kd_better_name(m->better)));
	json_object_set_new(o, "v", json_real(value));
	json_array_append_new(out_of(s, "metrics"), o);
}

static json_t *times(const uint64_t *t, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, kd_json_u64(t[i]));
	return a;
}

static json_t *reals(const double *v, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, isfinite(v[i]) ? json_real(v[i]) :
							  json_null());
	return a;
}

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
	json_t *o = named(m, instance);

	json_object_set_new(o, "t", times(t_ns, n));
	json_object_set_new(o, "v", reals(values, n));
	json_array_append_new(out_of(s, "series"), o);
}

static void on_hist(struct kd_sink *s, const struct kd_metric_desc *m,
		    const char *instance, const double *upper,
		    const uint64_t *counts, size_t n)
{
	json_t *o = named(m, instance);

	json_object_set_new(o, "x", reals(upper, n));
	json_object_set_new(o, "c", times(counts, n));
	json_array_append_new(out_of(s, "hists"), o);
}

static void on_event(struct kd_sink *s, const char *kind, unsigned int flags,
		     uint64_t t_ns, const char *text)
{
	json_t *o = json_object();

	json_object_set_new(o, "k", kd_json_text(kind));
	json_object_set_new(o, "f", json_integer(flags));
	json_object_set_new(o, "t", kd_json_u64(t_ns));
	json_object_set_new(o, "s", kd_json_text(text));
	json_array_append_new(out_of(s, "events"), o);
}

int kd_json_sink_init(struct kd_json_sink *s)
{
	s->sink = (struct kd_sink){
		.metric = on_metric,
		.series = on_series,
		.hist = on_hist,
		.event = on_event,
	};
	s->out = json_pack("{s:[],s:[],s:[],s:[]}", "metrics", "series",
			   "hists", "events");
	return s->out ? 0 : -ENOMEM;
}

void kd_json_sink_fini(struct kd_json_sink *s)
{
	json_decref(s->out);
	s->out = NULL;
}

static bool is_named(const json_t *o)
{
	return json_is_string(json_object_get(o, "n")) &&
	       json_is_string(json_object_get(o, "u"));
}

static bool same_length(const json_t *o, const char *a, const char *b)
{
	const json_t *x = json_object_get(o, a), *y = json_object_get(o, b);

	return json_is_array(x) && json_is_array(y) &&
	       json_array_size(x) == json_array_size(y);
}

static int check(const json_t *result, struct kd_diag *d)
{
	static const char *const lists[] = { "metrics", "series", "hists",
					     "events" };
	size_t i, k;
	json_t *o;

	for (k = 0; k < 4; k++) {
		json_array_foreach(json_object_get(result, lists[k]), i, o) {
			bool ok = k == 3 ? json_is_string(json_object_get(o, "s")) :
					   is_named(o);

			if (k == 0)
				ok = ok && json_is_number(json_object_get(o, "v"));
			if (k == 1)
				ok = ok && same_length(o, "t", "v");
			if (k == 2)
				ok = ok && same_length(o, "x", "c");
			if (!ok)
				return kd_fail(d, -EPROTO,
					       "the agent's %s, entry %zu: malformed",
					       lists[k], i + 1);
		}
	}
	return 0;
}

static struct kd_metric_desc desc(const json_t *o)
{
	return (struct kd_metric_desc){
		.name = kd_json_get_str(o, "n", ""),
		.unit = kd_json_get_str(o, "u", ""),
		.better = kd_better_parse(kd_json_get_str(o, "b", "none")),
	};
}

struct column {
	double *v;
	uint64_t *n;
	size_t len;
};

static int columns(const json_t *o, const char *whole, const char *real,
		   struct column *c)
{
	const json_t *a = json_object_get(o, whole);
	const json_t *b = json_object_get(o, real);
	size_t i;
	json_t *e;

	c->len = json_array_size(a);
	c->n = calloc(c->len + 1, sizeof(*c->n));
	c->v = calloc(c->len + 1, sizeof(*c->v));
	if (!c->n || !c->v)
		return -ENOMEM;
	json_array_foreach(a, i, e)
		c->n[i] = strtoull(json_is_string(e) ? json_string_value(e) : "0",
				   NULL, 10);
	json_array_foreach(b, i, e)
		c->v[i] = json_is_number(e) ? json_number_value(e) : NAN;
	return 0;
}

static void columns_fini(struct column *c)
{
	free(c->n);
	free(c->v);
}

int kd_result_replay(const json_t *result, struct kd_sink *sink,
		     struct kd_diag *d)
{
	int r = check(result, d);
	size_t i;
	json_t *o;

	if (r)
		return r;
	json_array_foreach(json_object_get(result, "metrics"), i, o) {
		struct kd_metric_desc m = desc(o);

		sink->metric(sink, &m, kd_json_get_str(o, "i", NULL),
			     json_number_value(json_object_get(o, "v")));
	}
	json_array_foreach(json_object_get(result, "series"), i, o) {
		struct kd_metric_desc m = desc(o);
		struct column c = { 0 };

		if (!columns(o, "t", "v", &c))
			sink->series(sink, &m, kd_json_get_str(o, "i", NULL),
				     c.n, c.v, c.len);
		columns_fini(&c);
	}
	json_array_foreach(json_object_get(result, "hists"), i, o) {
		struct kd_metric_desc m = desc(o);
		struct column c = { 0 };

		if (!columns(o, "c", "x", &c))
			sink->hist(sink, &m, kd_json_get_str(o, "i", NULL), c.v,
				   c.n, c.len);
		columns_fini(&c);
	}
	json_array_foreach(json_object_get(result, "events"), i, o)
		sink->event(sink, kd_json_get_str(o, "k", "note"),
			    (unsigned int)kd_json_get_u64(o, "f", 0),
			    kd_json_get_u64(o, "t", 0),
			    kd_json_get_str(o, "s", ""));
	return 0;
}
