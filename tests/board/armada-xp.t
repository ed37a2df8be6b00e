#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two cores that sleep: repeats, and a driver's table moves power one way and
# what a core gets done the other, for the reasons that the model gives.
. "$(dirname "$0")/lib.sh"

run() {
	seed=$1
	shift
	boot armada-xp "$seed" "$@" <<'END'
energy=/sys/class/hwmon/hwmon0/energy1_input
states=/sys/devices/system/cpu/cpu0/cpuidle
now() { cut -d' ' -f1 /proc/uptime | tr -d .; }
# blocks of a file in tmpfs a second, one after the other
reads() {
	i=0
	t=$(now)
	while [ $i -lt 40 ]; do
		dd if=/tmp/file of=/dev/null bs=4k 2>/dev/null
		i=$((i + 1))
	done
	echo $((40 * 4096 * 100 / ($(now) - t)))
}
dd if=/dev/zero of=/tmp/file bs=1M count=16 2>/dev/null
for table in none 1,10,100:1,100,1000 1,100,1000:1,1000,10000 \
	     1,20,200:1,220,9000000 1,10,5:1,100,1000; do
	[ $table = none ] || insmod /lib/kd/armada-xp-cpuidle.ko \
		exit_latency=${table%:*} target_residency=${table#*:} ||
		{ echo "$table refused"; continue; }
	e=$(cat $energy)
	sleep 2
	mw=$((($(cat $energy) - e) / 2000))
	[ $table = none ] || echo $table latency $(cat $states/state*/latency) \
		entries $(cat $states/state*/usage)
	ping -q -c 20 -i 0.02 10.77.0.2 | sed -n "s|.*= |$table ping |p"
	echo "$table mW $mw reads $(reads)"
	rmmod armada-xp-cpuidle 2>/dev/null
done
END
}

# get TABLE COLUMN [FILE]
get() { awk -v row="$1" -v col="$2" '$1 == row {
	for (i = 2; i < NF; i++) if ($i == col) print $(i + 1) }' \
	"$dir/${3:-a}"; }
# deepest TABLE: how often its deepest state was entered
deepest() { awk -v row="$1" '$1 == row && /entries/ { print $NF }' "$dir/a"; }
not_same() { ! cmp -s "$dir/a" "$dir/c"; }
stock=1,10,100:1,100,1000
patched=1,100,1000:1,1000,10000
vendor=1,20,200:1,220,9000000

run 7 >"$dir/a"
run 7 >"$dir/b"
run 8 --param armada-xp.stall_ns=0,0,0 --param armada-xp.exit_ns=0,0,0 >"$dir/c"
ok "the board answers" test -n "$(get $vendor reads)"
ok "the same seed gives the same bytes" cmp "$dir/a" "$dir/b"
ok "another seed gives others" not_same
ok "the table is what the kernel shows" \
	grep -q "^$patched latency 1 100 1000 " "$dir/a"
ok "states that do not get deeper are refused" \
	grep -qx "1,10,5:1,100,1000 refused" "$dir/a"
ok "without a driver no core sleeps deeply" \
	less "$(get $vendor mW)" "$(get none mW)" 1.3
ok "a table that allows deep sleep saves power at idle" \
	less "$(get $stock mW)" "$(get $patched mW)" 1.2
ok "one that never lets the fabric down costs more" \
	less "$(get $patched mW)" "$(get $vendor mW)" 1.2
ok "its deepest state is never entered" test "$(deepest $vendor)" = 0
ok "the other core's sleep costs a busy core requests" \
	less "$(get $stock reads)" "$(get $patched reads)" 1.13
ok "the third table lies above the first" \
	less "$(get $stock reads)" "$(get $vendor reads)" 1.05
ok "and below the second" less "$(get $vendor reads)" "$(get $patched reads)" 1.05
ok "where cores come back at once the tables are alike" \
	less "$(get $patched reads c)" "$(get $stock reads c)" 0.97
done_testing
