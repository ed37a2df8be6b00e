// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Heat and supply: what makes a machine slow down by itself.
 */
#include "base/root.h"
#include "doctor/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONES "/sys/class/thermal"
#define NEAR_MILLIDEGREES 10000
#define TRIPS_MAX 12

/* the zone that is nearest to a trip point */
struct hottest {
	const struct kd_root *root;
	double room, temp, trip;
	char zone[48];
};

static void add_zone(void *arg, const char *zone, const char *text)
{
	struct hottest *h = arg;
	double temp = atof(text);

	for (int i = 0; i < TRIPS_MAX; i++) {
		char path[160], type[32];
		double trip;

		snprintf(path, sizeof(path), ZONES "/%.40s/trip_point_%d_temp",
			 zone, i);
		trip = kd_look_number(h->root, path);
		if (isnan(trip))
			break;
		snprintf(path, sizeof(path), ZONES "/%.40s/trip_point_%d_type",
			 zone, i);
		/* a fan that turns faster slows nothing down */
		if (trip <= 0 || !strcmp(kd_look_text(h->root, path, type,
						      sizeof(type)), "active"))
			continue;
		if (trip - temp >= h->room)
			continue;
		h->room = trip - temp;
		h->temp = temp;
		h->trip = trip;
		snprintf(h->zone, sizeof(h->zone), "%.40s", zone);
	}
}

static void temperature(const struct kd_root *root, struct kd_finding *f)
{
	struct hottest h = { .root = root, .room = INFINITY };

	if (!kd_look_each(root, ZONES, "thermal_zone#", "temp", add_zone, &h) ||
	    !isfinite(h.room))
		return;
	kd_look_say(f, h.room <= 0 ? KD_FIT_BAD :
		    h.room < NEAR_MILLIDEGREES ? KD_FIT_WARN : KD_FIT_OK,
		    "%s has %.0f degrees, %.0f %s the point where it slows down, %.0f",
		    h.zone, h.temp / 1000, fabs(h.room) / 1000,
		    h.room < 0 ? "over" : "below", h.trip / 1000);
}

struct cooling {
	const struct kd_root *root;
	size_t n;
};

static void add_cooling(void *arg, const char *device, const char *text)
{
	struct cooling *c = arg;
	char path[160], type[64];
	const char *what;

	snprintf(path, sizeof(path), ZONES "/%.60s/type", device);
	what = kd_look_text(c->root, path, type, sizeof(type));
	if (atof(text) > 0 && (!strcmp(what, "Processor") ||
			       strstr(what, "cpufreq") ||
			       strstr(what, "cpuidle") ||
			       !strcmp(what, "intel_powerclamp")))
		c->n++;
}

static void throttling(const struct kd_root *root, struct kd_finding *f)
{
	struct cooling c = { .root = root };

	if (!kd_look_each(root, ZONES, "cooling_device#", "cur_state",
			  add_cooling, &c))
		return;
	if (c.n)
		kd_look_say(f, KD_FIT_BAD, "%zu cooling devices slow cores down now",
			    c.n);
	else
		kd_look_say(f, KD_FIT_OK, "not now");
}

static void add_count(void *arg, const char *entry, const char *text)
{
	double *sum = arg;

	(void)entry;
	*sum += atof(text);
}

static void throttled(const struct kd_root *root, struct kd_finding *f)
{
	double n = 0;

	if (!kd_look_each(root, "/sys/devices/system/cpu", "cpu#",
			  "thermal_throttle/core_throttle_count", add_count,
			  &n))
		return;
	if (n > 0)
		kd_look_say(f, KD_FIT_WARN, "%.0f times since boot", n);
	else
		kd_look_say(f, KD_FIT_OK, "never since boot");
}

struct supply {
	size_t mains, online, discharging;
};

static void add_online(void *arg, const char *entry, const char *text)
{
	struct supply *s = arg;

	(void)entry;
	s->mains++;
	s->online += !strcmp(text, "1");
}

static void add_status(void *arg, const char *entry, const char *text)
{
	struct supply *s = arg;

	(void)entry;
	s->discharging += !strcmp(text, "Discharging");
}

static void battery(const struct kd_root *root, struct kd_finding *f)
{
	struct supply s = { 0 };
	size_t batteries = kd_look_each(root, "/sys/class/power_supply", "",
					"status", add_status, &s);

	kd_look_each(root, "/sys/class/power_supply", "", "online", add_online,
		     &s);
	if (!batteries && !s.mains)
		return;
	if (s.discharging || (batteries && s.mains && !s.online))
		kd_look_say(f, KD_FIT_WARN, "on battery");
	else
		kd_look_say(f, KD_FIT_OK, "on mains");
}

const struct kd_doctor_check kd_doctor_heat[] = {
	{ "temperature", "distance from the point where the machine slows down",
	  "Near it, the first runs are fast and the later ones slow; rounds in random order turn that into noise.",
	  "cool it, lower the frequency, or pause between runs (plan: pause)",
	  temperature },
	{ "throttling", "is heat slowing cores down now",
	  "What is measured is the cooling.",
	  "cool it, or lower the frequency until it holds", throttling },
	{ "throttled", "did heat slow cores down since boot",
	  "It will again under the same load.",
	  "cool it, or lower the frequency until it holds", throttled },
	{ "battery", "power supply",
	  "On battery firmware holds frequencies down, more as it empties.",
	  "plug it in, but for measuring the battery itself", battery },
	{ 0 },
};
