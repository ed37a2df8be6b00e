# SPDX-License-Identifier: GPL-2.0-or-later
# What an agent answers, as docs/protocol.md has it. KDELTA_AGENT is the binary.
echo 1..8
n=0
check() { # NAME TEXT PATTERN
	n=$((n + 1))
	if printf '%s\n' "$2" | grep -qE "$3"; then
		echo "ok $n - $1"
	else
		printf '%s\n' "$2" | sed 's/^/# /'
		echo "not ok $n - $1"
	fi
}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
prepare() { # ID RUN OBSERVER
	printf '{"kd":1,"id":%s,"op":"run.prepare","run":"%s","work":{"kind":"idle","role":"device","opts":"","token":""},"observe":[{"name":"%s","opts":""}],"length":"50000000","deadline":"5000000000"}\n' "$@"
}

out=$(printf '{"kd":1,"id":1,"op":"hello"}\n{"kd":1,"id":1,"op":"hello"}\n' |
	timeout 20 "$KDELTA_AGENT" --batch)
check 'hello is answered' "$out" '"re":1,"ok":true,"version"'
check 'a repeated id is answered again' "$(printf '%s\n' "$out" | uniq -c)" '^ *2 '
out=$(printf '{"kd":1,"id":2,"op":"dance"}\n' | timeout 20 "$KDELTA_AGENT" --batch)
check 'an unknown operation is an error' "$out" '"re":2,"error":.*dance'
out=$(prepare 3 a tasksx | timeout 20 "$KDELTA_AGENT" --batch)
check 'an unknown observer is an error' "$out" '"re":3,"error":.*tasksx'
out=$({ prepare 4 a cpu
	echo '{"kd":1,"id":5,"op":"run.start","run":"a"}'
	echo '{"kd":1,"id":6,"op":"run.wait","run":"a"}'
} | timeout 20 "$KDELTA_AGENT" --batch --root "$root")
check 'an observer without its file is skipped with the reason' "$out" \
	'"re":4,"ok":true,"skipped":\[\{"observer":"cpu","why":"[^"]*/proc/stat'
check 'and the run goes on without it' "$out" '"re":6,"ok":true,"result"'
out=$({ prepare 7 b tcp
	echo '{"kd":1,"id":8,"op":"run.window","run":"b"}'
	echo '{"kd":1,"id":9,"op":"run.start","run":"b"}'
	echo '{"kd":1,"id":10,"op":"run.window","run":"b"}'
	echo '{"kd":1,"id":11,"op":"run.wait","run":"b"}'
} | timeout 20 "$KDELTA_AGENT" --batch)
check 'a window that has not begun is not waited for' "$out" \
	'"re":8,"error":.*not been started'
check 'a window is answered, and the run after it' \
	"$(printf '%s\n' "$out" | tail -n 2 | tr '\n' ' ')" \
	'"re":10,"ok":true.*"re":11,"ok":true,"result"'
