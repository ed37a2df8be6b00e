# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta check and a real git bisect run. A commit's "speed" stands in a file,
# and the n-th run of the measurement adds the n-th of a fixed list of errors.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export KDELTA_STORE=$tmp/store HOME=$tmp
unset GIT_DIR GIT_WORK_TREE
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
kdelta() { # its output in out and err, its exit code in rc
	COLUMNS=60 timeout 60 "$KDELTA" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	echo $? >"$tmp/rc"
}
exits() {
	test "$(cat "$tmp/rc")" = "$1"
}
is() { # JQ-FILTER
	jq -es ".[0] | ($1)" <"$tmp/out"
}

# FILE: speed +- 3, or no speed at all where FILE holds a word
cat >"$tmp/measure" <<'EOF'
speed=$(cat "$1")
[ "$speed" -gt 0 ] || exit 1
echo x >>"$2/count"
n=$(wc -l <"$2/count")
echo "$((speed * 10 + n * 7919 % 61 - 30)) speed"
EOF
w="exec:command=\"sh $tmp/measure $tmp/speed $tmp\",regex=\"^([0-9]+) speed\",metric=speed"

echo 1000 >"$tmp/speed"
kdelta check --record fast -w "$w" -n 6 -q
check 'a reference is recorded' exits 0
echo 970 >"$tmp/speed"
kdelta check --record slow -w "$w" -n 6 -q
check 'a bad one too' exits 0

echo 1001 >"$tmp/speed"
kdelta check --good fast --bad slow -w "$w" --json
check 'like the good one' exits 0
check 'is said with the line' is '.verdict == "good" and .rounds == 5 and
	(.measures[0] | .n == 5 and .p_adj < 0.05 and
	(.boundary - (.good + .bad) / 2 | fabs) < 1e-9)'
echo 968 >"$tmp/speed"
kdelta check --good fast --bad slow -w "$w"
check 'like the bad one' exits 1
check 'fits 60 columns' sh -c "! grep -E '.{61}' '$tmp/out'"
echo 985 >"$tmp/speed"
kdelta check --good fast --bad slow -w "$w" --json -n 5 --max-rounds 10
check 'on the line: cannot tell' exits 125
check 'after all its rounds' is '.verdict == "unsure" and .rounds == 10'
echo 1000 >"$tmp/speed"
kdelta check --good fast --min-effect 3% -w "$w"
check 'a good reference alone: good' exits 0
echo 970 >"$tmp/speed"
kdelta check --good fast --min-effect 3% -w "$w"
check 'a good reference alone: bad' exits 1
echo none >"$tmp/speed"
kdelta check --good fast --bad slow -w "$w"
check 'could not be measured' exits 125
check 'and where to look' grep -q 'kdelta show' "$tmp/err"
kdelta check --good fast --bad slow --fail-is-bad -w "$w"
check 'unless that is bad' exits 1
cat >"$tmp/file.yaml" <<EOF
name: state
workloads:
  exec:
    exec:
      command: sh $tmp/measure $tmp/speed $tmp
      regex: "^([0-9]+) speed"
      metric: speed
plan: { rounds: 6 }
EOF
echo 999 >"$tmp/speed"
kdelta check --good fast --bad slow "$tmp/file.yaml" --json
check 'a file without variants' exits 0
check 'and its rounds' is '.rounds == 6'

check 'set up as the references were' sh -c "! grep -q otherwise '$tmp/err'"
kdelta check --good fast --bad slow -w "$w,unit=Mbit/s"
check 'or not' grep -q 'workload exec is set up otherwise than for fast: .*unit=Mbit/s' "$tmp/err"

# variants of one file against each other
ab() { # SPEED-OF-B
	cat >"$tmp/ab.yaml" <<EOF
name: ab
variants: { a: { workload: { exec.command: sh $tmp/measure $tmp/a $tmp } },
  b: { workload: { exec.command: sh $tmp/measure $tmp/b $tmp } } }
workloads: { exec: { exec: { command: "true", regex: "^([0-9]+) speed",
  metric: speed } } }
plan: { rounds: 8, min-effect: 1%, seed: 5 }
EOF
	echo 1000 >"$tmp/a"
	echo "$1" >"$tmp/b"
	kdelta check "$tmp/ab.yaml"
}
ab 1000
check 'variants that are the same' exits 0
ab 970
check 'a variant that is worse' exits 1
check 'with its report' grep -q 'worse' "$tmp/out"
ab 1100
check 'a variant that is better' exits 0
ab none
check 'a variant that fails' exits 125
kdelta check "$tmp/file.yaml"
check 'a file of one variant, without reference' exits 129

# wrong use ends a bisection
kdelta check --good fast --bad slow -w nothing
check 'an unknown workload' exits 129
kdelta check --good fast -w "$w"
check 'what is bad was not said' exits 129
kdelta check --good quick --bad slow -w "$w"
check 'no such reference' exits 129
kdelta check --good fast --bad fast -w "$w"
check 'references that do not differ' exits 129
kdelta check --good fast --bad slow -w "$w" --metric nothing
check 'no such metric' exits 129
kdelta check --goood fast
check 'no such option' exits 129
kdelta check --good fast:none --bad slow -w "$w"
check 'no such variant' exits 129
check 'which names those there are' grep -q HEAD "$tmp/err"
kdelta check --good fast --bad slow -w other="$w"
check 'another workload' exits 129

# commits 1 to 12; the speed is lost with the 8th; the 7th cannot be measured
git init -q "$tmp/repo" && cd "$tmp/repo" || exit 1
git config user.email a@example.org
git config user.name a
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	speed=1000
	[ $i -lt 8 ] || speed=970
	[ $i != 7 ] || speed=broken
	echo $speed >speed
	echo $i >number
	git add . && git commit -qm "commit $i"
	git tag "c$i"
done
w="exec:command=\"sh $tmp/measure $tmp/repo/speed $tmp\",regex=\"^([0-9]+) speed\",metric=speed"
git bisect start c12 c1 >/dev/null 2>&1
git bisect run "$KDELTA" check -q --good fast --bad slow -w "$w" \
	>"$tmp/out" 2>"$tmp/err" </dev/null
check 'git bisect finds the commit, or the one skipped before it' sh -c "
	sed -n '/There are only/,/We cannot/p; s/ is the first bad commit//p' '$tmp/out' |
	grep -E '^[0-9a-f]{40}' | xargs -n1 git -C '$tmp/repo' log -1 --format=%s |
	sort | tr '\n' , | grep -xE 'commit 7,commit 8,|commit 8,'"
git bisect reset >/dev/null 2>&1
git bisect start c12 c8 >/dev/null 2>&1
git bisect run "$KDELTA" check -q --good gone --bad slow -w "$w" \
	>"$tmp/out" 2>"$tmp/err" </dev/null
check 'and ends at once where kdelta was called wrongly' \
	grep -q 'exit code 129' "$tmp/err"
echo "1..$n"
