// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Observers on trees written by hand, with figures worked out by hand, and on
 * this machine against the kernel's own account of a spinning process.
 */
#include "tree.h"

#include "base/clock.h"
#include "base/root.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SEC KD_NS_PER_SEC

static void begin(struct rig *r, const char *name, const struct tree *t)
{
	struct kd_obs_env env = { .root = t->root };

	assert_int_equal(rig_start(r, name, "", &env), 0);
	r->ops->sample(r->priv, KD_OBS_BEGIN, 10 * SEC);
}

static void end(struct rig *r, uint64_t now_ns)
{
	r->ops->sample(r->priv, KD_OBS_END, now_ns);
	rig_result(r);
}

/* NAN, for a metric that is not there, is near to nothing */
static void near(const struct got *g, const char *name, double want,
		 double within)
{
	double v = got_value(g, name);

	if (!(fabs(v - want) <= within))
		fail_msg("%s is %g, not %g within %g", name, v, want, within);
}

static void absent(const struct got *g, const char *name)
{
	if (!isnan(got_value(g, name)))
		fail_msg("%s is reported", name);
}

static void only_note(const struct rig *r)
{
	assert_int_equal(r->got.n_metrics, 0);
	assert_int_equal(r->got.n_events, 1);
	assert_string_equal(r->got.events[0].kind, "note");
	assert_int_equal(r->got.events[0].flags, 0);
}

static void cpu_shares(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/proc/stat",
		   "cpu  100 10 50 800 40 0 5 7 0 0\n"
		   "cpu0 50 10 25 400 20 0 5 7 0 0\n"
		   "cpu1 50 0 25 400 20 0 0 0 0 0\nintr 1\n");
	begin(&r, "cpu", &t);
	/* 200 ticks: user 40, nice 10, system 30, idle 90, iowait 10, irq 4,
	 * softirq 12, steal 4; core 0 has 100, of which 20 idle */
	tree_write(&t, "/proc/stat",
		   "cpu  140 20 80 890 50 4 17 11 0 0\n"
		   "cpu0 85 20 48 420 20 4 12 11 0 0\n"
		   "cpu1 55 0 32 470 30 0 5 0 0 0\nintr 1\n");
	end(&r, 11 * SEC);
	near(&r.got, "cpu.busy", 50, 1e-9);
	near(&r.got, "cpu.user", 25, 1e-9);
	near(&r.got, "cpu.system", 15, 1e-9);
	near(&r.got, "cpu.irq", 2, 1e-9);
	near(&r.got, "cpu.softirq", 6, 1e-9);
	near(&r.got, "cpu.steal", 2, 1e-9);
	near(&r.got, "cpu.iowait", 5, 1e-9);
	near(&r.got, "cpu.idle", 45, 1e-9);
	/* core 0: 35+10+23+20+0+4+7+4 = 103; core 1: 5+7+70+10+5 = 97 */
	near(&r.got, "cpu.core-busy[0]", 83 * 100 / 103.0, 1e-9);
	near(&r.got, "cpu.core-busy[1]", 17 * 100 / 97.0, 1e-9);
	near(&r.got, "cpu.busiest", 83 * 100 / 103.0, 1e-9);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void write_task(const struct tree *t, const char *pid, const char *tid,
		       const char *comm, const char *schedstat,
		       const char *stat)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, tid);
	tree_write(t, path, comm);
	snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid, tid);
	if (schedstat)
		tree_write(t, path, schedstat);
	snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", pid, tid);
	if (stat)
		tree_write(t, path, stat);
}

