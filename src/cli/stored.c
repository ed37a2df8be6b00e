// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the store to a report: read, analyse by the stored plan, say where it
 * comes from.
 */
#include "cli/stored.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "cli/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

const char *kd_stored_date(uint64_t wall_ns, char *out)
{
	time_t t = (time_t)(wall_ns / KD_NS_PER_SEC);
	struct tm tm;

	out[0] = '\0';
	if (wall_ns && gmtime_r(&t, &tm))
		strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return out;
}

/* the value of the first of @keys, at any depth; borrowed */
static const char *find_text(const json_t *j, const char *key)
{
	const char *name, *found;
	json_t *v;

	if (json_is_string(json_object_get(j, key)))
		return json_string_value(json_object_get(j, key));
	json_object_foreach((json_t *)j, name, v) {
		found = json_is_object(v) ? find_text(v, key) : NULL;
		if (found)
			return found;
	}
	return NULL;
}

static char *first_text(const json_t *j, const char *const *keys)
{
	for (; *keys; keys++) {
		const char *s = find_text(j, *keys);

		if (s && s[0])
			return strdup(s);
	}
	return NULL;
}

/* what is measured on a virtual board must not look as if it was hardware;
 * NULL where it is none */
static char *virtual_board(const struct kd_store_exp *exp)
{
	static const char profile[] = "profile=";
	json_t *j = exp->device ? json_loads(exp->device, 0, NULL) : NULL;
	const char *transport = json_string_value(json_object_get(j,
								  "transport"));
	const char *options = json_string_value(json_object_get(j, "options"));
	const char *name = options ? strstr(options, profile) : NULL;
	char *words = NULL;

	name = name ? name + strlen(profile) : "";
	if (transport && !strcmp(transport, "board") &&
	    asprintf(&words, "virtual board %.*s (QEMU)",
		     (int)strcspn(name, ","), name) < 0)
		words = NULL;
	json_decref(j);
	return words;
}

/* kernel and machine out of the first run's environment */
static int add_machine(struct kd_store *store, struct kd_stored *s,
		       struct kd_diag *d)
{
	static const char *const kernel[] = { "kernel", "kernel_release",
					      "release", NULL };
	static const char *const machine[] = { "cpu_model", "cpu", "model",
					       "machine", NULL };
	struct kd_store_env *envs = NULL;
	json_t *j;
	size_t n;
	int r = kd_store_environments(store, s->exp.id, &envs, &n, d);

	if (r)
		return r;
	j = n ? json_loads(envs[0].text, 0, NULL) : NULL;
	s->kernel = first_text(j, kernel);
	s->machine = virtual_board(&s->exp);
	if (!s->machine)
		s->machine = first_text(j, machine);
	json_decref(j);
	kd_store_environments_free(envs, n);
	return 0;
}

/* "old: sysctl:a=1, sysctl:b=2" */
static int add_knobs(struct kd_stored *s)
{
	s->knobs = calloc(s->exp.n_variants + 1, sizeof(*s->knobs));
	if (!s->knobs)
		return -ENOMEM;
	for (size_t i = 0; i < s->exp.n_variants; i++) {
		const struct kd_store_variant *v = &s->exp.variants[i];
		json_t *j = v->knobs ? json_loads(v->knobs, 0, NULL) : NULL;
		struct kd_buf b = { 0 };
		const char *name;
		json_t *value;

		json_object_foreach(j, name, value) {
			char *text = json_is_string(value) ? NULL :
				json_dumps(value, JSON_ENCODE_ANY |
					   JSON_COMPACT);

			kd_buf_printf(&b, "%s%s=%s", b.len ? ", " : "", name,
				      text ? text : json_string_value(value));
			free(text);
		}
		json_decref(j);
		if (b.len &&
		    asprintf(&s->knobs[s->info.n_knobs], "%s: %s", v->name,
			     b.data) >= 0)
			s->info.n_knobs++;
		kd_buf_fini(&b);
	}
	return 0;
}

static bool is_until_decided(const struct kd_store_exp *exp)
{
	json_t *plan = exp->plan ? json_loads(exp->plan, 0, NULL) : NULL;
	const char *until = json_string_value(json_object_get(plan, "until"));
	bool yes = until && !strcmp(until, "decided");

	json_decref(plan);
	return yes;
}

static char *describe_method(const struct kd_stored *s)
{
	json_t *plan = s->exp.plan ? json_loads(s->exp.plan, 0, NULL) : NULL;
	const char *said = json_string_value(json_object_get(plan, "method"));
	char *method = NULL;
	int r = 0;

	if (said)
		method = strdup(said);
	else if (s->counts.rounds > 0)
		r = asprintf(&method, "%d round%s, interleaved, random order inside each (seed %" PRIu64 ")%s",
			     s->counts.rounds, s->counts.rounds == 1 ? "" : "s",
			     s->exp.seed, is_until_decided(&s->exp) ?
			     ", until decided" : "");
	else if (s->exp.file_name)
		r = asprintf(&method, "read from %s, unpaired",
			     s->exp.file_name);
	json_decref(plan);
	return r < 0 ? NULL : method;
}

