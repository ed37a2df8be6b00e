#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same experiment with the same seed gives the same digits, another seed
# gives others; however many boards run at once.
. "$(dirname "$0")/experiment.sh"

sum() {	# SEED BOARDS
	experiment -k module-param:wilc1000.enable_sleep=0,1 --dut \
		"board:wilc1000,boots=$2" -w tcp:tx,size=256KiB -o cpu,power,tasks \
		-n 1 --plan "seed=$1" >&2 || return
	python3 "$here/figures.py" --fixed "$dir/report.json" | sha256sum
}

sum 7 1 >"$dir/a"
sum 7 2 >"$dir/b"
sum 8 2 >"$dir/c"
ok "there is a report" test -s "$dir/figures"
ok "the same seed gives the same report" cmp "$dir/a" "$dir/b"
ok "another seed gives another" test "$(cat "$dir/a")" != "$(cat "$dir/c")"
done_testing
