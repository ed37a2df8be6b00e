// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who else is on the machine: other programs, other machines, limits.
 */
#include "base/root.h"
#include "doctor/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_WARN 0.1
#define LOAD_BAD 0.75
#define PRESSURE_WARN 1.0
#define PRESSURE_BAD 20.0
#define STEAL_WARN 0.001
#define STEAL_BAD 0.02
#define BOOT_S 120

static void count_entry(void *arg, const char *entry, const char *text)
{
	size_t *n = arg;

	(void)entry;
	(void)text;
	++*n;
}

/* cores of "0-3,6" */
static size_t count_list(const char *s)
{
	size_t n = 0;

	while (*s) {
		char *end;
		long a = strtol(s, &end, 10), b = a;

		if (end == s)
			break;
		if (*end == '-')
			b = strtol(end + 1, &end, 10);
		if (b >= a)
			n += (size_t)(b - a + 1);
		s = *end == ',' ? end + 1 : end;
		if (s == end)
			break;
	}
	return n;
}

static size_t cores(const struct kd_root *root)
{
	char text[256];
	size_t n = count_list(kd_look_text(root,
					   "/sys/devices/system/cpu/online",
					   text, sizeof(text)));

	if (!n)
		kd_look_each(root, "/sys/devices/system/cpu", "cpu#", "uevent",
			     count_entry, &n);
	return n ? n : 1;
}

static void load(const struct kd_root *root, struct kd_finding *f)
{
	double v = kd_look_number(root, "/proc/loadavg");
	double per = v / (double)cores(root);

	if (isnan(v))
		return;
	kd_look_say(f, per > LOAD_BAD ? KD_FIT_BAD :
		    per > LOAD_WARN ? KD_FIT_WARN : KD_FIT_OK,
		    "%.2f over the last minute on %zu cores", v, cores(root));
}

static void pressure(const struct kd_root *root, struct kd_finding *f)
{
	static const char *const kinds[] = { "cpu", "memory", "io" };
	double worst = -1;
	const char *which = "";

	for (size_t i = 0; i < 3; i++) {
		char path[64], text[128];
		const char *s;
		double v;

		snprintf(path, sizeof(path), "/proc/pressure/%s", kinds[i]);
		s = strstr(kd_look_text(root, path, text, sizeof(text)),
			   "avg60=");
		v = s ? atof(s + 6) : -1;
		if (v <= worst)
			continue;
		worst = v;
		which = kinds[i];
	}
	if (worst < 0)
		return;
	kd_look_say(f, worst > PRESSURE_BAD ? KD_FIT_BAD :
		    worst > PRESSURE_WARN ? KD_FIT_WARN : KD_FIT_OK,
		    "tasks waited for %s %.1f %% of the last minute", which,
		    worst);
}

/* programs that wake up by themselves, and what they do */
static const struct {
	const char *comm;
	const char *does;
} restless[] = {
	{ "irqbalance", "moves interrupts between cores" },
	{ "apt", "installs" }, { "dpkg", "installs" },
	{ "apt-get", "installs" }, { "unattended-upgr", "installs" },
	{ "packagekitd", "installs" }, { "updatedb", "reads all files" },
	{ "mandb", "reads files" }, { "fstrim", "trims disks" },
	{ "tracker-miner-f", "reads all files" },
	{ "baloo_file", "reads all files" },
	{ "thermald", "changes frequencies" },
	{ "tlp", "changes power settings" },
	{ "power-profiles-", "changes power settings" },
	{ "tuned", "changes settings" }, { "snapd", "installs" },
	{ "fwupd", "asks devices" },
	{ "iperf3", "measures" }, { "qemu-system-x86", "is a machine" },
};

#define RESTLESS (sizeof(restless) / sizeof(restless[0]))

static void add_process(void *arg, const char *pid, const char *comm)
{
	bool *seen = arg;

	(void)pid;
	for (size_t i = 0; i < RESTLESS; i++)
		seen[i] |= !strcmp(comm, restless[i].comm);
}

static void programs(const struct kd_root *root, struct kd_finding *f)
{
	bool seen[RESTLESS] = { 0 };
	char words[240] = "";
	size_t len = 0;

	if (!kd_look_each(root, "/proc", "#", "comm", add_process, seen))
		return;
	for (size_t i = 0; i < RESTLESS && len < sizeof(words); i++)
		if (seen[i])
			len += (size_t)snprintf(words + len,
				sizeof(words) - len, "%s%s (%s)",
				len ? ", " : "", restless[i].comm,
				restless[i].does);
	if (len)
		kd_look_say(f, KD_FIT_WARN, "%s", words);
	else
		kd_look_say(f, KD_FIT_OK, "none of the known ones");
	if (seen[0])
		kd_look_fix(f, "systemctl stop irqbalance, and what else is named");
}

