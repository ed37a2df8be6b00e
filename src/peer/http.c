// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * GET /fixed/SIZE over HTTP, by libmicrohttpd.
 *
 * The body comes from one sparse anonymous file (memfd) by sendfile, as a web
 * server would send a static object. Up to SMALL_OBJECT it is copied from memory
 * instead, header and body in one call, since the library gives sendfile 128 KiB
 * at a time and the client of a small object is woken for each.
 *
 * The library ends a connection that is silent; one that takes or gives a byte
 * now and then is ended here.
 */
#include "peer/server.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/str.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_OBJECT (1ull << 40)
#define SMALL_OBJECT (1u << 20)
#define TIMEOUT_S 30
#define HEAD_NS (30 * KD_NS_PER_SEC)

/*
 * One connection, and its request where there is one. The library's thread
 * makes, changes and frees it; the list and the times are under the lock, since
 * the main thread looks at them.
 */
struct connection {
	struct connection *next;
	int fd;
	uint64_t since_ns;	/* of the request, or of the wait for one */
	bool busy;
	bool late;
	bool body;
	uint64_t size;
	uint64_t acked;		/* of the connection, before the request */
	char client[64];
};

struct http {
	struct kd_peer *peer;
	struct MHD_Daemon *daemon;
	pthread_mutex_t lock;
	struct connection *connections;
	int object;		/* a file of holes, MAX_OBJECT long */
	char *zeroes;		/* SMALL_OBJECT of them */
	/* the library's thread only: the latest small one, and of what size */
	struct MHD_Response *latest;
	uint64_t latest_size;
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

/* holes of the file read as zeroes; a response owns its descriptor */
static struct MHD_Response *make_object(const struct http *h, uint64_t size)
{
	struct MHD_Response *r;
	int fd;

	if (size <= SMALL_OBJECT)
		return MHD_create_response_from_buffer(
			size, h->zeroes, MHD_RESPMEM_PERSISTENT);
	fd = fcntl(h->object, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	r = MHD_create_response_from_fd_at_offset64(size, fd, 0);
	if (!r)
		close(fd);
	return r;
}

/* a small one is kept, since it has no descriptor */
static enum MHD_Result send_object(struct http *h, struct MHD_Connection *c,
				   uint64_t size)
{
	struct MHD_Response *r = h->latest_size == size ? h->latest : NULL;
	enum MHD_Result ok;

	if (!r) {
		r = make_object(h, size);
		if (!r)
			return reply(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				     "out of memory or descriptors\n");
		MHD_add_response_header(r, "Content-Type",
					"application/octet-stream");
	}
	ok = MHD_queue_response(c, MHD_HTTP_OK, r);
	if (r == h->latest)
		return ok;
	if (size > SMALL_OBJECT) {
		MHD_destroy_response(r);
		return ok;
	}
	if (h->latest)
		MHD_destroy_response(h->latest);
	h->latest = r;
	h->latest_size = size;
	return ok;
}

static uint64_t acked(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return 0;
	return info.tcpi_bytes_acked;
}

static void set_busy(struct http *h, struct connection *k, bool busy)
{
	pthread_mutex_lock(&h->lock);
	k->busy = busy;
	k->since_ns = kd_now();
	pthread_mutex_unlock(&h->lock);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c,
				  const char *url, const char *method,
				  const char *version, const char *data,
				  size_t *size, void **state)
{
	static const char prefix[] = "/fixed/";
	struct http *h = arg;
	uint64_t limit = h->peer->o->max_bytes, wanted;
	struct connection *k;

	k = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		    ->socket_context;
	if (!k)
		return MHD_NO;
	if (!*state) {
		*state = k;
		return MHD_YES;
	}
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	if (!kd_str_has_prefix(url, prefix) ||
	    kd_parse_size(url + strlen(prefix), &wanted) || wanted > MAX_OBJECT)
		return reply(c, MHD_HTTP_NOT_FOUND,
			     "there is /fixed/SIZE here, as /fixed/16MiB\n");
	if (limit && wanted > limit)
		return reply(c, MHD_HTTP_CONTENT_TOO_LARGE,
			     "over this server's limit\n");
	k->size = wanted;
	k->body = !strcmp(method, "GET");
	k->acked = acked(k->fd);
	set_busy(h, k, true);
	return send_object(h, c, wanted);
}

static void log_request(struct http *h, const struct connection *k,
			enum MHD_RequestTerminationCode code)
{
	struct kd_peer_transfer t = {
		.service = "http", .client = k->client, .direction = "sent",
		.protocol = "tcp", .streams = 1, .lost = -1, .ended = "",
		.bytes = k->body ? k->size : 0,
		.seconds = (double)(kd_now() - k->since_ns) / 1e9,
	};

