# SPDX-License-Identifier: GPL-2.0-or-later
# Stock clients at `kdelta peer`: every transfer ends well for both, and its
# bytes are those that the kernel counted on the link, less the headers.
#
# On a veth every packet bears 14 + 20 + 32 bytes before its payload over TCP,
# 14 + 20 + 8 over UDP; a connection's first two segments bear 8 more. What else
# is on the link is the control connection: its JSON is under 8 KB here.
. "$(dirname "$0")/peer-lib.sh"

# payload_is BYTES PACKETS HEAD LOW HIGH: BYTES of the link less HEAD a packet
# is LOW..HIGH more than the peer says, and what was sent again
payload_is() {
	local got=$(($1 - $2 * $3)) said
	said=$(field bytes)
	echo "link $1 bytes in $2 packets: $got; peer: $said, $again again" \
		>"$dir/out"
	[ $((got - said)) -ge "$4" ] && [ $((got - said)) -le $(($5 + again)) ]
}

# what the line must hold: PATTERN...
said() {
	for p in "$@"; do
		grep -q -- "$p" "$dir/line" || return 1
	done
	! grep -q '"ended"' "$dir/line"
}

# iperf3 NAME ARGUMENT...: a run that ends well; its JSON is in $dir/json
iperf3_run() {
	mark
	client timeout 40 iperf3 -c $addr -J "$@" >"$dir/json" 2>"$dir/err" &&
		! grep -q '"error"' "$dir/json" && settle 1
}

# json EXPRESSION: of d, true
json() {
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
line = json.loads(open(sys.argv[2]).readline())
end = d["end"]
sys.exit(not eval(f"({sys.argv[3]})"))' "$dir/json" "$dir/line" "$1"
}

# a size is exact on both ends and on the link; CONTROL bytes of JSON
tcp_in() {
	iperf3_run "$@" && said '"iperf3"' '"tcp"' '"received"' &&
		payload_is "$rx" "$rxp" 66 0 8192
}
tcp_out() {
	iperf3_run "$@" && said '"iperf3"' '"sent"' &&
		payload_is "$tx" "$txp" 66 0 8192
}
udp_in() {
	iperf3_run -u "$@" && said '"udp"' '"received"'
}

namespaces || { echo 'Bail out! no namespaces'; exit 1; }
peer_start || { echo 'Bail out! no peer'; exit 1; }

ok 'iperf3 -n' tcp_in -n 64M
ok '  all that was sent arrived' \
	json 'line["bytes"] == end["sum_sent"]["bytes"] >= 64 << 20'
ok '  and the client was told so' \
	json 'end["sum_received"]["bytes"] == line["bytes"]'
ok 'iperf3 -k' tcp_in -k 500
ok '  all that was sent arrived' \
	json 'line["bytes"] == end["sum_sent"]["bytes"] >= 500 << 17'
ok 'iperf3 -n -P 4' tcp_in -n 64M -P 4
ok '  over four streams' json 'line["streams"] == 4 and len(end["streams"]) == 4'
ok '  which have the bytes of the client' \
	json 'line["bytes"] == end["sum_sent"]["bytes"]'
ok 'iperf3 -n -l 1000 -w 64K -N -C reno' tcp_in -n 4M -l 1000 -w 64K -N -C reno
ok 'iperf3 -t 1' iperf3_run -t 1
ok '  more than nothing' json 'line["bytes"] > 1e6'
ok 'iperf3 -R -n' iperf3_run -R -n 64M
ok '  the client has all that it asked for' \
	json 'end["sum_received"]["bytes"] >= 64 << 20'
ok 'iperf3 -R -t 1 -P 4' iperf3_run -R -t 1 -P 4
ok '  the peer sent what the client has, or more' \
	json 'line["bytes"] >= end["sum_received"]["bytes"] > 1e6'
ok 'iperf3 -R -b' tcp_out -R -t 1 -b 20M
ok '  at the rate asked for' \
	json '10e6 < line["bytes"] * 8 / line["seconds"] < 23e6'
ok 'iperf3 --bidir' iperf3_run --bidir -t 1 -P 2
ok '  both ways' json 'line["direction"] == "both" and
	end["sum_received"]["bytes"] > 1e6 and
	end["sum_received_bidir_reverse"]["bytes"] > 1e6'
ok 'iperf3 -O' iperf3_run -t 1 -O 1
ok '  the omitted second is not counted' \
	payload_is "$rx" "$rxp" 66 1000000 100000000000