static void machine(const struct kd_root *root, struct kd_finding *f)
{
	char text[8192], vendor[64];
	const char *who = kd_look_text(root, "/sys/class/dmi/id/sys_vendor",
				       vendor, sizeof(vendor));
	const char *flags;

	if (kd_root_read(root, "/proc/cpuinfo", text, sizeof(text)) < 0 &&
	    !text[0])
		return;
	text[sizeof(text) - 1] = '\0';
	flags = strstr(text, "\nflags");
	if ((flags && strstr(flags, " hypervisor")) ||
	    kd_look_is(root, "/sys/hypervisor/type"))
		kd_look_say(f, KD_FIT_WARN, "virtual%s%s", *who ? ", " : "",
			    who);
	else
		kd_look_say(f, KD_FIT_OK, "no sign of a hypervisor");
}

static void steal(const struct kd_root *root, struct kd_finding *f)
{
	char text[512];
	const char *s = kd_look_text(root, "/proc/stat", text, sizeof(text));
	double v[8] = { 0 }, sum = 0;

	if (strncmp(s, "cpu ", 4) ||
	    sscanf(s, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1],
		   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 8)
		return;
	for (int i = 0; i < 8; i++)
		sum += v[i];
	if (sum <= 0)
		return;
	kd_look_say(f, v[7] / sum > STEAL_BAD ? KD_FIT_BAD :
		    v[7] / sum > STEAL_WARN ? KD_FIT_WARN : KD_FIT_OK,
		    "%.2f %% of all time since boot", v[7] / sum * 100);
}

/* the tightest "QUOTA PERIOD" from this process's group up to the root */
static void quota(const struct kd_root *root, struct kd_finding *f)
{
	char text[1024], path[700], group[600] = "/", line[64];
	char *own;
	double least = INFINITY;
	bool any = false;

	if (kd_root_read(root, "/proc/self/cgroup", text, sizeof(text)) < 0)
		return;
	own = strstr(text, "0::");
	if (!own || (own > text && own[-1] != '\n'))
		return;
	snprintf(group, sizeof(group), "%.*s",
		 (int)strcspn(own + 3, "\n"), own + 3);
	for (;;) {
		char *slash;
		double max, period;

		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group);
		kd_look_text(root, path, line, sizeof(line));
		any |= line[0];
		if (sscanf(line, "%lf %lf", &max, &period) == 2 && period > 0)
			least = fmin(least, max / period);
		slash = strrchr(group, '/');
		if (!slash || !group[0])
			break;
		*slash = '\0';
	}
	if (!any && !kd_look_is(root, "/sys/fs/cgroup/cgroup.controllers"))
		return;
	if (isfinite(least))
		kd_look_say(f, KD_FIT_BAD, "%.2f cores at the most", least);
	else
		kd_look_say(f, KD_FIT_OK, "none");
}

static void uptime(const struct kd_root *root, struct kd_finding *f)
{
	double s = kd_look_number(root, "/proc/uptime");

	if (isnan(s))
		return;
	kd_look_say(f, s < BOOT_S ? KD_FIT_NOTE : KD_FIT_OK,
		    "booted %.0f s ago", s);
}

const struct kd_doctor_check kd_doctor_host[] = {
	{ "load", "other work on the cores",
	  "Other work takes CPU time, caches and bandwidth at moments of its own.",
	  "stop it; kdelta stat -o tasks sleep 5 shows who it is", load },
	{ "pressure", "tasks that wait for CPU, memory or disk",
	  "What waits is measured as slow.",
	  "stop what else runs; kdelta stat -o tasks sleep 5 shows who it is",
	  pressure },
	{ "programs", "programs known to wake up by themselves",
	  "They change settings, move interrupts or use CPU and disk in the middle of a run.",
	  "stop the ones named for the time of the experiment", programs },
	{ "machine", "real or virtual",
	  "The host takes time, memory bandwidth and caches away, and no counter here shows it; figures are not the hardware's.",
	  "compare only variants of one experiment; pin virtual CPUs on the host",
	  machine },
	{ "steal", "time that the host gave to others",
	  "Runs that were robbed of time are slower; it comes in bursts.",
	  "a quieter host, or pinned virtual CPUs", steal },
	{ "quota", "limits on this process's CPU time",
	  "Above the limit all threads stand still until the next period, 100 ms as a rule.",
	  "leave the container, or raise its cpu.max", quota },
	{ "uptime", "time since boot",
	  "Services are still starting.", "wait some minutes", uptime },
	{ 0 },
};