	if (code != MHD_REQUEST_TERMINATED_COMPLETED_OK) {
		uint64_t taken = acked(k->fd) - k->acked;

		t.bytes = t.bytes < taken ? t.bytes : taken;
		t.ended = k->late ? "the limit of time was reached" :
			  code == MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN ?
				    "the peer was stopped" :
				    "the client did not take all of it";
	}
	kd_peer_log(h->peer, &t);
}

static void on_completed(void *arg, struct MHD_Connection *c, void **state,
			 enum MHD_RequestTerminationCode code)
{
	struct connection *k = *state;

	*state = NULL;
	if (!k || !k->busy)
		return;
	log_request(arg, k, code);
	set_busy(arg, k, false);
}

static void on_connection(void *arg, struct MHD_Connection *c, void **state,
			  enum MHD_ConnectionNotificationCode code)
{
	struct connection *k = *state, **at;
	const struct sockaddr *from;
	struct http *h = arg;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		k = *state = calloc(1, sizeof(*k));
		if (!k)
			return;
		k->fd = MHD_get_connection_info(
			c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		from = MHD_get_connection_info(
			c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
		kd_peer_name((const union kd_sockaddr *)from, k->client,
			     sizeof(k->client));
		k->since_ns = kd_now();
		pthread_mutex_lock(&h->lock);
		k->next = h->connections;
		h->connections = k;
		pthread_mutex_unlock(&h->lock);
	} else if (k) {
		pthread_mutex_lock(&h->lock);
		for (at = &h->connections; *at != k; at = &(*at)->next)
			;
		*at = k->next;
		pthread_mutex_unlock(&h->lock);
		free(k);
		*state = NULL;
	}
}

void kd_peer_http_expire(struct kd_peer *peer)
{
	uint64_t max = peer->o->max_time_ns, now;
	struct http *h = peer->http;

	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	now = kd_now();
	for (struct connection *k = h->connections; k; k = k->next) {
		uint64_t limit = k->busy ? max : HEAD_NS;

		if (k->late || !limit || now - k->since_ns <= limit)
			continue;
		k->late = true;
		/* the library sees the end, and closes it */
		shutdown(k->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&h->lock);
}

static int start(struct http *h, struct kd_diag *d)
{
	const struct kd_peer_options *o = h->peer->o;
	int fd = kd_peer_listen(o, SOCK_STREAM, (int)o->http_port, d);

	if (fd < 0)
		return fd;
	h->zeroes = calloc(1, SMALL_OBJECT);
	h->object = memfd_create("kdelta-fixed", MFD_CLOEXEC);
	if (!h->zeroes || h->object < 0 ||
	    ftruncate(h->object, (off_t)MAX_OBJECT)) {
		close(fd);
		return kd_fail_errno(d, "cannot make a file to serve");
	}
	h->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0, NULL, NULL,
		on_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)o->max_clients,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT_S,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
		MHD_OPTION_END);
	if (!h->daemon) {
		close(fd);
		return kd_fail(d, -EIO, "cannot start the HTTP server");
	}
	return 0;
}

int kd_peer_http_open(struct kd_peer *peer, struct kd_diag *d)
{
	struct http *h = calloc(1, sizeof(*h));

	if (!h)
		return kd_fail(d, -ENOMEM, "out of memory");
	h->peer = peer;
	h->object = -1;
	pthread_mutex_init(&h->lock, NULL);
	peer->http = h;
	return start(h, d);
}

void kd_peer_http_close(struct kd_peer *peer)
{
	struct http *h = peer->http;

	if (!h)
		return;
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	if (h->latest)
		MHD_destroy_response(h->latest);
	if (h->object >= 0)
		close(h->object);
	pthread_mutex_destroy(&h->lock);
	free(h->zeroes);
	free(h);
	peer->http = NULL;
}
