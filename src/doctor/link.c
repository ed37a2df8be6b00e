// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Network links: power save, speed, offloads.
 */
#include "base/buf.h"
#include "base/root.h"
#include "doctor/look.h"
#include "knobs/knob.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NETS "/sys/class/net"

/* interfaces for which something is so: "eth0, wlan0" */
struct named {
	const struct kd_root *root;
	char names[200];
	size_t n, of;
};

static void add_name(struct named *x, const char *name)
{
	size_t len = strlen(x->names);

	x->n++;
	snprintf(x->names + len, sizeof(x->names) - len, "%s%s",
		 len ? ", " : "", name);
}

static void host_bus(const struct kd_root *root, struct kd_finding *f)
{
	char text[128];
	const char *is = kd_look_choice(root,
		"/sys/module/pcie_aspm/parameters/policy", text, sizeof(text));

	if (*is)
		kd_look_say(f, !strncmp(is, "powersave", 9) ||
			    !strcmp(is, "powersupersave") ? KD_FIT_WARN :
			    !strcmp(is, "default") ? KD_FIT_NOTE : KD_FIT_OK,
			    strcmp(is, "default") ? "%s" :
			    "%s: the firmware's choice", is);
}

static void add_control(void *arg, const char *name, const char *text)
{
	struct named *x = arg;

	x->of++;
	if (!strcmp(text, "auto"))
		add_name(x, name);
}

static void device(const struct kd_root *root, struct kd_finding *f)
{
	struct named x = { .root = root };

	if (!kd_look_each(root, NETS, "", "device/power/control", add_control,
			  &x))
		return;
	if (x.n)
		kd_look_say(f, KD_FIT_NOTE, "%s may be suspended when idle",
			    x.names);
	else
		kd_look_say(f, KD_FIT_OK, "all stay awake");
}

static void add_wireless(void *arg, const char *name, const char *text)
{
	struct named *x = arg;
	char path[128];

	(void)text;
	snprintf(path, sizeof(path), NETS "/%.60s/phy80211", name);
	if (kd_look_is(x->root, path))
		add_name(x, name);
}

static void wireless(const struct kd_root *root, struct kd_finding *f)
{
	struct named x = { .root = root };

	kd_look_each(root, NETS, "", "type", add_wireless, &x);
	if (!x.n)
		return;
	kd_look_say(f, KD_FIT_NOTE, "%s: power save is not shown by sysfs",
		    x.names);
	kd_look_fix(f, "iw dev %.*s get power_save, and set power_save off",
		    (int)strcspn(x.names, ","), x.names);
}

static void add_duplex(void *arg, const char *name, const char *text)
{
	struct named *x = arg;

	x->of++;
	if (!strcmp(text, "half"))
		add_name(x, name);
}

static void duplex(const struct kd_root *root, struct kd_finding *f)
{
	struct named x = { .root = root };

	if (!kd_look_each(root, NETS, "", "duplex", add_duplex, &x))
		return;
	if (x.n)
		kd_look_say(f, KD_FIT_BAD, "half on %s", x.names);
	else
		kd_look_say(f, KD_FIT_OK, "full");
}

static void add_errors(void *arg, const char *name, const char *text)
{
	struct named *x = arg;
	char with[80];

	x->of++;
	if (atof(text) <= 0)
		return;
	snprintf(with, sizeof(with), "%.40s %.20s", name, text);
	add_name(x, with);
}

static void errors(const struct kd_root *root, struct kd_finding *f)
{
	struct named x = { .root = root };

	if (!kd_look_each(root, NETS, "", "statistics/rx_errors", add_errors,
			  &x))
		return;
	if (x.n)
		kd_look_say(f, KD_FIT_WARN, "received with errors: %s", x.names);
	else
		kd_look_say(f, KD_FIT_OK, "none received");
}

static bool is_up(void *arg, const char *name)
{
	const struct named *x = arg;
	char path[128], text[32];

	snprintf(path, sizeof(path), NETS "/%.60s/operstate", name);
	return !strcmp(kd_look_text(x->root, path, text, sizeof(text)), "up");
}

static void add_offloads(void *arg, const char *name, const char *text)
{
	static const char *const words[] = { "tso", "gso", "gro" };
	const struct kd_knob_ops *ops = kd_knob_find("ethtool", &(const char *){ 0 });
	struct kd_knob_env env = { .ifname = name };
	struct named *x = arg;
	char with[96];

	(void)text;
	if (!ops || !is_up(x, name))
		return;
	env.root = x->root;
	for (size_t i = 0; i < 3; i++) {
		struct kd_buf value = { 0 };
		int r = ops->get(&env, words[i], &value, NULL);

		x->of += !r;
		if (!r && !strcmp(kd_buf_str(&value), "off")) {
			snprintf(with, sizeof(with), "%s of %.60s", words[i],
				 name);
			add_name(x, with);
		}
		kd_buf_fini(&value);
	}
}

/* by netlink, so of the machine that this runs on alone */
static void offloads(const struct kd_root *root, struct kd_finding *f)
{
	struct named x = { .root = root };

	if (!kd_root_is_live(root))
		return;
	kd_look_each(root, NETS, "", "type", add_offloads, &x);
	if (!x.of)
		return;
	if (x.n)
		kd_look_say(f, KD_FIT_NOTE, "off: %s", x.names);
	else
		kd_look_say(f, KD_FIT_OK, "tso, gso and gro are on");
}

const struct kd_doctor_check kd_doctor_link[] = {
	{ "host-bus", "power save of PCI Express links (ASPM)",
	  "A link that sleeps takes microseconds to wake, per burst: latency is higher and, at low rates, CPU per byte lower.",
	  "echo performance > /sys/module/pcie_aspm/parameters/policy",
	  host_bus },
	{ "device", "runtime suspend of network devices",
	  "The first packet after a pause waits until the device is awake.",
	  "echo on > " NETS "/IFACE/device/power/control", device },
	{ "wireless", "Wi-Fi power save",
	  "The station sleeps between beacons: latency of up to 100 ms and more, and less throughput downwards.",
	  "iw dev IFACE set power_save off", wireless },
	{ "duplex", "full or half duplex",
	  "One direction at a time, with collisions: the negotiation failed.",
	  "set the same at both ends, or let both negotiate", duplex },
	{ "errors", "frames received with errors",
	  "Lost frames are sent again, and the sender slows down.",
	  "look at cable, connector and antenna; zero the counters and measure again",
	  errors },
	{ "offloads", "segmentation and receive offloads of links that are up",
	  "Without them the cost per packet is measured, not that per byte; figures of others are mostly with them.",
	  "ethtool -K IFACE tso on gso on gro on, or the knob ethtool: in the experiment",
	  offloads },
	{ 0 },
};
