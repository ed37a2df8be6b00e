# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta compare over stored experiments; the figures are made up
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
compare() {
	COLUMNS=80 timeout 30 "$KDELTA" compare "$@" >"$tmp/out" 2>"$tmp/err" \
		</dev/null
	echo $? >"$tmp/rc"
}
exits() {
	test "$(cat "$tmp/rc")" = "$1"
}
is() { # JQ-FILTER
	jq -es ".[0] | ($1)" <"$tmp/out"
}
says() { # FILE PATTERN
	tr -s ' \n' '  ' <"$tmp/$1" | grep -qE -e "$2"
}

cat >"$tmp/measure" <<'EOF'
echo x >>"$2"
n=$(wc -l <"$2")
echo "$(($1 + n * 7919 % 61)) speed"
EOF
work() { # SPEED
	echo "exec:command=\"sh $tmp/measure $1 $tmp/count\",regex=\"^([0-9]+) speed\",metric=speed,unit=Mbit/s"
}
one() { # NAME SPEED RUNS
	"$KDELTA" check -q --record "$1" -w "$(work "$2")" -n "$3" >/dev/null
}
one old 10000 6
one new 10500 7
"$KDELTA" calibrate -q --name aa -e 1 -n 5 --seed 3 -w "$(work 9000)" >/dev/null

compare old new --json -m speed
check 'two names' exits 0
check 'each is a variant, unpaired' is '.variants == ["old", "new"] and
	(.measures[0].comparisons[0] | .paired == false and .verdict == "better"
	and (.change - 0.05 | fabs) < 0.003)'
compare a=1 b=latest:A2
check 'labels, an ID, latest and a variant' exits 0
check 'under their labels' says out 'b against a: worse in exec speed'
check 'when each was measured' says out 'Note: a: experiment 1, "old", of 20'
check 'that they were not interleaved' says out 'not interleaved'
check 'that the workload differs' says out \
	'b: workload exec is set up otherwise .*measure 9000.* there .*measure 10000'
compare old new aa
check 'several variants of one experiment' says out ' aa/A2 5 '
compare aa
check 'one experiment is as its report' says out 'A2 against A1: unclear'
compare -b new old new
check 'another baseline' says out 'old against new: worse'
compare x=old x=new aa:A1
check 'one label, one variant' says out ' x 13 '
compare --gate new old
check 'worse, with a gate' exits 1
compare --gate aa
check 'unclear, with a gate' exits 0
compare --paired old new
check 'paired, unequal' exits 2
compare old nowhere
check 'one is not there' exits 2
check 'which one' says err 'no experiment "nowhere"'
compare old aa:A3
check 'no such variant' exits 2
check 'and the nearest' says err 'did you mean "A'
compare old "$tmp/measure"
check 'a file and an experiment' exits 2
check 'are told apart' says err 'old: .*cannot be opened'
echo 7 >"$tmp/new"
cd "$tmp" && compare new
check 'a file of that name is a file' says out 'new 1 7.00'
echo "1..$n"
