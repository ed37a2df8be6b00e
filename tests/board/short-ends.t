#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A board that panics, hangs or resets in the middle of an experiment: its run
# has failed, with the reason and the console, and all others are measured.
. "$(dirname "$0")/experiment.sh"

fault=/sys/kernel/debug/kdchip/fault
cat >"$dir/ends.yaml" <<END
name: ends
dut: { board: { profile: wilc1000, timeout: 15s } }
variants:
  good:  { workload: { load.command: "true" } }
  panic: { workload: { load.command: "sleep 0.2; echo 1 >$fault/panic" } }
  hang:  { workload: { load.command: "echo 1 >$fault/lockup" } }
  reset: { workload: { load.command: "reboot -f" } }
  late:  { workload: { load.command: "sleep 1" } }
baseline: good
workloads:
  load: { exec: { command: "true" } }
observe: [cpu]
plan: { rounds: 1, retries: 0, seed: 5 }
END
export TMPDIR=$dir/tmp
mkdir "$TMPDIR"
"$KDELTA" run "$dir/ends.yaml" --report markdown >"$dir/out" 2>"$dir/err"
ok "some runs failed, the report stands" test $? = 4
tr '\n' ' ' <"$dir/out" | tr -s ' ' >"$dir/flat"
said() { grep -q "$1" "$dir/flat"; }
ok "the panic is told in its words" said "panic, load, round 1 failed: the board panicked: Kernel panic - not syncing: kdchip: asked for by debugfs"
ok "so is the hang" said "hang, load, round 1 failed: the board hung"
ok "and the reset" said "reset, load, round 1 failed: the board reset"
ok "the good run is there" said "good | 1 |"
ok "so is the one after" said "late | 1 |"

run_of() {	# VARIANT: its number in the store
	"$KDELTA" show --json ends | python3 -c '
import json, sys
e = json.load(sys.stdin)
print(*[r["id"] for r in e["runs"] if r["variant"] == sys.argv[1]])' "$1"
}
"$KDELTA" show --run "$(run_of panic)" ends >"$dir/run"
ok "its console is kept with it" grep -q 'console: .*Kernel panic.*Call Trace' "$dir/run"
ok "its seed is too" grep -q 'seed [0-9]' "$dir/run"
ok "nothing is left behind" test -z "$(ls "$TMPDIR")"
done_testing
