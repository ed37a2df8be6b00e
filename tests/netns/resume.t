# SPDX-License-Identifier: GPL-2.0-or-later
# `kdelta run` that does not go to its end, and how it goes on.
. "$(dirname "$0")/lib.sh"

knob=/proc/sys/vm/stat_interval
found=$(cat $knob)
experiment() { # NAME ROUNDS
	cat <<-END
	name: $1
	variants:
	  found: {}
	  slow: { sysctl: { vm.stat_interval: $((found + 3)) } }
	workloads:
	  w: { tcp: { direction: tx, time: 60ms, warm-up: 10ms } }
	observe: [cpu]
	plan: { rounds: $2, seed: 4 }
	END
}
experiment cut 8 >"$tmp/cut.yaml"

# NAME CONDITION: runs of the latest experiment of this name
runs() {
	sql "select count(*) from run where experiment = (select max(id)
		from experiment where name = '$1') and $2"
}
has_runs() {
	[ "$(runs "$1" 1)" -ge "$2" ]
}
start() { # ARGUMENTS: in the background
	"$KDELTA" run "$@" >"$tmp/out" 2>"$tmp/err" &
	running=$!
}
ended() { # wait for it; its status in $rc
	wait "$running"
	rc=$?
	running=
}
# a signal after 5 runs or more
for sig in INT TERM; do
	rm -f "$KDELTA_STORE"*
	start "$tmp/cut.yaml"
	check "$sig: it gets to work" await 20 has_runs cut 5
	kill -$sig "$running"
	ended
	check_is "$sig ends with 130" $rc 130
	check_text "$sig: what there is is reported" "$(cat "$tmp/out")" \
		'tcp.tx-throughput'
	check_is "$sig: the knob is put back" "$(cat $knob)" "$found"
	ok=$(runs cut 'status = 0')
	check "$sig: the runs before it are stored" test "$ok" -ge 5
	check "$sig: not all are" test "$ok" -lt 16
done

# exactly what is missing
whole=$((ok / 2))
cp "$tmp/cut.yaml" "$tmp/same.yaml"
sed 's/60ms/61ms/' "$tmp/same.yaml" >"$tmp/cut.yaml"
"$KDELTA" run -q --resume "$tmp/cut.yaml" >"$tmp/out" 2>&1
check_is 'a file that has changed is refused' $? 2
check_text 'in words' "$(cat "$tmp/out")" 'has changed.*force'
check_is 'and nothing is added' "$(runs cut 'status = 0')" "$ok"
cp "$tmp/same.yaml" "$tmp/cut.yaml"
"$KDELTA" run --resume "$tmp/cut.yaml" >"$tmp/out" 2>"$tmp/err"
check_is 'resuming ends with 0' $? 0
check_is 'the whole rounds are kept' \
	"$(runs cut "status = 0 and not superseded and round < $whole")" \
	$((2 * whole))
check_is 'each run is there once' \
	"$(sql "select count(*), count(distinct round * 2 + variant), max(round)
		from run where status = 0 and not superseded")" '16\|16\|7'
check_is 'what was cut off is marked' \
	"$(runs cut "status = 0 and superseded and round = $whole")" \
	$((ok - 2 * whole))
check_is 'a line for each round' "$(grep -c '^round ' "$tmp/err")" \
	$((8 - whole))
check_is 'and no control characters' "$(grep -c "$(printf '[\r\033]')" \
	"$tmp/err")" 0
"$KDELTA" run -q --resume "$tmp/cut.yaml" >"$tmp/out" 2>&1
check_is 'resuming what is complete ends with 0' $? 0
check_text 'and reports' "$(cat "$tmp/out")" 'tcp.tx-throughput'
check_is 'and adds nothing' "$(runs cut 'not superseded')" 16
sed 's/60ms/61ms/;s/rounds: 8/rounds: 9/' "$tmp/same.yaml" >"$tmp/cut.yaml"
"$KDELTA" run -q --resume --force "$tmp/cut.yaml" >"$tmp/out" 2>&1
check_is 'a changed file with --force ends with 0' $? 0
check_is 'and adds its round' "$(runs cut 'status = 0 and not superseded')" 18

# runs that hang or fail
cat >"$tmp/hang.yaml" <<END
name: hang
variants:
  good: { workload: { w.command: 'echo 1' } }
  hangs: { workload: { w.command: 'sleep 600' } }
  fails: { workload: { w.command: 'echo no luck >&2; exit 7' } }
