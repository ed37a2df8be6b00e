# SPDX-License-Identifier: GPL-2.0-or-later
# A command's output is read by the log formats. KDELTA is the binary.
echo 1..5
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
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for v in 3990000 15000000; do
	printf 'ttcp-t: %s bytes in 10.00 real seconds = %s KB/sec +++\n' \
		$v "$(awk "BEGIN{printf \"%.2f\", $v / 10240}")" >"$dir/$v"
done
experiment() { # FORMAT
	cat <<-END
	name: parse
	dut: local
	variants:
	  slow: { workload: { t.command: "cat $dir/3990000" } }
	  fast: { workload: { t.command: "cat $dir/15000000" } }
	workloads:
	  t: { exec: { command: "true", parse: $1 } }
	observe: [kmsg]
	plan: { rounds: 3 }
	END
}
experiment ttcp >"$dir/e.yaml"
out=$("$KDELTA" run --store "$dir/db" --report json "$dir/e.yaml" 2>/dev/null |
	python3 -c '
import json, sys
for m in json.load(sys.stdin)["measures"]:
    if m["metric"].startswith("exec.") and m["metric"] != "exec.time":
        print(m["metric"], m["unit"], "primary" if m["primary"] else "no",
              [round(v["mean"], 1) for v in m["variants"]])')
check 'the figure and the first is primary' "$out" \
	'^exec.throughput .*primary \[[0-9.]+, [0-9.]+\]$'
check 'as the log has it' "$out" '389.6, 1464.8'
experiment ttpc >"$dir/e.yaml"
out=$("$KDELTA" run --store "$dir/db" --dry-run "$dir/e.yaml" 2>&1; echo "rc $?")
check 'an unknown format is an error with its line' "$out" \
	'e.yaml:7:.*no log format "ttpc"'
check 'before anything runs' "$out" '^rc 2$'
experiment curl >"$dir/e.yaml"
out=$("$KDELTA" run --store "$dir/db" --report none "$dir/e.yaml" 2>&1; echo "rc $?")
check 'output of another format fails the run' "$out" '^rc [34]$'
