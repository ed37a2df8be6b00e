#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What TCP may have queued below it, one round: the fall from shift 7 to 8, and
# a shift of 6 at the published figure. The table's medians need eight rounds,
# which tests/long/board-tables.t has.
. "$(dirname "$0")/experiment.sh"

ok "the experiment runs" \
	experiment "$top/experiments/ath10k-pacing-shift.yaml" -n 1 --plan seed=5
rate() { figure uplink tcp.tx-throughput "$1"; }
ok "shift 6: 500 Mbit/s" within "$(rate 6)" 500 10
ok "shift 8 is well under shift 7" less "$(rate 8)" "$(rate 7)" 1.25
ok "shift 9 is under shift 6 by half" less "$(rate 9)" "$(rate 6)" 2
done_testing
