# SPDX-License-Identifier: GPL-2.0-or-later
# How the ends of a virtual board are told, without one: a made-up kdelta-board
# answers as it should or not at all. Each run fails with its reason; a run that
# failed is never a figure.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export KDELTA_STORE=$tmp/store.db KDELTA_BOARD=$tmp/board TMPDIR=$tmp
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

# two runs on it, of which the second one ends well
cat >"$tmp/two.yaml" <<'END'
name: two
dut: { board: { profile: made-up, boots: 1 } }
variants:
  bad:  { workload: { load.command: "echo bad >&2" } }
  good: { workload: { load.command: "true" } }
baseline: good
workloads:
  load: { exec: { command: "true" } }
observe: [cpu]
plan: { rounds: 1, retries: 0, seed: 5 }
END

# board ENDING: its agent is this machine's; ENDING says in shell what becomes
# of its $answers where the requests are for "bad", after words on its $console
board() {
	cat >"$tmp/board" <<-END
		#!/bin/sh
		requests=\$(mktemp) answers=\$(mktemp)
		while [ \$# -gt 0 ]; do
			[ "\$1" = --console ] && console=\$2
			shift
		done
		cat >"\$requests"
		"$KDELTA_AGENT" --batch --state "$tmp/state" <"\$requests" >"\$answers" ||
			exit 3
		end() { # STATUS WORDS: as the real one's last line
			echo "kdelta-board: \$2" >>"\$console"
			exit "\$1"
		}
		printf '[ 0.1] booting\r\n' >>"\$console"
		if grep -q 'echo bad' "\$requests"; then
			$1
		fi
		cat "\$answers"
	END
	chmod +x "$tmp/board"
	rm -f "$tmp"/store.db*
	timeout 60 "$KDELTA" run -q "$tmp/two.yaml" --report markdown \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	echo $? >"$tmp/rc"
	tr '\n' ' ' <"$tmp/out" | tr -s ' ' >"$tmp/flat"
}
exits() { test "$(cat "$tmp/rc")" = "$1"; }

# fails_with WORDS: the one run failed so, and the other is there
fails_with() {
	exits 4 && grep -qF "bad, load, round 1 failed: $1" "$tmp/flat" &&
		grep -q 'good | 1 |' "$tmp/flat"
}
# what is kept of the bad run's console
console() {
	"$KDELTA" show --run "$("$KDELTA" show --json two | jq '.runs[] |
		select(.variant == "bad") | .id')" two | grep 'console: '
}
# refused WORDS: it was not begun, so the experiment ends, with these words
refused() { ! exits 0 && ! exits 4 && grep -qF "$1" "$tmp/err"; }

board ':'
check 'a board that ends well gives both runs' exits 0

board 'printf "[ 1.5] Kernel panic - not syncing: of our own\r\n" >>"$console"
	head -c 300 "$answers"
	end 20 "the board panicked: Kernel panic - not syncing: of our own"'
check 'a panic in the middle of the answers, in its words' fails_with \
	'the board panicked: Kernel panic - not syncing: of our own'
console >"$tmp/console"
check 'its console is kept, without carriage returns' sh -c \
	"grep -q '1.5. Kernel panic' '$tmp/console' && ! grep -q \"$(printf '\r')\" '$tmp/console'"

board 'end 21 "the board hung: no end after 15 s"'
check 'a hang, without one answer' fails_with 'the board hung: no end after 15 s'

board 'cat "$answers"; end 22 "the board reset or switched itself off"'
check 'a reset spoils a run whose answers are all there' fails_with \
	'the board reset or switched itself off'

board 'head -n 5 "$answers"; end 23 "QEMU ended with status 1"'
check 'QEMU that died in the run' fails_with 'QEMU ended with status 1'
board 'end 23 "QEMU ended with status 1"'
check 'QEMU that never began is nothing to try again' refused \
	'QEMU ended with status 1'

board 'rm "$console"; exit 21'
check 'no console at all: the status is said' fails_with \
	"$tmp/board ended with status 21"

board 'echo "not our words" >>"$console"; exit 20'
check 'a console without a last word: the status is said' fails_with \
	"$tmp/board ended with status 20"

board 'head -n 5 "$answers"; exit 0'
check 'answers that stop between two, and a good end' fails_with \
	'device: the other end has closed; the agent did not answer run.wait'
board 'head -n 2 "$answers"; exit 0'
check 'answers that stop before the run' refused 'the agent did not answer env'
board 'size=$(wc -c <"$answers"); head -c $((size - 40)) "$answers"; exit 0'
check 'answers cut in the middle of one, and a good end' fails_with \
	'device: the other end has closed; the agent did not answer run.wait'
board 'head -c 100000 /dev/urandom; exit 0'
check 'nothing but garbage, and a good end' refused \
	'the agent did not answer hello'
board 'head -c 20000 /dev/urandom; sed "s/^/noise/" "$answers"; exit 0'
check 'answers behind noise are found' exits 0

# the rest of the failures is told before a board was ever there
printf '#!/bin/sh\nexit 3\n' >"$tmp/board"
"$KDELTA" run -q "$tmp/two.yaml" --report none >"$tmp/out" 2>"$tmp/err"
echo $? >"$tmp/rc"
check 'what cannot be built is an error of the experiment' sh -c \
	"! grep -qx '[04]' '$tmp/rc' && grep -q 'ended with status 3' '$tmp/err'"
check 'no console is left behind' sh -c "! ls '$tmp'/kdelta-console.* 2>/dev/null"
echo "1..$n"
