// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of operations for the tests of the experiment file, so that its
 * messages do not change with every new workload or knob.
 */
#include "base/opt.h"
#include "knobs/knob.h"
#include "observers/observer.h"
#include "transports/transport.h"
#include "workloads/workload.h"

#include <stdlib.h>
#include <string.h>

struct tcp {
	int direction;
	int64_t streams;
	uint64_t size;
	bool nodelay;
	char *congestion;
	uint64_t pacing;
};

static const char *const directions[] = { "tx", "rx", "bidir", NULL };

static const struct kd_opt tcp_opts[] = {
	{ "direction", KD_OPT_ENUM, offsetof(struct tcp, direction),
	  .choices = directions, .def = "tx", .flags = KD_OPT_POSITIONAL },
	{ "streams", KD_OPT_INT, offsetof(struct tcp, streams),
	  .min = 1, .max = 1024, .def = "1" },
	{ "size", KD_OPT_SIZE, offsetof(struct tcp, size), .min = 1,
	  .flags = KD_OPT_ENDS },
	{ "nodelay", KD_OPT_BOOL, offsetof(struct tcp, nodelay) },
	{ "congestion", KD_OPT_STR, offsetof(struct tcp, congestion) },
	{ "pacing", KD_OPT_RATE, offsetof(struct tcp, pacing) },
	{ 0 },
};

static const struct kd_metric_desc tcp_metrics[] = {
	{ "tcp.tx", "Mbit/s", KD_BETTER_HIGHER },
	{ "tcp.rx", "Mbit/s", KD_BETTER_HIGHER },
	{ 0 },
};

static int tcp_check(const void *opts, struct kd_diag *d)
{
	const struct tcp *o = opts;

	if (o->nodelay && o->pacing)
		return kd_fail(d, -EINVAL, "nodelay and pacing do not go together");
	return 0;
}

static const struct kd_work_ops tcp_ops = {
	.name = "tcp", .summary = "bulk", .opts = tcp_opts,
	.opts_size = sizeof(struct tcp),
	.flags = KD_WORK_NEEDS_PEER | KD_WORK_ENDS,
	.metrics = tcp_metrics, .check = tcp_check,
};

static const struct kd_metric_desc idle_metrics[] = { { 0 } };

static const struct kd_work_ops idle_ops = {
	.name = "idle", .summary = "nothing", .metrics = idle_metrics,
};

struct exec {
	char *command;
	char *metric;
};

static const struct kd_opt exec_opts[] = {
	{ "command", KD_OPT_STR, offsetof(struct exec, command), .arg = "CMD" },
	{ "metric", KD_OPT_STR, offsetof(struct exec, metric),
	  .flags = KD_OPT_REPEAT },
	{ 0 },
};

static const struct kd_work_ops exec_ops = {
	.name = "exec", .summary = "any command", .opts = exec_opts,
	.opts_size = sizeof(struct exec), .flags = KD_WORK_ENDS,
};

static const char *const protocols[] = { "tcp", "udp", NULL };

struct iperf3 {
	int direction;
	int protocol;
	char *server;
};

static const struct kd_opt iperf3_opts[] = {
	{ "direction", KD_OPT_ENUM, offsetof(struct iperf3, direction),
	  .choices = directions, .def = "tx", .flags = KD_OPT_POSITIONAL },
	{ "protocol", KD_OPT_ENUM, offsetof(struct iperf3, protocol),
	  .choices = protocols, .def = "tcp" },
	{ "server", KD_OPT_STR, offsetof(struct iperf3, server) },
	{ 0 },
};

static const struct kd_work_ops iperf3_ops = {
	.name = "iperf3", .summary = "stock server", .opts = iperf3_opts,
	.opts_size = sizeof(struct iperf3), .metrics = tcp_metrics,
};

extern const struct kd_work_ops *const kd_work_table[];
const struct kd_work_ops *const kd_work_table[] = {
	&tcp_ops, &idle_ops, &exec_ops, &iperf3_ops, NULL,
};

const struct kd_work_ops *kd_work_find(const char *name)
{
	for (size_t i = 0; kd_work_table[i]; i++)
		if (!strcmp(kd_work_table[i]->name, name))
			return kd_work_table[i];
	return NULL;
}

bool kd_work_has_peer(const struct kd_work_ops *ops, const void *opts)
{
	return ops->flags & KD_WORK_NEEDS_PEER;
}

static const struct kd_metric_desc cpu_metrics[] = {
	{ "cpu.busy", "%", KD_BETTER_LOWER }, { 0 },
};
static const struct kd_metric_desc power_metrics[] = {
	{ "power.mean", "W", KD_BETTER_LOWER }, { 0 },
};
static const struct kd_obs_ops cpu_ops = {
	.name = "cpu", .metrics = cpu_metrics,
};
static const struct kd_obs_ops power_ops = {
	.name = "power", .metrics = power_metrics,
};

