/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_HTTPMSG_H
#define KD_WORKLOADS_ENGINE_HTTPMSG_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KD_HTTP_HEAD_MAX 8192

/**
 * struct kd_http_reader - one HTTP/1.1 response as its bytes come
 *
 * RFC 9112: status line and fields, then a body by Content-Length, in chunks,
 * or until the connection ends.
 */
struct kd_http_reader {
	int state;
	int status;
	bool keep_alive;
	bool chunked;
	bool has_length;
	bool no_body;
	uint64_t left;
	uint64_t body;
	size_t head_len;
	char head[KD_HTTP_HEAD_MAX];
};

void kd_http_reader_reset(struct kd_http_reader *r);

/**
 * kd_http_reader_eat() - take @len bytes
 * Return: 1 when the response is complete, 0 when more is to come, -EPROTO
 * where it is no HTTP (or has bytes after its end).
 */
int kd_http_reader_eat(struct kd_http_reader *r, const char *data, size_t len);

/** kd_http_reader_eof() - the connection ended: 1 complete, or -EPIPE */
int kd_http_reader_eof(struct kd_http_reader *r);

/** kd_http_field() - the value of field @name in a head of lines ended by CR
 * LF; NULL where absent; @len without blanks around it */
const char *kd_http_field(const char *head, size_t head_len, const char *name,
			  size_t *len);

/** kd_http_head_end() - length of a head with its empty line, 0 where it is
 * not complete */
size_t kd_http_head_end(const char *data, size_t len);

/**
 * struct kd_http_request - "GET /fixed/1048576 HTTP/1.1" and its fields
 * @token: the value of Kdelta-Token, within the head; NULL where absent
 */
struct kd_http_request {
	bool is_head;
	bool keep_alive;
	uint64_t size;
	const char *token;
	size_t token_len;
};

/**
 * kd_http_request_parse() - a head of @len bytes, with its empty line
 * Return: the HTTP status that answers it: 200, 400 or 404; what was not
 * understood is zero.
 */
int kd_http_request_parse(const char *head, size_t len,
			  struct kd_http_request *out);

/**
 * struct kd_http_url - "http://192.0.2.1:8080/path"
 */
struct kd_http_url {
	char host[64];
	char authority[80];
	uint16_t port;
	const char *path;
};

/** kd_http_url_parse() - numeric hosts and localhost; @out->path borrows @url */
int kd_http_url_parse(const char *url, struct kd_http_url *out,
		      struct kd_diag *d);

#endif
