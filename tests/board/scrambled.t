#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Figures come out of mechanisms: with other constants than the calibrated ones
# they change as the mechanism says, and what a table is called does not matter.
. "$(dirname "$0")/experiment.sh"

# kib_of VARIANT: TX of a wilc1000 without its rounding
kib_of() { kib tcp-tx tcp.tx-throughput "$1"; }
# wilc PARAMETERS: KiB/s with sleep and without
wilc() {
	experiment -k module-param:wilc1000.enable_sleep=1,0 \
		--dut "board:wilc1000${1:+,param=$1}" -w tcp:tx,size=256KiB \
		-n 1 --plan seed=5 >&2 || return
	echo "$(kib_of 1) $(kib_of 0)"
}
# us of a KiB that sleep costs, of a line of wilc
cost() { awk '{ printf "%.1f", 1e6 / $1 - 1e6 / $2 }' "$1"; }

wilc "" >"$dir/now"
wilc wilc1000.wake_ns=0 >"$dir/instant"
wilc wilc1000.wake_ns=2600000 >"$dir/slow"
read -r now_sleep now_none <"$dir/now"
read -r instant_sleep instant_none <"$dir/instant"
read -r slow_sleep slow_none <"$dir/slow"
echo "# KiB/s with sleep, without: $(paste -sd' ' "$dir/now" "$dir/instant" "$dir/slow")"
ok "how long a chip wakes is nothing to one that never sleeps" \
	within "$slow_none" "$now_none" 3
ok "nor if it wakes at once" within "$instant_none" "$now_none" 3
