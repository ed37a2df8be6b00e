#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The SPI chip with sleep: repeats, and the knob does what it did on hardware.
. "$(dirname "$0")/lib.sh"

run() {
	boot wilc1000 "$1" <<'END'
knob=/sys/module/wilc1000/parameters/enable_sleep
energy=/sys/class/hwmon/hwmon0/energy1_input
mean() { e=$(cat $energy); sleep 1; echo $((($(cat $energy) - e) / 1000)); }
for k in 1 0; do
	echo $k >$knob
	echo "sleep$k rate $(rate 2) mW $(mean)"
	ping -c 3 10.77.0.2 | grep time=
done
echo 1 >/sys/kernel/debug/kdchip/reset
echo "reset mW $(mean)"
cat /sys/kernel/debug/kdchip/stats
END
}

get() { awk -v row="$1" -v col="$2" '$1 == row {
	for (i = 2; i < NF; i++) if ($i == col) print $(i + 1) }' "$dir/a"; }

not_same() { ! cmp -s "$dir/a" "$dir/c"; }

run 7 >"$dir/a"
run 7 >"$dir/b"
run 8 >"$dir/c"
ok "the board answers" test -s "$dir/a"
ok "the same seed gives the same bytes" cmp "$dir/a" "$dir/b"
ok "another seed gives others" not_same
ok "sending is over twice as fast without sleep" \
	less "$(get sleep1 rate)" "$(get sleep0 rate)" 2
ok "the driver never touches a sleeping chip" \
	grep -qx 'asleep_access 0' "$dir/a"
ok "idle power does not tell sleep from none" \
	less "$(get sleep0 mW)" "$(get sleep1 mW)" 0.95
ok "a chip in reset takes less" less "$(get reset mW)" "$(get sleep1 mW)" 1.1
done_testing
