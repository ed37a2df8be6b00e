// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes on a connection to the port of ttcp, iperf 2 and discard. The first
 * byte says in how large pieces they come.
 */
#include "peer/server.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(void *arg, const struct kd_peer_transfer *t)
{
	size_t size = *(size_t *)arg;

	if (t->bytes != size || t->ended[0] || t->seconds < 0)
		abort();
	if (strcmp(t->service, "iperf2") && strcmp(t->service, "ttcp") &&
	    strcmp(t->service, "discard"))
		abort();
	if (!size != !strcmp(t->service, "discard") && size >= 4)
		abort();
	*(size_t *)arg = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kd_peer_options options = { .max_clients = 4,
							.bind = "127.0.0.1" };
	union kd_sockaddr from = { .in = { .sin_family = AF_INET } };
	size_t left = size ? size - 1 : 0;
	struct kd_peer *peer;
	struct kd_diag d = { 0 };
	uint8_t *exact;
	int pair[2];

	if (!size || size > 60000)
		return 0;
	/* the exact size, so that a sanitizer sees reads past it */
	exact = malloc(size);
	memcpy(exact, data, size);
	kd_ttcp_who(exact + 1, left);
	if (kd_peer_open(&options, report, &left, &peer, &d) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		abort();
	for (size_t at = 0; at < left;) {
		size_t n = left - at;

		if (data[0] && n > (size_t)data[0] * 128)
			n = (size_t)data[0] * 128;
		if (send(pair[1], exact + 1 + at, n, MSG_DONTWAIT) < 0)
			abort();
		at += n;
	}
	shutdown(pair[1], SHUT_WR);
	kd_peer_ttcp_serve(peer, pair[0], &from);
	if (left)
		abort();
	close(pair[1]);
	kd_peer_close(peer, NULL);
	free(exact);
	return 0;
}
