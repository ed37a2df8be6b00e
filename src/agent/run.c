// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One end of one run. See run.h.
 */
#include "agent/run.h"

#include "base/clock.h"
#include "base/opt.h"
#include "knobs/guardian.h"
#include "observers/observer.h"
#include "observers/sampler.h"
#include "proto/json.h"
#include "proto/result.h"
#include "workloads/workload.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* a run whose deadline the controller did not say */
#define DEADLINE_NS (600 * KD_NS_PER_SEC)
#define PERIOD_NS (100 * KD_NS_PER_MS)
#define MAX_SAMPLES 36000
/* how long an end's traffic may outlast its cool-down */
#define LINGER_NS (10 * KD_NS_PER_SEC)
#define LINGER_STEP_NS (5 * KD_NS_PER_MS)

enum state {
	STATE_PREPARING,
	STATE_PREPARED,
	STATE_STARTED,
	STATE_COUNTED,	/* the window is over, traffic may flow on */
	STATE_DONE,
};

struct kd_agent_run {
	char *name;
	const struct kd_work_ops *ops;
	void *opts;
	void *priv;
	struct kd_work_env env;
	char *addr;
	char *cpus;
	uint64_t cooldown_ns;
	struct kd_sampler *sampler;
	struct kd_json_sink sink;
	struct kd_diag diag;
	int cancelled;
	int awaited;
	int notify_fd;
	bool prepared;
	uint64_t t0_ns, t1_ns;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state;
};

