# SPDX-License-Identifier: GPL-2.0-or-later
# What kdelta doctor says of offloads, against what ethtool set, in a network
# namespace with its own sysfs.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export KDELTA tmp
unshare --net --mount sh -e <<'EOF' >"$tmp/log" 2>&1
mount -t sysfs none /sys
ip link add left type veth peer name right
"$KDELTA" doctor --json offloads >"$tmp/down"
ip link set left up
ip link set right up
"$KDELTA" doctor --json offloads >"$tmp/on"
ethtool -K left tso off
ethtool -K right gro off
"$KDELTA" doctor --json offloads >"$tmp/off"
EOF
n=0
found() { # FILE FITNESS PATTERN
	n=$((n + 1))
	if jq -es --arg f "$2" --arg p "$3" '.[0].checks[0] |
		.fitness == $f and (.found | test($p))' <"$tmp/$1" >/dev/null
	then
		echo "ok $n - $1: $2, $3"
	else
		echo "not ok $n - $1: $2, $3"
		cat "$tmp/log" "$tmp/$1" 2>&1 | sed 's/^/# /'
	fi
}
found down absent ''
found off note 'tso of left'
found off note 'gro of right'
n=$((n + 1))
if grep -q 'tso of left' "$tmp/on"; then
	echo "not ok $n - tso is not off before"
else
	echo "ok $n - tso is not off before"
fi
echo "1..$n"
