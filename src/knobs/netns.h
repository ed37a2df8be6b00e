/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_NETNS_H
#define KD_KNOBS_NETNS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct kd_netns_id - which network namespace
 * @inode:  of /proc/PID/ns/net; used again when a namespace is gone
 * @cookie: never used again in one boot (Linux 5.14); 0 where unknown
 */
struct kd_netns_id {
	uint64_t inode;
	uint64_t cookie;
};

/** kd_netns_own() - the calling thread's */
int kd_netns_own(struct kd_netns_id *id);

bool kd_netns_is_same(const struct kd_netns_id *a, const struct kd_netns_id *b);

/**
 * kd_netns_find() - a descriptor of the namespace with this id
 *
 * Looks at all processes and at the names of ip-netns(8).
 * Return: descriptor, or -ENOENT: nobody holds it, so it is gone or unreachable.
 */
int kd_netns_find(const struct kd_netns_id *id);

/** kd_netns_call() - fn(arg) on a thread in namespace @fd, or in a new one for
 * -1; its return value, or -errno where that cannot be had. The caller's own
 * namespace is not touched. */
int kd_netns_call(int fd, int (*fn)(void *arg), void *arg);

/** kd_netns_first() - descriptor of the machine's first namespace (that of
 * process 1, else the oldest that any process is in), or -errno */
int kd_netns_first(void);

/** kd_netns_is_first() - is the calling thread in it; true where that cannot be
 * told */
bool kd_netns_is_first(void);

#endif
