#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Figures come out of mechanisms: with other constants than the calibrated ones
# they change as the mechanism's arithmetic says, and go where it goes; what a
# variant is called changes nothing.
. "$(dirname "$0")/experiment.sh"

# wilc WAKE-NS: us that a KiB takes to send with sleep, and without
wilc() {
	experiment -k module-param:wilc1000.enable_sleep=1,0 \
		--dut "board:wilc1000,param=wilc1000.wake_ns=$1" \
		-w tcp:tx,size=256KiB -n 1 --plan seed=5 >&2 || return
	for v in 1 0; do
		kib tcp-tx tcp.tx-throughput $v
	done | awk '{ printf "%.1f ", 1e6 / $1 }'
}
read -r sleep none < <(wilc 650000)
read -r slow_sleep slow_none < <(wilc 2600000)
echo "# us a KiB, waking in 650 us: $sleep, without sleep $none; in 2600 us: $slow_sleep, $slow_none"
ok "how long a chip wakes is nothing to one that never sleeps" \
	within "$slow_none" "$none" 2
# a group of frames is one of 1448 bytes of payload, and takes the bus twice;
# ACKs take it at most once for each. The look at the clock each 210 us adds or
# leaves out a tenth of the difference.
wakes=$(awk -v a="$sleep" -v b="$slow_sleep" \
	'BEGIN { print (b - a) / 1950 * 1448 / 1024 }')
echo "# wakes a frame, by the time that they take: $wakes"
ok "a frame pays at least two wakes" less 1.8 "$wakes" 1
ok "and at most three" less "$wakes" 3.3 1

# shifts PARAMETER: Mbit/s with shift 6 and with 9
shifts() {
	experiment -k module-param:ath10k.sk_pacing_shift=6,9 \
		--dut "board:ath10k,param=$1" \
		-w tcp:tx,streams=5,time=400ms,warm-up=200ms -n 1 \
		--plan seed=5 >&2 || return
	echo "$(figure tcp-tx tcp.tx-throughput 6) $(figure tcp-tx tcp.tx-throughput 9)"
}
read -r six nine < <(shifts ath10k.fw_ns=9000000)
read -r fast_six fast_nine < <(shifts ath10k.fw_ns=0)
echo "# shifts 6 and 9: $six $nine; without firmware: $fast_six $fast_nine"
ok "a slow firmware makes the shift matter" less "$nine" "$six" 2
ok "without one it does not" within "$fast_nine" "$fast_six" 10

# the tables of two variants, each under the other one's name
sed -e '/^  \(vendor\|tcp\|idle\):/d' -e 's/^  without:/  swap:/' \
	-e 's/^  with:/  without:/' -e 's/^  swap:/  with:/' \
	"$top/experiments/armada-xp-cpuidle.yaml" >"$dir/swapped.yaml"
ok "two tables with their names swapped" \
	experiment "$dir/swapped.yaml" -n 1 --plan seed=5
iops() { awk -v v="$1" '$1 == "tmpfs" && $2 == "io.iops" && $3 == v {
	print $4; exit }' "$dir/figures"; }
echo "# named without: $(iops without), named with: $(iops with)"
ok "the figures go with the tables" less "$(iops with)" "$(iops without)" 1.13
done_testing