struct tasks {
	int64_t top;
};

static const struct kd_opt tasks_opts[] = {
	{ "top", KD_OPT_INT, offsetof(struct tasks, top), .min = 1, .max = 100 },
	{ 0 },
};
static const struct kd_obs_ops tasks_ops = {
	.name = "tasks", .opts = tasks_opts, .opts_size = sizeof(struct tasks),
};

static const struct kd_obs_ops irq_ops = { .name = "irq" };
static const struct kd_obs_ops tcp_obs_ops = { .name = "tcp" };

extern const struct kd_obs_ops *const kd_obs_table[];
const struct kd_obs_ops *const kd_obs_table[] = {
	&cpu_ops, &tasks_ops, &power_ops, &irq_ops, &tcp_obs_ops, NULL,
};

const struct kd_obs_ops *kd_obs_find(const char *name)
{
	for (size_t i = 0; kd_obs_table[i]; i++)
		if (!strcmp(kd_obs_table[i]->name, name))
			return kd_obs_table[i];
	return NULL;
}

static int sysctl_check(const char *name, struct kd_diag *d)
{
	return strchr(name, '.') ? 0 :
		kd_fail(d, -EINVAL, "\"%s\" is no name of a sysctl", name);
}

static const struct kd_knob_ops knob_ops[] = {
	{ .name = "sysctl", .flags = KD_KNOB_NETNS, .check = sysctl_check },
	{ .name = "module-param" },
	{ .name = "sysfs" },
	{ .name = "ethtool", .flags = KD_KNOB_NETNS },
	{ .name = "command" },
	{ .name = "kernel", .flags = KD_KNOB_RESETS },
};

extern const struct kd_knob_ops *const kd_knob_table[];
const struct kd_knob_ops *const kd_knob_table[] = {
	&knob_ops[0], &knob_ops[1], &knob_ops[2],
	&knob_ops[3], &knob_ops[4], &knob_ops[5], NULL,
};

const struct kd_knob_ops *kd_knob_find(const char *knob, const char **name)
{
	size_t len = strcspn(knob, ":");

	for (size_t i = 0; kd_knob_table[i]; i++) {
		if (strlen(kd_knob_table[i]->name) != len ||
		    strncmp(kd_knob_table[i]->name, knob, len))
			continue;
		*name = knob + len + (knob[len] == ':');
		return kd_knob_table[i];
	}
	return NULL;
}

struct ssh {
	char *host;
	char *agent;
};

static const struct kd_opt ssh_opts[] = {
	{ "host", KD_OPT_STR, offsetof(struct ssh, host),
	  .flags = KD_OPT_POSITIONAL },
	{ "agent", KD_OPT_STR, offsetof(struct ssh, agent) },
	{ 0 },
};

static int ssh_argv(const void *opts, const char *agent, char ***argv,
		    struct kd_diag *d)
{
	const struct ssh *o = opts;

	if (!o->host)
		return kd_fail(d, -EINVAL, "ssh needs a host");
	*argv = calloc(2, sizeof(char *));
	(*argv)[0] = strdup(o->host);
	return 0;
}

struct netns {
	uint64_t rate;
};

static const struct kd_opt netns_opts[] = {
	{ "rate", KD_OPT_RATE, offsetof(struct netns, rate) }, { 0 },
};

struct command {
	char *command;
};

static const struct kd_opt command_opts[] = {
	{ "command", KD_OPT_STR, offsetof(struct command, command),
	  .arg = "CMD", .flags = KD_OPT_POSITIONAL },
	{ 0 },
};

static const struct kd_transport_ops local_ops = { .name = "local" };
static const struct kd_transport_ops netns_ops = {
	.name = "netns", .opts = netns_opts, .opts_size = sizeof(struct netns),
};
static const struct kd_transport_ops ssh_ops = {
	.name = "ssh", .opts = ssh_opts, .opts_size = sizeof(struct ssh),
	.argv = ssh_argv,
};
static const struct kd_transport_ops board_ops = {
	.name = "board", .opts = ssh_opts, .opts_size = sizeof(struct ssh),
};
static const struct kd_transport_ops exec_transport_ops = {
	.name = "exec", .opts = command_opts,
	.opts_size = sizeof(struct command),
};

extern const struct kd_transport_ops *const kd_transport_table[];
const struct kd_transport_ops *const kd_transport_table[] = {
	&local_ops, &netns_ops, &ssh_ops, &exec_transport_ops, &board_ops,
	NULL,
};

const struct kd_transport_ops *kd_transport_find(const char *name)
{
	for (size_t i = 0; kd_transport_table[i]; i++)
		if (!strcmp(kd_transport_table[i]->name, name))
			return kd_transport_table[i];
	return NULL;
}
