# SPDX-License-Identifier: GPL-2.0-or-later
# Every file of experiments/ is one that this build takes, and what README.md
# tells to type does what it says there; with less time to measure.
. "$(dirname "$0")/lib.sh"

machine >"$tmp/machine.before"
for file in "$here"/experiments/*.yaml; do
	check "$(basename "$file") can be run" \
		"$KDELTA" run --dry-run "$file"
done
check 'a dry run stores nothing' test ! -e "$KDELTA_STORE"

cd "$tmp" || exit 1
export PATH="$tmp:$PATH"
ln -s "$KDELTA" kdelta
cp "$here/tests/data/imports/"02-ttcp-*.txt log

# commands between backquotes, and lines of their own
grep -oE '`kdelta [^`]*`|^    kdelta .*' "$here/README.md" |
	sed 's/^    //;s/`//g' >commands
check 'README.md has commands' test "$(wc -l <commands)" -ge 5
while read -r command; do
	set -- $command
	case $command in
	*' peer' | *' ...'* | 'kdelta check'* | 'kdelta doctor'*)
		# it does not end by itself, needs what is not here, or judges this machine
		check "README.md: $command" "$KDELTA" "$2" --help
		continue
		;;
	esac
	short=$(printf '%s' "$command" |
		sed 's/time=[0-9]*m*s/time=60ms,warm-up=20ms/g
			s/-n [0-9]*/-n 3/;s/--experiments [0-9]*/--experiments 2 -n 6/
			s/FILE\.\.\./log/;s/COMMAND/true/')
	check "README.md: $short" sh -c "$short </dev/null"
done <commands
for name in report show export; do
	check "README.md: kdelta $name" kdelta $name latest
done
for page in $(grep -oE 'docs/[a-z-]+\.md|experiments/[a-z0-9.-]*' \
	"$here/README.md" | sort -u); do
	check "README.md: $page is there" test -e "$here/$page"
done
machine >"$tmp/machine.after"
check "the machine's own network is as before" \
	diff "$tmp/machine.before" "$tmp/machine.after"
done_testing
