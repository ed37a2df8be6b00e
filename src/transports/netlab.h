/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TRANSPORTS_NETLAB_H
#define KD_TRANSPORTS_NETLAB_H

#include "base/diag.h"
#include "base/opt.h"

#include <stdint.h>

#define KD_NETLAB_DUT_IF "dut0"
#define KD_NETLAB_DUT_ADDR "10.77.0.1"
#define KD_NETLAB_PEER_ADDR "10.77.0.2"

/**
 * struct kd_netlab_options - the link between the two namespaces
 * @rate_bps: 0: as fast as veth goes
 * @burst_bytes, @queue_bytes: of the shaper
 * @delay_ns, @loss_pct: each way, where the kernel has netem
 */
struct kd_netlab_options {
	uint64_t rate_bps;
	uint64_t burst_bytes;
	uint64_t queue_bytes;
	uint64_t delay_ns;
	double loss_pct;
};

extern const struct kd_opt kd_netlab_opts[];

/**
 * struct kd_netlab - two anonymous network namespaces joined by a veth pair
 * @dut_ns, @peer_ns: their descriptors. Nothing else holds them, so the kernel
 *                    removes namespaces, links and addresses when these and
 *                    the agents inside are gone, whatever dies how.
 */
struct kd_netlab {
	int dut_ns;
	int peer_ns;
};

/** kd_netlab_open() - make them; -EPERM without CAP_SYS_ADMIN */
int kd_netlab_open(const struct kd_netlab_options *o, struct kd_netlab *lab,
		   struct kd_diag *d);
void kd_netlab_close(struct kd_netlab *lab);

#endif
