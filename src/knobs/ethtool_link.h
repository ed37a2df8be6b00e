/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_ETHTOOL_LINK_H
#define KD_KNOBS_ETHTOOL_LINK_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_buf;
struct nl_sock;
struct nl_msg;
struct nlattr;

/**
 * struct kd_ethtool_link - the kernel's generic netlink family "ethtool" in the
 * network namespace of the thread that opens it
 */
struct kd_ethtool_link {
	struct nl_sock *sock;
	int family;
};

/** kd_ethtool_open() - -EOPNOTSUPP where the kernel (before 5.6) has none */
int kd_ethtool_open(struct kd_ethtool_link *l, struct kd_diag *d);
void kd_ethtool_close(struct kd_ethtool_link *l);

/**
 * kd_ethtool_ask() - one request about @ifname, and its answer
 * @command: ETHTOOL_MSG_*_GET or _SET
 * @fill:    add what belongs to the request after its header; may be NULL
 * @answer:  called with the attributes of the answer, by number below @n
 * Return: 0 or the kernel's -errno; its words are in @why, without that code's.
 */
int kd_ethtool_ask(struct kd_ethtool_link *l, uint8_t command,
		   const char *ifname,
		   int (*fill)(struct nl_msg *msg, void *arg),
		   void (*answer)(struct nlattr **attrs, size_t n, void *arg),
		   void *arg, char *why, size_t size);


#define KD_ETHTOOL_ATTRS 64
#define KD_ETHTOOL_WHY 128

/*
 * Settings with a number: rings, coalescing, channels, pause
 */
struct kd_ethtool_param;

/** kd_ethtool_param_find() - by name, or NULL */
const struct kd_ethtool_param *kd_ethtool_param_find(const char *word);

/** kd_ethtool_param_name() - of number @i, or NULL past the last */
const char *kd_ethtool_param_name(size_t i);

int kd_ethtool_param_get(struct kd_ethtool_link *l,
			 const struct kd_ethtool_param *p, const char *ifname,
			 struct kd_buf *out, struct kd_diag *d);
int kd_ethtool_param_set(struct kd_ethtool_link *l,
			 const struct kd_ethtool_param *p, const char *ifname,
			 const char *value, struct kd_diag *d);

/*
 * Features: offloads, by the kernel's names or ethtool(8)'s old ones
 */

/** kd_ethtool_feature_get() - "on" or "off"; where an old name stands for
 * several that do not agree, "a=on,b=off" */
int kd_ethtool_feature_get(struct kd_ethtool_link *l, const char *word,
			   const char *ifname, struct kd_buf *out,
			   struct kd_diag *d);

/** kd_ethtool_feature_set() - takes what kd_ethtool_feature_get() gives */
int kd_ethtool_feature_set(struct kd_ethtool_link *l, const char *word,
			   const char *ifname, const char *value,
			   struct kd_diag *d);

/** kd_ethtool_feature_each() - call @each for every feature of the interface
 * that can be changed, and for old names that stand for some of them */
int kd_ethtool_feature_each(struct kd_ethtool_link *l, const char *ifname,
			    void (*each)(void *arg, const char *word,
					 const char *value),
			    void *arg);

/** kd_ethtool_old_name() - of number @i, or NULL past the last */
const char *kd_ethtool_old_name(size_t i);

/** kd_ethtool_fail() - words for what a request returned, but for the range */
int kd_ethtool_fail(struct kd_diag *d, int err, const char *what,
		    const char *word, const char *ifname, const char *why);

#endif
