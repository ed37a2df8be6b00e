#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tcp_limit_output_bytes against the number of streams, one round: the published
# figures.
. "$(dirname "$0")/experiment.sh"

ok "the experiment runs" \
	experiment "$top/experiments/ath10k-tcp-limit.yaml" -n 1 --plan seed=5
cat >"$dir/published" <<'END'
limit=262144,streams=1 336
limit=262144,streams=2 558
limit=262144,streams=3 584
limit=262144,streams=4 602
limit=262144,streams=5 598
limit=2621440,streams=1 598
limit=2621440,streams=2 601
END
while read -r variant published; do
	ok "$variant: $published Mbit/s" within \
		"$(figure uplink tcp.tx-throughput "$variant")" "$published" 10
done <"$dir/published"
done_testing