static void tasks_by_name(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/proc/stat", "cpu  100 0 0 800 0 0 0 0 0 0\n");
	write_task(&t, "7", "7", "web\n", "1000000000 5 1\n", NULL);
	write_task(&t, "7", "8", "web\n", "2000000000 5 1\n", NULL);
	write_task(&t, "9", "9", "kworker/u4:2-events\n", "500 0 1\n", NULL);
	write_task(&t, "12", "12", "old\n", "9000000000 0 1\n", NULL);
	begin(&r, "tasks", &t);
	tree_write(&t, "/proc/stat", "cpu  280 0 0 900 0 0 0 0 0 0\n");
	write_task(&t, "7", "7", "web\n", "1300000000 5 1\n", NULL);
	write_task(&t, "7", "8", "web\n", "2200000000 5 1\n", NULL);
	write_task(&t, "9", "9", "kworker/u4:3-rpc\n", "100000500 0 1\n", NULL);
	/* a new one, born in the window, and a number used anew */
	write_task(&t, "10", "10", "new\n", "400000000 0 1\n", NULL);
	write_task(&t, "12", "12", "newer\n", "200000000 0 1\n", NULL);
	end(&r, 12 * SEC);
	near(&r.got, "tasks.cpu[web]", 25, 1e-6);
	near(&r.got, "tasks.cpu[kworker/u4]", 5, 1e-6);
	near(&r.got, "tasks.cpu[new]", 20, 1e-6);
	near(&r.got, "tasks.cpu[newer]", 10, 1e-6);
	absent(&r.got, "tasks.cpu[old]");
	near(&r.got, "tasks.other", 0, 1e-9);
	/* 180 ticks of 10 ms in 2 s are 90 %, 60 % are in tasks */
	near(&r.got, "tasks.unattributed", 30, 1e-6);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void tasks_by_ticks(void **state)
{
	struct tree t;
	struct rig r;
	struct kd_obs_env env;

	tree_init(&t);
	env = (struct kd_obs_env){ .root = t.root };
	tree_write(&t, "/proc/stat", "cpu  100 0 0 800 0 0 0 0 0 0\n");
	write_task(&t, "7", "7", "a) S 1\n", "0 0 0\n",
		   "7 (a) S 1) R 1 7 7 0 -1 4194304 1 0 0 0 20 5 0 0 20 0 1\n");
	write_task(&t, "8", "8", "b\n", "0 0 0\n",
		   "8 (b) R 1 8 8 0 -1 4194304 1 0 0 0 20 5 0 0 20 0 1\n");
	assert_int_equal(rig_start(&r, "tasks", "top=1", &env), 0);
	r.ops->sample(r.priv, KD_OBS_BEGIN, 10 * SEC);
	write_task(&t, "7", "7", "a) S 1\n", NULL,
		   "7 (a) S 1) R 1 7 7 0 -1 4194304 1 0 0 0 50 25 0 0 20 0 1\n");
	write_task(&t, "8", "8", "b\n", NULL,
		   "8 (b) R 1 8 8 0 -1 4194304 1 0 0 0 29 6 0 0 20 0 1\n");
	end(&r, 11 * SEC);
	near(&r.got, "tasks.cpu[a) S 1]", 50, 1e-6);
	absent(&r.got, "tasks.cpu[b]");
	near(&r.got, "tasks.other", 10, 1e-6);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void irq_lines(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/proc/interrupts",
		   "           CPU0       CPU1       \n"
		   " 17:       1000       2000     GICv2  30 Level     arch_timer\n"
		   " 40:         10          0  gpio-mxc   3 Edge      mmc0, wilc\n"
		   " 41:          5          5  PCI-MSI   1-edge      eth0\n"
		   " 42:          1          0      MIPS   7  eth0\n"
		   " 43:          1          0     GICv2  77 Level   \n"
		   " 44: 4294967290          0     GICv2  50 Level     wrap\n"
		   " 45:          3          0     GICv2  51 Level     quiet\n"
		   "IPI0:        11         12  Rescheduling interrupts\n"
		   "Err:          0\n");
	tree_write(&t, "/proc/softirqs",
		   "                    CPU0       CPU1\n"
		   "      NET_RX:        100        200\n"
		   "      NET_TX:          1          2\n");
	tree_write(&t, "/proc/net/softnet_stat",
		   "000000ff 00000001 00000002 00000000\n"
		   "fffffff0 00000000 00000000 00000000\n");
	begin(&r, "irq", &t);
	tree_write(&t, "/proc/interrupts",
		   "           CPU0       CPU1       \n"
		   " 17:       1100       2300     GICv2  30 Level     arch_timer\n"
		   " 40:         30          0  gpio-mxc   3 Edge      mmc0, wilc\n"
		   " 41:          6          8  PCI-MSI   1-edge      eth0\n"
		   " 42:          7          0      MIPS   7  eth0\n"
		   " 43:          9          0     GICv2  77 Level   \n"
		   " 44:         10          0     GICv2  50 Level     wrap\n"
		   " 45:          3          0     GICv2  51 Level     quiet\n"
		   "IPI0:        13         16  Rescheduling interrupts\n"
		   "Err:          2\n");
	tree_write(&t, "/proc/softirqs",
		   "                    CPU0       CPU1\n"
		   "      NET_RX:        150        250\n"
		   "      NET_TX:          1          2\n");
	/* 0x101 more, of which 0x20 across the wrap */
	tree_write(&t, "/proc/net/softnet_stat",
		   "000001e0 00000003 00000006 00000000\n"
		   "00000010 00000000 00000000 00000000\n");
	end(&r, 12 * SEC);
	near(&r.got, "irq.rate[arch_timer]", 200, 1e-9);
	near(&r.got, "irq.rate[mmc0, wilc]", 10, 1e-9);
	near(&r.got, "irq.rate[eth0]", 5, 1e-9);
	near(&r.got, "irq.rate[irq43]", 4, 1e-9);
	near(&r.got, "irq.rate[wrap]", 8, 1e-9);
	near(&r.got, "irq.rate[IPI0]", 3, 1e-9);
	near(&r.got, "irq.rate[Err]", 1, 1e-9);
	near(&r.got, "irq.total", 230, 1e-9);
	absent(&r.got, "irq.rate[quiet]");
	near(&r.got, "softirq.rate[NET_RX]", 50, 1e-9);
	near(&r.got, "softnet.processed", 0x101 / 2.0, 1e-9);
	near(&r.got, "softnet.dropped", 1, 1e-9);
	near(&r.got, "softnet.squeezed", 2, 1e-9);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void irq_hotplug(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/proc/interrupts",
		   "           CPU0       CPU1       \n"
		   " 17:       1000       2000     GICv2  30 Level     arch_timer\n");
	begin(&r, "irq", &t);
	tree_write(&t, "/proc/interrupts",
		   "           CPU0       \n"
		   " 17:       1100     GICv2  30 Level     arch_timer\n");
	end(&r, 12 * SEC);
	only_note(&r);
	rig_stop(&r, true);
	tree_fini(&t);
}

#define IDLE(cpu, state, file) \
	"/sys/devices/system/cpu/cpu" #cpu "/cpuidle/state" #state "/" file

static void idle_deltas(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, IDLE(0, 0, "name"), "WFI\n");
	tree_write(&t, IDLE(0, 0, "time"), "1000\n");
	tree_write(&t, IDLE(0, 0, "usage"), "10\n");
	tree_write(&t, IDLE(0, 1, "name"), "cpu-sleep\n");
	tree_write(&t, IDLE(0, 1, "time"), "0\n");
	tree_write(&t, IDLE(0, 1, "usage"), "0\n");
	tree_write(&t, IDLE(0, 1, "above"), "5\n");
	tree_write(&t, IDLE(0, 1, "below"), "0\n");
	tree_write(&t, IDLE(2, 0, "name"), "WFI\n");
	tree_write(&t, IDLE(2, 0, "time"), "7000\n");
	tree_write(&t, IDLE(2, 0, "usage"), "20\n");
	begin(&r, "idle", &t);
	tree_write(&t, IDLE(0, 0, "time"), "501000\n");
	tree_write(&t, IDLE(0, 0, "usage"), "110\n");
	tree_write(&t, IDLE(0, 1, "time"), "1000000\n");
	tree_write(&t, IDLE(0, 1, "usage"), "40\n");
	tree_write(&t, IDLE(0, 1, "above"), "25\n");
	tree_write(&t, IDLE(2, 0, "time"), "1507000\n");
	tree_write(&t, IDLE(2, 0, "usage"), "320\n");
	end(&r, 12 * SEC);
	/* 0.5 s + 1.5 s of two cores' 4 s */
	near(&r.got, "idle.residency[WFI]", 50, 1e-9);
	near(&r.got, "idle.entries[WFI]", 200, 1e-9);
	near(&r.got, "idle.residency[cpu-sleep]", 25, 1e-9);
	near(&r.got, "idle.entries[cpu-sleep]", 20, 1e-9);
	near(&r.got, "idle.above[cpu-sleep]", 10, 1e-9);
	near(&r.got, "idle.below[cpu-sleep]", 0, 1e-9);
	absent(&r.got, "idle.above[WFI]");
	/* the driver was loaded again */
	tree_write(&t, IDLE(0, 0, "time"), "3\n");
	end(&r, 13 * SEC);
	only_note(&r);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void missing_is_told(void **state)
{
	static const char *const names[] = { "cpu", "tasks", "irq", "idle",
					     "power", "kmsg", "tcp",
					     "freq", "thermal" };
	struct kd_obs_env env;
	struct tree t;
	struct rig r;

	tree_init(&t);
	env = (struct kd_obs_env){ .root = t.root };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int err = rig_start(&r, names[i], "", &env);

		/* what the agent takes as "skipped", not as a mistake */
		assert_true(err == -ENODEV || err == -ENOENT ||
			    err == -EOPNOTSUPP);
		assert_int_not_equal(strlen(r.diag.text), 0);
		rig_stop(&r, false);
	}
	tree_fini(&t);
}