static int add_info(struct kd_store *store, struct kd_stored *s,
		    struct kd_diag *d)
{
	char date[32];
	int r = add_machine(store, s, d);

	if (r)
		return r;
	r = kd_stored_differences(store, &s->exp, &s->environment,
				  &s->info.n_environment, d);
	if (r)
		return r;
	s->method = describe_method(s);
	s->date = strdup(kd_stored_date(s->exp.created_wall_ns, date));
	if (add_knobs(s) || asprintf(&s->id, "%" PRId64, s->exp.id) < 0)
		return kd_fail(d, -ENOMEM, "out of memory");
	s->info.id = s->id;
	s->info.method = s->method;
	s->info.kernel = s->kernel;
	s->info.machine = s->machine;
	s->info.version = s->exp.version;
	s->info.date = s->date;
	s->info.knobs = s->knobs;
	s->info.environment = s->environment;
	s->info.where = kd_store_name(store);
	s->info.runs = s->counts.ok;
	s->info.failed = s->counts.failed + s->counts.interrupted;
	s->info.file = s->exp.file_text;
	return 0;
}

int kd_stored_load(struct kd_store *store, int64_t exp_id,
		   struct kd_stored *out, struct kd_diag *d)
{
	struct kd_stored s = { 0 };
	struct kd_plan_stats plan;
	int r = kd_store_load_exp(store, exp_id, &s.exp, d);

	if (r)
		return r;
	r = kd_store_plan(&s.exp, &plan, d);
	if (!r)
		r = kd_store_dataset(store, exp_id, &s.ds, &s.counts, d);
	/* the runner looked after every round: so this is the last of them */
	if (!r && !plan.looks && is_until_decided(&s.exp)) {
		plan.looks = plan.max_rounds;
		plan.look = s.counts.rounds < plan.looks ? s.counts.rounds :
							   plan.looks;
	}
	if (!r)
		r = kd_analyse(&s.ds, &plan, &s.analysis, d);
	if (!r)
		r = add_info(store, &s, d);
	if (r)
		kd_stored_fini(&s);
	else
		*out = s;
	return r;
}

void kd_stored_fini(struct kd_stored *s)
{
	for (size_t i = 0; i < s->info.n_knobs; i++)
		free(s->knobs[i]);
	for (size_t i = 0; i < s->info.n_environment; i++)
		free(s->environment[i]);
	free(s->knobs);
	free(s->environment);
	free(s->method);
	free(s->kernel);
	free(s->machine);
	free(s->date);
	free(s->id);
	kd_analysis_fini(&s->analysis);
	kd_dataset_fini(&s->ds);
	kd_store_exp_fini(&s->exp);
	memset(s, 0, sizeof(*s));
}

const struct kd_report_ops *kd_stored_format(const char *name,
					     struct kd_diag *d)
{
	const struct kd_report_ops *ops = kd_report_find(name ? name : "text");
	const char *names[64];
	struct kd_buf all = { 0 };
	const char *near;
	size_t n = 0;

	if (ops)
		return ops;
	for (; kd_report_table[n] && n < KD_ARRAY_SIZE(names); n++) {
		names[n] = kd_report_table[n]->name;
		kd_buf_printf(&all, "%s%s", n ? ", " : "", names[n]);
	}
	kd_fail(d, -EINVAL, "there is no report format \"%s\", but %s", name,
		kd_buf_str(&all));
	near = kd_str_nearest(name, names, n, sizeof(names[0]));
	if (near)
		kd_diag_hint(d, "did you mean \"%s\"?", near);
	kd_buf_fini(&all);
	return NULL;
}

struct kd_report_style kd_stored_style(FILE *out, int width, bool verbose)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return (struct kd_report_style){
		.width = width ? width : kd_cli_width(fileno(out)),
		.colour = isatty(fileno(out)) && (!no || !no[0]) &&
			  (!term || strcmp(term, "dumb")),
		.verbose = verbose,
	};
}

int kd_stored_report(struct kd_store *store, int64_t exp_id,
		     const char *format, int width, bool verbose, FILE *out,
		     struct kd_diag *d)
{
	const struct kd_report_ops *ops = kd_stored_format(format, d);
	struct kd_report_style style = kd_stored_style(out, width, verbose);
	struct kd_stored s;
	int r;

	if (!ops)
		return -EINVAL;
	r = kd_stored_load(store, exp_id, &s, d);
	if (r)
		return r;
	r = ops->write(out, &s.ds, &s.analysis, &s.info, &style, d);
	kd_stored_fini(&s);
	return r;
}
