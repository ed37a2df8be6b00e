// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device and peer of an experiment. See lab.h.
 */
#include "run/lab.h"

#include "base/buf.h"
#include "base/clock.h"
#include "experiment/experiment.h"
#include "transports/argv.h"
#include "transports/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELLO_NS (30 * KD_NS_PER_SEC)
/* it may have to be built first */
#define BOOT_NS (600 * KD_NS_PER_SEC)
#define LOOPBACK "127.0.0.1"

/* the options of an end as its transport's structure; caller frees both ways */
static int read_options(const struct kd_transport_ops *ops, const char *text,
			void **out, struct kd_diag *d)
{
	void *opts = calloc(1, ops->opts_size + 1);
	int r;

	if (!opts)
		return kd_fail(d, -ENOMEM, "out of memory");
	r = kd_opt_init(ops->opts, opts);
	if (!r && ops->opts)
		r = kd_opt_set_list(ops->opts, opts, text ? text : "", d);
	if (r) {
		kd_opt_fini(ops->opts, opts);
		free(opts);
		return r;
	}
	*out = opts;
	return 0;
}

static void free_options(const struct kd_transport_ops *ops, void *opts)
{
	if (opts)
		kd_opt_fini(ops->opts, opts);
	free(opts);
}

static int command(const struct kd_transport_ops *ops, const char *options,
		   const char *agent, char ***argv, struct kd_diag *d)
{
	void *opts = NULL;
	int r = read_options(ops, options, &opts, d);

	if (!r)
		r = ops->argv(opts, agent, argv, d);
	free_options(ops, opts);
	return r;
}

int kd_lab_command(const struct kd_experiment *exp, const char *agent,
		   char ***argv, struct kd_diag *d)
{
	return command(exp->dut.ops, exp->dut.options, agent, argv, d);
}

static int count_boots(const struct kd_exp_end *end, unsigned int *boots,
		       struct kd_diag *d)
{
	const struct kd_transport_ops *ops = end->ops;
	void *opts = NULL;
	int r;

	*boots = end->transport && (ops->flags & KD_TRANSPORT_BATCH);
	if (!*boots || !ops->boots)
		return 0;
	r = read_options(ops, end->options, &opts, d);
	*boots = r ? 0 : ops->boots(opts);
	free_options(ops, opts);
	return r;
}

static int start(struct kd_remote *r, const char *name,
		 const struct kd_transport_ops *ops, const char *options,
		 const char *agent, const char *ifname, struct kd_diag *d)
{
	char **argv = NULL;
	int err = command(ops, options, agent, &argv, d);

	if (!err)
		err = kd_remote_open(r, name, argv, ifname,
				     ops->flags & KD_TRANSPORT_BATCH ?
					     BOOT_NS : HELLO_NS, d);
	kd_argv_free(argv);
	return err;
}

static int start_in(struct kd_remote *r, const char *name, int ns,
		    const char *agent, const char *ifname, struct kd_diag *d)
{
	const struct kd_transport_ops *netns = kd_transport_find("netns");
	struct kd_buf cmd = { 0 };
	int err;

	kd_buf_printf(&cmd, "%s --netns /proc/%d/fd/%d", agent, (int)getpid(),
		      ns);
	if (ifname)
		kd_buf_printf(&cmd, " --ifname %s", ifname);
	err = start(r, name, netns, NULL, kd_buf_str(&cmd), ifname, d);
	kd_buf_fini(&cmd);
	return err;
}

static int open_netns(const struct kd_experiment *exp, const char *agent,
		      struct kd_lab *lab, struct kd_diag *d)
{
	const struct kd_transport_ops *ops = kd_transport_find("netns");
	void *opts = NULL;
	int r = read_options(ops, exp->dut.options, &opts, d);

	if (!r)
		r = kd_netlab_open(opts, &lab->net, d);
	free_options(ops, opts);
	if (!r)
		r = start_in(&lab->device, "device", lab->net.dut_ns, agent,
			     KD_NETLAB_DUT_IF, d);
	if (!r)
		r = start_in(&lab->peer, "peer", lab->net.peer_ns, agent, NULL,
			     d);
	strcpy(lab->peer_addr, KD_NETLAB_PEER_ADDR);
	lab->shared = true;
	return r;
}

