#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What TCP may have queued below it, in short windows: the fall from shift 7 to
# 8, and a shift of 6 at the published figure. Shift 8 has several stable points,
# where slow start leaves the window, so 7 and 8 are judged by medians of three.
. "$(dirname "$0")/experiment.sh"

# SHIFTS ROUNDS: the experiment with these shifts
shifts() {
	sed -e "s/values: \[[^]]*\]/values: [$1]/" \
		-e 's/time: 2s, warm-up: 1s/time: 400ms, warm-up: 200ms/' \
		"$top/experiments/ath10k-pacing-shift.yaml" >"$dir/shifts.yaml"
	grep -qF "[$1]" "$dir/shifts.yaml" && grep -q 400ms "$dir/shifts.yaml" &&
		experiment "$dir/shifts.yaml" -n "$2" --plan seed=5
}
rate() { figure uplink tcp.tx-throughput "$1"; }

ok "the experiment runs" shifts "6, 9" 1
ok "shift 6: 500 Mbit/s" within "$(rate 6)" 500 10
ok "shift 9 is under shift 6 by half" less "$(rate 9)" "$(rate 6)" 2
ok "so do three rounds of the shifts between" shifts "7, 8" 3
ok "shift 8 is well under shift 7" less "$(rate 8)" "$(rate 7)" 1.25
done_testing
