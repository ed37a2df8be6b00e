# SPDX-License-Identifier: GPL-2.0-or-later
# A peer that gets no CPU for a while opens its window late; the device's
# traffic is still there at the end of it. KDELTA is the binary.
if [ "$(id -u)" != 0 ]; then
	echo '1..0 # SKIP needs root'
	exit 0
fi
echo 1..2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$KDELTA" run -k sysctl:net.ipv4.tcp_limit_output_bytes=262144,1048576 \
	-w tcp:tx,time=400ms -n 3 --store "$tmp/db" >"$tmp/out" 2>&1 &
kdelta=$!
stops=0
while kill -0 $kdelta 2>/dev/null; do
	sleep 0.17
	for agent in $(pgrep -P $kdelta -f 'agent --netns [^ ]*$'); do
		kill -STOP "$agent" || continue
		stops=$((stops + 1))
		sleep 0.35
		kill -CONT "$agent"
	done
done
wait $kdelta
if [ $stops -ge 8 ]; then
	echo "ok 1 - the peer stood still $stops times"
else
	echo "not ok 1 - the peer stood still only $stops times"
fi
if grep -q 'round 3 done.* 0 failed' "$tmp/out"; then
	echo 'ok 2 - and no run failed'
else
	sed 's/^/# /' "$tmp/out"
	echo 'not ok 2 - and no run failed'
fi
