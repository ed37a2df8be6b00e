// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Just enough HTTP/1.1 for a traffic source and its client. See httpmsg.h.
 */
#include "workloads/engine/httpmsg.h"

#include "base/parse.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
	IN_HEAD,
	IN_BODY,	/* left bytes, or until the end of the connection */
	IN_CHUNK_SIZE,
	IN_CHUNK_EXT,	/* the rest of the size's line */
	IN_CHUNK,
	IN_CHUNK_END,	/* CR LF after a chunk */
	IN_TRAILER,	/* start of a line after the last chunk */
	IN_TRAILER_LINE,
	COMPLETE,
};

void kd_http_reader_reset(struct kd_http_reader *r)
{
	r->state = IN_HEAD;
	r->status = 0;
	r->keep_alive = r->chunked = r->has_length = r->no_body = false;
	r->left = r->body = 0;
	r->head_len = 0;
}

size_t kd_http_head_end(const char *data, size_t len)
{
	const char *p = memmem(data, len, "\r\n\r\n", 4);

	return p ? (size_t)(p - data) + 4 : 0;
}

const char *kd_http_field(const char *head, size_t head_len, const char *name,
			  size_t *len)
{
	const char *end = head + head_len, *p = head;
	size_t n = strlen(name);

	while ((p = memmem(p, (size_t)(end - p), "\r\n", 2))) {
		const char *eol;

		p += 2;
		if ((size_t)(end - p) <= n || strncasecmp(p, name, n) ||
		    p[n] != ':')
			continue;
		p += n + 1;
		eol = memmem(p, (size_t)(end - p), "\r\n", 2);
		if (!eol)
			return NULL;
		while (p < eol && (*p == ' ' || *p == '\t'))
			p++;
		while (eol > p && (eol[-1] == ' ' || eol[-1] == '\t'))
			eol--;
		*len = (size_t)(eol - p);
		return p;
	}
	return NULL;
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return s && len == strlen(word) && !strncasecmp(s, word, len);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* three digits and no more are looked at: what follows may be the body */
static bool parse_status(const char *p, int *status)
{
	if (!is_digit(p[0]) || !is_digit(p[1]) || !is_digit(p[2]))
		return false;
	*status = (p[0] - '0') * 100 + (p[1] - '0') * 10 + (p[2] - '0');
	return *status >= 100;
}

static int parse_head(struct kd_http_reader *r)
{
	char number[24];
	const char *v;
	size_t len;

	/* "HTTP/1.1 200 OK" */
	if (r->head_len < 16 || memcmp(r->head, "HTTP/1.", 7) ||
	    !parse_status(r->head + 9, &r->status))
		return -EPROTO;
	v = kd_http_field(r->head, r->head_len, "Connection", &len);
	r->keep_alive = r->head[7] != '0' ? !is_word(v, len, "close") :
					    is_word(v, len, "keep-alive");
	v = kd_http_field(r->head, r->head_len, "Transfer-Encoding", &len);
	r->chunked = is_word(v, len, "chunked");
	v = kd_http_field(r->head, r->head_len, "Content-Length", &len);
	if (v && !r->chunked) {
		if (len >= sizeof(number))
			return -EPROTO;
		memcpy(number, v, len);
		number[len] = 0;
		if (kd_parse_u64(number, &r->left))
			return -EPROTO;
		r->has_length = true;
	}
	r->no_body = r->status == 204 || r->status == 304;
	if (r->chunked)
		r->state = IN_CHUNK_SIZE;
	else if (r->no_body || (r->has_length && !r->left))
		r->state = COMPLETE;
	else
		r->state = IN_BODY;
	r->left = r->chunked ? 0 : r->left;
	return 0;
}

/* bytes of @len that belong to the head, or -EPROTO */
static ssize_t eat_head(struct kd_http_reader *r, const char *data, size_t len)
{
	size_t room = sizeof(r->head) - r->head_len, before = r->head_len, end;

	if (len > room)
		len = room;
	memcpy(r->head + r->head_len, data, len);
	end = kd_http_head_end(r->head, r->head_len + len);
	if (!end) {
		r->head_len += len;
		return r->head_len == sizeof(r->head) ? -EPROTO : (ssize_t)len;
	}
	r->head_len = end;
	return parse_head(r) ? -EPROTO : (ssize_t)(end - before);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* one byte of what stands between chunks */
static int eat_framing(struct kd_http_reader *r, char c)
{
	int digit = hex_digit(c);

	switch (r->state) {
	case IN_CHUNK_SIZE:
		if (digit >= 0) {
			if (r->left >> 56)
				return -EPROTO;
			r->left = r->left << 4 | (uint64_t)digit;
			break;
		}
		r->state = IN_CHUNK_EXT;
		/* fallthrough */
	case IN_CHUNK_EXT:
		if (c == '\n')
			r->state = r->left ? IN_CHUNK : IN_TRAILER;
		break;
	case IN_CHUNK_END:
		if (c == '\n')
			r->state = IN_CHUNK_SIZE;
		else if (c != '\r')
			return -EPROTO;
		break;
	case IN_TRAILER:
		if (c == '\n')
			r->state = COMPLETE;
		else if (c != '\r')
			r->state = IN_TRAILER_LINE;
		break;
	case IN_TRAILER_LINE:
		if (c == '\n')
			r->state = IN_TRAILER;
		break;
	}
	return 0;
}

static size_t eat_body(struct kd_http_reader *r, size_t len)
{
	bool counted = r->has_length || r->state == IN_CHUNK;
	size_t n = counted && r->left < len ? (size_t)r->left : len;

	r->body += n;
	if (counted)
		r->left -= n;
	if (counted && !r->left)
		r->state = r->state == IN_CHUNK ? IN_CHUNK_END : COMPLETE;
	return n;
}

int kd_http_reader_eat(struct kd_http_reader *r, const char *data, size_t len)
{
	while (len) {
		ssize_t n = 1;

		if (r->state == COMPLETE)
			return -EPROTO;
		if (r->state == IN_HEAD)
			n = eat_head(r, data, len);
		else if (r->state == IN_BODY || r->state == IN_CHUNK)
			n = (ssize_t)eat_body(r, len);
		else if (eat_framing(r, *data))
			return -EPROTO;
		if (n < 0)
			return (int)n;
		data += n;
		len -= (size_t)n;
	}
	return r->state == COMPLETE;
}

int kd_http_reader_eof(struct kd_http_reader *r)
{
	return r->state == IN_BODY && !r->has_length ? 1 : -EPIPE;
}

static bool starts(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && !memcmp(p, with, n);
}

int kd_http_request_parse(const char *head, size_t len,
			  struct kd_http_request *out)
{
	static const char fixed[] = "/fixed/";
	const char *p = head, *end = head + len, *v;
	char number[24];
	size_t n;

	memset(out, 0, sizeof(*out));
	out->is_head = starts(p, end, "HEAD ");
	if (!out->is_head && !starts(p, end, "GET "))
		return 400;
	p = (const char *)memchr(p, ' ', len) + 1;
	out->token = kd_http_field(head, len, "Kdelta-Token", &out->token_len);
	v = memchr(p, ' ', (size_t)(end - p));
	if (!v || !starts(p, end, fixed))
		return 404;
	p += strlen(fixed);
	if (v <= p || (size_t)(v - p) >= sizeof(number))
		return 404;
	memcpy(number, p, (size_t)(v - p));
	number[v - p] = 0;
	if (kd_parse_u64(number, &out->size))
		return 404;
	out->keep_alive = starts(v, end, " HTTP/1.1");
	v = kd_http_field(head, len, "Connection", &n);
	if (is_word(v, n, "close"))
		out->keep_alive = false;
	return 200;
}

int kd_http_url_parse(const char *url, struct kd_http_url *out,
		      struct kd_diag *d)
{
	const char *p = url, *end, *colon;
	uint64_t port = 80;
	char digits[8];
	size_t len;

	if (strncasecmp(p, "http://", 7))
		return kd_fail(d, -EINVAL, "url: \"%s\" is no http:// address",
			       url);
	p += 7;
	len = strcspn(p, "/?#");
	if (len >= sizeof(out->authority))
		return kd_fail(d, -EINVAL, "url: the host is too long");
	memcpy(out->authority, p, len);
	out->authority[len] = 0;
	out->path = p[len] == '/' ? p + len : "/";
	end = p + len;
	if (*p == '[') {
		const char *close = memchr(p, ']', len);

		if (!close)
			return kd_fail(d, -EINVAL, "url: \"[\" without \"]\"");
		colon = close + 1 < end && close[1] == ':' ? close + 1 : NULL;
		p++;
		len = (size_t)(close - p);
	} else {
		colon = memchr(p, ':', len);
		len = colon ? (size_t)(colon - p) : len;
	}
	if (len >= sizeof(out->host))
		return kd_fail(d, -EINVAL, "url: the host is too long");
	memcpy(out->host, p, len);
	out->host[len] = 0;
	if (colon) {
		snprintf(digits, sizeof(digits), "%.*s",
			 (int)(end - colon - 1 < 7 ? end - colon - 1 : 7),
			 colon + 1);
		if (kd_parse_u64(digits, &port) || !port || port > 65535)
			return kd_fail(d, -EINVAL, "url: \"%s\" is no port",
				       digits);
	}
	out->port = (uint16_t)port;
	return 0;
}
