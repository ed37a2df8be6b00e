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
# send KIB: seconds that sending to the peer took
send() {
	$on_peer nc -l -p 5001 >/dev/null &
	usleep 100000
	set -- "$1" $(cut -d' ' -f1 /proc/uptime)
	dd if=/dev/zero bs=1k count=$1 2>/dev/null | nc 10.77.0.2 5001
	wait $!
	awk -v a="$2" '{ printf "%.2f\n", $1 - a }' /proc/uptime
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
