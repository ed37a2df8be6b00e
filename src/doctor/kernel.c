// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel: clock, and what was built or switched on to find bugs.
 */
#include "base/root.h"
#include "doctor/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK "/sys/devices/system/clocksource/clocksource0"

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static void clock_source(const struct kd_root *root, struct kd_finding *f)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "pit",
					    "jiffies", "refined-jiffies",
					    NULL };
	char now[64], all[128];
	const char *is = kd_look_text(root, CLOCK "/current_clocksource", now,
				      sizeof(now));
	const char *list = kd_look_text(root, CLOCK "/available_clocksource",
					all, sizeof(all));

	if (!*is)
		return;
	kd_look_say(f, is_one_of(is, slow) ? KD_FIT_BAD : KD_FIT_OK, "%s", is);
	if (strstr(list, "tsc"))
		kd_look_fix(f, "echo tsc > " CLOCK "/current_clocksource; dmesg says why the kernel left it");
}

static void tracing(const struct kd_root *root, struct kd_finding *f)
{
	static const char *const roots[] = { "/sys/kernel/tracing",
					     "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < 2; i++) {
		char path[96], text[64], events[64];
		const char *tracer;

		snprintf(path, sizeof(path), "%s/current_tracer", roots[i]);
		tracer = kd_look_text(root, path, text, sizeof(text));
		if (!*tracer)
			continue;
		snprintf(path, sizeof(path), "%s/events/enable", roots[i]);
		kd_look_text(root, path, events, sizeof(events));
		if (strcmp(tracer, "nop"))
			kd_look_say(f, KD_FIT_BAD, "the %s tracer is on",
				    tracer);
		else if (events[0] == '1' || events[0] == 'X')
			kd_look_say(f, KD_FIT_WARN, "events are traced");
		else
			kd_look_say(f, KD_FIT_OK, "off");
		return;
	}
}

static const struct {
	const char *option;
	const char *what;
} debug[] = {
	{ "CONFIG_KASAN=y", "KASAN" },
	{ "CONFIG_KCSAN=y", "KCSAN" },
	{ "CONFIG_KMSAN=y", "KMSAN" },
	{ "CONFIG_UBSAN_TRAP=y", "UBSAN" },
	{ "CONFIG_PROVE_LOCKING=y", "lockdep" },
	{ "CONFIG_LOCK_STAT=y", "lock statistics" },
	{ "CONFIG_DEBUG_KMEMLEAK=y", "kmemleak" },
	{ "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT=y", "page allocation checks" },
	{ "CONFIG_SLUB_DEBUG_ON=y", "slab checks" },
	{ "CONFIG_DEBUG_PREEMPT=y", "preemption checks" },
	{ "CONFIG_DEBUG_ATOMIC_SLEEP=y", "sleep checks" },
};

static void debugging(const struct kd_root *root, struct kd_finding *f)
{
	char release[80], path[160], words[200] = "";
	static const size_t size = 1 << 20;
	char *text = malloc(size);
	size_t len = 0;
	ssize_t n = -1;

	kd_look_text(root, "/proc/sys/kernel/osrelease", release,
		     sizeof(release));
	snprintf(path, sizeof(path), "/boot/config-%s", release);
	if (text && release[0])
		n = kd_root_read(root, path, text, size);
	for (size_t i = 0; n > 0 && i < sizeof(debug) / sizeof(debug[0]) &&
	     len < sizeof(words); i++)
		if (strstr(text, debug[i].option))
			len += (size_t)snprintf(words + len,
				sizeof(words) - len, "%s%s", len ? ", " : "",
				debug[i].what);
	free(text);
	if (!len && kd_look_is(root, "/proc/lockdep"))
		len = (size_t)snprintf(words, sizeof(words), "lockdep");
	if (len)
		kd_look_say(f, KD_FIT_BAD, "built with %s", words);
	else if (n > 0)
		kd_look_say(f, KD_FIT_OK, "none in /boot/config-%s", release);
}

static void watchdog(const struct kd_root *root, struct kd_finding *f)
{
	double on = kd_look_number(root, "/proc/sys/kernel/nmi_watchdog");

	if (!isnan(on))
		kd_look_say(f, on > 0 ? KD_FIT_NOTE : KD_FIT_OK,
			    on > 0 ? "on" : "off");
}

const struct kd_doctor_check kd_doctor_kernel[] = {
	{ "clock", "what the kernel reads the time from",
	  "Each reading of the clock takes about a microsecond or has a coarse step; packets are stamped and paced by it.",
	  "boot with another clocksource= of available_clocksource",
	  clock_source },
	{ "tracing", "ftrace",
	  "Each traced function or event costs time, most where most happens.",
	  "echo nop > /sys/kernel/tracing/current_tracer; echo 0 > /sys/kernel/tracing/events/enable",
	  tracing },
	{ "debugging", "checks that the kernel was built with",
	  "Locks and memory are several times slower, unevenly: what is slow here need not be slow elsewhere.",
	  "a kernel without them for figures; with them for finding bugs",
	  debugging },
	{ "watchdog", "hard lockup detector",
	  "It holds one performance counter and interrupts each core every few seconds: well under 1 %.",
	  "sysctl kernel.nmi_watchdog=0", watchdog },
	{ 0 },
};
