// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing, for the time: what a device does by itself.
 */
#include "workloads/workload.h"

#include "base/clock.h"
#include "base/opt.h"

struct idle {
	const struct kd_work_env *env;
};

/* env->cancelled has no descriptor; few wake-ups matter here */
#define NAP_NS (100 * KD_NS_PER_MS)

static const struct kd_opt idle_opts[] = { { 0 } };
static const struct kd_metric_desc idle_metrics[] = { { 0 } };

static int idle_prepare(void *priv, const struct kd_work_env *env,
			const void *opts, struct kd_diag *d)
{
	struct idle *i = priv;

	i->env = env;
	return 0;
}

static int idle_start(void *priv, struct kd_diag *d)
{
	return 0;
}

static int idle_stamp(void *priv, uint64_t *ns, struct kd_diag *d)
{
	*ns = kd_now();
	return 0;
}

static int idle_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	const struct idle *i = priv;
	uint64_t end = until_ns < i->env->deadline_ns ? until_ns :
							i->env->deadline_ns;
	uint64_t now;

	while ((now = kd_now()) < end &&
	       !(i->env->cancelled && *i->env->cancelled))
		kd_sleep_until(end - now > NAP_NS ? now + NAP_NS : end);
	return 0;
}

static void idle_stop(void *priv)
{
}

static void idle_result(void *priv, struct kd_sink *sink)
{
}

const struct kd_work_ops kd_work_idle_ops = {
	.name = "idle",
	.summary = "nothing, for the time",
	.opts = idle_opts,
	.priv_size = sizeof(struct idle),
	.metrics = idle_metrics,
	.prepare = idle_prepare,
	.start = idle_start,
	.begin = idle_stamp,
	.wait = idle_wait,
	.end = idle_stamp,
	.stop = idle_stop,
	.result = idle_result,
	.fini = idle_stop,
};
