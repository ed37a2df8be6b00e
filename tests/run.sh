#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh BUILD [--all]: every test of every runner, then one line that counts
# them. --all adds the long ones. Tests that measure run alone, at the end.
set -u
cd "$(dirname "$0")/.."
build=$1
all=${2:-}
out=$build/check
mkdir -p "$out"
passed=0
failed=0
skipped=0
limit=600

# add the results of a TAP file
count() {
	local ok not skip
	ok=$(grep -cE '^ *ok ' "$1")
	not=$(grep -cE '^ *not ok ' "$1")
	skip=$(grep -ciE '^ *ok .*# *skip' "$1")
	passed=$((passed + ok - skip))
	failed=$((failed + not))
	skipped=$((skipped + skip))
	[ "$not" = 0 ] || grep -E -B8 '^ *not ok ' "$1" | head -60
}

# NAME COMMAND...: a TAP program; one that dies or says nothing has failed
tap() {
	local name=$1 log=$out/$1.tap rc
	shift
	timeout "$limit" "$@" >"$log" 2>"$log.err" </dev/null
	rc=$?
	count "$log"
	if [ $rc != 0 ] && ! grep -qE '^ *not ok ' "$log"; then
		echo "$name: exit status $rc"
		tail -n 20 "$log" "$log.err"
		failed=$((failed + 1))
	fi
}

# the unit tests of meson's list, one TAP program each
meson_suites() {
	local name exe
	while IFS=$'\t' read -r name exe; do
		[ -n "$name" ] || continue
		tap "$name" bash -c "$exe"
	done < <(python3 tests/list.py "$build" "$@")
}

started=$SECONDS
if [ "$all" = --all ]; then
	meson_suites --not measure
else
	meson_suites --not measure --not slow
fi
for t in tests/cli/*.t tests/netns/*.t; do
	[ -e "$t" ] || continue
	tap "$(basename "$t" .t)" env KDELTA="$PWD/$build/src/cli/kdelta" \
		KDELTA_AGENT="$PWD/$build/src/agent/kdelta-agent" bash "$t"
done
meson_suites --only measure
# on the virtual board the machine's load cannot be seen
for t in tests/board/short-*.t; do
	tap "$(basename "$t" .t)" env KDELTA="$PWD/$build/src/cli/kdelta" \
		bash "$t"
done
if [ "$all" = --all ]; then
	limit=3600
	for t in tests/long/*.t tests/board/*.t; do
		case $t in */short-*) continue ;; esac
		[ -e "$t" ] || continue
		tap "$(basename "$t" .t)" env \
			KDELTA="$PWD/$build/src/cli/kdelta" bash "$t"
	done
fi
echo "took $((SECONDS - started)) s; logs are in $out"
if [ "$skipped" = 0 ]; then
	echo "$passed passed, $failed failed"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