static void set_state(struct kd_agent_run *run, enum state state)
{
	pthread_mutex_lock(&run->lock);
	run->state = state;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

static void await_state(struct kd_agent_run *run, enum state state)
{
	pthread_mutex_lock(&run->lock);
	while (run->state < state)
		pthread_cond_wait(&run->changed, &run->lock);
	pthread_mutex_unlock(&run->lock);
}

static bool is_cancelled(const struct kd_agent_run *run)
{
	return *(volatile const int *)&run->cancelled;
}

/* the window itself; traffic flows before and after */
static int window(struct kd_agent_run *run)
{
	const struct kd_work_ops *ops = run->ops;
	uint64_t sampler_t0, sampler_t1, until;
	int r;

	r = ops->begin(run->priv, &run->t0_ns, &run->diag);
	if (r)
		return r;
	r = kd_sampler_begin(run->sampler, &sampler_t0, &run->diag);
	if (r)
		return r;
	until = run->env.length_ns ? run->t0_ns + run->env.length_ns :
				     run->env.deadline_ns;
	r = ops->wait(run->priv, until, &run->diag);
	if (kd_sampler_end(run->sampler, &sampler_t1, &run->diag) && !r)
		r = run->diag.err;
	if (r)
		return r;
	return ops->end(run->priv, &run->t1_ns, &run->diag);
}

/* traffic flows until the result is asked for, which is when the other end's
 * window is over: however late that was, it was full */
static void cool_down(struct kd_agent_run *run)
{
	const struct kd_work_ops *ops = run->ops;
	uint64_t until = kd_now() + LINGER_NS;
	struct kd_diag late = { 0 };
	int r = ops->wait(run->priv, kd_now() + run->cooldown_ns, &late);

	if (!run->env.length_ns)
		return;
	while (!r && !is_cancelled(run) && kd_now() < until &&
	       !__atomic_load_n(&run->awaited, __ATOMIC_ACQUIRE))
		r = ops->wait(run->priv, kd_now() + LINGER_STEP_NS, &late);
}

static void notify(struct kd_agent_run *run)
{
	uint64_t one = 1;

	while (write(run->notify_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static int traffic(struct kd_agent_run *run)
{
	const struct kd_work_ops *ops = run->ops;
	int r = ops->start(run->priv, &run->diag);

	if (r)
		return r;
	if (run->env.warmup_ns)
		r = ops->wait(run->priv, kd_now() + run->env.warmup_ns,
			      &run->diag);
	if (!r)
		r = window(run);
	if (!r && !is_cancelled(run)) {
		set_state(run, STATE_COUNTED);
		notify(run);
		cool_down(run);
	}
	ops->stop(run->priv);
	if (r)
		return r;
	if (is_cancelled(run))
		return kd_fail(&run->diag, -ECANCELED, "the run was cancelled");
	if (run->env.length_ns && run->t1_ns - run->t0_ns <
	    run->env.length_ns - run->env.length_ns / 20 &&
	    !kd_work_has_end(ops, run->opts))
		return kd_fail(&run->diag, -EPIPE,
			       "the workload ended after %.2f s of %.2f s",
			       (double)(run->t1_ns - run->t0_ns) / 1e9,
			       (double)run->env.length_ns / 1e9);
	ops->result(run->priv, &run->sink.sink);
	kd_sampler_result(run->sampler, &run->sink.sink);
	return 0;
}

static void *runner(void *arg)
{
	struct kd_agent_run *run = arg;

	if (!run->ops->prepare(run->priv, &run->env, run->opts, &run->diag)) {
		run->prepared = true;
		set_state(run, STATE_PREPARED);
		await_state(run, STATE_STARTED);
		if (is_cancelled(run))
			kd_fail(&run->diag, -ECANCELED, "the run was cancelled");
		else if (traffic(run) && !run->diag.err)
			kd_fail(&run->diag, -EIO, "the workload failed");
		run->ops->fini(run->priv);
	} else if (!run->diag.err) {
		kd_fail(&run->diag, -EIO, "the workload could not be prepared");
	}
	set_state(run, STATE_DONE);
	notify(run);
	return NULL;
}

static int parse_token(const char *hex, uint8_t *token)
{
	static const char digits[] = "0123456789abcdef";

	if (strlen(hex) != 32)
		return -EINVAL;
	for (int i = 0; i < 32; i++) {
		const char *p = strchr(digits, hex[i]);

		if (!p || !*p)
			return -EINVAL;
		token[i / 2] = (uint8_t)(token[i / 2] << 4 | (p - digits));
	}
	return 0;
}

static int read_work(struct kd_agent_run *run, const json_t *work,
		     struct kd_diag *d)
{
	const char *kind = kd_json_get_str(work, "kind", "");
	const char *role = kd_json_get_str(work, "role", "device");
	const char *cpus = kd_json_get_str(work, "cpus", NULL);
	struct kd_work_env *env = &run->env;
	uint64_t port = kd_json_get_u64(work, "port", 0);
	int r;

	run->ops = kd_work_find(kind);
	if (!run->ops)
		return kd_fail(d, -EOPNOTSUPP,
			       "this agent has no workload \"%s\"", kind);
	run->opts = calloc(1, run->ops->opts_size + 1);
	run->priv = calloc(1, run->ops->priv_size + 1);
	run->addr = strdup(kd_json_get_str(work, "addr", ""));
	run->cpus = cpus ? strdup(cpus) : NULL;
	if (!run->opts || !run->priv || !run->addr || (cpus && !run->cpus))
		return kd_fail(d, -ENOMEM, "out of memory");
	if (strcmp(role, "device") && strcmp(role, "peer"))
		return kd_fail(d, -EINVAL, "\"%s\" is no role", role);
	if (port > UINT16_MAX)
		return kd_fail(d, -EINVAL, "there is no such port");
	env->role = !strcmp(role, "peer") ? KD_ROLE_PEER : KD_ROLE_DEVICE;
	env->addr = run->addr;
	env->cpus = run->cpus;
	env->port = (uint16_t)port;
	env->cancelled = &run->cancelled;
	r = kd_opt_init(run->ops->opts, run->opts);
	if (!r)
		r = kd_opt_set_list(run->ops->opts, run->opts,
				    kd_json_get_str(work, "opts", ""), d);
	if (!r && run->ops->check)
		r = run->ops->check(run->opts, d);
	if (!r && parse_token(kd_json_get_str(work, "token", ""), env->token) &&
	    kd_work_has_peer(run->ops, run->opts))
		r = kd_fail(d, -EINVAL, "a token is 32 hexadecimal digits");
	return r;
}

static size_t run_sockets(void *arg, int *fds, size_t max)
{
	struct kd_agent_run *run = arg;

	if (!run->prepared || !run->ops->sockets)
		return 0;
	return run->ops->sockets(run->priv, fds, max);
}

static int read_observers(struct kd_agent_run *run, const json_t *request,
			  const struct kd_root *root, const char *ifname,
			  json_t *skipped, struct kd_diag *d)
{
	uint64_t period = kd_json_get_u64(request, "period", PERIOD_NS);
	uint64_t span = run->env.length_ns ? run->env.length_ns : DEADLINE_NS;
	struct kd_obs_env env = {
		.root = root,
		.ifname = ifname,
		.sockets = run_sockets,
		.sockets_arg = run,
		.period_ns = period < KD_NS_PER_MS ? KD_NS_PER_MS : period,
	};
	size_t i;
	json_t *o;
	int r;

	env.max_samples = (size_t)(span / env.period_ns + 8);
	if (env.max_samples > MAX_SAMPLES)
		env.max_samples = MAX_SAMPLES;
	r = kd_sampler_new(&env, &run->sampler, d);
	if (r)
		return r;
	json_array_foreach(json_object_get(request, "observe"), i, o) {
		const char *name = kd_json_get_str(o, "name", "");
		struct kd_diag why = { 0 };

		r = kd_sampler_add(run->sampler, name,
				   kd_json_get_str(o, "opts", ""), &why);
		if (!r)
			continue;
		/* a file that is not there is a reason to go on without it */
		if (!kd_obs_find(name) || r == -EINVAL || r == -ERANGE ||
		    r == -ENOMEM) {
			*d = why;
			return r;
		}
		json_array_append_new(skipped,
				      json_pack("{s:s,s:o}", "observer", name,
						"why", kd_json_text(why.text)));
	}
	return 0;
}

static int read_request(struct kd_agent_run *run, const json_t *request,
			const struct kd_root *root, const char *ifname,
			json_t *skipped, struct kd_diag *d)
{
	int r;

	run->name = strdup(kd_json_get_str(request, "run", ""));
	run->env.warmup_ns = kd_json_get_u64(request, "warmup", 0);
	run->env.length_ns = kd_json_get_u64(request, "length", 0);
	run->cooldown_ns = kd_json_get_u64(request, "cooldown", 0);
	run->env.deadline_ns =
		kd_now() + kd_json_get_u64(request, "deadline", DEADLINE_NS);
	r = read_work(run, json_object_get(request, "work"), d);
	if (!r)
		r = read_observers(run, request, root, ifname, skipped, d);
	if (!r && kd_json_sink_init(&run->sink))
		r = kd_fail(d, -ENOMEM, "out of memory");
	return r;
}

static void on_children(void *arg, pid_t pgid, bool alive)
{
	if (alive)
		kd_guardian_children(arg, pgid);
	else
		kd_guardian_children_ended(arg, pgid);
}

int kd_agent_run_new(const json_t *request, const struct kd_root *root,
		     const char *ifname, struct kd_guardian *guardian,
		     int notify_fd,
		     struct kd_agent_run **out, json_t **skipped,
		     struct kd_diag *d)
{
	struct kd_agent_run *run = calloc(1, sizeof(*run));
	json_t *skips = json_array();
	int r;

	if (!run || !skips)
		return kd_fail(d, -ENOMEM, "out of memory");
	pthread_mutex_init(&run->lock, NULL);
	pthread_cond_init(&run->changed, NULL);
	run->notify_fd = notify_fd;
	run->env.children = on_children;
	run->env.children_arg = guardian;
	r = read_request(run, request, root, ifname, skips, d);
	if (!r) {
		r = -pthread_create(&run->thread, NULL, runner, run);
		run->has_thread = !r;
		if (r)
			kd_fail(d, r, "cannot start a thread");
	}
	if (!r) {
		await_state(run, STATE_PREPARED);
		if (run->diag.err) {
			*d = run->diag;
			r = d->err;
		}
	}
	if (r) {
		json_decref(skips);
		kd_agent_run_free(run);
		return r;
	}
	*skipped = skips;
	*out = run;
	return 0;
}

const char *kd_agent_run_name(const struct kd_agent_run *run)
{
	return run->name;
}

int kd_agent_run_start(struct kd_agent_run *run, struct kd_diag *d)
{
	if (run->state != STATE_PREPARED)
		return kd_fail(d, -EALREADY, "run %s has been started",
			       run->name);
	set_state(run, STATE_STARTED);
	return 0;
}

static bool has_reached(struct kd_agent_run *run, enum state state)
{
	bool has;

	pthread_mutex_lock(&run->lock);
	has = run->state >= state;
	pthread_mutex_unlock(&run->lock);
	return has;
}

bool kd_agent_run_is_started(struct kd_agent_run *run)
{
	return has_reached(run, STATE_STARTED);
}

void kd_agent_run_await(struct kd_agent_run *run)
{
	__atomic_store_n(&run->awaited, 1, __ATOMIC_RELEASE);
}

bool kd_agent_run_is_counted(struct kd_agent_run *run)
{
	return has_reached(run, STATE_COUNTED);
}

void kd_agent_run_await_counted(struct kd_agent_run *run)
{
	await_state(run, STATE_COUNTED);
}

bool kd_agent_run_is_done(struct kd_agent_run *run)
{
	return has_reached(run, STATE_DONE);
}

const json_t *kd_agent_run_join(struct kd_agent_run *run, struct kd_diag *d)
{
	await_state(run, STATE_DONE);
	if (run->diag.err) {
		*d = run->diag;
		return NULL;
	}
	json_object_set_new(run->sink.out, "t0", kd_json_u64(run->t0_ns));
	json_object_set_new(run->sink.out, "t1", kd_json_u64(run->t1_ns));
	return run->sink.out;
}

void kd_agent_run_free(struct kd_agent_run *run)
{
	if (!run)
		return;
	if (run->has_thread) {
		__atomic_store_n(&run->cancelled, 1, __ATOMIC_RELEASE);
		if (!kd_agent_run_is_done(run))
			set_state(run, STATE_STARTED);
		pthread_join(run->thread, NULL);
	}
	kd_sampler_free(run->sampler);
	if (run->sink.out)
		kd_json_sink_fini(&run->sink);
	if (run->ops)
		kd_opt_fini(run->ops->opts, run->opts);
	free(run->opts);
	free(run->priv);
	free(run->addr);
	free(run->cpus);
	free(run->name);
	pthread_cond_destroy(&run->changed);
	pthread_mutex_destroy(&run->lock);
	free(run);
}
