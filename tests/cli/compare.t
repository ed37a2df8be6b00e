# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta compare, from files to report and exit code
data=tests/data/imports
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

# WANTED-CODE NAME ARGS...: run it; its output is in $tmp/out
run() {
	want=$1 name=$2
	shift 2
	COLUMNS=80 timeout 30 "$KDELTA" compare "$@" >"$tmp/out" 2>"$tmp/err" \
		</dev/null
	rc=$?
	n=$((n + 1))
	if [ $rc = "$want" ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name: exit code $rc, not $want"
		sed 's/^/# /' "$tmp/out" "$tmp/err"
	fi
}

# FILE PATTERN...: each stands in the output, blanks and line ends apart
has() {
	file=$tmp/$1
	shift
	for p; do
		n=$((n + 1))
		if tr -s ' \n' '  ' <"$file" | grep -qE -e "$p"; then
			echo "ok $n - $p"
		else
			echo "not ok $n - $p"
			sed 's/^/# /' "$file"
		fi
	done
}

run 0 'wilc1000' $data/wilc1000-chip-sleep.txt
has out 'enable_sleep=1 4 398\.85' 'enable_sleep=0 5 1499\.19' \
	'\+275\.9 %' '\+89\.31 %.*\+110\.0 %' 'outliers .*1941\.97' \
	'TX: 4 rows found for enable_sleep=1 where enable_sleep=0 has 5' \
	'RX: 4 rows found'

run 0 'mwifiex' $data/mwifiex-int-status.txt
has out 'better in TX only throughput \(\+21\.44 %\)' \
	'unclear in Bidirectional RX throughput \(-0\.17 %\), Bidirectional TX throughput \(\+5\.39 %\), RX only throughput \(-3\.41 %\)' \
	'p 0\.000054 \(exact, 184756\)' 'Stddev columns agree' '4 Delta rows' \
	'275580 events'

run 0 'two tables' $data/ath10k-pacing-shift.txt
has out 'sk_pacing_shift=9 -60\.00 %' 'changed\(2621440\)\+2 Streams \+78\.87 %'

run 0 'task shares of one variant' $data/bcm4359-driver-swap.txt
has out '\+81\.75 %' 'only bcmdhd has: .*cpu share\[swapper\] 81\.57 %'

l=76-list-ministat-netbenches
run 0 'two lists' base=$data/$l-r320657.txt new=$data/$l-r320657-D11476.txt
has out 'new \+2\.91 %'
run 0 'baseline' -b new base=$data/$l-r320657.txt new=$data/$l-r320657-D11476.txt
has out 'base -2\.82 %'
run 0 'json' --json $data/$l-r320657.txt $data/$l-r320657-D11476.txt
n=$((n + 1))
if jq -e . <"$tmp/out" >/dev/null; then
	echo "ok $n - is JSON"
else
	echo "not ok $n - is JSON"
fi

printf '%s\n' '10 Mbit/s' '11 Mbit/s' '10.5 Mbit/s' '10.2 Mbit/s' >"$tmp/a"
printf '%s\r\n' '0.005 Gbit/s' '0.0051 Gbit/s' '0.0052 Gbit/s' \
	'0.0053 Gbit/s' >"$tmp/b"
run 0 'worse' "$tmp/a" "$tmp/b"
has out 'b -50\.' 'Gbit/s was turned into Mbit/s'
run 1 'worse, with a gate' --gate "$tmp/a" "$tmp/b"
run 0 'better, with a gate' --gate "$tmp/b" "$tmp/a"
run 0 'paired' --paired "$tmp/a" "$tmp/b"
echo 12 Mbit/s >>"$tmp/a"
run 2 'paired, unequal' --paired "$tmp/a" "$tmp/b"
has err 'needs as many values'

run 2 'no such file' "$tmp/none"
has err 'none: cannot be opened: No such file'
run 2 'a folder' "$tmp"
run 2 'no argument'
run 2 'unknown format' -f ttpc $data/wilc1000-chip-sleep.txt
has err 'known are: .*ttcp'
run 2 'unknown report' -r txt $data/wilc1000-chip-sleep.txt
has err 'did you mean "text"'
run 2 'unknown baseline' -b enable_slep=0 $data/wilc1000-chip-sleep.txt
has err 'did you mean "enable_sleep=0"'
run 2 'unknown metric' -m power $data/wilc1000-chip-sleep.txt
has err 'there are: TX throughput, RX throughput'
run 0 'one metric' -m 'RX*' $data/wilc1000-chip-sleep.txt
has out '\+89\.31 %' '1 primary test'
run 2 'iperf3 text' $data/22-iperf3-tcp-then-udp-concatenated.txt
has err 'concatenated.txt:6:1: iperf or iperf3 text is not a format that I know; give the output of iperf3 -J'
run 2 'nothing in common' $data/$l-r320657.txt $data/42-iperf3-json-short-zero-received.json
has err 'have no figure in common'
printf '8192 bytes in 1.00 real seconds = 8.00 KB/sec\n8192 bytes in x\n1 bytes in 1.00 real seconds = 8.00 KB/sec\n' >"$tmp/c"
run 2 'a bad line' "$tmp/c"
printf '%s\n' 1 2 3 >"$tmp/whole"
for hole in nan 1e309 - n/a failed; do
	printf '%s\n' 1 2 "$hole" 3 >"$tmp/hole"
	run 2 "$hole among numbers" "$tmp/hole" "$tmp/whole"
	has err 'hole:3:1: .*one number per line'
done
printf '\xef\xbb\xbf1\n2\n3\n' >"$tmp/bom"
run 0 'a byte order mark' "$tmp/bom" "$tmp/whole"
has out 'bom 3 2\.00' 'whole against bom: '
printf '    100 1\n     50 2\n     25 3\n' >"$tmp/hist"
cp "$tmp/hist" "$tmp/hist2"
run 0 'a histogram is no drift' "$tmp/hist" "$tmp/hist2"
if grep -qi drift "$tmp/out"; then
	n=$((n + 1))
	echo "not ok $n - a drift is told of a histogram"
fi
echo "1..$n"
