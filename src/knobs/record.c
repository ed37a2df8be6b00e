// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of the journal as text. See record.h.
 */
#include "knobs/record.h"

#include "base/buf.h"
#include "base/parse.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "kd1\t"
#define CRC_DIGITS 8

static const char *const kinds[] = { "owner", "set", "seen", "done" };

struct field {
	const char *name;
	size_t offset;
	bool may_miss;
};

#define TEXT(name) { #name, offsetof(struct kd_record, name), false }
#define MAYBE(name) { #name, offsetof(struct kd_record, name), true }

static const struct field texts[] = {
	TEXT(owner), TEXT(boot), TEXT(device), TEXT(ifname), TEXT(knob),
	TEXT(old), TEXT(value), MAYBE(get), MAYBE(set), MAYBE(restore),
};

/* CRC-32 (ISO-HDLC), bit by bit: lines are short and few */
static uint32_t crc32(const char *p, size_t n)
{
	uint32_t c = ~0u;

	while (n--) {
		c ^= (unsigned char)*p++;
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return ~c;
}

/* 0 for what stands for itself */
static char escaped(char c)
{
	return c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' :
	       c == '\\' ? '\\' : '\0';
}

static void put(struct kd_buf *b, const char *name, const char *value)
{
	kd_buf_printf(b, "\t%s=", name);
	for (const char *s = value; *s; s++) {
		if (escaped(*s))
			kd_buf_printf(b, "\\%c", escaped(*s));
		else
			kd_buf_add(b, s, 1);
	}
}

static const char **text_at(const struct kd_record *r, const struct field *f)
{
	return (const char **)((char *)r + f->offset);
}

int kd_record_format(const struct kd_record *r, struct kd_buf *out)
{
	struct kd_buf body = { 0 };
	char number[32];
	int err;

	kd_buf_puts(&body, kinds[r->kind]);
	snprintf(number, sizeof(number), "%" PRId64, r->pid);
	put(&body, "pid", number);
	snprintf(number, sizeof(number), "%u", r->flags);
	put(&body, "flags", number);
	snprintf(number, sizeof(number), "%" PRIu64, r->netns.inode);
	put(&body, "netns", number);
	snprintf(number, sizeof(number), "%" PRIu64, r->netns.cookie);
	put(&body, "cookie", number);
	for (size_t i = 0; i < KD_ARRAY_SIZE(texts); i++) {
		const char *text = *text_at(r, &texts[i]);

		if (text && (*text || texts[i].may_miss))
			put(&body, texts[i].name, text);
	}
	err = body.err;
	if (!err)
		err = kd_buf_printf(out, "\n" MAGIC "%08" PRIx32 "\t%s\n",
				    crc32(body.data, body.len), body.data);
	kd_buf_fini(&body);
	return err;
}

static bool unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (*s != '\\') {
			*out++ = *s;
			continue;
		}
		s++;
		if (!*s || !strchr("tnr\\", *s))
			return false;
		*out++ = *s == 't' ? '\t' : *s == 'n' ? '\n' :
			 *s == 'r' ? '\r' : '\\';
	}
	*out = '\0';
	return true;
}

static bool parse_field(const char *name, char *value, struct kd_record *r)
{
	uint64_t flags;

	if (!unescape(value))
		return false;
	if (!strcmp(name, "pid"))
		return !kd_parse_i64(value, &r->pid);
	if (!strcmp(name, "netns"))
		return !kd_parse_u64(value, &r->netns.inode);
	if (!strcmp(name, "cookie"))
		return !kd_parse_u64(value, &r->netns.cookie);
	if (!strcmp(name, "flags")) {
		if (kd_parse_u64(value, &flags) || flags > UINT32_MAX)
			return false;
		r->flags = (unsigned int)flags;
		return true;
	}
	for (size_t i = 0; i < KD_ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].name, name))
			*text_at(r, &texts[i]) = value;
	return true;
}

static bool parse_crc(const char *s, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < CRC_DIGITS; i++, s++) {
		if (*s >= '0' && *s <= '9')
			*out = *out << 4 | (uint32_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			*out = *out << 4 | (uint32_t)(*s - 'a' + 10);
		else
			return false;
	}
	return *s == '\t';
}

bool kd_record_parse_body(char *body, struct kd_record *r)
{
	char *rest = body, *word = strsep(&rest, "\t");
	size_t kind;

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < KD_ARRAY_SIZE(texts); i++)
		if (!texts[i].may_miss)
			*text_at(r, &texts[i]) = "";
	for (kind = 0; kind < KD_ARRAY_SIZE(kinds); kind++)
		if (!strcmp(kinds[kind], word))
			break;
	if (kind == KD_ARRAY_SIZE(kinds))
		return false;
	r->kind = (enum kd_record_kind)kind;
	while ((word = strsep(&rest, "\t"))) {
		char *value = strchr(word, '=');

		if (!value)
			return false;
		*value++ = '\0';
		if (!parse_field(word, value, r))
			return false;
	}
	return kind == KD_RECORD_OWNER || *r->knob;
}

bool kd_record_parse(char *line, struct kd_record *r)
{
	char *body = line + strlen(MAGIC);
	uint32_t crc;

	if (!kd_str_has_prefix(line, MAGIC) || !parse_crc(body, &crc))
		return false;
	body += CRC_DIGITS + 1;
	return crc32(body, strlen(body)) == crc &&
	       kd_record_parse_body(body, r);
}
