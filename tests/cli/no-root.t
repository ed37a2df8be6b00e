# SPDX-License-Identifier: GPL-2.0-or-later
# An ordinary user measures over loopback, and is told what needs root.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
check() { # NAME PATTERN...: each in what was said
	local name=$1 good=1
	shift
	for p in "$@"; do
		grep -qE "$p" "$dir/out" || good=
	done
	n=$((n + 1))
	[ "$good" ] || { sed 's/^/# /' "$dir/out"; printf 'not '; }
	echo "ok $n - $name"
}
cp "$KDELTA" "$dir/kdelta"
chmod 755 "$dir" "$dir/kdelta"
mkdir -m 777 "$dir/home"
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			env -i PATH="$PATH" HOME="$dir/home" "$@"
	else
		env -i PATH="$PATH" HOME="$dir/home" "$@"
	fi >"$dir/out" 2>&1 </dev/null
	echo "rc $?" >>"$dir/out"
}
echo 1..3
as_user "$dir/kdelta" run -k t.block=16k,128k -n 2 -w t=tcp:tx,time=200ms,warm-up=0
check 'over loopback, said' '^Not root: .*over loopback' '^rc 0' \
	'Stored: .*/home/.local/state/kdelta'
as_user "$dir/kdelta" run -k sysctl:net.ipv4.tcp_no_metrics_save=0,1 -n 1 \
	-w idle:time=50ms
check 'a knob that needs root says so' 'tcp_no_metrics_save.*needs root' '^rc [34]'
as_user "$dir/kdelta" restore
check 'nothing is left' 'Nothing was left changed' '^rc 0'
