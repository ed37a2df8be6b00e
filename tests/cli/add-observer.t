# SPDX-License-Identifier: GPL-2.0-or-later
# An observer is one file and one word: in a copy of the sources one is made from
# the skeleton, and every place that names observers must know it.
here=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo 1..9
n=0
check() { # NAME COMMAND...
	n=$((n + 1))
	local what=$1
	shift
	if "$@" >"$tmp/said" 2>&1; then
		echo "ok $n - $what"
	else
		head -n 30 "$tmp/said" | sed 's/^/# /'
		echo "not ok $n - $what"
	fi
}
has() { printf '%s\n' "$1" | grep -E "$2" || { printf '%s\n' "$1"; false; }; }

mkdir "$tmp/tree"
(cd "$here" && tar cf - --exclude='./build*' --exclude=./.git .) |
	tar xf - -C "$tmp/tree"
cd "$tmp/tree" || exit 1
sed 's/skeleton/dummy/g' src/observers/skeleton.c >src/observers/dummy.c
sed -i "s/^observers = \[/&'dummy', /" src/observers/meson.build
build() {
	meson setup -Dbuildtype=plain "$tmp/build" &&
		ninja -C "$tmp/build" src/cli/kdelta src/agent/kdelta-agent
}
check 'it builds' build
kdelta=$tmp/build/src/cli/kdelta
agent=$tmp/build/src/agent/kdelta-agent

# what man page and completion are made of
check 'the option tables list it' has "$("$kdelta" --dump-options)" 'dummy'
check 'help lists it' has "$("$kdelta" --help)" '^  observers .*\<dummy\>'

experiment() {
	cat <<-END
	name: added
	dut: local
	variants:
	  one: {}
	  two: {}
	workloads:
	  still: { idle: { time: 200ms } }
	observe: [$1]
	plan: {rounds: 1}
	END
}
experiment 'dummy: {cores: 2}' >"$tmp/good.yaml"
experiment 'dumy' >"$tmp/typo.yaml"
experiment 'dummy: {cores: 0}' >"$tmp/range.yaml"
check 'an experiment file may name it' \
	"$kdelta" run --dry-run --store "$tmp/s" "$tmp/good.yaml"
check 'a word near to it is told' has \
	"$("$kdelta" run --dry-run --store "$tmp/s" "$tmp/typo.yaml" 2>&1)" \
	'"?dummy"?'
check 'so are its options' has \
	"$("$kdelta" run --dry-run --store "$tmp/s" "$tmp/range.yaml" 2>&1)" \
	'cores.*4096'

out=$(cat <<END | timeout 60 "$agent" --batch --state "$tmp/state"
{"kd":1,"id":1,"op":"hello"}
{"kd":1,"id":2,"op":"run.prepare","run":"a","work":{"kind":"idle","role":"device","opts":"","token":""},"observe":[{"name":"dummy","opts":"cores=2"}],"length":"100000000","deadline":"9000000000"}
{"kd":1,"id":3,"op":"run.start","run":"a"}
{"kd":1,"id":4,"op":"run.wait","run":"a"}
END
)
check 'the agent says that it has it' has "$out" '"observers":\[[^]]*"dummy"'
check 'a run yields its metric' has "$out" \
	'"re":4,"ok":true.*"n":"dummy.switches","u":"1/s","b":"lower","v":[0-9.]+'

others() {
	local changed
	changed=$(diff -rq --exclude='build*' --exclude=.git --exclude=__pycache__ \
		"$here" "$tmp/tree")
	echo "$changed"
	[ "$(echo "$changed" | wc -l)" = 2 ] &&
		echo "$changed" | grep -q 'src/observers: dummy.c$' &&
		echo "$changed" | grep -q '/src/observers/meson.build differ$'
}
check 'one file and one word, and no other file had to change' others
