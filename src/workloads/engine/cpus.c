// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU lists as in /sys/devices/system/cpu/online, and pinning to one of them.
 */
#include "workloads/engine/cpus.h"

#include <ctype.h>
#include <sched.h>
#include <stdlib.h>

static int parse_range(const char **s, long *from, long *to)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	*from = *to = strtol(*s, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -EINVAL;
		*to = strtol(end + 1, &end, 10);
	}
	if (*to < *from || *to >= CPU_SETSIZE || (*end && *end != ','))
		return -EINVAL;
	*s = *end ? end + 1 : end;
	return *end && !**s ? -EINVAL : 0;
}

int kd_cpus_nth(const char *list, unsigned int nth)
{
	const char *s = list;
	long from, to, total = 0;

	if (!list || !*list)
		return -1;
	while (*s) {
		if (parse_range(&s, &from, &to))
			return -EINVAL;
		total += to - from + 1;
	}
	nth %= (unsigned int)total;
	for (s = list; *s;) {
		parse_range(&s, &from, &to);
		if (nth <= (unsigned int)(to - from))
			return (int)(from + nth);
		nth -= (unsigned int)(to - from + 1);
	}
	return -EINVAL;
}

int kd_cpus_check(const char *list, const char *what, struct kd_diag *d)
{
	if (kd_cpus_nth(list, 0) == -EINVAL)
		return kd_fail(d, -EINVAL,
			       "%s: \"%s\" is no CPU list such as 0 or 0,2-3",
			       what, list);
	return 0;
}

int kd_cpus_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}
