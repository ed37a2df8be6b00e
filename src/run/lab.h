/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_RUN_LAB_H
#define KD_RUN_LAB_H

#include "base/diag.h"
#include "run/remote.h"
#include "transports/netlab.h"

#include <stdbool.h>
#include <stdint.h>

struct kd_experiment;

/**
 * struct kd_lab - device and peer of an experiment, ready
 * @peer_addr: where the device dials; numeric
 * @shared:    one kernel serves both ends
 * @boots:     not 0: no agent is there yet, each run starts a device anew, so
 *             many at once; see batch.h
 * @note:      a sentence on what was chosen where the file left it open
 */
struct kd_lab {
	struct kd_remote device;
	struct kd_remote peer;
	struct kd_netlab net;
	char peer_addr[64];
	bool shared;
	unsigned int boots;
	char note[160];
};

/**
 * kd_lab_open() - make what the file asks for, start both agents
 * @agent: command that starts an agent on this machine
 */
int kd_lab_open(const struct kd_experiment *exp, const char *agent,
		struct kd_lab *lab, struct kd_diag *d);

/** kd_lab_command() - the command that is the device's pipe; caller frees with
 * kd_argv_free() */
int kd_lab_command(const struct kd_experiment *exp, const char *agent,
		   char ***argv, struct kd_diag *d);

/** kd_lab_close() - agents restore and leave, namespaces go */
void kd_lab_close(struct kd_lab *lab);

#endif