workloads:
  w: { exec: { command: 'true' } }
observe: [cpu]
plan: { rounds: 2, seed: 1, retries: 2, deadline: 300ms, warm-up-round: no }
END
"$KDELTA" run "$tmp/hang.yaml" >"$tmp/out" 2>"$tmp/err"
check_is 'runs that hang and fail end with 4' $? 4
check_is 'the good ones are stored' "$(runs hang 'variant = 0 and status = 0')" 2
check_is 'each other one is tried three times' \
	"$(sql "select group_concat(c) from (select count(*) c from run where
		variant > 0 and status = 1 and experiment = (select max(id)
		from experiment) group by variant, round)")" 3,3,3,3
check_text 'the deadline is named' "$(sql "select reason from run where
	variant = 1 and experiment = (select max(id) from experiment)")" \
	'300 ms|0\.3|deadline'
check_text 'and what the command said' "$(sql "select reason from run where
	variant = 2 and experiment = (select max(id) from experiment)")" 'no luck'
check_text 'the report says how many failed' "$(cat "$tmp/out")" \
	'12 that failed'
check_is 'nothing of them is left' "$(pgrep -x -f 'sleep 600')" ''

# what failed before the cut has its second try after it
cat >"$tmp/late.yaml" <<END
name: late
variants:
  good: { workload: { w.command: 'sleep 0.05' } }
  late: { workload: { w.command: 'sleep 0.05; test -e $tmp/flag' } }
workloads:
  w: { exec: { command: 'true' } }
observe: [cpu]
plan: { rounds: 6, seed: 1, retries: 1 }
END
start -q "$tmp/late.yaml"
await 20 has_runs late 5
kill -INT "$running"
ended
touch "$tmp/flag"
"$KDELTA" run -q --resume "$tmp/late.yaml" >"$tmp/out" 2>&1
check_is 'what failed may succeed after the cut' $? 0
check_is 'each run is good once' "$(runs late 'status = 0 and not superseded')" 12
check "and the second try says so" \
	test "$(runs late 'attempt = 2 and status = 0')" -gt 0

# one device, two experiments
experiment first 100 >"$tmp/first.yaml"
experiment second 1 >"$tmp/second.yaml"
start -q "$tmp/first.yaml"
await 20 has_runs first 3
"$KDELTA" run -q "$tmp/second.yaml" >"$tmp/out2" 2>&1
check_is 'a second experiment on the device ends with 3' $? 3
check_text 'and names the process' "$(cat "$tmp/out2")" \
	"in use.*first.*process $running"
check_is 'and has stored nothing' "$(runs second 1)" 0
kill -INT "$running"
ended
check_is 'the first one is not disturbed' "$rc$(runs first 'status = 1')" 1300
check_is 'the knob is as it was' "$(cat $knob)" "$found"

# a gate
cat >"$tmp/gate.yaml" <<END
name: gate
variants:
  fast: { workload: { w.pacing: 1gbit } }
  slow: { workload: { w.pacing: 100mbit } }
workloads:
  w: { tcp: { direction: tx, time: 100ms, warm-up: 20ms } }
observe: [cpu]
plan: { rounds: 5, seed: 1 }
END
"$KDELTA" run -q --gate "$tmp/gate.yaml" >"$tmp/out" 2>&1
check_is 'what is worse does not pass the gate' $? 1
sed 's/^variants/baseline: slow\nvariants/;s/^name.*/name: better/' \
	"$tmp/gate.yaml" >"$tmp/better.yaml"
"$KDELTA" run -q --gate "$tmp/better.yaml" >"$tmp/out" 2>&1
check_is 'what is better does' $? 0

# no room for the store
mkdir "$tmp/small"
mount -t tmpfs -o size=400k kdelta-test "$tmp/small"
(
	export KDELTA_STORE=$tmp/small/store.db
	experiment full 200 >"$tmp/full.yaml"
	"$KDELTA" run -q "$tmp/full.yaml" >"$tmp/out" 2>&1
)
check_is 'a full disk ends with 3' $? 3
check_text 'in words' "$(cat "$tmp/out")" 'store.db.*(full|space)'
check_is 'and the knob is put back' "$(cat $knob)" "$found"
check_is 'what is stored is sound' \
	"$(sqlite3 "$tmp/small/store.db" 'pragma integrity_check')" ok
umount "$tmp/small"
done_testing
