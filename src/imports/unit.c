// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Units as people and tools spell them. See unit.h.
 *
 * Case matters where it tells bits from bytes or milli from mega: Mb is bits,
 * MB is bytes; "mb/s" may be either and is left alone.
 */
#include "imports/unit.h"

#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct plain {
	const char *text;
	const char *name;
	enum kd_dimension dim;
	double factor;
	bool any_case;
};

static const struct plain plain_units[] = {
	{ "%", "%", KD_DIM_SHARE, 1 },
	{ "percent", "%", KD_DIM_SHARE, 1, true },
	{ "iops", "IOPS", KD_DIM_OPS, 1, true },
	{ "1/s", "1/s", KD_DIM_OPS, 1 },
	{ "/s", "1/s", KD_DIM_OPS, 1 },
	{ "/sec", "1/s", KD_DIM_OPS, 1, true },
	{ "req/s", "req/s", KD_DIM_OPS, 1, true },
	{ "requests/s", "req/s", KD_DIM_OPS, 1, true },
	{ "requests/sec", "req/s", KD_DIM_OPS, 1, true },
	{ "ops/s", "ops/s", KD_DIM_OPS, 1, true },
	{ "ops/sec", "ops/s", KD_DIM_OPS, 1, true },
	{ "pps", "packets/s", KD_DIM_OPS, 1, true },
	{ "packets/s", "packets/s", KD_DIM_OPS, 1, true },
	{ "packets/sec", "packets/s", KD_DIM_OPS, 1, true },
	{ "kpps", "kpackets/s", KD_DIM_OPS, 1e3, true },
	{ "Mpps", "Mpackets/s", KD_DIM_OPS, 1e6 },
	{ "s", "s", KD_DIM_TIME, 1 },
	{ "sec", "s", KD_DIM_TIME, 1, true },
	{ "secs", "s", KD_DIM_TIME, 1, true },
	{ "second", "s", KD_DIM_TIME, 1, true },
	{ "seconds", "s", KD_DIM_TIME, 1, true },
	{ "ms", "ms", KD_DIM_TIME, 1e-3 },
	{ "msec", "ms", KD_DIM_TIME, 1e-3, true },
	{ "msecs", "ms", KD_DIM_TIME, 1e-3, true },
	{ "us", "us", KD_DIM_TIME, 1e-6 },
	{ "usec", "us", KD_DIM_TIME, 1e-6, true },
	{ "usecs", "us", KD_DIM_TIME, 1e-6, true },
	{ "\302\265s", "us", KD_DIM_TIME, 1e-6 },
	{ "\316\274s", "us", KD_DIM_TIME, 1e-6 },
	{ "ns", "ns", KD_DIM_TIME, 1e-9 },
	{ "nsec", "ns", KD_DIM_TIME, 1e-9, true },
	{ "nsecs", "ns", KD_DIM_TIME, 1e-9, true },
	{ "min", "min", KD_DIM_TIME, 60 },
	{ "W", "W", KD_DIM_POWER, 1 },
	{ "Watt", "W", KD_DIM_POWER, 1, true },
	{ "Watts", "W", KD_DIM_POWER, 1, true },
	{ "mW", "mW", KD_DIM_POWER, 1e-3 },
	{ "uW", "uW", KD_DIM_POWER, 1e-6 },
	{ "J", "J", KD_DIM_ENERGY, 1 },
	{ "Joules", "J", KD_DIM_ENERGY, 1, true },
	{ "mJ", "mJ", KD_DIM_ENERGY, 1e-3 },
	{ "Hz", "Hz", KD_DIM_FREQUENCY, 1, true },
	{ "kHz", "kHz", KD_DIM_FREQUENCY, 1e3, true },
	{ "MHz", "MHz", KD_DIM_FREQUENCY, 1e6, true },
	{ "GHz", "GHz", KD_DIM_FREQUENCY, 1e9, true },
};

/* "[kKMGT][i]" at the start; the length taken */
static size_t take_prefix(const char *s, bool binary, double *factor,
			  char name[4])
{
	static const char letters[] = "kmgt";
	const char *p = *s ? strchr(letters, tolower((unsigned char)*s)) : NULL;
	size_t n = 0;
	double base = 1000;

	*factor = 1;
	name[0] = '\0';
	if (!p)
		return 0;
	name[n++] = *s == 'm' ? 'M' : *s == 'g' ? 'G' : *s == 't' ? 'T' : *s;
	if (s[1] == 'i' && (s[2] == 'b' || s[2] == 'B')) {
		base = 1024;
		name[0] = (char)toupper((unsigned char)name[0]);
		name[n++] = 'i';
	} else if (binary) {
		base = 1024;
	}
	name[n] = '\0';
	for (int i = 0; i <= p - letters; i++)
		*factor *= base;
	return n;
}

