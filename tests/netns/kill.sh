# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 at random moments of `kdelta run`: KILLS of them, from SEED on. What
# was stored stays, what was changed is put back, nothing is left behind, and
# --resume completes the experiment.
. "${BASH_SOURCE%/*}/lib.sh"

SEED=${SEED:-$KILLS}
RANDOM=$SEED
knob=/proc/sys/vm/stat_interval
found=$(cat $knob)
echo as-found >"$tmp/file"
machine >"$tmp/machine.before"

experiment() { # NAME
	cat <<-END
	name: $1
	variants:
	  found: {}
	  set: &set
	    sysctl: { vm.stat_interval: $((found + 3)), net.ipv4.tcp_fin_timeout: 33 }
	    command: { file: { get: 'cat $tmp/file', set: 'echo \$KD_VALUE >$tmp/file', value: changed } }
	  other: *set
	workloads:
	  w: { tcp: { direction: bidir, time: 50ms, warm-up: 10ms, cool-down: 60ms } }
	  x: { exec: { command: 'sleep 0.07 & wait; readlink /proc/self/ns/net >>$tmp/ns' } }
	observe: [cpu, irq]
	plan: { rounds: 3, seed: 4, retries: 3 }
	END
}
runs() { # NAME CONDITION
	sql "select count(*) from run where experiment = (select max(id)
		from experiment where name = '$1') and $2"
}
is_begun() {
	[ "$(sql "select count(*) from experiment where name = '$1'")" = 1 ]
}
are_gone() { # PIDS: dead; a zombie is its new parent's
	local p state
	for p; do
		state=$(sed 's/.*) //;s/ .*//' "/proc/$p/stat" 2>/dev/null)
		[ -z "$state" ] || [ "$state" = Z ] || return 1
	done
}
is_back() {
	[ "$(cat $knob)" = "$found" ] && [ "$(cat "$tmp/file")" = as-found ]
}
has_no_journal() { # NAME
	! grep -qs "\"$1\"" /run/kdelta/journal-*
}
name_of() { # PID
	cat "/proc/$1/comm" 2>/dev/null
}
guardians() {
	local p
	for p; do
		[ "$(name_of "$p")" != kdelta-guardian ] || echo "$p"
	done
}
# the family without its guardians and what the agents started
victims() { # WHOM CONTROLLER FAMILY...
	local whom=$1 controller=$2 agents
	shift 2
	agents=$(pgrep -P "$controller")
	case $whom in
	controller) echo "$controller" ;;
	device) echo "$agents" | head -n 1 ;;
	peer) echo "$agents" | tail -n +2 ;;
	both) echo "$controller $agents" ;;
	all) echo "$@" ;;
	esac
}
check_stored() { # NAME BEFORE
	[ "$(sql 'pragma integrity_check')" = ok ] || return 1
	[ -z "$(sql 'pragma foreign_key_check')" ] || return 1
	[ "$(sql "select count(*) from run where length(figures) = 0 and
		status = 0")" = 0 ] || return 1
	! is_begun "$1" || [ "$(runs "$1" 1)" -ge "$2" ]
}
check_complete() { # NAME: each run good once
	[ "$(sql "select count(*), count(distinct round * 6 + variant * 2 +
		workload) from run where status = 0 and not superseded and
		experiment = (select id from experiment where name = '$1')")" \
		= '18|18' ]
}
want() { # WHAT COMMAND...: say what is wrong of this kill
	local what=$1
	shift
	"$@" || wrong="$wrong; $what"
}

kill_one() { # NAME WHOM MILLISECONDS
	local name=$1 whom=$2 family before='' wrong='' rc dead restored
	experiment "$name" >"$tmp/$name.yaml"
	: >"$tmp/ns"
	"$KDELTA" run "$tmp/$name.yaml" >"$tmp/out" 2>&1 8>&- &
	running=$!
	sleep "$(printf '%d.%03d' $(($3 / 1000)) $(($3 % 1000)))"
	family=$(family "$running")
	before=$(runs "$name" 1 2>/dev/null)
	dead=$(victims "$whom" "$running" $family)
	[ -z "$dead" ] || kill -9 $dead 2>/dev/null
	case $whom in
	device | peer)
		# the controller starts new ones and goes on
		wait "$running"
		rc=$?
		want "ended with $rc: $(tail -n 3 "$tmp/out")" test $rc = 0
		;;
	*)
		wait "$running" 2>/dev/null
		;;
	esac
	running=
	if [ "$whom" = all ]; then
		await 20 are_gone $family
		restored=$("$KDELTA" restore 2>&1)
		want "restore: $restored" is_back
	else
		want 'knobs are not back' await 20 is_back
	fi
	want "processes: $(ps -o pid,stat,args -p "$(echo $family | tr ' ' ,)")" \
		await 20 are_gone $family
	want 'somebody is in the namespaces' await 20 nobody_is_in "$tmp/ns"
	want 'a journal is left' await 20 has_no_journal "$name"
	want "the store: $before before" check_stored "$name" "${before:-0}"
	[ "$whom" = all ] || want "restore: $("$KDELTA" restore 2>&1)" is_back
	if is_begun "$name"; then
		"$KDELTA" run -q --resume "$tmp/$name.yaml" >"$tmp/out" 2>&1
	else
		"$KDELTA" run -q "$tmp/$name.yaml" >"$tmp/out" 2>&1
	fi
	rc=$?
	want "resuming ended with $rc: $(head -n 5 "$tmp/out")" test $rc = 0
	want 'it is not complete' check_complete "$name"
	want 'knobs are not back after the resumption' is_back
	echo "${wrong#; }"
	[ -z "$wrong" ]
}

agents_of=''
for i in $(seq "$KILLS"); do
	set -- controller device peer both all
	shift $((RANDOM % 5))
	whom=$1
	ms=$((RANDOM % 2000))
	case $whom in
	device | peer) agents_of="$agents_of,'kill-$i'" ;;
	esac
	check "kill $i of seed $SEED: $whom after $ms ms" \
		kill_one "kill-$i" "$whom" $ms
done
machine >"$tmp/machine.after"
check "the machine's own network is as before" \
	diff "$tmp/machine.before" "$tmp/machine.after"
lost="reason like '%other end%' or reason like '%is gone%'"
check_is 'no agent was lost but those that were killed' \
	"$(sql "select count(*) from run r join experiment e
		on r.experiment = e.id where ($lost)
		and name not in (''$agents_of)")" 0
check_is 'and those once' \
	"$(sql "select count(*) from (select count(*) n from run where $lost
		group by experiment) where n > 1")" 0
done_testing
