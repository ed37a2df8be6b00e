// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a journal of changed knobs. Nothing is put back here: what is
 * read is walked as restoring walks it, and written again.
 *
 * clang: -fsanitize=fuzzer,address,undefined; else with replay.c.
 */
#include "base/buf.h"
#include "knobs/history.h"
#include "knobs/knob.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(void *arg, const char *wanted, const char *seen)
{
	return kd_knob_match_text(wanted, seen) == KD_KNOB_SAME;
}

/* a record that was taken comes back the same from its own text */
static void round_trip(const struct kd_record *r)
{
	struct kd_buf text = { 0 };
	struct kd_record back;

	if (kd_record_format(r, &text))
		return;
	text.data[text.len - 1] = '\0';
	if (!kd_record_parse(text.data + 1, &back) || back.kind != r->kind ||
	    back.flags != r->flags || strcmp(back.knob, r->knob) ||
	    strcmp(back.old, r->old) || strcmp(back.value, r->value))
		abort();
	kd_buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kd_history h;
	size_t pending = 0;
	char *copy;

	if (!kd_history_parse((const char *)data, size, &h)) {
		for (size_t i = 0; i < h.n; i++) {
			const char *name;

			round_trip(&h.records[i]);
			kd_knob_find(h.records[i].knob, &name);
			kd_history_is_ours(&h, i, h.records[i].old, same,
					   NULL);
			pending += kd_history_is_change(&h, i);
		}
		if (pending != kd_history_pending(&h))
			abort();
	}
	kd_history_fini(&h);
	/* a CRC that fits is out of a fuzzer's reach: without one too */
	copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	if (strlen(copy) == size) {
		struct kd_record r;

		if (kd_record_parse_body(copy, &r))
			round_trip(&r);
	}
	free(copy);
	return 0;
}
