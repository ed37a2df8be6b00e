/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_WIFI_H
#define KD_OBSERVERS_WIFI_H

#include "observers/station.h"

/**
 * struct kd_wifi - questions about one interface to the kernel's generic netlink
 * family "nl80211", in the network namespace of the thread that opened it
 *
 * All that is asked and answered has its place from the start: questions neither
 * allocate nor wait.
 */
struct kd_wifi;

/** kd_wifi_open() - NULL where @ifname is no Wi-Fi, or out of memory */
struct kd_wifi *kd_wifi_open(const char *ifname);

/** kd_wifi_close() - @w may be NULL */
void kd_wifi_close(struct kd_wifi *w);

/** kd_wifi_stations() - add the interface's stations to @air; 0 or -errno */
int kd_wifi_stations(struct kd_wifi *w, struct kd_air *air);

/** kd_wifi_channel() - set the channel of @air, where it has one; 0 or -errno */
int kd_wifi_channel(struct kd_wifi *w, struct kd_air *air);

#endif
