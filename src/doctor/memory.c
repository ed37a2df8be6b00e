// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory: what moves pages about.
 */
#include "base/root.h"
#include "doctor/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LITTLE 0.1

static void hugepages(const struct kd_root *root, struct kd_finding *f)
{
	char text[64];
	const char *is = kd_look_choice(root,
		"/sys/kernel/mm/transparent_hugepage/enabled", text,
		sizeof(text));

	if (*is)
		kd_look_say(f, strcmp(is, "always") ? KD_FIT_OK : KD_FIT_NOTE,
			    "%s", is);
}

static void numa(const struct kd_root *root, struct kd_finding *f)
{
	char text[64];
	const char *nodes = kd_look_text(root, "/sys/devices/system/node/online",
					 text, sizeof(text));
	double on = kd_look_number(root, "/proc/sys/kernel/numa_balancing");

	if (!*nodes)
		return;
	if (!strpbrk(nodes, "-,"))
		kd_look_say(f, KD_FIT_OK, "one node");
	else if (on > 0)
		kd_look_say(f, KD_FIT_WARN, "nodes %s, and pages are moved between them",
			    nodes);
	else
		kd_look_say(f, KD_FIT_NOTE, "nodes %s", nodes);
}

static double meminfo(const char *text, const char *key)
{
	const char *s = strstr(text, key);

	return s ? atof(s + strlen(key)) : NAN;
}

static void memory(const struct kd_root *root, struct kd_finding *f)
{
	char text[4096];
	double total, free, swap;

	if (kd_root_read(root, "/proc/meminfo", text, sizeof(text)) < 0)
		return;
	total = meminfo(text, "MemTotal:");
	free = meminfo(text, "MemAvailable:");
	swap = meminfo(text, "SwapTotal:") - meminfo(text, "SwapFree:");
	if (isnan(total) || isnan(free))
		return;
	kd_look_say(f, free < LITTLE * total ? KD_FIT_WARN :
		    swap > 0 ? KD_FIT_NOTE : KD_FIT_OK,
		    "%.0f of %.0f MiB available, %.0f MiB in swap",
		    free / 1024, total / 1024, swap > 0 ? swap / 1024 : 0);
}

static void same_pages(const struct kd_root *root, struct kd_finding *f)
{
	double on = kd_look_number(root, "/sys/kernel/mm/ksm/run");

	if (!isnan(on))
		kd_look_say(f, on == 1 ? KD_FIT_WARN : KD_FIT_OK,
			    on == 1 ? "on" : "off");
}

const struct kd_doctor_check kd_doctor_memory[] = {
	{ "hugepages", "transparent huge pages",
	  "Whether a buffer gets huge pages depends on how fragmented memory is at that moment, and khugepaged works when it likes.",
	  "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
	  hugepages },
	{ "numa", "memory that is nearer to some cores",
	  "Where a buffer lies is decided anew in each run: two modes, some 10 % and more apart.",
	  "sysctl kernel.numa_balancing=0, and pin with cpus: and peer-cpus: to the network card's node",
	  numa },
	{ "memory", "free memory and swap",
	  "Reclaim and swapping stop tasks for milliseconds.",
	  "stop what uses it; swapoff -a && swapon -a empties swap", memory },
	{ "same-pages", "merging of equal pages (KSM)",
	  "ksmd reads all of memory, and merged pages are copied at the next write.",
	  "echo 2 > /sys/kernel/mm/ksm/run", same_pages },
	{ 0 },
};
