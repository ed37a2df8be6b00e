// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The link under the traffic: counters of the interface, and on Wi-Fi what the
 * stack knows of each station.
 *   /sys/class/net/IF/statistics/tx_bytes and its like, and
 *   /sys/class/net/IF/carrier_changes: Documentation/ABI/testing/
 *   sysfs-class-net-statistics and sysfs-class-net
 *   NL80211_CMD_GET_STATION, as "iw dev IF station dump" asks it, at every
 *   sample; NL80211_CMD_GET_INTERFACE for the channel (linux/nl80211.h)
 * Bit rates and signal are of single frames, the last of each sample's time, so
 * their mean is over samples, not over frames. Needs no root.
 */
#include "base/opt.h"
#include "base/root.h"
#include "base/str.h"
#include "observers/heard.h"
#include "observers/number.h"
#include "observers/observer.h"
#include "observers/wifi.h"

#include <dirent.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS "/sys/class/net"

enum metric {
	M_TX_BITRATE, M_RX_BITRATE, M_SIGNAL, M_RETRIES, M_RETRY_SHARE,
	M_FAILED, M_FREQUENCY,
	/* the interface's counters */
	M_TX_BYTES, M_RX_BYTES, M_TX_PACKETS, M_RX_PACKETS, M_TX_ERRORS,
	M_RX_ERRORS, M_TX_DROPPED, M_RX_DROPPED, M_CARRIER,
	N_METRICS
};

#define FIRST_COUNTER M_TX_BYTES
#define N_COUNTERS (N_METRICS - FIRST_COUNTER)

static const struct kd_metric_desc metrics[] = {
	[M_TX_BITRATE] = { "link.tx-bitrate", "Mbit/s", KD_BETTER_HIGHER,
			   "rate of the air at which it sends, mean of samples; by station where there are several" },
	[M_RX_BITRATE] = { "link.rx-bitrate", "Mbit/s", KD_BETTER_HIGHER,
			   "rate of the air at which it receives, likewise" },
	[M_SIGNAL] = { "link.signal", "dBm", KD_BETTER_HIGHER,
		       "strength of what it receives, likewise" },
	[M_RETRIES] = { "link.tx-retries", "1/s", KD_BETTER_LOWER,
			"frames sent again over the air" },
	[M_RETRY_SHARE] = { "link.tx-retry-share", "%", KD_BETTER_LOWER,
			    "of all transmissions, those that were again" },
	[M_FAILED] = { "link.tx-failed", "", KD_BETTER_LOWER,
		       "frames never acknowledged, in the window" },
	[M_FREQUENCY] = { "link.frequency", "MHz", KD_BETTER_NONE,
			  "of the channel" },
	[M_TX_BYTES] = { "link.tx-throughput", "Mbit/s", KD_BETTER_NONE,
			 "all that the interface sent" },
	[M_RX_BYTES] = { "link.rx-throughput", "Mbit/s", KD_BETTER_NONE,
			 "all that the interface received" },
	[M_TX_PACKETS] = { "link.tx-packets", "1/s", KD_BETTER_NONE,
			   "packets that the interface sent" },
	[M_RX_PACKETS] = { "link.rx-packets", "1/s", KD_BETTER_NONE,
			   "packets that the interface received" },
	[M_TX_ERRORS] = { "link.tx-errors", "", KD_BETTER_LOWER,
			  "in the window" },
	[M_RX_ERRORS] = { "link.rx-errors", "", KD_BETTER_LOWER,
			  "in the window" },
	[M_TX_DROPPED] = { "link.tx-dropped", "", KD_BETTER_LOWER,
			   "packets, in the window" },
	[M_RX_DROPPED] = { "link.rx-dropped", "", KD_BETTER_LOWER,
			   "packets, in the window" },
	[M_CARRIER] = { "link.carrier-changes", "", KD_BETTER_LOWER,
			"how often the link came or went, in the window" },
	{ 0 },
};

/* in the order of the metrics; @per_s: a rate of this many a unit, else the
 * count itself */
static const struct {
	const char *file;
	double per_s;
} counters[N_COUNTERS] = {
	{ "statistics/tx_bytes", 1e6 / 8 },
	{ "statistics/rx_bytes", 1e6 / 8 },
	{ "statistics/tx_packets", 1 },
	{ "statistics/rx_packets", 1 },
	{ "statistics/tx_errors", 0 },
	{ "statistics/rx_errors", 0 },
	{ "statistics/tx_dropped", 0 },
	{ "statistics/rx_dropped", 0 },
	{ "carrier_changes", 0 },
};

