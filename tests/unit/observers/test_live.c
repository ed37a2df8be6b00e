// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Observers and the sampler on this machine, against what the kernel counts
 * elsewhere: the control group of a process that burns CPU time, the resource
 * usage of this one, and /proc/interrupts as awk reads it.
 */
#include "burner.h"
#include "tree.h"

#include "base/clock.h"
#include "base/root.h"
#include "base/str.h"
#include "observers/sampler.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MS KD_NS_PER_MS

static struct kd_root *live(void)
{
	struct kd_root *root;

	assert_int_equal(kd_root_open("/", &root, NULL), 0);
	return root;
}

struct window {
	struct rig rig;
	struct kd_root *root;
	uint64_t t0_ns, t1_ns;
};

static void begin(struct window *w, const char *name, const char *options)
{
	struct kd_obs_env env;

	w->root = live();
	env = (struct kd_obs_env){ .root = w->root };
	assert_int_equal(rig_start(&w->rig, name, options, &env), 0);
	w->t0_ns = kd_now();
	w->rig.ops->sample(w->rig.priv, KD_OBS_BEGIN, w->t0_ns);
}

static void tick(struct window *w)
{
	w->rig.ops->sample(w->rig.priv, KD_OBS_TICK, kd_now());
}

static void end(struct window *w)
{
	w->t1_ns = kd_now();
	w->rig.ops->sample(w->rig.priv, KD_OBS_END, w->t1_ns);
	rig_result(&w->rig);
	rig_stop(&w->rig, true);
	kd_root_close(w->root);
}

/* a metric in % of one core, as time */
static double time_ms(const struct window *w, const char *metric)
{
	double v = got_value(&w->rig.got, metric);

	return (isnan(v) ? 0 : v) / 100 * (double)(w->t1_ns - w->t0_ns) / 1e6;
}

/* the group is counted in us; nothing in it runs at the window's ends */
static void same_time(double ms, double by_group_ms)
{
	if (!(fabs(ms - by_group_ms) < 0.1))
		fail_msg("%g ms, the group says %g ms", ms, by_group_ms);
}

static void task_is_counted(bool thread)
{
	struct window w;
	struct burner b;
	uint64_t before;

	burner_start(&b, thread);
	burner_burn(&b, 20);
	before = burner_used_ns(&b);
	begin(&w, "tasks", "top=256");
	burner_burn(&b, 150);
	end(&w);
	assert_true(burner_used_ns(&b) - before >= 150 * MS);
	same_time(time_ms(&w, "tasks.cpu[kd-burner]"),
		  (double)(burner_used_ns(&b) - before) / 1e6);
	burner_end(&b);
	burner_fini(&b);
}

static void tasks_process(void **state)
{
	task_is_counted(false);
}

static void tasks_thread(void **state)
{
	task_is_counted(true);
}

/* born in the window, and gone before its end: known as of the last tick */
static void task_comes_and_goes(bool thread)
{
	struct window w;
	struct burner b;
	uint64_t used;

	begin(&w, "tasks", "top=256");
	tick(&w);
	burner_start(&b, thread);
	used = burner_used_ns(&b);
	burner_burn(&b, 100);
	/* with its threads at the latest when all of /proc is listed again */
	for (int i = 0; i < 11; i++)
		tick(&w);
	used = burner_used_ns(&b) - used;
	burner_end(&b);
	burner_fini(&b);
	end(&w);
	/* and what it ran before it came into its group */
	assert_true(time_ms(&w, "tasks.cpu[kd-burner]") >=
		    (double)used / 1e6 - 0.1);
	assert_true(time_ms(&w, "tasks.cpu[kd-burner]") <
		    (double)used / 1e6 + 20);
}

static void tasks_gone_process(void **state)
{
	task_comes_and_goes(false);
}

static void tasks_gone_thread(void **state)
{
	task_comes_and_goes(true);
}

/* nobody saw it, but /proc/stat has its time, in ticks of 10 ms */
static void tasks_unseen(void **state)
{
	struct window w;
	struct burner b;

	begin(&w, "tasks", "top=256");
	tick(&w);
	burner_start(&b, false);
	burner_burn(&b, 400);
	burner_end(&b);
	burner_fini(&b);
	end(&w);
	assert_true(time_ms(&w, "tasks.cpu[kd-burner]") == 0);
	assert_true(time_ms(&w, "tasks.unattributed") > 200);
}

static void cpu_is_counted(void **state)
{
	double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
	struct window w;
	struct burner b;

	burner_start(&b, false);
	begin(&w, "cpu", "");
	burner_burn(&b, 400);
	end(&w);
	/* /proc/stat counts whoever runs at a tick of 10 ms */
	assert_true(time_ms(&w, "cpu.busy") * cores >= 400 - 60);
	assert_true(time_ms(&w, "cpu.busy") * cores <=
		    (double)(w.t1_ns - w.t0_ns) / 1e6 * cores);
	burner_end(&b);
	burner_fini(&b);
}

/* all interrupts so far, or all soft ones */
static double awk_sum(const char *program)
{
	FILE *f = popen(program, "r");
	double sum;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lf", &sum), 1);
	pclose(f);
	return sum;
}

static void between(double v, double least, double most)
{
	if (!(v >= least - 0.5 && v <= most + 0.5))
		fail_msg("%.1f is not in %.0f to %.0f", v, least, most);
}

