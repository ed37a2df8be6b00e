#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The chip with the slow firmware: repeats, and TCP small queues hold a sender
# back the more, the less may wait below it.
. "$(dirname "$0")/lib.sh"

run() {
	boot ath10k "$1" <<'END'
for k in 6 9; do
	echo $k >/sys/module/ath10k/parameters/sk_pacing_shift
	echo "$k $(rate 1 5)"
done
cat /sys/kernel/debug/kdchip/stats
END
}

run 7 >"$dir/a"
run 7 >"$dir/b"
ok "the board answers" test -s "$dir/a"
ok "the same seed gives the same bytes" cmp "$dir/a" "$dir/b"
ok "shift 9 is slower than shift 6" \
	less "$(awk '$1 == 9 { print $2 }' "$dir/a")" \
	"$(awk '$1 == 6 { print $2 }' "$dir/a")" 1.5
done_testing