#define HWMON "/sys/class/hwmon/hwmon3/"

static void power_one_sensor(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, HWMON "name", "ina226\n");
	tree_write(&t, HWMON "power1_input", "2000000\n");
	begin(&r, "power", &t);
	tree_write(&t, HWMON "power1_input", "4000000\n");
	r.ops->sample(r.priv, KD_OBS_TICK, 11 * SEC);
	tree_write(&t, HWMON "power1_input", "1000000\n");
	end(&r, 14 * SEC);
	/* 1 s of 3 W, 3 s of 2.5 W */
	near(&r.got, "power.energy", 10.5, 1e-9);
	near(&r.got, "power.mean", 2.625, 1e-9);
	near(&r.got, "power.mean[ina226.power1]", 2.625, 1e-9);
	rig_stop(&r, true);
	tree_fini(&t);
}

#define RAPL "/sys/class/powercap/intel-rapl:0/"
#define CORE "/sys/class/powercap/intel-rapl:0:0/"

static void power_wraps(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, RAPL "name", "package-0\n");
	tree_write(&t, RAPL "max_energy_range_uj", "262143328850\n");
	tree_write(&t, RAPL "energy_uj", "262140328850\n");
	tree_write(&t, CORE "name", "core\n");
	tree_write(&t, CORE "max_energy_range_uj", "262143328850\n");
	tree_write(&t, CORE "energy_uj", "1000000\n");
	begin(&r, "power", &t);
	/* 3 J to the end of the range, then 5 J */
	tree_write(&t, RAPL "energy_uj", "5000000\n");
	tree_write(&t, CORE "energy_uj", "3000000\n");
	end(&r, 12 * SEC);
	near(&r.got, "power.energy[package-0]", 8, 1e-9);
	near(&r.got, "power.mean[package-0]", 4, 1e-9);
	near(&r.got, "power.energy[core]", 2, 1e-9);
	/* a part of the package is not a second sensor */
	near(&r.got, "power.mean", 4, 1e-9);
	rig_stop(&r, true);

	tree_write(&t, HWMON "power1_label", "SoC\n");
	tree_write(&t, HWMON "power1_input", "2000000\n");
	begin(&r, "power", &t);
	end(&r, 12 * SEC);
	near(&r.got, "power.mean[SoC]", 2, 1e-9);
	absent(&r.got, "power.mean");
	rig_stop(&r, true);
	tree_fini(&t);
}

