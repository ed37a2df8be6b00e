# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta's workloads at stock servers, iperf3 and nginx: the bytes that it says
# are those of the link, whose counters see the moments before and after its
# window too.
. "$(dirname "$0")/peer-lib.sh"
export KDELTA_STORE=$dir/store.db
: >"$dir/log"
namespaces || { echo 'Bail out! no namespaces'; exit 1; }
mkdir "$dir/www"
head -c 1048576 /dev/zero >"$dir/www/f"
chmod 755 "$dir" "$dir/www"
cat >"$dir/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $dir/nginx.pid;
error_log $dir/nginx.err;
events { }
http {
	access_log off;
	sendfile on;
	server { listen $addr:80; root $dir/www; }
}
END
ip netns exec $b iperf3 -s >"$dir/iperf3" 2>&1 &
iperf3=$!
ip netns exec $b nginx -c "$dir/nginx.conf" &
nginx=$!
trap 'kill $iperf3 $nginx 2>/dev/null; wait; clean' EXIT
for _ in $(seq 100); do
	[ "$(ip netns exec $b ss -tlnH | wc -l)" = 2 ] && break
	sleep 0.05
done

# two runs; both good
runs() { # WORKLOAD
	mark
	client timeout 90 "$KDELTA" run -q --report none --dut local -n 1 \
		-k sysctl:net.ipv4.tcp_sack=1,0 \
		-w "$1,time=1s,warm-up=0s,cool-down=0s" \
		>"$dir/out" 2>"$dir/err" || return 1
	settle 0
	client "$KDELTA" export latest >"$dir/json"
	[ "$(figure '[r["status"] == "ok" for r in d["runs"]].count(True)')" = 2 ]
}
figure() { # EXPRESSION of d; m(NAME) is the sum of a metric over the runs
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
def m(name):
    return int(sum(x["value"] for r in d["runs"] for x in r["metrics"]
                   if x["name"] == name))
print(eval(sys.argv[2]))' "$dir/json" "$1"
}
# METRIC LINK_BYTES PACKETS HEAD MORE: the link's payload is the metric's, and
# at most MORE beside it
link_has() {
	local said got
	said=$(figure "m('$1')")
	got=$(($2 - $3 * $4))
	echo "link $got, $again again; $1 $said" >"$dir/line"
	[ "$said" -gt 100000 ] && [ "$got" -ge "$said" ] &&
		[ $((got - said)) -le $(($5 + again)) ]
}
# what sockets hold when a window of TCP ends; two runs
held=$((2 * (6 + 4) * 1048576))

ok 'tcp:tx at iperf3' runs "tcp:tx,against=iperf3:$addr"
ok '  its bytes are on the link' link_has tcp.tx-bytes "$rx" "$rxp" 66 $held
ok 'tcp:rx at iperf3' runs "tcp:rx,against=iperf3:$addr"
ok '  its bytes are on the link' link_has tcp.rx-bytes "$tx" "$txp" 66 $held
ok 'tcp:bidir with 4 streams at iperf3' \
	runs "tcp:bidir,streams=4,against=iperf3:$addr"
ok '  its bytes are on the link' link_has tcp.rx-bytes "$tx" "$txp" 66 \
	$((4 * held))
ok 'udp:tx at iperf3' runs "udp:tx,rate=20mbit,against=iperf3:$addr"
ok '  what it sent is on the link' \
	link_has udp.tx-sent-bytes "$rx" "$rxp" 42 100000
ok 'udp:rx at iperf3' runs "udp:rx,rate=20mbit,against=iperf3:$addr"
ok '  its bytes are on the link' link_has udp.rx-bytes "$tx" "$txp" 42 100000
ok 'http at nginx' runs "http:url=http://$addr/f"
# traffic begins before the window and ends after it; nginx does not say when
ok '  its bytes are on the link' link_has http.rx-bytes "$tx" "$txp" 66 \
	"$(figure 'm("http.rx-bytes") // 8')"
ok '  every answer whole' \
	[ "$(figure 'm("http.requests") > 0')" = True ]
done_testing