ok 'iperf3 -R -n -O' iperf3_run -R -n 64M -O 1
ok 'iperf3 --get-server-output' iperf3_run -n 1M --get-server-output
ok '  which is there' json '"kdelta peer" in d["server_output_text"]'

ok 'iperf3 -u' udp_in -n 4M -b 100M -l 1000
ok '  every datagram is accounted for' json 'line["datagrams"] ==
	end["sum"]["packets"] == line["lost"] + line["bytes"] // 1000'
ok '  the lost are those that the kernel dropped' \
	[ "$(field lost)" = "$drops" ]
ok '  and the bytes are those of the link' \
	payload_is "$rx" "$rxp" 42 $((drops * 1000)) $((drops * 1000 + 16384))
ok '  the client was told the same' json \
	'end["sum"]["lost_packets"] == line["lost"] and
	abs(end["sum"]["jitter_ms"] - line["jitter_s"] * 1e3) < 1e-3'
ok '  which is a plausible jitter' json '0 < line["jitter_s"] < 5e-3'
ok 'iperf3 -u -P 3 --udp-counters-64bit' udp_in -n 3M -b 50M -l 1200 -P 3 \
	--udp-counters-64bit
ok '  three streams' json 'line["streams"] == 3'
ok '  the lost are those that the kernel dropped' \
	[ "$(field lost)" = "$drops" ]
ok 'iperf3 -u -R' iperf3_run -u -R -t 1 -b 20M
ok '  at the rate asked for' \
	json '10e6 < end["sum"]["bits_per_second"] < 23e6'
ok 'iperf3 -u --bidir' iperf3_run -u --bidir -t 1 -b 10M

iperf2_tcp() {
	mark
	client timeout 30 iperf -c $addr "$@" >"$dir/out" 2>"$dir/err" &&
		settle 1 && said '"iperf2"' '"tcp"' &&
		payload_is "$rx" "$rxp" 66 0 64
}
# the server's report as the client prints it
iperf2_udp() {
	mark
	client timeout 30 iperf -c $addr -u "$@" >"$dir/out" 2>"$dir/err" &&
		settle 1 && said '"iperf2"' '"udp"' &&
		grep -q 'Server Report' "$dir/out" &&
		! grep -qi 'warning' "$dir/out" "$dir/err"
}
iperf2_reported() {
	python3 - "$dir/out" "$dir/line" <<'END'
import json, re, sys
text = open(sys.argv[1]).read().split("Server Report")[1]
line = json.loads(open(sys.argv[2]).readline())
lost, total = map(int, re.search(r"(\d+)/(\d+)", text).groups())
sys.exit((lost, total) != (line["lost"], line["datagrams"]))
END
}
ok 'iperf 2, TCP' iperf2_tcp -n 64M
ok '  all of it arrived' [ "$(field bytes)" = $((64 << 20)) ]
ok 'iperf 2, UDP' iperf2_udp -n 2M -l 1000 -b 50M
ok '  its report has the same loss' iperf2_reported

nuttcp_classic() {
	mark
	client timeout 30 nuttcp -t "$@" $addr >"$dir/out" 2>"$dir/err" &&
		settle 1 && said '"ttcp"'
}
ok 'nuttcp as a classic ttcp' nuttcp_classic -n1000 -l8192
ok '  all of it arrived' [ "$(field bytes)" = $((1000 * 8192)) ]
ok '  as the link says' payload_is "$rx" "$rxp" 66 0 64

curl_get() {
	mark
	client curl -sS -o "$dir/body" "http://$addr:8080/fixed/$1" \
		2>"$dir/err" && settle 1 && said '"http"' &&
		[ "$(stat -c %s "$dir/body")" = "$2" ] &&
		payload_is "$tx" "$txp" 66 0 400
}
ok 'curl' curl_get 64MiB $((64 << 20))
ok 'curl of 1 byte' curl_get 1 1
wrk_run() {
	mark
	client timeout 20 wrk -c 8 -t 1 -d 1s "http://$addr:8080/fixed/16KiB" \
		>"$dir/out" 2>"$dir/err" && grep -q 'requests in' "$dir/out" &&
		! grep -qE 'Non-2xx|Socket errors' "$dir/out"
}
ok 'wrk' wrk_run
ok 'SIGTERM ends it' peer_stop
done_testing
