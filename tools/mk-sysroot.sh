#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Record what an observer reads, twice, as the input of its test:
#
#   tools/mk-sysroot.sh OBSERVER [DIR [PATH...]]
#
# DIR/begin and DIR/end get the files as they were at the two ends of a second
# (DIR is tests/data/observers/OBSERVER by default). Which files those are is
# seen by running the observer in the agent under strace, or told by PATH, which
# needs no build and no strace: for a board that has neither. AGENT is the agent
# (default build/src/agent/kdelta-agent), SECONDS_APART the time between.
# Nothing outside of /proc, /sys and /dev/kmsg is read, and nothing that names
# the machine is; look at the result before you publish it all the same.
set -eu
fail() { echo "mk-sysroot: $*" >&2; exit 2; }
[ $# -ge 1 ] || fail "usage: tools/mk-sysroot.sh OBSERVER [DIR [PATH...]]"
name=$1
dir=${2:-tests/data/observers/$name}
shift $(( $# > 1 ? 2 : 1 ))
agent=${AGENT:-build/src/agent/kdelta-agent}
apart=${SECONDS_APART:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# the paths that a window of the observer opens
opened() {
	command -v strace >/dev/null || fail "install strace, or say the paths"
	[ -x "$agent" ] || fail "there is no $agent; build it, or set AGENT"
	{
		echo '{"kd":1,"id":1,"op":"run.prepare","run":"r","work":{"kind":"idle","role":"device","opts":"","token":""},"observe":[{"name":"'"$name"'","opts":""}],"length":"300000000","deadline":"9000000000"}'
		echo '{"kd":1,"id":2,"op":"run.start","run":"r"}'
		echo '{"kd":1,"id":3,"op":"run.wait","run":"r"}'
	} | strace -f -y -e trace=open,openat -o "$tmp/trace" \
		"$agent" --batch --state "$tmp/state" >"$tmp/out"
	! grep -q '"error"' "$tmp/out" || fail "$(cat "$tmp/out")"
	! grep -q '"skipped":\[{' "$tmp/out" ||
		fail "it does not work here: $(grep -o '"why":"[^"]*"' "$tmp/out")"
	# openat(5</>, "proc/stat", ...) = 6</proc/stat>
	sed -nE 's/.*openat\([^<]*<([^>]*)>, "([^"]*)".*\) = [0-9]+<.*/\1\t\2/p' \
		"$tmp/trace" |
		awk -F'\t' '$2 ~ "^/" { print $2; next }
			{ sub("/$", "", $1); print $1 "/" $2 }' |
		grep -E '^(/proc/|/sys/|/dev/kmsg$)' | grep -v '^/proc/self/' |
		sort -u
}

if [ $# -gt 0 ]; then
	printf '%s\n' "$@" >"$tmp/paths"
else
	opened >"$tmp/paths"
fi
[ -s "$tmp/paths" ] || fail "$name opens no file of /proc or /sys"

record() {
	rm -rf "${dir:?}/$1"
	while read -r path; do
		if [ -d "$path" ]; then
			mkdir -p "$dir/$1$path"
		elif [ "$path" = /dev/kmsg ]; then
			mkdir -p "$dir/$1/dev"
			: >"$dir/$1/dev/kmsg"
		else
			mkdir -p "$dir/$1$(dirname "$path")"
			# a task's files may be gone, a sensor may not answer
			timeout 5 head -c 1048576 "$path" >"$dir/$1$path" \
				2>/dev/null || rm -f "$dir/$1$path"
		fi
	done <"$tmp/paths"
}

record begin
sleep "$apart"
record end
echo "$(find "$dir/end" -type f | wc -l) files twice in $dir"