static void irq_counts(void **state)
{
	static const char irqs[] =
		"awk 'NR == 1 { n = NF; next } $1 !~ /^(ERR|MIS|Err):/ "
		"{ for (i = 2; i <= n + 1 && $i ~ /^[0-9]+$/; i++) s += $i } "
		"END { printf \"%.0f\", s }' /proc/interrupts";
	static const char softirqs[] =
		"awk 'NR > 1 { for (i = 2; i <= NF; i++) s += $i } "
		"END { printf \"%.0f\", s }' /proc/softirqs";
	const struct timespec half = { .tv_nsec = 300000000 };
	double hard[4], soft[4], span_s, all = 0;
	struct window w;

	w.root = live();
	assert_int_equal(rig_start(&w.rig, "irq", "",
				   &(struct kd_obs_env){ .root = w.root }), 0);
	hard[0] = awk_sum(irqs), soft[0] = awk_sum(softirqs);
	w.rig.ops->sample(w.rig.priv, KD_OBS_BEGIN, w.t0_ns = kd_now());
	hard[1] = awk_sum(irqs), soft[1] = awk_sum(softirqs);
	nanosleep(&half, NULL);
	hard[2] = awk_sum(irqs), soft[2] = awk_sum(softirqs);
	end(&w);
	hard[3] = awk_sum(irqs), soft[3] = awk_sum(softirqs);
	span_s = (double)(w.t1_ns - w.t0_ns) / 1e9;
	assert_true(hard[2] > hard[1]);
	between(got_value(&w.rig.got, "irq.total") * span_s, hard[2] - hard[1],
		hard[3] - hard[0]);
	for (size_t i = 0; i < w.rig.got.n_metrics; i++)
		if (kd_str_has_prefix(w.rig.got.metrics[i].name, "softirq."))
			all += w.rig.got.metrics[i].value;
	between(all * span_s, soft[2] - soft[1], soft[3] - soft[0]);
}

static double usage_ms(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

struct times {
	uint64_t t_ns[1024];
	size_t n;
};

struct keep {
	struct got got;
	struct times times;
};

static void on_series(struct kd_sink *s, const struct kd_metric_desc *m,
		      const char *instance, const uint64_t *t_ns,
		      const double *values, size_t n)
{
	struct keep *k = (struct keep *)s;

	assert_true(n <= KD_ARRAY_SIZE(k->times.t_ns));
	memcpy(k->times.t_ns, t_ns, n * sizeof(*t_ns));
	k->times.n = n;
}

static void sample_for(uint64_t period_ns, uint64_t span_ns, struct keep *k,
		       uint64_t *t0_ns, uint64_t *t1_ns)
{
	struct kd_obs_env env = { .root = live(), .period_ns = period_ns,
				  .max_samples = 1000 };
	struct kd_sampler *s;
	uint64_t before, after;

	assert_int_equal(kd_sampler_new(&env, &s, NULL), 0);
	assert_int_equal(kd_sampler_add(s, "cpu", "", NULL), 0);
	assert_int_equal(kd_sampler_add(s, "tasks", "", NULL), 0);
	assert_int_equal(kd_sampler_add(s, "irq", "", NULL), 0);
	before = kd_now();
	assert_int_equal(kd_sampler_begin(s, t0_ns, NULL), 0);
	after = kd_now();
	assert_true(before <= *t0_ns && *t0_ns <= after);
	kd_sleep_until(after + span_ns);
	before = kd_now();
	assert_int_equal(kd_sampler_end(s, t1_ns, NULL), 0);
	after = kd_now();
	assert_true(before <= *t1_ns && *t1_ns <= after);
	got_init(&k->got);
	k->got.sink.series = on_series;
	kd_sampler_result(s, &k->got.sink);
	kd_sampler_free(s);
	kd_root_close((struct kd_root *)env.root);
}

static void sampler_ticks(void **state)
{
	static struct keep k;
	uint64_t t0, t1, span;
	double missed;

	sample_for(10 * MS, 300 * MS, &k, &t0, &t1);
	span = t1 - t0;
	missed = got_value(&k.got, "sampler.late");
	/* each tick once, and the end */
	assert_true(k.times.n > 1);
	assert_true((double)k.times.n + missed <= (double)(span / (10 * MS)) + 1);
	assert_true(k.times.t_ns[k.times.n - 1] == span);
	for (size_t i = 0; i + 1 < k.times.n; i++) {
		assert_true(k.times.t_ns[i] >= (i + 1) * 10 * MS);
		assert_true(k.times.t_ns[i] < k.times.t_ns[i + 1]);
	}
}

/*
 * What the sampler says of itself against what the kernel says of the process,
 * which does nothing else: start and end of the sampler's thread, setting up and
 * reporting are in the latter alone.
 */
static void sampler_cost(void **state)
{
	static struct keep k;
	double all, alone, said;
	uint64_t t0, t1;

	/* the same without ticks: what there is beside the sampling */
	alone = -usage_ms();
	sample_for(1000 * MS, 1 * MS, &k, &t0, &t1);
	alone += usage_ms();
	alone -= got_value(&k.got, "sampler.cpu") / 100 * (double)(t1 - t0) / 1e6;
	all = -usage_ms();
	sample_for(1 * MS, 500 * MS, &k, &t0, &t1);
	all += usage_ms();
	said = got_value(&k.got, "sampler.cpu") / 100 * (double)(t1 - t0) / 1e6;
	print_message("# sampler says %.2f ms, kernel %.2f ms, of which %.2f ms "
		      "beside it\n", said, all, alone);
	assert_true(said > 5);
	assert_true(said <= all);
	assert_true(said >= 0.9 * (all - 2 * alone));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_process),
		cmocka_unit_test(tasks_thread),
		cmocka_unit_test(tasks_gone_process),
		cmocka_unit_test(tasks_gone_thread),
		cmocka_unit_test(tasks_unseen),
		cmocka_unit_test(cpu_is_counted),
		cmocka_unit_test(irq_counts),
		cmocka_unit_test(sampler_ticks),
		cmocka_unit_test(sampler_cost),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
