#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The traffic engine against iperf3, iperf 2, nuttcp and sockperf on loopback:
# interleaved rounds, medians, server on CPU 0 and client on CPU 1 where there
# are two.
#
#   bench/traffic.sh [ROUNDS] [SECONDS] [CASE...]    cases: tcp1 tcp8 zc udp rr
#
# TRAFFIC is the engine's driver (default build/bench/traffic).
set -u
export LC_ALL=C
rounds=${1:-5} secs=${2:-1}
shift $(( $# > 2 ? 2 : $# ))
cases=${*:-tcp1 tcp8 zc udp rr}
traffic=${TRAFFIC:-build/bench/traffic}
dir=$(mktemp -d) port=15200 servers=()
trap 'kill "${servers[@]}" 2>/dev/null; rm -rf "$dir"' EXIT

pins() { [ "$(nproc)" -gt 1 ] && echo "taskset -c $1" || true; }
serve() { $(pins 0) "$@" >/dev/null 2>&1 & servers+=($!); }
have() { command -v "$1" >/dev/null; }
have iperf3 && serve iperf3 -s -B 127.0.0.1 -p $((port + 1))
have iperf && serve iperf -s -B 127.0.0.1 -p $((port + 2))
have nuttcp && serve nuttcp -S --nofork -P $((port + 3)) -p $((port + 4))
have sockperf && serve sockperf server --tcp -i 127.0.0.1 -p $((port + 5))
have sockperf && serve sockperf server -i 127.0.0.1 -p $((port + 5))
sleep 0.5

# s that all CPUs were busy so far
busy() {
	awk -v hz="$(getconf CLK_TCK)" \
	    '/^cpu /{ print ($2 + $3 + $4 + $7 + $8) / hz }' /proc/stat
}

# CASE TOOL RATE BYTES CPU: one result
note() { echo "$3 $(awk -v c="$5" -v b="$4" 'BEGIN{ print (b > 0 ? c * 1e9 / b : 0) }')" >>"$dir/$1.$2"; }

kdelta() { # CASE TOOL METRIC WORKLOAD OPTIONS
	$traffic "$4" "$5" "$secs" >"$dir/out" 2>&1 ||
		{ echo "$2: $(grep failed "$dir/out")" >&2; return; }
	read -r rate len cpu < <(awk -v m="$3" '$1 == m { r = $2 }
		$1 == "window-seconds" { l = $2 }
		$1 == "window-cpu-seconds" { c = $2 } END { print r, l, c }' "$dir/out")
	note "$1" "$2" "$rate" "$(awk -v r="$rate" -v l="$len" 'BEGIN{ print r * 1e6 / 8 * l }')" "$cpu"
}

peer() { # CASE TOOL FILTER COMMAND...: the filter prints Mbit/s or 1/s
	local what=$1 tool=$2 filter=$3 from rate
	shift 3
	have "$1" || return 0
	from=$(busy)
	$(pins 1) timeout $((secs + 15)) "$@" >"$dir/out" 2>&1
	rate=$(awk "$filter" "$dir/out")
	[ -n "$rate" ] || { echo "$tool: no figure" >&2; return 0; }
	note "$what" "$tool" "$rate" \
	     "$(awk -v r="$rate" -v l="$secs" 'BEGIN{ print r * 1e6 / 8 * l }')" \
	     "$(awk -v a="$from" -v b="$(busy)" 'BEGIN{ print b - a }')"
}

iperf3_sum='/receiver/ { for (i = 1; i < NF; i++) if ($(i + 1) == "Mbits/sec") r = $i } END { if (r) print r }'
iperf_sum='{ for (i = 1; i < NF; i++) if ($(i + 1) == "Mbits/sec") r = $i } END { if (r) print r }'
nuttcp_sum='{ for (i = 1; i < NF; i++) if ($(i + 1) == "Mbps") r = $i } END { if (r) print r }'

tcp_peers() { # CASE STREAMS
	peer "$1" iperf3 "$iperf3_sum" iperf3 -c 127.0.0.1 -p $((port + 1)) -t "$secs" -P "$2" -f m
	peer "$1" iperf "$iperf_sum" iperf -c 127.0.0.1 -p $((port + 2)) -t "$secs" -P "$2" -f m
	peer "$1" nuttcp "$nuttcp_sum" nuttcp -P $((port + 3)) -p $((port + 14)) -T"$secs" -N"$2" 127.0.0.1
}

round() {
	case $1 in
	tcp1)
		kdelta tcp1 kdelta tcp.tx-throughput tcp tx
		tcp_peers tcp1 1 ;;
	tcp8)
		kdelta tcp8 kdelta tcp.tx-throughput tcp tx,streams=8
		tcp_peers tcp8 8 ;;
	zc)
		kdelta zc kdelta-zerocopy tcp.tx-throughput tcp tx,source=zerocopy,sink=discard
		kdelta zc kdelta-sendfile tcp.tx-throughput tcp tx,source=sendfile,sink=discard
		peer zc iperf3-Z "$iperf3_sum" iperf3 -Z -c 127.0.0.1 -p $((port + 1)) -t "$secs" -f m
		tcp_peers zc 1 ;;
	udp)
		kdelta udp kdelta udp.tx-throughput udp tx,size=1400
		peer udp iperf3 "$iperf3_sum" iperf3 -u -b 0 -l 1400 -c 127.0.0.1 -p $((port + 1)) -t "$secs" -f m ;;
	rr)
		kdelta rr kdelta-tcp rr.transactions rr tcp,request=14,response=14
		kdelta rr kdelta-udp rr.transactions rr udp,request=14,response=14
		peer rr sockperf-tcp '/Summary: Latency is/ { print 1e6 / (2 * $5) }' sockperf ping-pong --tcp -i 127.0.0.1 -p $((port + 5)) -t "$secs"
		peer rr sockperf-udp '/Summary: Latency is/ { print 1e6 / (2 * $5) }' sockperf ping-pong -i 127.0.0.1 -p $((port + 5)) -t "$secs" ;;
	*)
		echo "no case $1" >&2; exit 2 ;;
	esac
}

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

for ((i = 0; i < rounds; i++)); do
	for c in $cases; do round "$c"; done
done
printf '%-6s %-18s %8s %14s %14s\n' case tool rounds 'Mbit/s or 1/s' 'CPU ns/byte'
for c in $cases; do
	for f in "$dir/$c".*; do
		[ -f "$f" ] || continue
		printf '%-6s %-18s %8d %14.1f %14.3f\n' "$c" "${f#"$dir/$c".}" "$(wc -l <"$f")" \
			"$(cut -d' ' -f1 "$f" | median)" "$(cut -d' ' -f2 "$f" | median)"
	done
done
