#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same experiment with the same seed gives the same figures, another seed
# gives others; however many boards run at once. By the checksum that
# docs/board.md tells of.
. "$(dirname "$0")/experiment.sh"

sum() {	# SEED BOARDS
	"$KDELTA" run -q --report csv -k module-param:wilc1000.enable_sleep=0,1 --dut \
		"board:wilc1000,boots=$2" -w tcp:tx,size=256KiB -o cpu,power,tasks \
		-n 1 --plan "seed=$1" >"$dir/figures" || return
	sha256sum <"$dir/figures"
}

sum 7 1 >"$dir/a"
sum 7 2 >"$dir/b"
sum 8 2 >"$dir/c"
ok "there are figures" test "$(wc -l <"$dir/figures")" -gt 20
ok "the same seed gives the same report" cmp "$dir/a" "$dir/b"
ok "another seed gives another" test "$(cat "$dir/a")" != "$(cat "$dir/c")"
done_testing