#define POLICY "/sys/devices/system/cpu/cpufreq/policy4/"

static void freq_means(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, POLICY "scaling_cur_freq", "600000\n");
	begin(&r, "freq", &t);
	tree_write(&t, POLICY "scaling_cur_freq", "1800000\n");
	r.ops->sample(r.priv, KD_OBS_TICK, 11 * SEC);
	end(&r, 12 * SEC);
	/* of the samples, where nothing better is */
	near(&r.got, "freq.mean[policy4]", 1400, 1e-9);
	near(&r.got, "freq.lowest[policy4]", 600, 1e-9);
	near(&r.got, "freq.highest[policy4]", 1800, 1e-9);
	absent(&r.got, "freq.changes[policy4]");
	rig_stop(&r, true);

	tree_write(&t, POLICY "stats/time_in_state", "600000 50\n1800000 10\n");
	tree_write(&t, POLICY "stats/total_trans", "7\n");
	begin(&r, "freq", &t);
	/* 150 ticks at 600 MHz, 50 at 1800 */
	tree_write(&t, POLICY "stats/time_in_state", "600000 200\n1800000 60\n");
	tree_write(&t, POLICY "stats/total_trans", "11\n");
	end(&r, 12 * SEC);
	near(&r.got, "freq.mean[policy4]", 900, 1e-9);
	near(&r.got, "freq.lowest[policy4]", 1800, 1e-9);
	near(&r.got, "freq.changes[policy4]", 2, 1e-9);
	/* a core that went away answers no longer */
	tree_write(&t, POLICY "scaling_cur_freq", "<unknown>\n");
	end(&r, 13 * SEC);
	only_note(&r);
	rig_stop(&r, true);
	tree_fini(&t);
}

