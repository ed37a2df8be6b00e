# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of kdelta peer: TAP, and a pair of network namespaces with a
# veth between them, whose counters are what is compared.
: "${KDELTA:?the kdelta to test}"
dir=$(mktemp -d)
a=kdpa$$ b=kdpb$$
addr=10.98.0.1
n=0
peer_pid=

clean() {
	[ -z "$peer_pid" ] || kill -9 "$peer_pid" 2>/dev/null
	ip netns del $a 2>/dev/null
	ip netns del $b 2>/dev/null
	rm -rf "$dir"
}
trap clean EXIT

ok() { # NAME COMMAND...
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $name"
	else
		for f in line out err; do
			[ ! -s "$dir/$f" ] || tail -n 12 "$dir/$f" |
				sed "s/^/# $f: /"
		done
		echo "not ok $n - $name"
	fi
}

done_testing() { echo "1..$n"; }

# clients are in $a, the peer is in $b
namespaces() {
	ip netns add $a && ip netns add $b &&
		ip -n $a link add va type veth peer name vb netns $b &&
		ip -n $a addr add 10.98.0.2/24 dev va &&
		ip -n $b addr add $addr/24 dev vb &&
		ip -n $a link set lo up && ip -n $b link set lo up &&
		ip -n $a link set va up && ip -n $b link set vb up
}

client() { ip netns exec $a "$@"; }

# peer_start OPTION...: what it says is in $dir/log, one object a transfer
peer_start() {
	: >"$dir/log"
	ip netns exec $b "$KDELTA" peer --bind $addr --json "$@" \
		>"$dir/log" 2>"$dir/peer.err" &
	peer_pid=$!
	for _ in $(seq 100); do
		grep -q 'kdelta peer on' "$dir/peer.err" && return 0
		sleep 0.05
	done
	sed 's/^/# /' "$dir/peer.err"
	return 1
}

# ends it, and says its exit status
peer_stop() {
	local pid=$peer_pid
	kill -TERM "$pid"
	wait "$pid"
	local rc=$?
	peer_pid=
	return $rc
}

counter() { # vb's rx_bytes, rx_packets, ...
	ip netns exec $b cat "/sys/class/net/vb/statistics/$1"
}

# segments that TCP of namespace $1 has sent again; with its 1448 bytes each
# they are on the link once more
resent() {
	ip netns exec "$1" nstat -asz TcpRetransSegs |
		awk '/TcpRetransSegs/ { print $2 * 1448 }'
}

# datagrams that the peer's kernel had no room for
dropped() {
	ip netns exec $b nstat -asz UdpRcvbufErrors |
		awk '/UdpRcvbufErrors/ { print $2 }'
}

# mark: what the counters and the log are before a transfer
mark() {
	rx0=$(counter rx_bytes) rxp0=$(counter rx_packets)
	tx0=$(counter tx_bytes) txp0=$(counter tx_packets)
	again0=$(($(resent $a) + $(resent $b)))
	drops0=$(dropped)
	lines0=$(wc -l <"$dir/log")
}

# settle COUNT: wait for that many lines since mark; they are in $dir/line
settle() {
	for _ in $(seq 100); do
		[ "$(wc -l <"$dir/log")" -ge $((lines0 + $1)) ] && break
		sleep 0.05
	done
	tail -n +$((lines0 + 1)) "$dir/log" >"$dir/line"
	rx=$(($(counter rx_bytes) - rx0)) rxp=$(($(counter rx_packets) - rxp0))
	tx=$(($(counter tx_bytes) - tx0)) txp=$(($(counter tx_packets) - txp0))
	again=$(($(resent $a) + $(resent $b) - again0))
	drops=$(($(dropped) - drops0))
	[ "$(wc -l <"$dir/line")" = "$1" ]
}

# field NAME: the sum of it over the lines
field() {
	python3 -c '
import json, sys
v = [json.loads(l).get(sys.argv[1], 0) for l in open(sys.argv[2])]
print(sum(v) if not v or not isinstance(v[0], str) else v[0])
' "$1" "$dir/line"
}
