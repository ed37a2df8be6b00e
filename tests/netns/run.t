# SPDX-License-Identifier: GPL-2.0-or-later
# `kdelta run` from end to end: device and peer in two namespaces over veth.
. "$(dirname "$0")/lib.sh"

machine >"$tmp/machine.before"

# the quick form
"$KDELTA" run -q -k sysctl:net.ipv4.tcp_limit_output_bytes=262144,1048576 \
	-w tcp:tx,time=200ms,warm-up=50ms -n 3 --name quick --report json \
	>"$tmp/quick.json" 2>"$tmp/quick.err"
check_is 'the quick form ends with 0' $? 0
check_is 'without a word' "$(cat "$tmp/quick.err")" ''
figures() { # FILE METRIC: n and whether the mean is over 0, per variant
	python3 - "$@" <<-'END'
	import json, sys
	for m in json.load(open(sys.argv[1]))["measures"]:
	    if m["metric"] == sys.argv[2]:
	        print(" ".join(f"{v['variant']}:{v['n']}:{(v['mean'] or 0) > 0}"
	                       for v in m["variants"]))
	END
}
both='262144:3:True 1048576:3:True'
check_is 'the report has throughput' \
	"$(figures "$tmp/quick.json" tcp.tx-throughput)" "$both"
check_is 'and CPU' "$(figures "$tmp/quick.json" cpu.busy)" "$both"
check_is 'and bytes for each CPU second' \
	"$(figures "$tmp/quick.json" derived.cpu-per-byte)" "$both"

# counters of the device's namespace, between the runs and after the last
experiment() { # DIRECTION STREAMS
	cat <<-END
	name: bytes-$1
	dut: netns
	sweep:
	  run: { command: { set: &look 'cat /proc/net/dev /proc/net/snmp /proc/net/netstat >$tmp/$1/\$(date +%s.%N); readlink /proc/self/ns/net >>$tmp/ns', restore: *look }, values: [a, b, c] }
	workloads:
	  w: { tcp: { direction: $1, streams: $2, size: 24MiB } }
	plan: { rounds: 1 }
	END
}
bytes() {
	python3 "$here/tests/netns/bytes.py" "$@"
}
for way in tx rx bidir; do
	mkdir "$tmp/$way"
	experiment $way 3 >"$tmp/$way.yaml"
	"$KDELTA" run -q "$tmp/$way.yaml" --report json >"$tmp/$way.json" \
		2>"$tmp/$way.err"
	check_is "$way from a file ends with 0" "$?$(cat "$tmp/$way.err")" 0
	check "$way bytes agree with the interface's counters" \
		bytes "$tmp/$way.json" "$tmp/$way" $way 3
	# a count that is wrong by more than headers can be
	for factor in 0.998 1.002; do
		python3 - "$tmp/$way.json" $factor >"$tmp/false.json" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		for m in report["measures"]:
		    for v in m["variants"] if "-bytes" in m["metric"] else []:
		        for s in v["samples"]:
		            s["value"] = int(s["value"] * float(sys.argv[2]))
		json.dump(report, sys.stdout)
		END
		check "a count of $factor of the $way bytes would be seen" \
			fails bytes "$tmp/false.json" "$tmp/$way" $way 3
	done
done
check 'they were not in the namespace of the machine' \
	fails grep -F "$(readlink /proc/self/ns/net)" "$tmp/ns"
check 'and nobody is in them any more' nobody_is_in "$tmp/ns"

# a sysctl of the namespace, a sysctl of the machine, and a workload's option
before=$(cat /proc/sys/net/ipv4/tcp_slow_start_after_idle) \
machine_before=$(cat /proc/sys/vm/stat_interval)
cat >"$tmp/scopes.yaml" <<END
name: scopes
variants:
  found: {}
  set:
    sysctl: { net.ipv4.tcp_slow_start_after_idle: $((1 - before)), vm.stat_interval: $((machine_before + 1)) }
    workload: { w.streams: 2 }
    command: { look: { set: 'grep . /proc/sys/net/ipv4/tcp_slow_start_after_idle /proc/sys/vm/stat_interval >$tmp/look', restore: 'true' } }
workloads:
  w: { tcp: { direction: rx, time: 100ms, warm-up: 20ms } }
plan: { rounds: 2, seed: 1 }
END
"$KDELTA" run -q "$tmp/scopes.yaml" --report json >"$tmp/scopes.json" \
	2>"$tmp/scopes.err"
check_is 'knobs of both scopes' "$?$(cat "$tmp/scopes.err")" 0
check_text 'the sysctl was set in the namespace' "$(cat "$tmp/look")" \
	"tcp_slow_start_after_idle:$((1 - before))\$"
check_text 'that of the machine was set' "$(cat "$tmp/look")" \
	"stat_interval:$((machine_before + 1))\$"
check_is 'the machine has its own sysctl' \
	"$(cat /proc/sys/net/ipv4/tcp_slow_start_after_idle)" "$before"
check_is 'and got the other one back' "$(cat /proc/sys/vm/stat_interval)" \
	"$machine_before"
check_is 'the option made two streams of one' \
	"$(figures "$tmp/scopes.json" 'tcp.rx-stream[1]')" \
	'found:0:False set:2:True'

# what does not take is said, and the knobs before it are put back
cat >"$tmp/fails.yaml" <<END
name: fails
variants:
  found: {}
  set:
    sysctl: { vm.stat_interval: $((machine_before + 2)), net.ipv4.tcp_fin_timeout: 1000000000000 }
workloads:
  w: { tcp: { direction: rx, time: 100ms, warm-up: 20ms } }
plan: { rounds: 1, seed: 1, retries: 0 }
END
"$KDELTA" run -q "$tmp/fails.yaml" >"$tmp/fails.out" 2>&1
check_is 'a knob that does not take makes a run fail' $? 4
check_text 'which is in the report' "$(cat "$tmp/fails.out")" \
	'tcp_fin_timeout.*1000000000000'
check_is 'and the other knob is put back' \
	"$(cat /proc/sys/vm/stat_interval)" "$machine_before"

machine >"$tmp/machine.after"
check "the machine's own network is as before" \
	diff "$tmp/machine.before" "$tmp/machine.after"
done_testing