struct options {
	char *ifname;
};

static const struct kd_opt opts_table[] = {
	{ "ifname", KD_OPT_STR, offsetof(struct options, ifname),
	  .help = "interface; else the experiment's, else the only one",
	  .arg = "IF" },
	{ 0 },
};

struct state {
	char ifname[IF_NAMESIZE];
	int fds[N_COUNTERS];
	uint64_t first[N_COUNTERS], last[N_COUNTERS];
	uint64_t t0_ns, t1_ns;
	int error;
	/* NULL where it is no Wi-Fi */
	struct kd_wifi *wifi;
	struct kd_air air;
	struct kd_heard heard;
	int air_error;
};

/* which interface: the option's, the experiment's, the only one but "lo" */
static int the_only_one(struct state *s, const struct kd_root *root,
			struct kd_diag *d)
{
	int fd = kd_root_openat(root, CLASS, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "lo") ||
		    strlen(e->d_name) >= IF_NAMESIZE)
			continue;
		snprintf(s->ifname, sizeof(s->ifname), "%.15s", e->d_name);
		n++;
	}
	if (dir)
		closedir(dir);
	else
		kd_number_close(fd);
	if (n == 1)
		return 0;
	kd_fail(d, -ENODEV, n ? "it is not known which of the interfaces is meant" :
		"there is no network interface but the loopback");
	kd_diag_hint(d, "say link: { ifname: IF }, or ifname in dut:");
	return -ENODEV;
}

static int choose(struct state *s, const struct kd_obs_env *env,
		  const struct options *o, struct kd_diag *d)
{
	const char *name = o->ifname ? o->ifname : env->ifname;

	if (!name)
		return the_only_one(s, env->root, d);
	if (!*name || *name == '.' || strchr(name, '/') ||
	    strlen(name) >= sizeof(s->ifname))
		return kd_fail(d, -EINVAL, "\"%.60s\" is no interface's name",
			       name);
	strcpy(s->ifname, name);
	return 0;
}

/* /sys shows the network namespace in which it was mounted */
static int check_namespace(const struct state *s, const struct kd_root *root,
			   struct kd_diag *d)
{
	char path[96], text[32];

	if (!kd_root_is_live(root))
		return 0;
	snprintf(path, sizeof(path), CLASS "/%s/ifindex", s->ifname);
	if (kd_root_read_line(root, path, text, sizeof(text)) > 0 &&
	    strtoul(text, NULL, 10) == if_nametoindex(s->ifname))
		return 0;
	if (!if_nametoindex(s->ifname))
		return kd_fail(d, -ENODEV, "there is no interface %s",
			       s->ifname);
	kd_fail(d, -ENODEV,
		"%s is in a network namespace that /sys does not show",
		s->ifname);
	kd_diag_hint(d, "mount /sys in that namespace, as ip netns exec does");
	return -ENODEV;
}

static int open_counters(struct state *s, const struct kd_root *root,
			 struct kd_diag *d)
{
	size_t found = 0;

	for (size_t i = 0; i < N_COUNTERS; i++) {
		char path[96];

		snprintf(path, sizeof(path), CLASS "/%s/%s", s->ifname,
			 counters[i].file);
		s->fds[i] = kd_root_openat(root, path, O_RDONLY);
		found += s->fds[i] >= 0;
	}
	if (found)
		return 0;
	return kd_fail(d, -ENODEV, "there is no interface %s: no " CLASS
		       "/%s/statistics", s->ifname, s->ifname);
}

static void stop(void *priv)
{
	struct state *s = priv;

	for (size_t i = 0; i < N_COUNTERS; i++)
		kd_number_close(s->fds[i]);
	kd_wifi_close(s->wifi);
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	struct state *s = priv;
	int r = choose(s, env, opts, d);

	if (!r)
		r = check_namespace(s, env->root, d);
	if (!r)
		r = open_counters(s, env->root, d);
	if (!r && kd_root_is_live(env->root))
		s->wifi = kd_wifi_open(s->ifname);
	return r;
}

