/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_SOCK_H
#define KD_WORKLOADS_ENGINE_SOCK_H

#include "base/diag.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct kd_work_env;

struct kd_addr {
	struct sockaddr_storage ss;
	socklen_t len;
};

/** kd_addr_parse() - "192.0.2.1", "2001:db8::1", "fe80::1%eth0" or
 * "localhost"; NULL and "" are any IPv4 address. No resolver is asked. */
int kd_addr_parse(const char *text, uint16_t port, struct kd_addr *out,
		  struct kd_diag *d);

/** kd_addr_format() - "192.0.2.1:5201", "[::1]:5201" */
const char *kd_addr_format(const struct kd_addr *a, char *out, size_t size);

/**
 * struct kd_sock_opts - options that tcp, rr and http share
 * @bind: numeric address to dial from; @device: interface to bind to
 */
struct kd_sock_opts {
	char *congestion;
	uint64_t pacing;
	uint64_t sndbuf;
	uint64_t rcvbuf;
	int64_t tos;
	int64_t mss;
	bool nodelay;
	uint64_t notsent_lowat;
	char *bind;
	char *device;
	bool mptcp;
};

/* rows of an option table whose structure holds a kd_sock_opts as @member */
#define KD_SOCK_OPT_ROWS(type, member) \
	{ "congestion", KD_OPT_STR, offsetof(type, member.congestion), \
	  .arg = "NAME", .help = "congestion control of both ends" }, \
	{ "pacing", KD_OPT_RATE, offsetof(type, member.pacing), \
	  .help = "pacing of each socket by the kernel" }, \
	{ "sndbuf", KD_OPT_SIZE, offsetof(type, member.sndbuf), \
	  .max = 1 << 30, .help = "send buffer; tuned by the kernel if unset" }, \
	{ "rcvbuf", KD_OPT_SIZE, offsetof(type, member.rcvbuf), \
	  .max = 1 << 30, \
	  .help = "receive buffer; tuned by the kernel if unset" }, \
	{ "tos", KD_OPT_INT, offsetof(type, member.tos), .max = 255, \
	  .help = "type of service or traffic class byte" }, \
	{ "mss", KD_OPT_INT, offsetof(type, member.mss), .max = 65495, \
	  .help = "largest segment" }, \
	{ "notsent-lowat", KD_OPT_SIZE, offsetof(type, member.notsent_lowat), \
	  .max = 1 << 30, .help = "not-sent low-water mark" }, \
	{ "bind", KD_OPT_STR, offsetof(type, member.bind), .arg = "ADDRESS", \
	  .help = "address that the device dials from" }, \
	{ "bind-device", KD_OPT_STR, offsetof(type, member.device), \
	  .arg = "IFACE", .help = "interface that the device dials from" }, \
	{ "mptcp", KD_OPT_BOOL, offsetof(type, member.mptcp), \
	  .help = "multipath TCP" }

/** kd_sock_listen() - a TCP listener, non-blocking */
int kd_sock_listen(const struct kd_work_env *env,
		   const struct kd_sock_opts *o, struct kd_diag *d);

/** kd_sock_dial() - a connected TCP socket, non-blocking; bounded by
 * env->deadline_ns and 10 s */
int kd_sock_dial(const struct kd_work_env *env, const struct kd_sock_opts *o,
		 struct kd_diag *d);

/** kd_sock_dial_start() - connect() that may still be under way: the
 * descriptor or -errno, no words */
int kd_sock_dial_start(const struct kd_addr *to, const struct kd_sock_opts *o,
		       struct kd_diag *d);

/** kd_sock_apply() - what can be set on a connected socket of either end */
int kd_sock_apply(int fd, const struct kd_sock_opts *o, struct kd_diag *d);

/** kd_sock_send_all() - a few bytes before the traffic, bounded in time */
int kd_sock_send_all(int fd, const void *data, size_t len,
		     uint64_t deadline_ns);

#endif
