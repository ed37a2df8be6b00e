# SPDX-License-Identifier: GPL-2.0-or-later
# What a workload's command started ends with the agent, however that dies.
dir=$(mktemp -d)
trap 'kill -9 $controller $old 2>/dev/null; rm -rf "$dir"' EXIT
old=
mark=$((900000 + $$))
sleeps() { pgrep -f "^sleep $mark"; }
echo 1..2
"$KDELTA" run --store "$dir/db" --dut local --report none -n 1 \
	-k sysctl:net.ipv4.tcp_low_latency=0,1 \
	-w "exec:command=sleep $mark & sleep ${mark}1" \
	>"$dir/out" 2>&1 &
controller=$!
for _ in $(seq 200); do
	[ "$(sleeps | wc -l)" = 2 ] && break
	sleep 0.05
done
old=$(sleeps)
if [ "$(echo "$old" | wc -w)" = 2 ]; then
	echo 'ok 1 - a command and its child are there'
else
	sed 's/^/# /' "$dir/out"
	echo 'not ok 1 - a command and its child are there'
fi
# the controller ends first, so that it starts no agent again
kill -STOP $controller
kill -9 $(pgrep -P $controller)
left=$old
for _ in $(seq 100); do
	left=
	for p in $old; do
		grep -qs "^sleep" "/proc/$p/cmdline" && left="$left $p"
	done
	[ -z "$left" ] && break
	sleep 0.05
done
kill -9 $controller
[ -n "$old" ] && [ -z "$left" ] || printf 'not '
echo 'ok 2 - and gone after kill -9 of the agent'
