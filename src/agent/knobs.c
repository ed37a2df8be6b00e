// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knobs on behalf of the controller. The journal and its guardian are opened
 * by "lock"; without it nothing can be changed.
 */
#include "agent/knobs.h"

#include "agent/link.h"
#include "agent/session.h"
#include "base/buf.h"
#include "base/clock.h"
#include "knobs/guardian.h"
#include "knobs/journal.h"
#include "knobs/knob.h"
#include "proto/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* firmware that loads, a network that is joined */
#define BACK_NS (20 * KD_NS_PER_SEC)

static struct kd_knob_env environment(const struct kd_agent *a,
				      const json_t *request)
{
	return (struct kd_knob_env){
		.root = a->root,
		.ifname = a->ifname,
		.cmd_get = kd_json_get_str(request, "get", NULL),
		.cmd_set = kd_json_get_str(request, "set", NULL),
		.cmd_restore = kd_json_get_str(request, "restore", NULL),
	};
}

static void add_words(void *arg, const char *words)
{
	json_array_append_new(arg, kd_json_text(words));
}

static int claim_all(struct kd_agent *a, const json_t *knobs,
		     const struct kd_knob_env *env, struct kd_diag *d)
{
	const json_t *knob;
	size_t i;
	int r = 0;

	json_array_foreach(knobs, i, knob)
		if (!r && json_is_string(knob))
			r = kd_journal_claim(a->journal, env,
					     json_string_value(knob), d);
	return r;
}

int kd_agent_op_lock(struct kd_agent *a, const json_t *request, json_t *answer,
		     struct kd_diag *d)
{
	struct kd_knob_env env = environment(a, request);
	json_t *recovered = json_array();
	int r;

	json_object_set_new(answer, "recovered", recovered);
	if (a->journal)
		return kd_fail(d, -EALREADY, "the device is taken already");
	r = kd_journal_open(a->state_dir,
			    kd_json_get_str(request, "owner", "somebody"), &env,
			    add_words, recovered, &a->journal, d);
	if (r)
		return r;
	r = claim_all(a, json_object_get(request, "knobs"), &env, d);
	if (!r)
		r = kd_guardian_start(a->journal, &env, &a->guardian, d);
	if (r) {
		kd_journal_close(a->journal);
		a->journal = NULL;
	}
	return r;
}

int kd_agent_op_get(struct kd_agent *a, const json_t *request, json_t *answer,
		    struct kd_diag *d)
{
	const char *knob = kd_json_get_str(request, "knob", "");
	struct kd_knob_env env = environment(a, request);
	struct kd_buf value = { 0 };
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);
	int r;

	if (!ops)
		return kd_fail(d, -EOPNOTSUPP, "this agent has no knob \"%s\"",
			       knob);
	if (kd_knob_flags(&env, ops, name) & KD_KNOB_WRITE_ONLY)
		return 0;
	r = ops->get(&env, name, &value, d);
	if (r)
		kd_diag_subject(d, "%s", knob);
	else
		json_object_set_new(answer, "value",
				    kd_json_text(kd_buf_str(&value)));
	kd_buf_fini(&value);
	return r;
}

/* will the device go, and come again? */
static bool resets(const struct kd_knob_env *env, const char *knob,
		   const char *value)
{
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);

	return ops && strcmp(value, "none") &&
	       kd_knob_flags(env, ops, name) & KD_KNOB_RESETS;
}

int kd_agent_op_set(struct kd_agent *a, const json_t *request, json_t *answer,
		    struct kd_diag *d)
{
	struct kd_knob_env env = environment(a, request);
	struct kd_buf seen = { 0 };
	const char *value = kd_json_get_str(request, "value", "");
	const char *knob = kd_json_get_str(request, "knob", "");
	enum kd_knob_match match = KD_KNOB_SAME;
	struct kd_link *link = NULL;
	int r;

	if (!a->journal)
		return kd_fail(d, -EPERM, "take the device first (lock)");
	if (resets(&env, knob, value))
		link = kd_link_note(a->ifname);
	r = kd_journal_set(a->journal, &env, knob, value, &seen, &match, d);
	if (!r)
		r = kd_link_wait(link, knob, kd_now() + BACK_NS, d);
	if (!r) {
		json_object_set_new(answer, "seen",
				    kd_json_text(kd_buf_str(&seen)));
		json_object_set_new(answer, "rounded",
				    json_boolean(match == KD_KNOB_ROUNDED));
	}
	kd_link_free(link);
	kd_buf_fini(&seen);
	return r;
}

int kd_agent_op_restore(struct kd_agent *a, const json_t *request,
			json_t *answer, struct kd_diag *d)
{
	struct kd_knob_env env = environment(a, request);
	json_t *words = json_array();

	json_object_set_new(answer, "words", words);
	if (a->journal && kd_journal_restore(a->journal, &env, add_words, words))
		return kd_fail(d, -EIO, "not every knob could be put back");
	return 0;
}

void kd_agent_knobs_end(struct kd_agent *a)
{
	struct kd_knob_env env = { .root = a->root, .ifname = a->ifname };

	if (!a->journal)
		return;
	kd_journal_restore(a->journal, &env, NULL, NULL);
	kd_guardian_release(a->guardian);
	kd_journal_close(a->journal);
	a->journal = NULL;
	a->guardian = NULL;
}