#define ZONE "/sys/class/thermal/thermal_zone1/"
#define COOLER "/sys/class/thermal/cooling_device0/"
#define THROTTLE "/sys/devices/system/cpu/cpu0/thermal_throttle/"

static void thermal_trips(void **state)
{
	static const char *const temps[] = { "79000\n", "86000\n", "84000\n",
					     "97000\n" };
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, ZONE "type", "cpu-thermal\n");
	tree_write(&t, ZONE "trip_point_0_type", "passive\n");
	tree_write(&t, ZONE "trip_point_0_temp", "85000\n");
	tree_write(&t, ZONE "trip_point_1_type", "critical\n");
	tree_write(&t, ZONE "trip_point_1_temp", "95000\n");
	/* switched off */
	tree_write(&t, ZONE "trip_point_2_type", "active\n");
	tree_write(&t, ZONE "trip_point_2_temp", "-274000\n");
	tree_write(&t, ZONE "temp", "-5000\n");
	tree_write(&t, COOLER "type", "cpufreq-cpu0\n");
	tree_write(&t, COOLER "cur_state", "0\n");
	tree_write(&t, THROTTLE "core_throttle_count", "10\n");
	tree_write(&t, THROTTLE "package_throttle_count", "20\n");
	begin(&r, "thermal", &t);
	for (size_t i = 0; i < sizeof(temps) / sizeof(temps[0]); i++) {
		tree_write(&t, ZONE "temp", temps[i]);
		r.ops->sample(r.priv, KD_OBS_TICK, (11 + i) * SEC);
	}
	tree_write(&t, ZONE "temp", "");	/* the sensor sleeps */
	tree_write(&t, COOLER "cur_state", "3\n");
	tree_write(&t, THROTTLE "core_throttle_count", "14\n");
	tree_write(&t, THROTTLE "package_throttle_count", "21\n");
	end(&r, 15 * SEC);
	near(&r.got, "thermal.mean[cpu-thermal]",
	     (-5 + 79 + 86 + 84 + 97) / 5.0, 1e-9);
	near(&r.got, "thermal.highest[cpu-thermal]", 97, 1e-9);
	/* 85 twice, 95 once */
	near(&r.got, "thermal.trips[cpu-thermal]", 3, 0);
	near(&r.got, "thermal.cooling[cpufreq-cpu0]", 0.5, 1e-9);
	near(&r.got, "thermal.throttled", 5, 0);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void thermal_sleeps(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, ZONE "temp", "");
	tree_write(&t, "/sys/class/thermal/thermal_zone0/temp", "20000\n");
	begin(&r, "thermal", &t);
	end(&r, 11 * SEC);
	near(&r.got, "thermal.mean[thermal_zone0]", 20, 1e-9);
	absent(&r.got, "thermal.mean[thermal_zone1]");
	assert_int_equal(r.got.n_events, 1);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void kmsg_trouble(void **state)
{
	static const struct {
		const char *record, *kind;
	} rows[] = {
		{ "6,10,1000,-;wlan0: associated\n SUBSYSTEM=net\n", NULL },
		{ "4,11,1001,-;WARNING: CPU: 0 PID: 7 at net/core/dev.c:1 f\n",
		  "warn" },
		{ "0,12,1002,-;Internal error: Oops: 17 [#1] SMP ARM\n",
		  "oops" },
		{ "0,13,1003,-;watchdog: BUG: soft lockup - CPU#1 stuck\n",
		  "oops" },
		{ "3,14,1004,-;INFO: task dd:12 blocked for more than 120 s\n",
		  "oops" },
		{ "3,15,1005,-;ath10k_pci 0000:02:00.0: firmware crashed!\n",
		  "oops" },
		{ "6,16,1006,-;watchdog: Disabling lockup detectors\n", NULL },
		{ "6,17,1007,-;wilc: firmware version 15.4\n", NULL },
		{ "3,18,1008,-;rcu: INFO: rcu_sched self-detected stall\n",
		  "oops" },
	};
	size_t want = 0;
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/dev/kmsg", "0,1,1,-;Oops: before the run\n");
	begin(&r, "kmsg", &t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tree_append(&t, "/dev/kmsg", rows[i].record);
	/* of a program (facility 1), and not a record at all */
	tree_append(&t, "/dev/kmsg", "12,19,1009,-;lava: BUG: a program's\n");
	tree_append(&t, "/dev/kmsg", "BUG: no prefix\n0;\n,;\n");
	end(&r, 12 * SEC);
	near(&r.got, "kmsg.messages", 9, 0);
	absent(&r.got, "kmsg.lost");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct got_event *e = &r.got.events[want];

		if (!rows[i].kind)
			continue;
		assert_true(want++ < r.got.n_events);
		assert_string_equal(e->kind, rows[i].kind);
		assert_int_equal(e->flags, KD_EVENT_FAIL);
		assert_true(e->t_ns == 2 * SEC);
		assert_memory_equal(e->text, strchr(rows[i].record, ';') + 1,
				    strlen(e->text));
	}
	assert_int_equal(r.got.n_events, want);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void kmsg_flood(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/dev/kmsg", "");
	begin(&r, "kmsg", &t);
	for (int i = 0; i < 40; i++)
		tree_append(&t, "/dev/kmsg", "0,1,1,-;Oops: again\n");
	end(&r, 12 * SEC);
	near(&r.got, "kmsg.messages", 40, 0);
	assert_int_equal(r.got.n_events, 33);
	assert_string_equal(r.got.events[32].text, "kmsg: 8 more like these");
	rig_stop(&r, true);
	tree_fini(&t);
}

struct pair {
	int fds[3];
	size_t n;
};

static size_t pair_sockets(void *arg, int *fds, size_t max)
{
	const struct pair *p = arg;

	memcpy(fds, p->fds, p->n * sizeof(*fds));
	return p->n;
}

static void begin_histogram(struct rig *r, const struct tree *t,
			    const char *options)
{
	struct kd_obs_env env = { .root = t->root };

	assert_int_equal(rig_start(r, "histogram", options, &env), 0);
	r->ops->sample(r->priv, KD_OBS_BEGIN, 10 * SEC);
}

/* the published counts of a download, on top of what was there before */
static void histogram_of_the_window(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/passes", "0 10\n1 400\n2 300\n3 20\n");
	begin_histogram(&r, &t, "file=/passes");
	tree_write(&t, "/passes",
		   "0 867\n1 36806\n2 32686\n3 2250\n4 153\n5 11\n");
	end(&r, 12 * SEC);
	near(&r.got, "histogram.share[0]", 100.0 * 857 / 72043, 1e-9);
	near(&r.got, "histogram.share[1]", 100.0 * 36406 / 72043, 1e-9);
	near(&r.got, "histogram.share[5]", 100.0 * 11 / 72043, 1e-9);
	near(&r.got, "histogram.mean",
	     (36406 + 2 * 32386 + 3 * 2230 + 4 * 153 + 5 * 11) / 72043.0, 1e-9);
	near(&r.got, "histogram.rate", 72043 / 2.0, 1e-9);
	assert_int_equal(r.got.n_events, 0);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void histogram_layouts(void **state)
{
	struct tree t;
	struct rig r;

	tree_init(&t);
	tree_write(&t, "/uniq", "");
	begin_histogram(&r, &t, "file=/uniq,layout=count-value");
	tree_write(&t, "/uniq", "   30 1\n    10 2\n");
	end(&r, 11 * SEC);
	near(&r.got, "histogram.share[1]", 75, 1e-9);
	rig_stop(&r, true);
	tree_write(&t, "/hist", "# event histogram\n#\n\n");
	begin_histogram(&r, &t, "file=/hist");
	tree_write(&t, "/hist",
		   "# event histogram\n#\n\n"
		   "{ vec:          1 } hitcount:          5\n"
		   "{ vec:          3 } hitcount:         15\n\n"
		   "Totals:\n    Hits: 20\n");
	end(&r, 11 * SEC);
	near(&r.got, "histogram.share[3]", 75, 1e-9);
	near(&r.got, "histogram.mean", 2.5, 1e-9);
	assert_int_equal(r.got.n_events, 0);
	rig_stop(&r, true);
	tree_fini(&t);
}

static void histogram_that_is_none(void **state)
{
	static const char *const after[] = {
		"1 3\n", "", "a b\n", "1 99999999999999999999999\n",
		"1 5 7\n", "nan 3\n", "{ : } hitcount:\n",
	};
	struct tree t;
	struct rig r;

	tree_init(&t);
	for (size_t i = 0; i < sizeof(after) / sizeof(*after); i++) {
		tree_write(&t, "/passes", "1 4\n");
		begin_histogram(&r, &t, "file=/passes");
		tree_write(&t, "/passes", after[i]);
		end(&r, 11 * SEC);
		assert_int_equal(r.got.n_metrics, 0);
		assert_true(r.got.n_events > 0);
		rig_stop(&r, true);
	}
	tree_fini(&t);
}

static void tcp_on_loopback(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	struct pair p = { .n = 2 };
	struct kd_obs_env env = { .sockets = pair_sockets, .sockets_arg = &p };
	int l = socket(AF_INET, SOCK_STREAM, 0);
	char byte = 0;
	struct rig r;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(l, (void *)&a, sizeof(a)), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (void *)&a, &len), 0);
	p.fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	p.fds[1] = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(connect(p.fds[0], (void *)&a, sizeof(a)), 0);
	p.fds[2] = accept(l, NULL, NULL);
	assert_int_equal(rig_start(&r, "tcp", "", &env), 0);
	r.ops->sample(r.priv, KD_OBS_BEGIN, 10 * SEC);
	assert_int_equal(write(p.fds[0], &byte, 1), 1);
	assert_int_equal(read(p.fds[2], &byte, 1), 1);
	end(&r, 11 * SEC);
	/* a new connection's window, RFC 6928, may have grown by one */
	near(&r.got, "tcpinfo.cwnd", 10.5, 0.5);
	near(&r.got, "tcpinfo.retransmits", 0, 0);
	near(&r.got, "tcpinfo.rtt", 5000, 4999);
	/* the datagram socket alone is no connection */
	p.fds[0] ^= p.fds[1];
	p.fds[1] ^= p.fds[0];
	p.fds[0] ^= p.fds[1];
	p.n = 1;
	r.ops->sample(r.priv, KD_OBS_BEGIN, 10 * SEC);
	end(&r, 11 * SEC);
	only_note(&r);
	rig_stop(&r, true);
	for (int i = 0; i < 3; i++)
		close(p.fds[i]);
	close(l);
}

