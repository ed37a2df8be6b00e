# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta as the client of a stock iperf3 -s. Its bytes lie between those that
# the server's link counted, less the headers, and what was in flight at the end.
. "$(dirname "$0")/peer-lib.sh"

# run WORKLOAD-OPTIONS: the last run's figures in $dir/line, one object
run() {
	rm -f "$dir"/db* "$dir/line"
	rx0=$(counter rx_bytes) rxp0=$(counter rx_packets)
	tx0=$(counter tx_bytes) txp0=$(counter tx_packets)
	again0=$(($(resent $a) + $(resent $b)))
	ip netns exec $a "$KDELTA" run --store "$dir/db" --report none \
		--dut local -n 1 -k sysctl:net.ipv4.tcp_low_latency=0,1 --variant 0 \
		-w "iperf3:$1,server=$addr,time=1s,warm-up=${2:-0}" \
		--plan warm-up-round=no --observe kmsg \
		>"$dir/out" 2>"$dir/err" || return 1
	rx=$(($(counter rx_bytes) - rx0)) rxp=$(($(counter rx_packets) - rxp0))
	tx=$(($(counter tx_bytes) - tx0)) txp=$(($(counter tx_packets) - txp0))
	again=$(($(resent $a) + $(resent $b) - again0))
	"$KDELTA" show --store "$dir/db" --json --run "$(
		"$KDELTA" show --store "$dir/db" --json latest |
		python3 -c 'import json, sys
print(json.load(sys.stdin)["runs"][-1]["id"])')" latest |
		python3 -c 'import json, sys
print(json.dumps({m["name"]: m["value"]
                  for m in json.load(sys.stdin)["metrics"]}))' >"$dir/line"
}

# within METRIC BYTES PACKETS HEAD SLACK: the link had what the metric says, and
# at most SLACK more
within() {
	local got=$(($2 - $3 * $4)) said
	said=$(python3 -c 'import json, sys
print(int(json.load(open(sys.argv[2]))[sys.argv[1]]))' "$1" "$dir/line") ||
		return 1
	echo "link $2 bytes in $3 packets: $got; $1 $said; $again again" \
		>"$dir/out"
	[ "$said" -gt 1000000 ] && [ $((got - said)) -ge 0 ] &&
		[ $((got - said)) -le $(($5 + again)) ]
}

true_of() { # EXPRESSION over m, the metrics
	python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
sys.exit(not eval(f"({sys.argv[2]})"))' "$dir/line" "$1"
}

fails_with() { # PATTERN OPTIONS
	! run "$2" && grep -q "$1" "$dir/err"
}

namespaces || { echo 'Bail out! no namespaces'; exit 1; }
ip netns exec $b iperf3 -s >"$dir/log" 2>&1 &
peer_pid=$!
for _ in $(seq 100); do
	grep -q listening "$dir/log" && break
	sleep 0.05
done
control=16384
ok 'tcp tx' run tx,rate=80mbit,block=16k
ok '  bytes' within tcp.tx-bytes "$rx" "$rxp" 66 $((2 * 16384 + control))
ok '  at its rate' true_of '70 < m["tcp.tx-throughput"] < 84'
ok 'tcp rx' run rx,rate=80mbit,block=16k
ok '  bytes' within tcp.rx-bytes "$tx" "$txp" 66 $((2 * 16384 + control))
ok 'tcp tx, 4 streams' run tx,rate=80mbit,block=16k,streams=4
ok '  bytes' within tcp.tx-bytes "$rx" "$rxp" 66 $((8 * 16384 + control))
ok 'tcp both ways' run bidir,rate=40mbit,block=16k
ok '  both' true_of '35 < m["tcp.tx-throughput"] < 43 and
	35 < m["tcp.rx-throughput"] < 43'
ok 'udp tx' run tx,protocol=udp,rate=40mbit,block=1000
ok '  bytes' within udp.tx-bytes "$rx" "$rxp" 42 $((40 * 1000 + control))
ok '  nothing is lost' true_of 'm["udp.tx-lost"] == 0'
ok 'udp rx, 2 flows' run rx,protocol=udp,rate=40mbit,block=1000,streams=2
ok '  bytes' within udp.rx-bytes "$tx" "$txp" 42 $((80 * 1000 + control))
ok 'an omitted start' run tx,rate=80mbit,block=16k 1s
ok '  is not counted' true_of '70 < m["tcp.tx-throughput"] < 84 and
	m["tcp.tx-bytes"] < 12e6'
ip netns exec $a iperf3 -c $addr -t 3 >/dev/null 2>&1 &
other=$!
sleep 1
ok 'a busy server is named' fails_with 'busy' tx
kill $other; wait $other 2>/dev/null
kill $peer_pid; wait $peer_pid 2>/dev/null
ok 'no server is named' fails_with 'cannot connect to 10.98.0.1:5201' tx
done_testing
