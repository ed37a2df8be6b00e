// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * GET /fixed/SIZE over HTTP, by libmicrohttpd.
 *
 * The body comes from one sparse anonymous file (memfd) by sendfile, as a web
 * server would send a static object.
 */
#include "peer/server.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/str.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_OBJECT (1ull << 40)
#define TIMEOUT_S 30

struct request {
	uint64_t started_ns;
	uint64_t size;
	char client[64];
};

static enum MHD_Result reply(struct MHD_Connection *c, unsigned int status,
			     const char *text)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ok = MHD_queue_response(c, status, r);

	MHD_destroy_response(r);
	return ok;
}

/* each response owns a descriptor; holes of the file read as zeroes */
static enum MHD_Result send_object(struct MHD_Connection *c, uint64_t size)
{
	int fd = memfd_create("kdelta-fixed", MFD_CLOEXEC);
	struct MHD_Response *r;
	enum MHD_Result ok;

	if (fd < 0 || ftruncate(fd, (off_t)size)) {
		if (fd >= 0)
			close(fd);
		return reply(c, MHD_HTTP_INSUFFICIENT_STORAGE, "no memory\n");
	}
	r = MHD_create_response_from_fd64(size, fd);
	if (!r) {
		close(fd);
		return MHD_NO;
	}
	MHD_add_response_header(r, "Content-Type", "application/octet-stream");
	ok = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return ok;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c,
				  const char *url, const char *method,
				  const char *version, const char *data,
				  size_t *size, void **state)
{
	static const char prefix[] = "/fixed/";
	struct kd_peer *peer = arg;
	const union MHD_ConnectionInfo *info;
	struct request *q = *state;
	uint64_t limit = peer->o->max_bytes ? peer->o->max_bytes : MAX_OBJECT;

	if (!q) {
		q = calloc(1, sizeof(*q));
		*state = q;
		return q ? MHD_YES : MHD_NO;
	}
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	if (!kd_str_has_prefix(url, prefix) ||
	    kd_parse_size(url + strlen(prefix), &q->size))
		return reply(c, MHD_HTTP_NOT_FOUND,
			     "there is /fixed/SIZE here, as /fixed/16MiB\n");
	if (q->size > limit)
		return reply(c, MHD_HTTP_CONTENT_TOO_LARGE,
			     "over this server's limit\n");
	q->started_ns = kd_now();
	info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	if (info)
		kd_peer_name((const union kd_sockaddr *)info->client_addr,
			     q->client, sizeof(q->client));
	return send_object(c, q->size);
}

static void on_completed(void *arg, struct MHD_Connection *c, void **state,
			 enum MHD_RequestTerminationCode code)
{
	struct kd_peer *peer = arg;
	struct request *q = *state;
	struct kd_peer_transfer t = {
		.service = "http", .direction = "sent", .protocol = "tcp",
		.streams = 1, .lost = -1,
		.ended = code == MHD_REQUEST_TERMINATED_COMPLETED_OK ?
				 "" :
				 "the client did not take all of it",
	};

	if (q && q->started_ns) {
		t.client = q->client;
		t.bytes = q->size;
		t.seconds = (double)(kd_now() - q->started_ns) / 1e9;
		kd_peer_log(peer, &t);
	}
	free(q);
	*state = NULL;
}

int kd_peer_http_open(struct kd_peer *peer, struct kd_diag *d)
{
	int port = (int)peer->o->http_port;
	int fd = kd_peer_listen(peer->o, SOCK_STREAM, port, d);

	if (fd < 0)
		return fd;
	peer->http = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0, NULL, NULL,
		on_request, peer, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)peer->o->max_clients,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT_S,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, peer,
		MHD_OPTION_END);
	if (!peer->http) {
		close(fd);
		return kd_fail(d, -EIO, "cannot start the HTTP server");
	}
	return 0;
}

void kd_peer_http_close(struct kd_peer *peer)
{
	if (peer->http)
		MHD_stop_daemon(peer->http);
	peer->http = NULL;
}