static int open_local(const struct kd_experiment *exp, const char *agent,
		      struct kd_lab *lab, struct kd_diag *d)
{
	const struct kd_transport_ops *ops = kd_transport_find("local");
	int r = start(&lab->device, "device", ops,
		      exp->dut.transport ? exp->dut.options : NULL, agent,
		      exp->dut.ifname ? exp->dut.ifname : "lo", d);

	lab->shared = true;
	if (!r && kd_experiment_has_peer(exp))
		r = start(&lab->peer, "peer", ops, NULL, agent, NULL, d);
	strcpy(lab->peer_addr, LOOPBACK);
	return r;
}

/* "address=..." among an end's options, as written */
static bool find_address(const char *options, char *out, size_t size)
{
	const char *p = options ? strstr(options, "address=") : NULL;

	if (!p)
		return false;
	p += strlen("address=");
	snprintf(out, size, "%.*s", (int)strcspn(p, ","), p);
	return true;
}

static int open_remote(const struct kd_experiment *exp, const char *agent,
		       struct kd_lab *lab, struct kd_diag *d)
{
	const struct kd_transport_ops *ops = exp->dut.ops;
	const struct kd_transport_ops *peer = exp->peer.ops;
	int r = start(&lab->device, "device", ops, exp->dut.options, agent,
		      exp->dut.ifname, d);

	if (r || !kd_experiment_has_peer(exp))
		return r;
	if (!exp->peer.transport &&
	    json_is_true(json_object_get(lab->device.hello, "peer"))) {
		lab->peer = (struct kd_remote){ .name = "peer",
						.via = &lab->device };
		strcpy(lab->peer_addr, KD_NETLAB_PEER_ADDR);
		lab->shared = true;
		return 0;
	}
	if (!peer)
		peer = kd_transport_find("local");
	r = start(&lab->peer, "peer", peer, exp->peer.options, agent, NULL, d);
	if (!r && !find_address(exp->peer.options, lab->peer_addr,
				sizeof(lab->peer_addr))) {
		r = kd_fail(d, -EINVAL,
			    "the device does not know where its peer is");
		kd_diag_hint(d, "say so: peer: { local: { address: 192.0.2.1 } }");
	}
	return r;
}

int kd_lab_open(const struct kd_experiment *exp, const char *agent,
		struct kd_lab *lab, struct kd_diag *d)
{
	const char *transport = exp->dut.transport;
	int r;

	memset(lab, 0, sizeof(*lab));
	lab->net = (struct kd_netlab){ .dut_ns = -1, .peer_ns = -1 };
	r = count_boots(&exp->dut, &lab->boots, d);
	if (r)
		return r;
	if (lab->boots) {
		strcpy(lab->note, "Each run is a boot of its own; device and peer are two network namespaces of it.");
		strcpy(lab->peer_addr, KD_NETLAB_PEER_ADDR);
		lab->shared = true;
		return 0;
	}
	if (!transport && !geteuid()) {
		strcpy(lab->note,
		       "Device and peer are two network namespaces of this machine, joined by veth.");
		transport = "netns";
	} else if (!transport) {
		strcpy(lab->note,
		       "Not root: device and peer are this machine, over loopback.");
		transport = "local";
	}
	if (!strcmp(transport, "netns"))
		r = open_netns(exp, agent, lab, d);
	else if (!strcmp(transport, "local") && !exp->peer.transport)
		r = open_local(exp, agent, lab, d);
	else
		r = open_remote(exp, agent, lab, d);
	if (r)
		kd_lab_close(lab);
	return r;
}

void kd_lab_close(struct kd_lab *lab)
{
	kd_remote_close(&lab->device);
	if (!lab->peer.via)
		kd_remote_close(&lab->peer);
	kd_netlab_close(&lab->net);
}
