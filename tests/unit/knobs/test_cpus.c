// SPDX-License-Identifier: GPL-2.0-or-later
/* kinds about CPUs, interrupts, drivers and modules, in a made-up machine */
#include "tree.h"

#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/knob.h"
#include "knobs/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CPU "/sys/devices/system/cpu/"

static struct tree tree;

static const char interrupts[] =
	"           CPU0       CPU1       \n"
	" 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n"
	" 41:       5051          0 PCI-MSIX-0000:00:04.0   1-edge      eth0-rx-0\n"
	" 42:          0      12842 PCI-MSIX-0000:00:04.0   2-edge      twin\n"
	" 43:          0      12842 PCI-MSIX-0000:00:04.0   2-edge      twin\n"
	" 16:          0      12842 IO-APIC 16-fasteoi   ehci_hcd:usb1, uhci:usb2\n"
	"NMI:          0          0   Non-maskable interrupts\n";

static int setup(void **state)
{
	char path[160];

	tree_open(&tree);
	for (int i = 0; i < 12; i += 4) {
		snprintf(path, sizeof(path), CPU "cpufreq/policy%d/scaling_governor", i);
		tree_put(&tree, path, "powersave\n");
		snprintf(path, sizeof(path), CPU "cpufreq/policy%d/scaling_max_freq", i);
		tree_put(&tree, path, i == 4 ? "2000\n" : "1000\n");
	}
	tree_put(&tree, CPU "cpufreq/boost", "1\n");
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), CPU "cpu%d/cpuidle/state0/name", i);
		tree_put(&tree, path, "POLL\n");
		snprintf(path, sizeof(path), CPU "cpu%d/cpuidle/state0/disable", i);
		tree_put(&tree, path, "0\n");
		snprintf(path, sizeof(path), CPU "cpu%d/cpuidle/state1/name", i);
		tree_put(&tree, path, "C6\n");
		snprintf(path, sizeof(path), CPU "cpu%d/cpuidle/state1/disable", i);
		tree_put(&tree, path, i ? "1\n" : "0\n");
	}
	tree_put(&tree, CPU "cpuidle/current_governor", "menu\n");
	tree_put(&tree, "/proc/interrupts", interrupts);
	tree_put(&tree, "/proc/irq/24/smp_affinity_list", "0-1\n");
	tree_put(&tree, "/proc/irq/41/smp_affinity_list", "0\n");
	tree_put(&tree, "/proc/irq/16/smp_affinity_list", "1\n");
	tree_put(&tree, "/sys/bus/pci/drivers/e1000/bind", "");
	tree_put(&tree, "/sys/bus/pci/drivers/e1000/unbind", "");
	tree_put(&tree, "/sys/bus/pci/drivers/vfio/bind", "");
	tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/vendor", "x\n");
	tree_put(&tree, "/sys/bus/pci/devices/0000:02:00.0/vendor", "x\n");
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/0000:01:00.0/driver",
		 tree.dir);
	assert_int_equal(symlink("../../../../bus/pci/drivers/e1000", path), 0);
	tree_put(&tree, "/proc/modules", "chip 16384 0 - Live 0x0\n");
	tree_put(&tree, "/sys/module/chip/initstate", "live\n");
	tree_put(&tree, "/sys/module/chip/parameters/sleep", "Y\n");
	tree_put(&tree, "/sys/module/chip/parameters/name", "(null)\n");
	tree_put(&tree, "/sys/module/builtin/parameters/x", "1\n");
	return 0;
}

static int teardown(void **state)
{
	tree_close(&tree);
	return 0;
}

static const char *get(const char *knob)
{
	static char text[512];
	struct kd_knob_env e = { .root = tree.root };
	struct kd_buf b = { 0 };
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);
	int r = ops->get(&e, name, &b, NULL);

	if (r)
		snprintf(text, sizeof(text), "error %d", r);
	else
		snprintf(text, sizeof(text), "%s", kd_buf_str(&b));
	kd_buf_fini(&b);
	return text;
}

static int set(const char *knob, const char *value, struct kd_diag *d)
{
	struct kd_knob_env e = { .root = tree.root };
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);

	memset(d, 0, sizeof(*d));
	return ops->set(&e, name, value, d);
}

