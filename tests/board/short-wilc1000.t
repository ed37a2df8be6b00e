#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Chip sleep of the wilc1000, one round: the published figures.
. "$(dirname "$0")/experiment.sh"

ok "the experiment runs" \
	experiment "$top/experiments/wilc1000-chip-sleep.yaml" -n 1 --plan seed=5
tx=tcp.tx-throughput rx=tcp.rx-throughput
ok "TX with sleep: 399 KB/s" within "$(kib tx $tx sleep)" 399 10
ok "TX without: 1499 KB/s" within "$(kib tx $tx no-sleep)" 1499 10
ok "RX with sleep: 1295 KB/s" within "$(kib rx $rx sleep)" 1295 10
ok "RX without: 2762 KB/s" within "$(kib rx $rx no-sleep)" 2762 10
for v in sleep no-sleep; do
	ok "idle, $v: 1460 mW" within "$(figure idle power.mean $v)" 1.46 5
	ok "in reset, $v: 1180 mW" within "$(figure reset power.mean $v)" 1.18 5
done
done_testing
