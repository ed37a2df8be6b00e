# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta import: what is stored is reported as compare does from the log itself
data=tests/data/imports
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export KDELTA_STORE=$tmp/store COLUMNS=80
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
kdelta() {
	timeout 30 "$KDELTA" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	echo $? >"$tmp/rc"
}
exits() {
	test "$(cat "$tmp/rc")" = "$1"
}
says() { # FILE PATTERN
	tr -s ' \n' '  ' <"$tmp/$1" | grep -qE -e "$2"
}
# the figures alone: no title, origin or date
figures() {
	jq -S '[.measures[] | {workload, metric, unit, better, variants,
		comparisons}], .notes, .variants, .baseline'
}
same() { # NAME-IN-STORE OPTIONS-AND-FILES: both must have the same figures
	stored=$1
	shift
	"$KDELTA" compare --json "$@" | figures >"$tmp/direct" &&
		"$KDELTA" report --json "$stored" | figures >"$tmp/stored" &&
		[ -s "$tmp/direct" ] && diff "$tmp/direct" "$tmp/stored"
}

for log in wilc1000-chip-sleep mwifiex-int-status \
	42-iperf3-json-short-zero-received; do
	kdelta import $data/$log.*
	check "$log" exits 0
	check "$log: same figures" same "$log" $data/$log.*
done
l=$data/76-list-ministat-netbenches
kdelta import --name lists base=$l-r320657.txt new=$l-r320657-D11476.txt
check 'two files' says out '"lists": 2 variants, 1 metrics, 10 values'
check 'two files: same figures' same lists base=$l-r320657.txt \
	new=$l-r320657-D11476.txt
kdelta report lists
check 'where it came from' says out \
	'Method: read from base=.*r320657.txt, new=.*D11476.txt, unpaired'
kdelta import --name pairs --paired -b new --min-effect 5% \
	base=$l-r320657.txt new=$l-r320657-D11476.txt
check 'paired, with a plan' same pairs --paired -b new --min-effect 5% \
	base=$l-r320657.txt new=$l-r320657-D11476.txt
kdelta compare lists:base pairs:new
check 'compare knows it' says out 'pairs.*against lists'
kdelta import --json $data/ath10k-pacing-shift.txt
check 'two tables are two experiments' sh -c "
	jq -e '[.[].name] == [\"ath10k-pacing-shift\",
	\"ath10k-pacing-shift-2\"]' <'$tmp/out'"
kdelta import --metric 'RX*' --name rx $data/wilc1000-chip-sleep.txt
check 'one metric' same rx --metric 'RX*' $data/wilc1000-chip-sleep.txt
"$KDELTA" ls >"$tmp/before"
kdelta import "$tmp/none"
check 'no such file' exits 2
printf '8192 bytes in 1.00 real seconds = 8.00 KB/sec\nrubbish\n8192 bytes in x\n' \
	>"$tmp/bad"
kdelta import "$tmp/bad"
check 'a line that cannot be right' exits 2
kdelta import -b none $data/wilc1000-chip-sleep.txt
check 'no such baseline' exits 2
"$KDELTA" ls >"$tmp/after"
check 'and nothing was stored' cmp "$tmp/before" "$tmp/after"
echo "1..$n"