static void bad_names(void **state)
{
	static const char *const bad[] = {
		"cpufreq:", "cpufreq:policyx.max", "cpufreq:policy.max",
		"cpufreq:cpu0.max", "cpufreq:../x", "cpufreq:policy0.a/b",
		"cpufreq:x", "cpuidle:", "cpuidle:C6", "cpuidle:C6.enable",
		"cpuidle:.disable", "cpuidle:../x.disable", "irq-affinity:",
		"irq-affinity:a/b", "driver:", "driver:pci", "driver:pci/",
		"driver:pci/../x", "driver:../x", "driver:a/b/c",
		"driver:module/", "driver:module/a b", "driver:module/-x",
		"driver:module/a;b", "qdisc:a/b", "qdisc:0123456789abcdef",
		"ethtool:", "ethtool:.gro", "ethtool:eth0.", "ethtool:GRO",
		"ethtool:0123456789abcdef.gro",
	};

	for (size_t i = 0; i < KD_ARRAY_SIZE(bad); i++) {
		struct kd_diag d = { 0 };
		const char *name;
		const struct kd_knob_ops *ops = kd_knob_find(bad[i], &name);

		/* which files there are is only known on the device */
		if (!strcmp(bad[i], "cpufreq:x"))
			assert_int_equal(ops->check(name, &d), 0);
		else if (ops->check(name, &d) != -EINVAL || !d.text[0])
			fail_msg("%s is taken", bad[i]);
	}
}

static void frequencies(void **state)
{
	struct kd_diag d;

	assert_string_equal(get("cpufreq:governor"), "powersave");
	assert_string_equal(get("cpufreq:max"),
			    "policy0=1000 policy4=2000 policy8=1000");
	assert_string_equal(get("cpufreq:scaling_max_freq"),
			    "policy0=1000 policy4=2000 policy8=1000");
	assert_string_equal(get("cpufreq:policy4.max"), "2000");
	assert_string_equal(get("cpufreq:boost"), "1");
	assert_int_equal(set("cpufreq:governor", "performance", &d), 0);
	assert_string_equal(get("cpufreq:governor"), "performance");
	assert_int_equal(set("cpufreq:max", "500", &d), 0);
	assert_string_equal(get("cpufreq:max"), "500");
	/* and back, each as it was */
	assert_int_equal(set("cpufreq:max",
			     "policy0=1000 policy4=2000 policy8=1000", &d), 0);
	assert_string_equal(get("cpufreq:policy4.max"), "2000");
	assert_string_equal(get("cpufreq:policy8.max"), "1000");
	assert_int_equal(set("cpufreq:nosuch", "1", &d), -ENOENT);
	assert_int_equal(set("cpufreq:policy1.max", "1", &d), -ENOENT);
}

static void idle_states(void **state)
{
	struct kd_diag d;

	assert_string_equal(get("cpuidle:governor"), "menu");
	assert_string_equal(get("cpuidle:C6.disable"), "cpu0=0 cpu1=1");
	assert_string_equal(get("cpuidle:state1.disable"), "cpu0=0 cpu1=1");
	assert_string_equal(get("cpuidle:POLL.disable"), "0");
	assert_string_equal(get("cpuidle:cpu1.C6.disable"), "1");
	assert_int_equal(set("cpuidle:C6.disable", "1", &d), 0);
	assert_string_equal(get("cpuidle:C6.disable"), "1");
	assert_int_equal(set("cpuidle:C6.disable", "cpu0=0 cpu1=1", &d), 0);
	assert_string_equal(tree_get(&tree, CPU "cpu0/cpuidle/state1/disable"),
			    "0\n");
	assert_int_equal(set("cpuidle:C7.disable", "1", &d), -ENOENT);
	assert_non_null(strstr(d.text, "no idle state C7"));
}

static void irqs(void **state)
{
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find("irq-affinity", &name);
	struct kd_diag d;

	assert_string_equal(get("irq-affinity:24"), "0-1");
	assert_string_equal(get("irq-affinity:eth0-rx-0"), "0");
	assert_string_equal(get("irq-affinity:ehci_hcd:usb1, uhci:usb2"), "1");
	assert_int_equal(set("irq-affinity:eth0-rx-0", "1", &d), 0);
	assert_string_equal(tree_get(&tree, "/proc/irq/41/smp_affinity_list"),
			    "1\n");
	assert_int_equal(set("irq-affinity:twin", "1", &d), -EINVAL);
	assert_non_null(strstr(d.text, "2 interrupts are named twin"));
	assert_int_equal(set("irq-affinity:nosuch", "1", &d), -ENOENT);
	assert_int_equal(set("irq-affinity:77", "1", &d), -ENOENT);
	assert_int_equal(ops->match("0,1,2", "0-2"), KD_KNOB_SAME);
	assert_int_equal(ops->match("2,0", "0,2"), KD_KNOB_SAME);
	assert_int_equal(ops->match("0-1", "0"), KD_KNOB_DIFFERS);
	assert_int_equal(ops->match("0-", "0"), KD_KNOB_DIFFERS);
	assert_int_equal(ops->match("99999", "99999"), KD_KNOB_DIFFERS);
	assert_int_equal(ops->match("0-99999999999999999999", "0"),
			 KD_KNOB_DIFFERS);
}