static void sample_air(struct state *s, enum kd_obs_when when)
{
	int r;

	s->air = (struct kd_air){ 0 };
	r = kd_wifi_stations(s->wifi, &s->air);
	if (!r && when != KD_OBS_TICK)
		r = kd_wifi_channel(s->wifi, &s->air);
	if (r) {
		s->air_error = r;
		return;
	}
	kd_heard_add(&s->heard, when, &s->air);
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;
	bool begin = when == KD_OBS_BEGIN;

	if (begin)
		s->error = s->air_error = 0;
	if (s->wifi)
		sample_air(s, when);
	if (when == KD_OBS_TICK)
		return;
	*(begin ? &s->t0_ns : &s->t1_ns) = now_ns;
	for (size_t i = 0; i < N_COUNTERS; i++) {
		int r = s->fds[i] < 0 ? 0 :
			kd_number_read(s->fds[i],
				       begin ? &s->first[i] : &s->last[i]);

		if (r)
			s->error = r;
	}
}

static void note(struct state *s, struct kd_sink *sink, const char *what)
{
	char text[160];

	snprintf(text, sizeof(text), "link: %s %s", s->ifname, what);
	sink->event(sink, "note", 0, 0, text);
}

static void report_mean(struct kd_sink *sink, enum metric m, const char *who,
			const struct kd_heard_mean *mean)
{
	if (mean->n)
		sink->metric(sink, &metrics[m], who,
			     mean->sum / (double)mean->n);
}

static void report_station(struct kd_sink *sink, const struct kd_heard_one *h,
			   bool alone)
{
	const uint8_t *a = h->last.addr;
	char who[3 * KD_STATION_ADDR];

	snprintf(who, sizeof(who), "%02x:%02x:%02x:%02x:%02x:%02x", a[0], a[1],
		 a[2], a[3], a[4], a[5]);
	report_mean(sink, M_TX_BITRATE, alone ? NULL : who, &h->tx_rate);
	report_mean(sink, M_RX_BITRATE, alone ? NULL : who, &h->rx_rate);
	report_mean(sink, M_SIGNAL, alone ? NULL : who, &h->signal);
}

static void report_air(struct state *s, struct kd_sink *sink, double span_s)
{
	const struct kd_heard *h = &s->heard;
	struct kd_heard_sum sum = kd_heard_sum(h);
	double all = (double)(sum.packets + sum.retries);

	for (size_t i = 0; i < h->n; i++)
		report_station(sink, &h->all[i], h->n == 1);
	if (sum.told & KD_STATION_RETRIES)
		sink->metric(sink, &metrics[M_RETRIES], NULL,
			     (double)sum.retries / span_s);
	if (sum.told & KD_STATION_RETRIES && sum.told & KD_STATION_PACKETS &&
	    all > 0)
		sink->metric(sink, &metrics[M_RETRY_SHARE], NULL,
			     100 * (double)sum.retries / all);
	if (sum.told & KD_STATION_FAILED)
		sink->metric(sink, &metrics[M_FAILED], NULL,
			     (double)sum.failed);
	if (h->mhz && !h->has_moved)
		sink->metric(sink, &metrics[M_FREQUENCY], NULL, h->mhz);
	if (!h->n)
		note(s, sink, "had no station: it was not connected");
	if (h->has_moved)
		note(s, sink, "changed its channel in the window");
	if (h->has_more)
		note(s, sink, "has more stations than are counted here");
}

static void result(void *priv, struct kd_sink *sink)
{
	struct state *s = priv;
	double span_s = (double)(s->t1_ns - s->t0_ns) / 1e9;

	if (s->t1_ns <= s->t0_ns || s->error) {
		note(s, sink, "went away in the window");
		return;
	}
	for (size_t i = 0; i < N_COUNTERS; i++) {
		double grown = (double)(s->last[i] - s->first[i]);

		if (s->fds[i] < 0)
			continue;
		if (s->last[i] < s->first[i]) {
			note(s, sink, "began to count anew in the window");
			return;
		}
		sink->metric(sink, &metrics[FIRST_COUNTER + i], NULL,
			     counters[i].per_s ?
			     grown / counters[i].per_s / span_s : grown);
	}
	if (s->air_error)
		note(s, sink, "was not always told of by nl80211");
	else if (s->wifi)
		report_air(s, sink, span_s);
}

const struct kd_obs_ops kd_obs_link_ops = {
	.name = "link",
	.summary = "counters of the interface; bit rate, signal and retries of Wi-Fi",
	.opts = opts_table,
	.opts_size = sizeof(struct options),
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
