/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_TESTS_STORE_FIXTURE_H
#define KD_TESTS_STORE_FIXTURE_H

#include "base/str.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* a folder of its own per test; state is its name */
static int make_folder(void **state)
{
	char *name = strdup("/tmp/kd-store-XXXXXX");

	*state = name;
	return name && mkdtemp(name) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char cmd[200];
	int r;

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", (char *)*state);
	r = system(cmd);
	free(*state);
	return r;
}

static char *in_folder(void **state, const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", (char *)*state, name);
	return path;
}

static struct kd_store_variant variants[] = {
	{ (char *)"old", (char *)"{\"sysctl:a\": \"1\"}", NULL },
	{ (char *)"new", (char *)"{\"sysctl:a\": \"2\"}", NULL },
};

static struct kd_store_workload workloads[] = {
	{ (char *)"tx", (char *)"tcp", (char *)"direction=tx",
	  (char *)"throughput" },
	{ (char *)"idle", (char *)"idle", NULL, NULL },
};

static struct kd_store_exp an_experiment(const char *name)
{
	return (struct kd_store_exp){
		.name = (char *)name,
		.file_name = (char *)"a.yaml",
		.file_text = (char *)"name: a\n",
		.digest = (char *)"abc",
		.seed = 0xfedcba9876543210ULL,
		.created_wall_ns = 1700000000123456789ULL,
		.version = (char *)"0.1.0",
		.plan = (char *)"{\"rounds\": 3, \"alpha\": 0.01}",
		.device = (char *)"local",
		.variants = variants,
		.n_variants = 2,
		.workloads = workloads,
		.n_workloads = 2,
	};
}

static struct kd_run_metric metrics[] = {
	{ (char *)"throughput", NULL, (char *)"Mbit/s", KD_BETTER_HIGHER,
	  KD_FROM_DEVICE, 0.1 },
	{ (char *)"cpu.busy", (char *)"1", (char *)"%", KD_BETTER_LOWER,
	  KD_FROM_DEVICE, 12.5 },
	{ (char *)"cpu.busy", (char *)"1", (char *)"%", KD_BETTER_LOWER,
	  KD_FROM_PEER, 3 },
};

static struct kd_store_run a_run(int variant, int workload, int round, int seq)
{
	return (struct kd_store_run){
		.variant = variant,
		.workload = workload,
		.round = round,
		.slot = variant,
		.seq = seq,
		.attempt = 1,
		.started_wall_ns = 1700000001000000000ULL,
		.device_window_ns = 5000000001ULL,
		.peer_window_ns = 5000000002ULL,
		.boot_id = (char *)"b1",
		.environment = (char *)"{\"kernel\": \"6.1\"}",
		.metrics = metrics,
		.n_metrics = KD_ARRAY_SIZE(metrics),
	};
}

#endif