static pid_t start_spinner(void)
{
	int ready[2];
	pid_t child;
	char c;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		volatile unsigned long n = 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "kd-spinner");
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			n++;
	}
	assert_true(child > 0);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static double cpu_ms(clockid_t clock)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(clock, &ts), 0);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void spinner_shows(void **state)
{
	const struct timespec half = { .tv_nsec = 500000000 };
	struct kd_obs_env env = { 0 };
	struct kd_root *root;
	struct rig tasks, cpu;
	double spun_ms, window_ms, cores;
	clockid_t clock;
	uint64_t t0, t1;
	pid_t child;

	assert_int_equal(kd_root_open("/", &root, NULL), 0);
	env.root = root;
	assert_int_equal(rig_start(&tasks, "tasks", "", &env), 0);
	assert_int_equal(rig_start(&cpu, "cpu", "", &env), 0);
	child = start_spinner();
	assert_int_equal(clock_getcpuclockid(child, &clock), 0);
	t0 = kd_now();
	spun_ms = cpu_ms(clock);
	tasks.ops->sample(tasks.priv, KD_OBS_BEGIN, t0);
	cpu.ops->sample(cpu.priv, KD_OBS_BEGIN, t0);
	nanosleep(&half, NULL);
	t1 = kd_now();
	spun_ms = cpu_ms(clock) - spun_ms;
	tasks.ops->sample(tasks.priv, KD_OBS_END, t1);
	cpu.ops->sample(cpu.priv, KD_OBS_END, t1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	rig_result(&tasks);
	rig_result(&cpu);
	window_ms = (double)(t1 - t0) / 1e6;
	cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
	assert_true(spun_ms > 20);
	/* two ticks of 10 ms at each end, at the most */
	near(&tasks.got, "tasks.cpu[kd-spinner]", spun_ms * 100 / window_ms,
	     40 * 100 / window_ms);
	assert_true(got_value(&cpu.got, "cpu.busy") / 100 * window_ms * cores >=
		    spun_ms - 40);
	rig_stop(&tasks, true);
	rig_stop(&cpu, true);
	kd_root_close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_shares),
		cmocka_unit_test(tasks_by_name),
		cmocka_unit_test(tasks_by_ticks),
		cmocka_unit_test(irq_lines),
		cmocka_unit_test(irq_hotplug),
		cmocka_unit_test(idle_deltas),
		cmocka_unit_test(missing_is_told),
		cmocka_unit_test(power_one_sensor),
		cmocka_unit_test(power_wraps),
		cmocka_unit_test(freq_means),
		cmocka_unit_test(thermal_trips),
		cmocka_unit_test(thermal_sleeps),
		cmocka_unit_test(kmsg_trouble),
		cmocka_unit_test(kmsg_flood),
		cmocka_unit_test(histogram_of_the_window),
		cmocka_unit_test(histogram_layouts),
		cmocka_unit_test(histogram_that_is_none),
		cmocka_unit_test(tcp_on_loopback),
		cmocka_unit_test(spinner_shows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
