# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that run an experiment on the virtual board, by kdelta run.
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
KDELTA=${KDELTA:-$top/build/src/cli/kdelta}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export KDELTA_STORE=$dir/store.db
number=0

ok() {	# ok NAME COMMAND...
	number=$((number + 1))
	name=$1
	shift
	if "$@"; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
	fi
}

done_testing() { echo "1..$number"; }

# experiment FILE OPTION...: run it; figures in $dir/figures, its exit status
experiment() {
	"$KDELTA" run -q --report json "$@" >"$dir/report.json" 2>"$dir/err"
	rc=$?
	[ $rc = 0 ] || cat "$dir/err" >&2
	python3 "$here/figures.py" "$dir/report.json" >"$dir/figures"
	return $rc
}

# figure WORKLOAD METRIC VARIANT: its median
figure() {
	awk -v w="$1" -v m="$2" -v v="$3" \
		'$1 == w && $2 == m && $3 == v { print $4 }' "$dir/figures"
}

# within VALUE WANTED PERCENT; says what it was where not
within() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN {
		good = a != "" && a >= b * (1 - p / 100) && a <= b * (1 + p / 100)
		if (!good)
			print "# " a " is not within " p " % of " b
		exit !good
	}'
}

# KiB/s as published, from Mbit/s
kib() { awk -v m="$(figure "$@")" 'BEGIN { if (m != "") print m * 1e6 / 8 / 1024 }'; }

# less A B FACTOR: is A x FACTOR less than B
less() { awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN {
	exit !(a != "" && b != "" && a * f < b) }'; }
