// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What experiments without a difference say of a rig, in words and as JSON.
 */
#include "cli/calibration.h"

#include "base/buf.h"
#include "base/str.h"
#include "cli/help.h"
#include "experiment/experiment.h"
#include "stats/binomial.h"

#include <inttypes.h>
#include <math.h>

#include <jansson.h>

static const unsigned int more_rounds[] = { 5, 10, 20, 40, 80 };

struct rate {
	double share, lo, hi;
};

static struct rate rate(const struct kd_cli_calibration *c)
{
	struct rate r = { .share = NAN };

	if (c->sum.experiments)
		r.share = (double)c->sum.false_family / c->sum.experiments;
	kd_binomial_interval(c->sum.false_family, c->sum.experiments, 0.05,
			     &r.lo, &r.hi);
	return r;
}

bool kd_cli_calibration_is_bad(const struct kd_cli_calibration *c)
{
	return rate(c).lo > c->exp->plan.alpha;
}

/* of one test in the family, where all would show at once */
static double alpha(const struct kd_cli_calibration *c)
{
	return c->exp->plan.alpha / (double)(c->sum.family ? c->sum.family : 1);
}

static double effect(const struct kd_cli_calibration *c,
		     const struct kd_calibration_measure *m, unsigned int n)
{
	return kd_calibration_effect(m, n, alpha(c), c->exp->plan.power);
}

static double same(const struct kd_cli_calibration *c,
		   const struct kd_calibration_measure *m, unsigned int n)
{
	return kd_calibration_same(m, n, alpha(c), c->exp->plan.power);
}

/* up to two digits, so that what is proposed is kept */
static double round_up(double v)
{
	double unit = pow(10, floor(log10(v)) - 1);

	return ceil(v / unit - 1e-9) * unit;
}

static void amount(const struct kd_calibration_measure *m, double v, bool sign,
		   struct kd_buf *out)
{
	if (!isfinite(v))
		kd_buf_puts(out, "?");
	else if (m->difference)
		kd_buf_printf(out, sign ? "%+.3g %s" : "%.3g %s", v, m->unit);
	else
		kd_buf_printf(out, sign ? "%+.2f %%" : "%.3g %%", v * 100);
}

static void paragraph(struct kd_buf *b, int indent, int width, FILE *out)
{
	struct kd_buf text = { 0 };

	kd_help_wrap(kd_buf_str(b), 0, indent, width, &text);
	fputs(kd_buf_str(&text), out);
	kd_buf_fini(&text);
	kd_buf_reset(b);
}

static void say_more_rounds(const struct kd_cli_calibration *c,
			    const struct kd_calibration_measure *m, FILE *out)
{
	struct kd_buf b = { 0 };

	fputs("  rounds ", out);
	for (size_t i = 0; i < KD_ARRAY_SIZE(more_rounds); i++)
		fprintf(out, "%10u", more_rounds[i]);
	fputs("\n  effect ", out);
	for (size_t i = 0; i < KD_ARRAY_SIZE(more_rounds); i++) {
		double v = effect(c, m, more_rounds[i]);

		if (m->difference || !isfinite(v))
			kd_buf_printf(&b, "%.3g", v);
		else
			amount(m, v, false, &b);
		fprintf(out, "%10s", kd_buf_str(&b));
		kd_buf_reset(&b);
	}
	fputc('\n', out);
	kd_buf_fini(&b);
}

static void say_measure(const struct kd_cli_calibration *c,
			const struct kd_calibration_measure *m, int width,
			FILE *out)
{
	unsigned int n = (unsigned int)m->pairs;
	struct kd_buf b = { 0 };

	kd_buf_printf(&b, "%s%s%s: mean %.5g %s", m->workload,
		      *m->workload ? " " : "", m->metric, m->mean, m->unit);
	paragraph(&b, 0, width, out);
	if (!n) {
		kd_buf_puts(&b, "nothing varied, or no round had both variants: nothing can be said of its noise");
		paragraph(&b, 2, width, out);
		kd_buf_fini(&b);
		return;
	}
	kd_buf_puts(&b, "changes seen between identical variants: ");
	amount(m, m->lowest, true, &b);
	kd_buf_puts(&b, " to ");
	amount(m, m->highest, true, &b);
	paragraph(&b, 2, width, out);
	kd_buf_printf(&b, "smallest effect that %u rounds show with %g %% power: ",
		      n, c->exp->plan.power * 100);
	amount(m, effect(c, m, n), false, &b);
	paragraph(&b, 2, width, out);
	say_more_rounds(c, m, out);
	if (!m->difference && isfinite(same(c, m, n))) {
		kd_buf_printf(&b, "to be shown the same in %u rounds: min-effect=%.3g%%",
			      n, round_up(same(c, m, n) * 100));
		paragraph(&b, 2, width, out);
	}
	kd_buf_fini(&b);
}

