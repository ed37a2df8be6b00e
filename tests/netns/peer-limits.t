# SPDX-License-Identifier: GPL-2.0-or-later
# What kdelta peer allows: where it listens, which services, how many clients,
# for how long and how much; and how it ends.
. "$(dirname "$0")/peer-lib.sh"
namespaces || { echo 'Bail out! no namespaces'; exit 1; }

# listens PATTERN...: all that the peer listens on, and nothing else
listens() {
	ip netns exec $b ss -tulnH | awk '{ print $1, $5 }' | sort >"$dir/out"
	printf '%s\n' "$@" | sort | diff - "$dir/out" >"$dir/err"
}
restart() {
	[ -z "$peer_pid" ] || peer_stop
	peer_start "$@"
}
ended() { # COUNT TEXT: that many lines say why
	settle "$1" && [ "$(grep -c "\"ended\":\"$2\"" "$dir/line")" = "$1" ]
}

# what sends without an end: KIND, until the peer has enough
cat >"$dir/endless.py" <<'END'
import socket, sys, time
kind, address = sys.argv[1:]
udp = kind == "udp"
port = {"http": 8080}.get(kind, 5001)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if udp else
                  socket.SOCK_STREAM)
s.connect((address, port))
s.settimeout(30)
try:
    if kind == "http":      # takes a little now and then
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.send(b"GET /fixed/1GiB HTTP/1.1\r\nHost: a\r\n\r\n")
        while s.recv(100):
            time.sleep(.02)
    for i in range(1, 10**9) if kind != "http" else ():
        head = i.to_bytes(4, "big") + bytes(12)
        s.send(head + bytes(1000))
        time.sleep(.001)
        if udp and i == 4000:   # nobody says when a datagram is too much
            break
except OSError:
    pass
END
endless() { client timeout 60 python3 "$dir/endless.py" "$1" $addr; }

ip netns exec $b "$KDELTA" peer 2>"$dir/peer.err" &
peer_pid=$!
for _ in $(seq 100); do
	grep -q 'kdelta peer on' "$dir/peer.err" && break
	sleep 0.05
done
ok 'loopback is the default' listens 'tcp 127.0.0.1:5001' \
	'tcp 127.0.0.1:5201' 'tcp 127.0.0.1:8080' 'udp 127.0.0.1:5001' \
	'udp 127.0.0.1:5201'
restart --iperf3-port 0
ok 'without iperf3' listens "tcp $addr:5001" "tcp $addr:8080" "udp $addr:5001"
restart --ttcp-port 0
ok 'without ttcp' listens "tcp $addr:5201" "tcp $addr:8080" "udp $addr:5201"
restart --http-port 0 --ttcp-port 7001 --iperf3-port 7201
ok 'without HTTP, at other ports' listens "tcp $addr:7001" "tcp $addr:7201" \
	"udp $addr:7001" "udp $addr:7201"
busy_port() {
	ip netns exec $b "$KDELTA" peer --bind $addr --ttcp-port 7001 \
		>"$dir/out" 2>"$dir/err"
	[ $? = 3 ] && grep -q 'port 7001.*in use' "$dir/err"
}
ok 'a port that is taken is said' busy_port
ip -n $b addr add fd98::1/64 dev vb nodad
ip -n $a addr add fd98::2/64 dev va nodad
peer_stop
addr4=$addr addr=fd98::1
restart
six() {
	mark
	client timeout 30 iperf3 -6 -c fd98::1 -n 4M -P 2 >"$dir/out" 2>&1 &&
		client timeout 30 iperf3 -6 -c fd98::1 -u -n 1M -b 50M \
			>"$dir/out" 2>&1 &&
		client curl -sS -o "$dir/body" 'http://[fd98::1]:8080/fixed/1000' &&
		settle 3 && [ "$(stat -c %s "$dir/body")" = 1000 ] &&
		! grep -q '"ended"' "$dir/line"
}
ok 'IPv6' six
peer_stop
addr=$addr4

# the client of a place that is taken hears so, and the place comes back
one_client() {
	mark
	client timeout 30 iperf3 -c $addr -t 2 -P 4 -b 10M >"$dir/out" 2>&1 &
	local first=$!
	for _ in $(seq 100); do
		[ "$(ip netns exec $b ss -tnH state established \
			"( sport = :5201 )" | wc -l)" = 5 ] && break
		sleep 0.05
	done
	! client timeout 30 iperf3 -c $addr -n 1M >"$dir/err" 2>&1 &&
		grep -q 'server is busy' "$dir/err" && wait $first &&
		client timeout 30 iperf3 -c $addr -n 1M >"$dir/out" 2>&1 &&
		settle 2
}
restart --max-clients 1
ok '--max-clients 1: a test of four streams is one client' one_client

