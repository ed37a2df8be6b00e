// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/link.h"

#include "base/clock.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS (10 * KD_NS_PER_MS)
#define STATE (IFF_UP | IFF_RUNNING)

struct kd_link {
	char ifname[IF_NAMESIZE];
	struct ifaddrs *before;
};

static bool is_address_of(const struct ifaddrs *a, const char *ifname)
{
	return !strcmp(a->ifa_name, ifname) && a->ifa_addr &&
	       (a->ifa_addr->sa_family == AF_INET ||
		a->ifa_addr->sa_family == AF_INET6);
}

static bool same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

	if (a->sa_family != b->sa_family)
		return false;
	/* the scope of a link-local address is the device's index, a new one */
	return a->sa_family == AF_INET ?
		a4->sin_addr.s_addr == b4->sin_addr.s_addr :
		!memcmp(&a6->sin6_addr, &b6->sin6_addr,
			sizeof(a6->sin6_addr));
}

static bool is_among(const struct ifaddrs *wanted, const struct ifaddrs *now)
{
	for (; now; now = now->ifa_next)
		if (is_address_of(now, wanted->ifa_name) &&
		    same_address(wanted->ifa_addr, now->ifa_addr) &&
		    (now->ifa_flags & STATE) == (wanted->ifa_flags & STATE))
			return true;
	return false;
}

static bool is_back(const struct kd_link *link)
{
	struct ifaddrs *now;
	bool all = true;

	if (getifaddrs(&now))
		return false;
	for (const struct ifaddrs *a = link->before; a && all; a = a->ifa_next)
		if (is_address_of(a, link->ifname))
			all = is_among(a, now);
	freeifaddrs(now);
	return all;
}

struct kd_link *kd_link_note(const char *ifname)
{
	struct kd_link *link;

	if (!ifname || strlen(ifname) >= IF_NAMESIZE)
		return NULL;
	link = calloc(1, sizeof(*link));
	if (!link)
		return NULL;
	strcpy(link->ifname, ifname);
	if (getifaddrs(&link->before))
		link->before = NULL;
	return link;
}

int kd_link_wait(const struct kd_link *link, const char *why,
		 uint64_t deadline_ns, struct kd_diag *d)
{
	while (link && !is_back(link)) {
		uint64_t now = kd_now();

		if (now >= deadline_ns) {
			kd_fail(d, -ETIMEDOUT,
				"%s did not come back after %.200s: %s",
				link->ifname, why, strerror(ETIMEDOUT));
			kd_diag_hint(d, "it has to be brought up with the addresses that it had, by the device itself (a network manager, a hotplug script); the kernel's log may say more");
			return -ETIMEDOUT;
		}
		kd_sleep_until(now + LOOK_NS);
	}
	return 0;
}

void kd_link_free(struct kd_link *link)
{
	if (!link)
		return;
	freeifaddrs(link->before);
	free(link);
}
