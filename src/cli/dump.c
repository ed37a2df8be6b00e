// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables as text, for completion, man pages and the tests that compare
 * them. See dump.h.
 */
#include "cli/dump.h"

#include "base/buf.h"
#include "base/opt.h"
#include "cli/cmd.h"
#include "experiment/experiment.h"
#include "imports/import.h"
#include "knobs/knob.h"
#include "observers/observer.h"
#include "reports/report.h"
#include "transports/transport.h"
#include "workloads/workload.h"

#include <string.h>

static const char *type_name(enum kd_opt_type type)
{
	static const char *const names[] = {
		[KD_OPT_BOOL] = "bool", [KD_OPT_INT] = "int",
		[KD_OPT_SIZE] = "size", [KD_OPT_TIME] = "time",
		[KD_OPT_RATE] = "rate", [KD_OPT_REAL] = "real",
		[KD_OPT_PCT] = "pct",	[KD_OPT_STR] = "str",
		[KD_OPT_ENUM] = "enum",
	};

	return names[type];
}

static void options(const char *kind, const char *owner,
		    const struct kd_opt *o, struct kd_buf *out)
{
	char letter[2] = "";

	for (; o && o->name; o++) {
		letter[0] = o->letter;
		kd_buf_printf(out, "%s-option\t%s\t%s\t%s\t%s\t%s\t", kind, owner,
			      o->name, letter, type_name(o->type),
			      kd_opt_arg(o));
		for (int i = 0; o->type == KD_OPT_ENUM && o->choices[i]; i++)
			kd_buf_printf(out, "%s%s", i ? " " : "",
				      o->choices[i]);
		kd_buf_printf(out, "\t%s\t%s%s\t%s\n", o->def ? o->def : "",
			      o->flags & KD_OPT_REPEAT ? "repeat" : "",
			      o->flags & KD_OPT_POSITIONAL ? "word" : "",
			      o->help ? o->help : "");
	}
}

static void one(const char *kind, const char *name, const char *summary,
		const struct kd_opt *opts, struct kd_buf *out)
{
	kd_buf_printf(out, "%s\t%s\t%s\n", kind, name, summary);
	options(kind, name, opts, out);
}

static void metrics(const char *kind, const char *name,
		    const struct kd_metric_desc *m, struct kd_buf *out)
{
	for (; m && m->name; m++)
		kd_buf_printf(out, "%s-metric\t%s\t%s\t%s\t%s\n", kind, name,
			      m->name, m->unit ? m->unit : "",
			      m->help ? m->help : "");
}

static void command(const struct kd_command *c, struct kd_buf *out)
{
	const char *text = c->details ? c->details : "";

	kd_buf_printf(out, "command\t%s\t%s\t%s\n", c->name, c->summary,
		      c->usage ? c->usage : "");
	while (*text) {
		size_t len = strcspn(text, "\n");

		kd_buf_printf(out, "command-text\t%s\t%.*s\n", c->name,
			      (int)len, text);
		text += len + (text[len] == '\n');
	}
	options("command", c->name, c->opts, out);
}

void kd_dump_options(struct kd_buf *out)
{
	for (size_t i = 0; kd_command_table[i]; i++)
		if (!(kd_command_table[i]->flags & KD_COMMAND_HIDDEN))
			command(kd_command_table[i], out);
	for (size_t i = 0; kd_work_table[i]; i++) {
		one("workload", kd_work_table[i]->name,
		    kd_work_table[i]->summary, kd_work_table[i]->opts, out);
		metrics("workload", kd_work_table[i]->name,
			kd_work_table[i]->metrics, out);
	}
	for (size_t i = 0; kd_obs_table[i]; i++) {
		one("observer", kd_obs_table[i]->name,
		    kd_obs_table[i]->summary, kd_obs_table[i]->opts, out);
		metrics("observer", kd_obs_table[i]->name,
			kd_obs_table[i]->metrics, out);
	}
	for (size_t i = 0; kd_knob_table[i]; i++)
		one("knob", kd_knob_table[i]->name, kd_knob_table[i]->summary,
		    NULL, out);
	for (size_t i = 0; kd_transport_table[i]; i++)
		one("transport", kd_transport_table[i]->name,
		    kd_transport_table[i]->summary, kd_transport_table[i]->opts,
		    out);
	for (size_t i = 0; kd_report_table[i]; i++)
		one("report", kd_report_table[i]->name,
		    kd_report_table[i]->summary, NULL, out);
	for (size_t i = 0; kd_import_table[i]; i++)
		one("import", kd_import_table[i]->name,
		    kd_import_table[i]->summary, NULL, out);
	one("run", "run", "options of every workload", kd_exp_run_opts, out);
	one("plan", "plan", "the plan", kd_exp_plan_opts, out);
}
