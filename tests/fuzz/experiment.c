// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as an experiment file; with "-k " in front, its lines as arguments
 * of the quick form. What is read must run, be scheduled, be stored and be read
 * again from what is stored.
 */
#include "base/buf.h"
#include "experiment/experiment.h"
#include "experiment/schedule.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct kd_experiment *exp)
{
	struct kd_experiment again = { 0 };
	struct kd_buf b = { 0 };
	struct kd_slot *slots = calloc(kd_schedule_size(exp), sizeof(*slots));

	if (exp->n_variants < 2 || exp->baseline >= exp->n_variants)
		abort();
	for (size_t v = 0; v < exp->n_variants; v++) {
		for (size_t w = 0; w < exp->n_workloads; w++) {
			struct kd_exp_run run = { 0 };

			if (kd_experiment_run(exp, v, w, &run, &b, NULL))
				abort();
			if (!run.deadline_ns)
				abort();
			kd_exp_run_fini(&run);
			kd_buf_reset(&b);
		}
		kd_experiment_knobs_json(exp, v, &b);
	}
	kd_experiment_plan_json(exp, &b);
	kd_experiment_end_json(&exp->dut, &b);
	kd_experiment_end_json(&exp->peer, &b);
	kd_schedule_round(exp, 1, 0, slots);
	if (!kd_schedule_is_whole(exp, 0, slots, kd_schedule_size(exp)))
		abort();
	if (kd_experiment_parse(exp->text, exp->text_len, "again", &again,
				NULL) ||
	    again.n_variants != exp->n_variants)
		abort();
	kd_experiment_fini(&again);
	kd_buf_fini(&b);
	free(slots);
}

/* lines "-k ...", "-w ...", "-o ...", "-d ...", "-p ..." */
static int quick(const char *text, struct kd_experiment *exp,
		 struct kd_diag *d)
{
	struct kd_buf k = { 0 }, w = { 0 }, o = { 0 }, dut = { 0 }, p = { 0 };
	int r;

	while (*text) {
		size_t len = strcspn(text, "\n");
		struct kd_buf *to = len < 3 ? NULL :
			text[1] == 'k' ? &k : text[1] == 'w' ? &w :
			text[1] == 'o' ? &o : text[1] == 'd' ? &dut :
			text[1] == 'p' ? &p : NULL;

		if (to) {
			if (to->len)
				kd_buf_puts(to, "\n");
			kd_buf_add(to, text + 3, len - 3);
		}
		text += len + (text[len] == '\n');
	}
	r = kd_experiment_quick(&(struct kd_exp_quick){
		.knobs = k.data, .workloads = w.data, .observers = o.data,
		.dut = dut.data, .plan = p.data,
	}, exp, d);
	kd_buf_fini(&k);
	kd_buf_fini(&w);
	kd_buf_fini(&o);
	kd_buf_fini(&dut);
	kd_buf_fini(&p);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kd_experiment exp = { 0 };
	struct kd_diag d = { 0 };
	char *text = malloc(size + 1);
	int r;

	memcpy(text, data, size);
	text[size] = '\0';
	if (!strncmp(text, "-k ", 3))
		r = quick(text, &exp, &d);
	else
		r = kd_experiment_parse(text, size, "f", &exp, &d);
	if (!r)
		use(&exp);
	else if (r != d.err || !d.text[0])
		abort();
	kd_experiment_fini(&exp);
	free(text);
	return 0;
}
