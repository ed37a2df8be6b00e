// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the lines of a journal to the changes to undo. See history.h.
 */
#include "knobs/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* a journal holds each value of each knob once; more is not one */
#define SIZE_MAX_BYTES (16 << 20)

static int add(struct kd_history *h, const struct kd_record *r, size_t *cap)
{
	if (h->n == *cap) {
		size_t more = *cap ? 2 * *cap : 64;
		struct kd_record *grown = reallocarray(h->records, more,
						       sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		h->records = grown;
		*cap = more;
	}
	h->records[h->n++] = *r;
	return 0;
}

static int parse(struct kd_history *h)
{
	char *line = h->text.data, *end = line + h->text.len;
	size_t cap = 0;
	int err = 0;

	h->owner.owner = "";
	h->owner.boot = "";
	while (!err && line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));
		struct kd_record r;

		if (!stop)
			stop = end;
		*stop = '\0';
		/* zeroes are what a crash can leave of a page */
		if (strlen(line) == (size_t)(stop - line) &&
		    kd_record_parse(line, &r)) {
			if (r.kind == KD_RECORD_OWNER)
				h->owner = r;
			else
				err = add(h, &r, &cap);
		}
		line = stop + 1;
	}
	return err;
}

int kd_history_parse(const char *data, size_t size, struct kd_history *h)
{
	int r;

	memset(h, 0, sizeof(*h));
	r = kd_buf_add(&h->text, data, size);
	return r ? r : parse(h);
}

int kd_history_load(int fd, struct kd_history *h)
{
	char chunk[4096];
	off_t at = 0;
	ssize_t n;

	memset(h, 0, sizeof(*h));
	kd_buf_puts(&h->text, "");
	while ((n = pread(fd, chunk, sizeof(chunk), at))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		kd_buf_add(&h->text, chunk, (size_t)n);
		at += n;
		if (at > SIZE_MAX_BYTES)
			return -EFBIG;
	}
	return h->text.err ? h->text.err : parse(h);
}

static bool is_same_knob(const struct kd_record *a, const struct kd_record *b)
{
	return !strcmp(a->knob, b->knob) && !strcmp(a->ifname, b->ifname) &&
	       !strcmp(a->device, b->device) && !strcmp(a->boot, b->boot) &&
	       kd_netns_is_same(&a->netns, &b->netns);
}

bool kd_history_is_change(const struct kd_history *h, size_t i)
{
	const struct kd_record *r = &h->records[i];

	if (r->kind != KD_RECORD_SET)
		return false;
	for (size_t k = i + 1; k < h->n; k++)
		if (h->records[k].kind == KD_RECORD_DONE &&
		    is_same_knob(r, &h->records[k]))
			return false;
	while (i--) {
		if (!is_same_knob(r, &h->records[i]))
			continue;
		if (h->records[i].kind == KD_RECORD_DONE)
			break;
		if (h->records[i].kind == KD_RECORD_SET)
			return false;
	}
	return true;
}

bool kd_history_is_ours(const struct kd_history *h, size_t i, const char *seen,
			bool (*same)(void *arg, const char *wanted,
				     const char *seen),
			void *arg)
{
	for (size_t k = i; k < h->n; k++)
		if (h->records[k].kind != KD_RECORD_DONE &&
		    is_same_knob(&h->records[i], &h->records[k]) &&
		    same(arg, h->records[k].value, seen))
			return true;
	return false;
}

size_t kd_history_pending(const struct kd_history *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += kd_history_is_change(h, i);
	return n;
}

void kd_history_fini(struct kd_history *h)
{
	kd_buf_fini(&h->text);
	free(h->records);
	memset(h, 0, sizeof(*h));
}
