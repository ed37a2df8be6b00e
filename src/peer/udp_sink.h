/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_PEER_UDP_SINK_H
#define KD_PEER_UDP_SINK_H

#include "peer/server.h"

/**
 * struct kd_udp_sink - who sends datagrams to one socket, and what came of each
 *
 * At most 64 senders at once; what others send then is not looked at.
 */
struct kd_udp_sink;

/** kd_udp_sink_new() - @fd is borrowed: reports are sent by it; NULL: no memory */
struct kd_udp_sink *kd_udp_sink_new(struct kd_peer *peer, int fd);

/** kd_udp_sink_free() - log the senders that have not ended */
void kd_udp_sink_free(struct kd_udp_sink *k);

/** kd_udp_sink_take() - one datagram of any content, received at @now_ns */
void kd_udp_sink_take(struct kd_udp_sink *k, const union kd_sockaddr *from,
		      const unsigned char *data, size_t len, uint64_t now_ns);

/** kd_udp_sink_sweep() - log and forget the senders that have fallen silent */
void kd_udp_sink_sweep(struct kd_udp_sink *k, uint64_t now_ns);

#endif
