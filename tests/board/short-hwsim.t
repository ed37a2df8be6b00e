#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Wi-Fi by mac80211_hwsim, one round: bit rates and signal as the stack tells
# them. Expected are rates of 802.11n (HT20), not what was seen once.
. "$(dirname "$0")/experiment.sh"

ok "the experiment runs" \
	experiment "$top/experiments/hwsim-bitrate.yaml" -n 1 --plan seed=5
rate=link.tx-bitrate
is() { within "$(figure "$1" "$2" "$3")" "$4" 0.001; }
ok "MCS 0: 6.5 Mbit/s, aggregated" is data $rate mcs0 6.5
ok "MCS 7: 65 Mbit/s" is data $rate mcs7 65
ok "MCS 0, not aggregated: the short guard interval is found" is voice $rate mcs0 7.2
ok "MCS 7 too" is voice $rate mcs7 72.2
ok "a free stack learns nothing from aggregates" \
	less "$(figure data $rate free)" 30 1
ok "but finds fast rates where frames are told of" \
	less 100 "$(figure voice $rate free)" 1
signal() { awk -v a="$(figure data link.signal "$1")" -v b="$2" \
	'BEGIN { exit !(a != "" && a == b) }'; }
ok "a peer of 20 dBm is heard with -30 dBm" signal free -30
ok "a peer of 5 dBm with -45 dBm" signal far -45
ok "the channel is told" is data link.frequency free 2412
ok "the air loses nothing" test "$(figure data link.tx-retries free)" = 0.0
ok "what the interface sent is what the peer got, and headers" less \
	"$(figure data udp.tx-throughput free)" \
	"$(figure data link.tx-throughput free)" 1
done_testing
