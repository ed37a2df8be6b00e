/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_QDISC_LINK_H
#define KD_KNOBS_QDISC_LINK_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KD_QDISC_OPTIONS 1024

/**
 * struct kd_qdisc - the root queueing discipline of an interface
 * @kind:        "tbf"
 * @is_default:  the kernel's own choice, which comes back by itself
 * @has_classes: made classes, or disciplines below it: cannot be put back by its
 *               options alone
 * @options:     its TCA_OPTIONS, as the kernel takes and gives them
 */
struct kd_qdisc {
	char kind[16];
	bool is_default;
	bool has_classes;
	unsigned char options[KD_QDISC_OPTIONS];
	size_t len;
};

/** kd_qdisc_read() - 0, or -errno; -E2BIG with options that do not fit */
int kd_qdisc_read(int ifindex, struct kd_qdisc *q);

/** kd_qdisc_remove() - back to the kernel's default */
int kd_qdisc_remove(int ifindex);

/** kd_qdisc_add() - @kind, @options and @len of @q count; there may be no other
 * root but the default. -ENOENT: this kernel has no such kind. */
int kd_qdisc_add(int ifindex, const struct kd_qdisc *q);

#endif