void kd_cli_calibration_text(const struct kd_cli_calibration *c, int width,
			     FILE *out)
{
	const struct kd_calibration *s = &c->sum;
	struct rate r = rate(c);
	struct kd_buf b = { 0 };

	kd_buf_printf(&b, "%u A/A experiments, seeds from %" PRId64 ", stored as %" PRId64 " to %" PRId64 ": ",
		      s->experiments, c->seed, c->first_id, c->last_id);
	kd_buf_printf(&b, "%u with a false verdict (%.3g %%, 95 %% interval %.3g to %.3g %%); the plan allows %g %%.",
		      s->false_family, r.share * 100, r.lo * 100, r.hi * 100,
		      c->exp->plan.alpha * 100);
	if (kd_cli_calibration_is_bad(c))
		kd_buf_puts(&b, " That is too many: something changes between the runs of one round; see kdelta doctor.");
	if (s->false_exploratory)
		kd_buf_printf(&b, " Exploratory metrics: %u with a false verdict.",
			      s->false_exploratory);
	paragraph(&b, 0, width, out);
	kd_buf_fini(&b);
	for (size_t i = 0; i < s->n_measures; i++) {
		if (!s->measures[i].primary)
			continue;
		fputc('\n', out);
		say_measure(c, &s->measures[i], width, out);
	}
}

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *measure_json(const struct kd_cli_calibration *c,
			    const struct kd_calibration_measure *m)
{
	unsigned int n = (unsigned int)m->pairs;
	json_t *more = json_array();

	for (size_t i = 0; i < KD_ARRAY_SIZE(more_rounds); i++)
		json_array_append_new(more, json_pack("{s:i,s:o,s:o}", "rounds",
			(int)more_rounds[i], "effect",
			real(effect(c, m, more_rounds[i])), "min_effect",
			real(same(c, m, more_rounds[i]))));
	return json_pack("{s:s,s:s,s:s,s:b,s:s,s:o,s:i,s:i,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:o}",
			 "workload", m->workload, "metric", m->metric,
			 "unit", m->unit, "primary", m->primary,
			 "scale", m->difference ? "unit" : "fraction",
			 "mean", real(m->mean),
			 "tested", (int)m->tested,
			 "false_verdicts", (int)m->false_verdicts,
			 "same", (int)m->same, "rounds", (int)n,
			 "change_lowest", real(m->lowest),
			 "change_highest", real(m->highest),
			 "pair_sd", real(sqrt(m->var)),
			 "smallest_effect", real(effect(c, m, n)),
			 "min_effect", real(same(c, m, n)),
			 "at_rounds", more);
}

void kd_cli_calibration_json(const struct kd_cli_calibration *c, FILE *out)
{
	const struct kd_calibration *s = &c->sum;
	json_t *list = json_array(), *j;
	struct rate r = rate(c);

	for (size_t i = 0; i < s->n_measures; i++)
		json_array_append_new(list, measure_json(c, &s->measures[i]));
	j = json_pack("{s:s,s:I,s:I,s:I,s:i,s:i,s:i,s:o,s:o,s:o,s:f,s:f,s:i,s:o}",
		      "kdelta", KD_VERSION, "seed", (json_int_t)c->seed,
		      "first_experiment", (json_int_t)c->first_id,
		      "last_experiment", (json_int_t)c->last_id,
		      "experiments", (int)s->experiments,
		      "false_experiments", (int)s->false_family,
		      "false_exploratory", (int)s->false_exploratory,
		      "false_rate", real(r.share), "false_rate_lo", real(r.lo),
		      "false_rate_hi", real(r.hi),
		      "alpha", c->exp->plan.alpha,
		      "power", c->exp->plan.power, "family", (int)s->family,
		      "measures", list);
	json_dumpf(j, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(j);
}
