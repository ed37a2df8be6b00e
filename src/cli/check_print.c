// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What "kdelta check" says.
 */
#include "cli/check.h"

#include "base/buf.h"
#include "cli/help.h"

#include <math.h>

#include <jansson.h>

static void say(const struct kd_check *c, const struct kd_check_measure *m,
		struct kd_buf *b)
{
	const struct kd_boundary *l = &m->line;

	kd_buf_printf(b, "%s%s%s: %.5g %s in %zu runs, %s", m->workload,
		      *m->workload ? " " : "", m->metric, l->here, m->unit,
		      m->n, kd_check_name(m->verdict));
	if (*m->why)
		kd_buf_printf(b, ": %s", m->why);
	else
		kd_buf_printf(b, " (p %.2g)", m->p);
	kd_buf_printf(b, "; the line is %.5g, half way between %.5g of %s and ",
		      l->at, l->good, c->good->name);
	if (c->bad)
		kd_buf_printf(b, "%.5g of %s", l->bad, c->bad->name);
	else
		kd_buf_printf(b, "%.5g, a loss of %.3g %%", l->bad,
			      c->loss * 100);
}

void kd_check_text(const struct kd_check *c, int rounds, int width, FILE *out)
{
	struct kd_buf b = { 0 }, text = { 0 };

	fprintf(out, "%s after %d rounds\n", kd_check_name(c->verdict), rounds);
	for (size_t i = 0; i < c->n; i++) {
		say(c, &c->measures[i], &b);
		kd_help_wrap(kd_buf_str(&b), 0, 2, width, &text);
		kd_buf_reset(&b);
	}
	fputs(kd_buf_str(&text), out);
	kd_buf_fini(&text);
	kd_buf_fini(&b);
}

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

void kd_check_json(const struct kd_check *c, int rounds, int64_t id, FILE *out)
{
	json_t *list = json_array(), *j;

	for (size_t i = 0; i < c->n; i++) {
		const struct kd_check_measure *m = &c->measures[i];

		json_array_append_new(list, json_pack(
			"{s:s,s:s,s:s,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:s}",
			"workload", m->workload, "metric", m->metric,
			"unit", m->unit, "n", (int)m->n,
			"mean", real(m->line.here),
			"good", real(m->line.good), "bad", real(m->line.bad),
			"boundary", real(m->line.at), "p", real(m->line.p),
			"p_adj", real(m->p),
			"verdict", kd_check_name(m->verdict)));
	}
	j = json_pack("{s:s,s:s,s:i,s:I,s:s,s:s?,s:o}", "kdelta", KD_VERSION,
		      "verdict", kd_check_name(c->verdict), "rounds", rounds,
		      "experiment", (json_int_t)id, "good_reference",
		      c->good->name, "bad_reference",
		      c->bad ? c->bad->name : NULL, "measures", list);
	json_dumpf(j, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(j);
}
