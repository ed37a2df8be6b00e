#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reading the interrupt status again until it is clear, in short windows: what it
# costs who sends only, and how often it was read.
. "$(dirname "$0")/experiment.sh"

sed -e '/bidirectional:/d' -e 's/time: 1s, warm-up: 500ms/time: 300ms, warm-up: 200ms/' \
	"$top/experiments/mwifiex-int-loop.yaml" >"$dir/short.yaml"
grep -q 300ms "$dir/short.yaml" || echo "# the windows were not shortened"
share() { figure "$1" "histogram.share[$2]" before; }
# points WORKLOAD PASSES WANTED: within 5 points of the published share
points() {
	awk -v a="$(share "$1" "$2")" -v b="$3" 'BEGIN {
		good = a != "" && a >= b - 5 && a <= b + 5
		if (!good)
			print "# " a " is not within 5 points of " b
		exit !good
	}'
}
tx() { figure tx-only tcp.tx-throughput "$1"; }

ok "the experiment runs" experiment "$dir/short.yaml" -n 1 --plan seed=5
ok "sending only is faster by a tenth at least" less "$(tx before)" "$(tx after)" 1.10
ok "and by three tenths at most" less "$(tx after)" "$(tx before)" 0.77
ok "sending, one pass: 89.9 % of interrupts" points tx-only 1 89.9
ok "two: 9.3 %" points tx-only 2 9.3
ok "download: a second pass is more frequent than that" less \
	"$(share tx-only 2)" "$(share rx-only 2)" 1.5
ok "without the loop there is one pass only" within \
	"$(figure rx-only 'histogram.share[1]' after)" 100 0
done_testing