static bool is_per_second(const char *s)
{
	return !strcasecmp(s, "/s") || !strcasecmp(s, "/sec") ||
	       !strcasecmp(s, "/second") || !strcasecmp(s, "ps") ||
	       !strcasecmp(s, " per second");
}

/* what is counted after the prefix: bits, bytes; the rest in *@end */
static int take_thing(const char *s, bool sure_case, const char **end)
{
	static const struct {
		const char *text;
		int bits;
	} things[] = {
		{ "bits", 1 }, { "bit", 1 }, { "bytes", 8 }, { "byte", 8 },
	};

	for (size_t i = 0; i < KD_ARRAY_SIZE(things); i++) {
		size_t n = strlen(things[i].text);

		if (!strncasecmp(s, things[i].text, n)) {
			*end = s + n;
			return things[i].bits;
		}
	}
	*end = s + 1;
	if (*s == 'B')
		return 8;
	if (*s == 'b' && sure_case)
		return 1;
	return 0;
}

/* "Mbits/sec", "KB/s", "MiB/s", "Gbps", "10^6bits/s"; sizes without "/s" */
static bool parse_data(const char *text, bool binary, struct kd_unit *u)
{
	const char *s = text, *end;
	char prefix[4];
	double factor, plain;
	size_t n;
	int bits;

	if (!strncmp(s, "10^6", 4)) {
		s += 4;
		factor = 1e6;
		strcpy(prefix, "M");
		n = 0;
	} else {
		n = take_prefix(s, binary, &factor, prefix);
		s += n;
	}
	/* in "mib/s" the i says bytes; in "mb/s" nothing says anything */
	if (n == 2 && *s == 'b' && !isalpha((unsigned char)s[1]))
		bits = 8, end = s + 1;
	else
		bits = take_thing(s, !n || isupper((unsigned char)*text) ||
				  !strncmp(s, "bps", 3), &end);
	if (!bits)
		return false;
	if (bits == 1 && binary) {
		take_prefix(text, false, &plain, prefix);
		factor = plain;
	}
	if (is_per_second(end)) {
		u->dim = KD_DIM_RATE;
		u->factor = factor * bits;
	} else if (!*end && bits == 8 && n) {
		u->dim = KD_DIM_SIZE;
		u->factor = factor;
	} else {
		return false;
	}
	snprintf(u->name, sizeof(u->name), "%s%s%s", prefix,
		 bits == 8 ? "B" : "bit", u->dim == KD_DIM_RATE ? "/s" : "");
	return true;
}

bool kd_unit_parse(const char *text, bool binary, struct kd_unit *out)
{
	*out = (struct kd_unit){ .dim = KD_DIM_NONE, .factor = 1 };
	for (size_t i = 0; i < KD_ARRAY_SIZE(plain_units); i++) {
		const struct plain *p = &plain_units[i];

		if (p->any_case ? strcasecmp(p->text, text) :
				  strcmp(p->text, text))
			continue;
		snprintf(out->name, sizeof(out->name), "%s", p->name);
		out->dim = p->dim;
		out->factor = p->factor;
		return true;
	}
	if (*text && parse_data(text, binary, out))
		return true;
	snprintf(out->name, sizeof(out->name), "%s", text);
	out->factor = 1;
	return false;
}

const char *kd_unit_metric(enum kd_dimension dim)
{
	switch (dim) {
	case KD_DIM_RATE:
		return "throughput";
	case KD_DIM_OPS:
		return "rate";
	case KD_DIM_TIME:
		return "time";
	case KD_DIM_POWER:
		return "power";
	case KD_DIM_ENERGY:
		return "energy";
	case KD_DIM_SIZE:
		return "size";
	case KD_DIM_SHARE:
		return "share";
	case KD_DIM_FREQUENCY:
		return "frequency";
	case KD_DIM_NONE:
		break;
	}
	return NULL;
}

static bool has_word(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(text, *words))
			return true;
	return false;
}

enum kd_better kd_unit_better(const char *metric, enum kd_dimension dim)
{
	static const char *const lower[] = {
		"latency", "delay", "jitter", "loss", "lost", "drop", "retr",
		"error", "cpu usage", "cpu util", "cpu load", "rtt", NULL,
	};
	static const char *const higher[] = {
		"throughput", "bandwidth", "bitrate", "speed", "iops",
		"goodput", "idle", NULL,
	};

	if (has_word(metric, lower))
		return strcasestr(metric, "idle") ? KD_BETTER_HIGHER :
						    KD_BETTER_LOWER;
	if (has_word(metric, higher))
		return KD_BETTER_HIGHER;
	switch (dim) {
	case KD_DIM_RATE:
	case KD_DIM_OPS:
		return KD_BETTER_HIGHER;
	case KD_DIM_TIME:
	case KD_DIM_POWER:
	case KD_DIM_ENERGY:
		return KD_BETTER_LOWER;
	default:
		return KD_BETTER_NONE;
	}
}
