// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cores: how fast they run, and how long they take to wake.
 */
#include "doctor/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu"
#define DEEP_US 100

static void governor(const struct kd_root *root, struct kd_finding *f)
{
	struct kd_tally t = { 0 };
	char words[200];

	if (!kd_look_each(root, CPUS, "cpu#", "cpufreq/scaling_governor",
			  kd_tally_add, &t))
		return;
	kd_look_say(f, kd_tally_count(&t, "performance") == t.total ?
		    KD_FIT_OK : KD_FIT_WARN, "%s cores",
		    kd_tally_words(&t, words, sizeof(words)));
}

static void preference(const struct kd_root *root, struct kd_finding *f)
{
	struct kd_tally t = { 0 };
	char words[200];

	if (!kd_look_each(root, CPUS, "cpu#",
			  "cpufreq/energy_performance_preference",
			  kd_tally_add, &t))
		return;
	kd_look_say(f, kd_tally_count(&t, "performance") == t.total ?
		    KD_FIT_OK : KD_FIT_WARN, "%s cores",
		    kd_tally_words(&t, words, sizeof(words)));
}

static void turbo(const struct kd_root *root, struct kd_finding *f)
{
	double no_turbo = kd_look_number(root, CPUS "/intel_pstate/no_turbo");
	double boost = kd_look_number(root, CPUS "/cpufreq/boost");

	if (!isnan(no_turbo)) {
		kd_look_say(f, no_turbo > 0 ? KD_FIT_OK : KD_FIT_WARN,
			    no_turbo > 0 ? "off" : "on");
		kd_look_fix(f, "echo 1 > " CPUS "/intel_pstate/no_turbo");
	} else if (!isnan(boost)) {
		kd_look_say(f, boost > 0 ? KD_FIT_WARN : KD_FIT_OK,
			    boost > 0 ? "on" : "off");
	}
}

/* cores whose limit is below what the hardware has */
struct limited {
	const struct kd_root *root;
	size_t n;
	double limit, max;
};

static void add_limit(void *arg, const char *cpu, const char *text)
{
	struct limited *l = arg;
	char path[160];
	double max, limit = atof(text);

	snprintf(path, sizeof(path), CPUS "/%.60s/cpufreq/cpuinfo_max_freq",
		 cpu);
	max = kd_look_number(l->root, path);
	if (isnan(max) || limit >= max)
		return;
	l->n++;
	l->limit = limit;
	l->max = max;
}

static void limit(const struct kd_root *root, struct kd_finding *f)
{
	struct limited l = { .root = root };

	if (!kd_look_each(root, CPUS, "cpu#", "cpufreq/scaling_max_freq",
			  add_limit, &l))
		return;
	if (!l.n)
		kd_look_say(f, KD_FIT_OK, "none");
	else
		kd_look_say(f, KD_FIT_NOTE, "%zu cores may run at %.0f MHz of %.0f",
			    l.n, l.limit / 1000, l.max / 1000);
}

static void idle(const struct kd_root *root, struct kd_finding *f)
{
	double worst = -1;
	char name[64] = "", path[160], text[64];

	for (int i = 0; i < 16; i++) {
		double us;

		snprintf(path, sizeof(path), CPUS "/cpu0/cpuidle/state%d/latency",
			 i);
		us = kd_look_number(root, path);
		if (isnan(us))
			break;
		snprintf(path, sizeof(path), CPUS "/cpu0/cpuidle/state%d/disable",
			 i);
		if (kd_look_number(root, path) > 0 || us <= worst)
			continue;
		worst = us;
		snprintf(path, sizeof(path), CPUS "/cpu0/cpuidle/state%d/name",
			 i);
		snprintf(name, sizeof(name), "%.60s",
			 kd_look_text(root, path, text, sizeof(text)));
	}
	if (worst < 0)
		return;
	kd_look_say(f, worst > DEEP_US ? KD_FIT_NOTE : KD_FIT_OK,
		    "the deepest state, %s, takes %.0f us to leave", name,
		    worst);
}

static void siblings(const struct kd_root *root, struct kd_finding *f)
{
	double active = kd_look_number(root, CPUS "/smt/active");

	if (!isnan(active))
		kd_look_say(f, active > 0 ? KD_FIT_NOTE : KD_FIT_OK,
			    active > 0 ? "two threads share a core" :
					 "one thread a core");
}

static void offline(const struct kd_root *root, struct kd_finding *f)
{
	char on[128], present[128];
	const char *is = kd_look_text(root, CPUS "/online", on, sizeof(on));
	const char *of = kd_look_text(root, CPUS "/present", present,
				      sizeof(present));

	if (!*is || !*of)
		return;
	kd_look_say(f, strcmp(is, of) ? KD_FIT_NOTE : KD_FIT_OK,
		    "cores %s of %s", is, of);
}

const struct kd_doctor_check kd_doctor_cpu[] = {
	{ "governor", "who chooses the cores' frequency",
	  "The frequency follows the load, some milliseconds late: short runs and light loads are slower, and scatter more.",
	  "echo performance | tee " CPUS "/cpu*/cpufreq/scaling_governor",
	  governor },
	{ "preference", "energy or performance, as told to the hardware",
	  "The hardware holds the frequency down for a while after each idle phase.",
	  "echo performance | tee " CPUS "/cpu*/cpufreq/energy_performance_preference",
	  preference },
	{ "turbo", "frequencies above the nominal one",
	  "Speed depends on heat and on how many cores are busy, so it drifts over the minutes of an experiment, and a variant that keeps one more core busy looks slower than it is.",
	  "echo 0 > " CPUS "/cpufreq/boost", turbo },
	{ "limit", "limits below the hardware's highest frequency",
	  "Figures are those of a slower machine; they compare among themselves.",
	  "cat cpuinfo_max_freq > scaling_max_freq in each " CPUS "/cpu*/cpufreq",
	  limit },
	{ "idle", "how long a core takes to wake up",
	  "Each wake-up from the deepest state adds that to a latency; where idle power is measured it has to stay.",
	  "cpupower idle-set -D 20, or the knob cpuidle: in the experiment",
	  idle },
	{ "siblings", "threads that share a core (SMT)",
	  "CPU shares of two threads of one core do not add up, and a busy sibling slows its neighbour down.",
	  "pin with cpus: and peer-cpus:, or echo off > " CPUS "/smt/control",
	  siblings },
	{ "offline", "cores that are switched off",
	  "Shares of all cores are of those that are on.",
	  "echo 1 > " CPUS "/cpuN/online", offline },
	{ 0 },
};