static void drivers(void **state)
{
	struct kd_diag d;

	assert_string_equal(get("driver:pci/0000:01:00.0"), "e1000");
	assert_string_equal(get("driver:pci/0000:02:00.0"), "none");
	assert_string_equal(get("driver:pci/0000:03:00.0"), "error -2");
	assert_int_equal(set("driver:pci/0000:01:00.0", "nosuch", &d), -ENOENT);
	assert_string_equal(tree_get(&tree, "/sys/bus/pci/drivers/e1000/unbind"),
			    "");
	assert_int_equal(set("driver:pci/0000:01:00.0", "../x", &d), -EINVAL);
	assert_int_equal(set("driver:pci/0000:01:00.0", "vfio", &d), 0);
	assert_string_equal(tree_get(&tree, "/sys/bus/pci/drivers/e1000/unbind"),
			    "0000:01:00.0\n");
	assert_string_equal(tree_get(&tree, "/sys/bus/pci/drivers/vfio/bind"),
			    "0000:01:00.0\n");
	/* the driver that it has: off and on again */
	tree_put(&tree, "/sys/bus/pci/drivers/e1000/unbind", "");
	assert_int_equal(set("driver:pci/0000:01:00.0", "e1000", &d), 0);
	assert_string_equal(tree_get(&tree, "/sys/bus/pci/drivers/e1000/unbind"),
			    "0000:01:00.0\n");
	assert_string_equal(tree_get(&tree, "/sys/bus/pci/drivers/e1000/bind"),
			    "0000:01:00.0\n");
	assert_int_equal(set("driver:pci/0000:02:00.0", "none", &d), 0);
}

static void modules(void **state)
{
	struct kd_diag d;

	assert_string_equal(get("driver:module/chip"), "loaded sleep=Y");
	assert_string_equal(get("driver:module/no-such"), "none");
	assert_string_equal(get("driver:module/builtin"), "error -13");
	assert_int_equal(set("driver:module/no-such", "loadd", &d), -EINVAL);
	assert_int_equal(set("driver:module/no-such", "/nonexistent/x.ko a=1",
			     &d), -ENOENT);
	/* one that could not be put back is not taken out */
	assert_int_equal(set("driver:module/chip", "none", &d), -ENOENT);
	assert_non_null(strstr(d.hint, "could not be put back"));
	assert_int_equal(kd_module_match("loaded sleep=1", "loaded sleep=Y a=2"),
			 KD_KNOB_SAME);
	assert_int_equal(kd_module_match("/x.ko a=2  sleep=Y",
					 "loaded sleep=Y a=2"), KD_KNOB_SAME);
	assert_int_equal(kd_module_match("/x.ko hidden=2", "loaded sleep=Y"),
			 KD_KNOB_SAME);
	assert_int_equal(kd_module_match("loaded sleep=0", "loaded sleep=Y"),
			 KD_KNOB_DIFFERS);
	assert_int_equal(kd_module_match("loaded", "none"), KD_KNOB_DIFFERS);
	assert_int_equal(kd_module_match("loaded leep=0", "loaded sleep=Y"),
			 KD_KNOB_SAME);
}

struct listing {
	char text[4096];
};

static void collect(void *arg, const char *name, const char *value,
		    unsigned int knob_flags)
{
	struct listing *l = arg;
	size_t n = strlen(l->text);

	snprintf(l->text + n, sizeof(l->text) - n, "%s=%s\n", name,
		 value ? value : "?");
}

static void lists(void **state)
{
	static const struct {
		const char *kind, *expect;
	} cases[] = {
		{ "cpufreq", "governor=powersave\nmax=policy0=1000 policy4=2000 policy8=1000\nboost=1\n" },
		{ "cpuidle", "governor=menu\nPOLL.disable=0\nC6.disable=cpu0=0 cpu1=1\n" },
		{ "irq-affinity", "24=0-1\n41=0\n16=1\n" },
		{ "driver", "module/chip=loaded sleep=Y\n" },
		{ "qdisc", "" },
		{ "ethtool", "" },
		{ "command", "" },
	};
	struct kd_knob_env e = { .root = tree.root };

	for (size_t i = 0; i < KD_ARRAY_SIZE(cases); i++) {
		struct listing l = { "" };
		const char *name;

		kd_knob_find(cases[i].kind, &name)->list(&e, NULL, collect, &l,
							 NULL);
		assert_string_equal(l.text, cases[i].expect);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bad_names),
		TEST(frequencies),
		TEST(idle_states),
		TEST(irqs),
		TEST(drivers),
		TEST(modules),
		TEST(lists),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
