// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a request to kdelta's own server, as an answer to its client,
 * and as a URL. The first byte says where the answer is cut in two: what is read
 * must not depend on it.
 */
#include "workloads/engine/httpmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void request(const char *text, size_t len)
{
	size_t head = kd_http_head_end(text, len);
	struct kd_http_request q;
	int status;

	if (head > len)
		abort();
	if (!head)
		return;
	status = kd_http_request_parse(text, head, &q);
	if (status != 200 && status != 400 && status != 404)
		abort();
	if (q.token && (q.token < text || q.token + q.token_len > text + head))
		abort();
	if (status != 200 && (q.size || q.keep_alive))
		abort();
}

static int eat(struct kd_http_reader *r, const char *text, size_t len,
	       size_t cut)
{
	int x;

	kd_http_reader_reset(r);
	x = kd_http_reader_eat(r, text, cut);
	/* complete before the cut, and more behind it: the same as in one */
	if (!x || (x == 1 && cut < len))
		x = kd_http_reader_eat(r, text + cut, len - cut);
	return x;
}

static void response(const char *text, size_t len, size_t cut)
{
	struct kd_http_reader *one = malloc(sizeof(*one));
	struct kd_http_reader *two = malloc(sizeof(*two));
	int x = eat(one, text, len, len), y = eat(two, text, len, cut);

	if (x != y || (x >= 0 && (one->status != two->status ||
				  one->body != two->body ||
				  one->left != two->left)))
		abort();
	if (one->body > len || (x == 1) > (one->status != 0 || !len))
		abort();
	if (!x && kd_http_reader_eof(one) != kd_http_reader_eof(two))
		abort();
	free(one);
	free(two);
}

static void url(const char *text, size_t len)
{
	char *s = malloc(len + 1);
	struct kd_http_url u = { 0 };
	struct kd_diag d = { 0 };
	int r;

	memcpy(s, text, len);
	s[len] = '\0';
	r = kd_http_url_parse(s, &u, &d);
	if (!r != !d.err || (!r && (!u.port || !u.path)))
		abort();
	free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	size_t len;

	if (!size)
		return 0;
	len = size - 1;
	text = malloc(len + !len);
	memcpy(text, data + 1, len);
	request(text, len);
	response(text, len, len * data[0] / 255);
	url(text, len);
	free(text);
	return 0;
}
