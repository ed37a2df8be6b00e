// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The protocol's values. See json.h and docs/protocol.md.
 */
#include "proto/json.h"

#include "base/diag.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *kd_json_u64(uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	return json_string(text);
}

uint64_t kd_json_get_u64(const json_t *obj, const char *key, uint64_t fallback)
{
	const json_t *v = json_object_get(obj, key);
	uint64_t n;

	if (json_is_string(v) && !kd_parse_u64(json_string_value(v), &n))
		return n;
	if (json_is_integer(v) && json_integer_value(v) >= 0)
		return (uint64_t)json_integer_value(v);
	return fallback;
}

const char *kd_json_get_str(const json_t *obj, const char *key,
			    const char *fallback)
{
	const char *s = json_string_value(json_object_get(obj, key));

	return s ? s : fallback;
}

json_t *kd_json_text(const char *s)
{
	json_t *v = json_string(s);
	char *copy;

	if (v)
		return v;
	copy = strdup(s);
	for (char *p = copy; p && *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	v = copy ? json_string(copy) : NULL;
	free(copy);
	return v;
}

json_t *kd_json_diag(const struct kd_diag *d)
{
	json_t *e = json_object();

	json_object_set_new(e, "err", json_integer(d->err));
	json_object_set_new(e, "text", kd_json_text(d->text));
	if (d->subject[0])
		json_object_set_new(e, "subject", kd_json_text(d->subject));
	if (d->line)
		json_object_set_new(e, "line", json_integer(d->line));
	if (d->column)
		json_object_set_new(e, "column", json_integer(d->column));
	if (d->hint[0])
		json_object_set_new(e, "hint", kd_json_text(d->hint));
	return e;
}

int kd_json_get_diag(const json_t *error, struct kd_diag *d)
{
	json_int_t err = json_integer_value(json_object_get(error, "err"));
	const char *subject = kd_json_get_str(error, "subject", "");
	const char *hint = kd_json_get_str(error, "hint", "");

	if (err >= 0 || err < -4095)
		err = -EPROTO;
	if (subject[0])
		kd_diag_subject(d, "%s", subject);
	kd_fail(d, (int)err, "%s",
		kd_json_get_str(error, "text", "failed without words"));
	if (hint[0])
		kd_diag_hint(d, "%s", hint);
	if (d && d->err == (int)err) {
		d->line = (int)json_integer_value(json_object_get(error, "line"));
		d->column =
			(int)json_integer_value(json_object_get(error, "column"));
	}
	return (int)err;
}
