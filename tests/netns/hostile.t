# SPDX-License-Identifier: GPL-2.0-or-later
# HOSTILE (300) connections that no honest client makes, at kdelta peer: its
# memory and descriptors are what they were, and a stock client is served.
. "$(dirname "$0")/peer-lib.sh"
count=${HOSTILE:-300}
warm=$((count < 1000 ? 300 : 2000))

pid() { # of the peer, which `ip netns exec` has become
	echo "$peer_pid"
}
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$(pid)/status"; }
descriptors() { ls "/proc/$(pid)/fd" | wc -l; }
threads() { ls "/proc/$(pid)/task" | wc -l; }

attack() { # COUNT SEED
	client timeout 540 python3 "$(dirname "$0")/hostile.py" $addr "$1" "$2" \
		>"$dir/out" 2>"$dir/err"
}
# until the last of them is forgotten: they have closed, so nothing waits
rest() {
	for _ in $(seq 300); do
		[ "$(descriptors)" -le "$fds0" ] &&
			[ "$(threads)" -le "$threads0" ] && return 0
		sleep 0.1
	done
	ls -l "/proc/$(pid)/fd" >"$dir/out"
	return 1
}
served() {
	mark
	client timeout 30 iperf3 -c $addr -n 8M -J >"$dir/json" 2>"$dir/err" &&
		settle 1 && ! grep -q '"ended"' "$dir/line" &&
		[ "$(field bytes)" -ge $((8 << 20)) ]
}
flat() {
	local now
	now=$(memory)
	echo "VmRSS $memory0 kB before, $now kB after" | tee "$dir/out" |
		sed 's/^/# /'
	[ "$now" -le $((memory0 + 1536)) ]
}

namespaces || { echo 'Bail out! no namespaces'; exit 1; }
peer_start || { echo 'Bail out! no peer'; exit 1; }
ok 'a stock client is served' served
fds0=$(descriptors) threads0=$(threads)
# every kind many times, so that what is kept for reuse is there already
ok "the first $warm are survived" attack "$warm" 1
ok '  and forgotten' rest
memory0=$(memory)
ok "$count more are survived" attack "$count" 2
sed 's/^/# /' "$dir/out"
ok '  the peer lives' kill -0 "$(pid)"
ok '  its descriptors and threads are what they were' rest
ok '  its memory is flat' flat
ok '  a stock client is served still' served
ok 'SIGTERM ends it' peer_stop
done_testing
