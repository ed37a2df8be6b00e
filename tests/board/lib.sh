# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of the virtual board: TAP, and scripts that run on the board.
# Traffic is busybox's, so that these tests say nothing about kdelta's own.
board=${KDELTA_BOARD:-$(dirname "$0")/../../board/kdelta-board}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
number=0

ok() {	# ok NAME COMMAND...
	number=$((number + 1))
	name=$1
	shift
	if "$@"; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
	fi
}

done_testing() { echo "1..$number"; }

# what every script on the board begins with
cat >"$dir/lib" <<'END'
on_peer="nsenter --net=/run/netns/peer"
# rate SECONDS [STREAMS]: bytes per second that the device sent; nc leaves at the
# end of its input, so both get endless ones
rate() {
	for i in $(seq ${2:-1}); do
		tail -f /dev/null | $on_peer nc -l -p $((5000 + i)) >/dev/null &
	done
	usleep 100000
	for i in $(seq ${2:-1}); do
		nc 10.77.0.2 $((5000 + i)) </dev/zero >/dev/null 2>&1 &
	done
	usleep 300000
	sent=/sys/class/net/dut0/statistics/tx_bytes
	from=$(cat $sent)
	sleep $1
	echo $((($(cat $sent) - from) / $1))
	killall nc tail
	usleep 500000
}
END

# boot PROFILE SEED [OPTION...]: runs standard input on the board
boot() {
	cat "$dir/lib" - >"$dir/script"
	p=$1 s=$2
	shift 2
	timeout 60 "$board" --profile "$p" --seed "$s" --init "$dir/script" \
		--console "$dir/console" "$@" </dev/null 2>"$dir/err"
}

# less A B FACTOR: is A x FACTOR less than B
less() { awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN { exit !(a * f < b) }'; }
