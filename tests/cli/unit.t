# SPDX-License-Identifier: GPL-2.0-or-later
# The systemd unit of kdelta peer: systemd reads it without a word, and finds
# little to attack. Nothing is started.
echo 1..3
n=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
check() { # NAME COMMAND...
	local name=$1
	shift
	n=$((n + 1))
	if "$@" >"$dir/out" 2>&1; then
		echo "ok $n - $name"
	else
		tail -n 20 "$dir/out" | sed 's/^/# /'
		echo "not ok $n - $name"
	fi
}
unit=$(dirname "$KDELTA")/../../dist/kdelta-peer.service
sed "s|^ExecStart=[^ ]*|ExecStart=$KDELTA|" "$unit" \
	>"$dir/kdelta-peer.service"
said_nothing() {
	systemd-analyze verify --man=no "$dir/kdelta-peer.service" \
		>"$dir/words" 2>&1
	grep kdelta-peer "$dir/words" && return 1
	return 0
}
check 'systemd finds no fault' said_nothing
# 100 is unprotected; most services have more than 90
exposed() {
	systemd-analyze security --offline=yes --threshold=20 --no-pager \
		"$dir/kdelta-peer.service"
}
check 'its exposure is at most 2.0 of 10' exposed
options() {
	local line
	line=$(sed -n 's/^ExecStart=//p' "$dir/kdelta-peer.service")
	line=${line% \$KDELTA_PEER_OPTIONS}
	timeout 20 $line --help | grep -q -- --bind
}
check 'its command is one' options
