# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep from one file, and its report in every format.
. "$(dirname "$0")/lib.sh"

limit=/proc/sys/net/ipv4/tcp_limit_output_bytes
before=$(cat $limit)
sed 's/time: 500ms, warm-up: 200ms/time: 60ms, warm-up: 20ms, cool-down: 60ms/
	s/rounds: 8/rounds: 3, retries: 5/' "$here/experiments/tcp-limit-sweep.yaml" \
	>"$tmp/sweep.yaml"
"$KDELTA" run "$tmp/sweep.yaml" >"$tmp/run.out" 2>"$tmp/run.err"
check_is 'the sweep ends with 0' $? 0
check_is 'in three rounds' "$(grep -c '^round ' "$tmp/run.err")" 3
check_is "the machine's own sysctl is as before" "$(cat $limit)" "$before"
for format in text commit csv csv-summary json markdown html ktap lava kcidb \
	gobench; do
	check "$format is written" sh -c \
		"'$KDELTA' report --format $format >'$tmp/$format' 2>'$tmp/err' &&
		test -s '$tmp/$format' && ! test -s '$tmp/err'"
done
"$KDELTA" report --width 60 >"$tmp/narrow"
"$KDELTA" report --width 60 --verbose >"$tmp/narrow-verbose"
check 'each has its form' python3 "$here/tests/netns/formats.py" "$tmp"
check_text 'the report names the best' "$(cat "$tmp/text")" \
	'^Best uplink tcp.tx-throughput: limit=[0-9]+,streams=[1-5], '
check 'and is what kdelta run prints' diff "$tmp/run.out" "$tmp/text"
done_testing
