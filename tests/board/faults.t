#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ends of a board, each told apart, and faults of its chip.
. "$(dirname "$0")/lib.sh"

status() {	# WANTED WORDS COMMAND...
	want=$1 words=$2
	shift 2
	"$@" >"$dir/out"
	[ $? = "$want" ] && grep -q "$words" "$dir/err"
}

panic() { echo 'echo 1 >/sys/kernel/debug/kdchip/fault/panic' |
	boot wilc1000 1; }
lockup() { echo 'echo 1 >/sys/kernel/debug/kdchip/fault/lockup' |
	boot wilc1000 1 --timeout 6; }
reset() { echo 'reboot -f' | boot wilc1000 1; }
off() { echo 'poweroff -f' | boot wilc1000 1; }
agent_fails() { echo false | boot wilc1000 1; }
oops() { boot wilc1000 1 <<'END'
sh -c 'echo 1 >/sys/kernel/debug/kdchip/fault/oops'
dmesg | grep -o 'BUG: kernel NULL pointer'
true
END
}
chip() { boot wilc1000 1 <<'END'
f=/sys/kernel/debug/kdchip/fault
ping -c 1 -W 1 10.77.0.2 >/dev/null && echo alive
echo 1 >$f/hang
ping -c 2 -W 1 10.77.0.2 >/dev/null || echo hung
echo 1 >/sys/kernel/debug/kdchip/reset
echo 0 >/sys/kernel/debug/kdchip/reset
ping -c 1 -W 1 10.77.0.2 >/dev/null && echo recovered
echo 1 >$f/drop_every
ping -c 1 -W 1 10.77.0.2 >/dev/null || echo dropped $(($(cat $f/dropped) > 0))
echo 0 >$f/drop_every
echo 1 >$f/fail_next_block
ping -c 1 -W 1 10.77.0.2 >/dev/null || echo failed
ping -c 1 -W 1 10.77.0.2 >/dev/null && echo good again
true
END
}

ok "a panic is told, with its words" status 20 "asked for by debugfs" panic
ok "a hang is told" status 21 "hung" lockup
ok "a reset is told" status 22 "reset" reset
ok "a switch-off is told" status 22 "switched itself off" off
ok "a failed agent is told" status 3 "status 1" agent_fails
oops >"$dir/out"
ok "an oops is in the kernel's log, and the board goes on" \
	grep -q 'BUG: kernel NULL' "$dir/out"
chip >"$dir/out"
ok "a hung chip, reset, losses and bus errors" test "$(tr '\n' ' ' <"$dir/out")" = \
	"alive hung recovered dropped 1 failed good again "
"$board" --profile nosuch </dev/null 2>"$dir/err"
ok "an unknown profile is a usage error that lists what there is" \
	grep -q 'wilc1000' "$dir/err"
done_testing
