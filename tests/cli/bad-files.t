# SPDX-License-Identifier: GPL-2.0-or-later
# Each bad experiment file ends with 2 and the words of its first line, and
# nothing was touched: a run that does not start opens no store.
here=$(cd "$(dirname "$0")/../.." && pwd)
bad=$here/tests/data/experiment/bad
"$KDELTA" --dump-options | grep -q '^command	run	' || {
	echo "1..0 # skip there is no kdelta run"
	exit 0
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
set -- "$bad"/*.yaml
echo "1..$#"
n=0
for file; do
	n=$((n + 1))
	name=$(basename "$file" .yaml)
	want=$(sed -n '1s/^# want: //p' "$file")
	said=$(KDELTA_STORE=$tmp/store "$KDELTA" run "$file" 2>&1)
	rc=$?
	if [ $rc = 2 ] && [ -n "$want" ] && [ ! -e "$tmp/store" ] &&
		printf '%s' "$said" | grep -qF "$file:$want"; then
		echo "ok $n - $name"
	else
		printf '%s\nwanted %s\n' "$said" "$want" | sed 's/^/# /'
		echo "not ok $n - $name"
	fi
done