limits() { # TEXT
	for kind in ttcp udp http; do
		mark
		endless $kind
		ended 1 "$1" || return 1
	done
	mark
	! client timeout 30 iperf3 -c $addr -t 20 -b 50M >"$dir/out" 2>&1 &&
		ended 1 "$1" &&
		! client timeout 30 iperf3 -c $addr -u -t 20 -b 50M \
			>"$dir/out" 2>&1
}
restart --max-time 500ms
ok '--max-time ends every service' limits 'the limit of time was reached'
too_large() {
	[ "$(client curl -s -o /dev/null -w '%{http_code}' \
		"http://$addr:8080/fixed/2MiB")" = 413 ]
}
restart --max-bytes 1MiB
bytes_limits() {
	for kind in ttcp udp; do
		mark
		endless $kind
		ended 1 'the limit of bytes was reached' || return 1
	done
	mark
	! client timeout 30 iperf3 -c $addr -t 20 >"$dir/out" 2>&1 &&
		ended 1 'the limit of bytes was reached'
}
ok '--max-bytes ends them' bytes_limits
ok '  and HTTP refuses more' too_large

# several at once; a datagram that opens a stream says not whose it is
together() { # ARGUMENT...
	local pids=
	mark
	for i in 1 2 3 4; do
		client timeout 60 iperf3 -c $addr "$@" -t 1 -P $i -J \
			>"$dir/json$i" 2>&1 &
		pids="$pids $!"
	done
	for p in $pids; do
		wait "$p" || return 1
	done
	settle 4 && python3 - "$dir" <<'END'
import json, sys
d = sys.argv[1]
lines = {}
for l in open(d + "/line"):
    l = json.loads(l)
    lines[l["streams"]] = l
for i in range(1, 5):
    end = json.load(open(f"{d}/json{i}"))["end"]
    told = end.get("sum_received", end.get("sum"))
    if "sum" in end:
        told = {"bytes": end["sum"]["packets"] -
                end["sum"]["lost_packets"]}
        mine = lines[i]["datagrams"] - lines[i]["lost"]
    else:
        mine = lines[i]["bytes"]
    if told["bytes"] != mine or not mine:
        sys.exit(f"{i} streams: client {told}, peer {lines[i]}")
END
}
restart
ok 'four iperf3 clients at once over TCP' together
ok 'four iperf3 clients of one address at once over UDP' together -u -b 5M

stop_all() {
	mark
	for kind in ttcp udp http; do
		endless $kind &
	done
	client timeout 30 iperf3 -c $addr -t 20 -b 10M >"$dir/out" 2>&1 &
	client timeout 30 iperf3 -c $addr -t 20 -b 10M -R >"$dir/out" 2>&1 &
	client timeout 30 iperf3 -c $addr -u -t 20 -b 10M >"$dir/out" 2>&1 &
	# all six have begun
	for _ in $(seq 200); do
		[ "$(ip netns exec $b ss -tunH state established | wc -l)" -ge 8 ] &&
			break
		sleep 0.05
	done
	sleep 0.5
	peer_stop && ended 6 'the peer was stopped' &&
		grep -q '^[0-9]* transfers, [0-9]* bytes' "$dir/peer.err"
}
ok 'SIGTERM ends and reports what runs' stop_all

cat >"$dir/ttcp-r.py" <<'END'
import socket, sys
s = socket.create_server((sys.argv[1], 5001))
c, _ = s.accept()
n = 0
while sys.argv[2] == "read":
    d = c.recv(65536)
    if not d:
        break
    n += len(d)
print(n)
if sys.argv[2] != "read":
    c.recv(1) and sys.stdin.read()
END
source_to() { # read|hold
	client timeout 60 python3 "$dir/ttcp-r.py" 10.98.0.2 "$1" \
		>"$dir/out" 2>"$dir/err" &
	receiver=$!
	for _ in $(seq 100); do
		[ -n "$(client ss -tlnH 'sport = :5001')" ] && break
		sleep 0.05
	done
	ip netns exec $b "$KDELTA" peer --ttcp-to 10.98.0.2 --ttcp-size "$2" \
		--json >"$dir/line" 2>"$dir/err"
}
sends() {
	source_to read 10MiB && wait $receiver &&
		[ "$(cat "$dir/out")" = $((10 << 20)) ] &&
		[ "$(field bytes)" = $((10 << 20)) ]
}
ok '--ttcp-to sends what it was told to' sends
no_receiver() {
	ip netns exec $b "$KDELTA" peer --ttcp-to 10.98.0.2 2>"$dir/err"
	[ $? = 3 ] && grep -q 'ttcp -r' "$dir/err"
}
ok '  and says where nobody listens' no_receiver
done_testing
