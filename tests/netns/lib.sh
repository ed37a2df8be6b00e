# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of `kdelta run` in network namespaces: TAP, a store and a folder of
# their own, and what of the machine must not change. Root is needed.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$(id -u)" != 0 ]; then
	echo "1..0 # skip network namespaces need root"
	exit 0
fi
tmp=$(mktemp -d /tmp/kdelta-test.XXXXXX)
export KDELTA_STORE=$tmp/store.db
# each test has knobs of the whole machine to itself
exec 8>/run/kdelta-tests.lock
flock 8
n=0

finish() { # also where a test dies early: then the count is wrong
	[ -z "${running:-}" ] || kill -9 "$running" 2>/dev/null
	rm -rf "$tmp"
}
trap finish EXIT

# NAME COMMAND...: ok where the command is
check() {
	local name=$1 out rc
	shift
	n=$((n + 1))
	out=$("$@" 2>&1)
	rc=$?
	if [ $rc = 0 ]; then
		echo "ok $n - $name"
	else
		printf '%s\n' "$*" "status $rc" "$out" | head -60 | sed 's/^/# /'
		echo "not ok $n - $name"
	fi
}

# NAME TEXT PATTERN: ok where a line of the text matches
check_text() {
	n=$((n + 1))
	if printf '%s\n' "$2" | grep -qE -- "$3"; then
		echo "ok $n - $1"
	else
		printf '%s\n' "no line matches $3 in:" "$2" | head -60 |
			sed 's/^/# /'
		echo "not ok $n - $1"
	fi
}

check_is() { # NAME SEEN WANTED
	check_text "$1" "<$2>" "^<$3>\$"
}

done_testing() {
	echo "1..$n"
}

fails() { # COMMAND...: it must not succeed
	! "$@"
}

sql() {
	sqlite3 -readonly -cmd '.timeout 5000' "$KDELTA_STORE" "$1"
}

# the machine's own network, without what ages
machine() {
	ip -o -details link | sed -E 's/ (gso|gro|tso)_[a-z0-9_]+ [0-9]+//g'
	ip -o addr | sed -E 's/ *(valid|preferred)_lft +[^ ]+//g'
	ip route show table all
	ip -6 route show table all | sed -E 's/ expires [0-9]+sec//'
}

# FILE...: the namespaces whose links are in them are nobody's any more
nobody_is_in() {
	local ns
	for ns in $(cat "$@" | sort -u); do
		! find /proc/[0-9]*/ns/net /proc/[0-9]*/fd -lname "$ns" \
			2>/dev/null | grep . || return 1
	done
}

# SECONDS COMMAND...: poll until it succeeds
await() {
	local tries=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

# PID: it and all that it started, as far as they still are its children
family() {
	local p
	echo "$1"
	for p in $(pgrep -P "$1"); do
		family "$p"
	done
}
