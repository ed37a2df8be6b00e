# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta calibrate over a command whose figures are made up: the n-th run gives
# the n-th figure, and the order comes from the seed, so the answer is known.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export KDELTA_STORE=$tmp/store
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

cat >"$tmp/figure" <<'EOF'
echo x >>"$1/count"
n=$(wc -l <"$1/count")
echo "$((10000 + n * 7919 % 101)) Mbit/s"
EOF
work="exec:command=\"sh $tmp/figure $tmp\",regex=\"^([0-9]+)\",metric=speed,unit=Mbit/s"
run() {
	rm -f "$tmp/count"
	COLUMNS=60 timeout 120 "$KDELTA" calibrate --dut local -w "$work" "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	echo $? >"$tmp/rc"
}
is() { # JQ-FILTER
	jq -es ".[0] | ($1)" <"$tmp/out"
}
exits() {
	test "$(cat "$tmp/rc")" = "$1"
}
narrow() {
	! grep -qE '.{61}' "$tmp/out"
}

run --json -n 6 -e 4 --seed 7 --plan warm-up-round=no
check 'exits with 0' exits 0
check 'counts experiments and rounds' is '.experiments == 4 and .seed == 7 and
	.first_experiment == 1 and .last_experiment == 4 and
	.measures[0].rounds == 6'
check 'each is stored with a seed of its own' sh -c "
	for i in 1 2 3 4; do '$KDELTA' show \$i --json | jq -r .seed; done |
	tr '\n' ' ' | grep -x '7 8 9 10 '"
check 'no false verdict, with the exact interval' is '.false_experiments == 0
	and (.false_rate_hi - 0.60236 | fabs) < 1e-4'
check 'the figure is the primary one' is '.measures[] |
	select(.metric == "speed") | .primary and .tested == 4'
check 'the smallest effect follows from the spread' is '.measures[] |
	select(.metric == "speed") | .pair_sd > 0.001 and .pair_sd < 0.01 and
	(.smallest_effect / (.pair_sd / 2.4495) - 3.49 | fabs) < 0.05'
check 'more rounds show less' is '.measures[] |
	select(.metric == "speed") | .at_rounds | [.[].effect] |
	. == (sort | reverse) and length == 5'
cp "$tmp/out" "$tmp/first"
KDELTA_STORE=$tmp/again run --json -n 6 -e 4 --seed 7 --plan warm-up-round=no
check 'the same seed, the same digits' sh -c "
	for f in out first; do
		jq '.measures[] | select(.primary)' <'$tmp'/\$f | md5sum
	done | uniq | wc -l | grep -x 1"

run -n 4 -e 1 --seed 7
check 'text fits 60 columns' narrow
check 'says what to plan with' grep -q 'min-effect=' "$tmp/out"
check 'without a terminal, a line a round' grep -q 'round' "$tmp/err"
cat >"$tmp/file.yaml" <<EOF
name: mine
variants: { new: { workload: { exec.command: "false" } }, old: null }
baseline: old
workloads: { exec: { exec: { command: sh $tmp/figure $tmp,
  regex: "^([0-9]+)", metric: speed } } }
plan: { rounds: 4 }
EOF
own() {
	rm -f "$tmp/count"
	timeout 60 "$KDELTA" calibrate -q "$@" >"$tmp/out" 2>"$tmp/err" \
		</dev/null
	echo $? >"$tmp/rc"
}
own --json -e 2 --seed 3 "$tmp/file.yaml"
check 'the baseline of a file' exits 0
check 'and its rounds' is '.experiments == 2 and (.measures[] |
	select(.metric == "speed") | .rounds == 4 and .primary)'
own -e 1 -w idle "$tmp/file.yaml"
check 'a file and a workload' exits 2
own -
check 'standard input' exits 2
run -n 1
check 'one round is refused' exits 2
COLUMNS=80 "$KDELTA" calibrate -w nothing >"$tmp/out" 2>"$tmp/err"
echo $? >"$tmp/rc"
check 'an unknown workload is refused' exits 2
run -n 3 -e 1 -w 'exec:command="exit 3"'
check 'runs that fail are told' exits 4
echo "1..$n"
