# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta stat: the command's files, exit status and figures
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

check() { # NAME COMMAND...
	n=$((n + 1))
	name=$1
	shift
	if "$@" >"$tmp/check" 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$tmp/check" "$tmp/out" "$tmp/err"
	fi
}
stat() {
	COLUMNS=60 timeout 60 "$KDELTA" stat "$@" >"$tmp/out" 2>"$tmp/err" \
		<"$tmp/in"
	echo $? >"$tmp/rc"
}
exits() {
	test "$(cat "$tmp/rc")" = "$1"
}
is() { # FILE JQ-FILTER
	jq -es ".[0] | ($2)" <"$tmp/$1"
}

echo hello >"$tmp/in"
stat -o cpu cat
check 'the command has its files' sh -c "[ \"\$(cat '$tmp/out')\" = hello ]"
check 'the figures go to standard error' grep -q 'command.elapsed' "$tmp/err"
check 'in 60 columns' sh -c "! grep -E '.{61}' '$tmp/err'"
check 'and 0 is passed on' exits 0
stat -r 3 --json -o cpu,irq -- sh -c "echo x >>'$tmp/count'; exit 3"
check '3 is passed on' exits 3
check 'it ran three times' sh -c "[ \$(wc -l <'$tmp/count') = 3 ]"
check 'each is in the figures' is err '.exit_codes == [3, 3, 3] and
	(.metrics[] | select(.metric == "command.elapsed") |
	.n == 3 and (.values | length) == 3 and .mean_hi > .mean)'
check 'with the command' is err '.command[0] == "sh"'
stat -o cpu --json --output - true
check 'to standard output' is out '.metrics | length > 5'
stat -o cpu --json --output "$tmp/file" true
check 'to a file' is file '.metrics | length > 5'
stat -o cpu --output "$tmp/none/file" true
check 'to a file that cannot be made' exits 125
stat sh -c 'kill -9 $$'
check 'a signal is 128 and its number' exits 137
stat nonesuch
check 'what is not there is 127' exits 127
check 'and told' grep -q 'nonesuch: cannot be run: No such file' "$tmp/err"
stat -o cpu "$tmp"
check 'what cannot be run is 126' exits 126
stat -o cpux true
check 'an unknown observer' exits 125
stat
check 'no command' exits 2
stat -o cpu -- sh -c 'kill -TERM $PPID; exec sleep 20'
check 'a signal is passed on to the command' exits 143

# the CPU time that the shell itself knows of, in seconds
stat -o cpu --json --output "$tmp/file" sh -c '
	i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; times'
own=$(sed -n '1s/[ms]/ /gp' "$tmp/out" | awk '{ print $1*60+$2+$3*60+$4 }')
check "CPU time is the shell's own, $own s" is file "
	[.metrics[] | select(.metric == \"command.user\" or
	.metric == \"command.system\") | .mean] | add - ($own) |
	. > -0.02 and . < 0.05"
check 'which is some' sh -c "awk 'BEGIN { exit !($own > 0.03) }'"
echo "1..$n"
