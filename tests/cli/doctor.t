# SPDX-License-Identifier: GPL-2.0-or-later
# kdelta doctor over made-up machines: each check finds what is wrong, and leaves
# alone what is right.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
root=$tmp/root

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
doctor() {
	COLUMNS=60 timeout 20 "$KDELTA" doctor --root "$root" "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	echo $? >"$tmp/rc"
}
exits() {
	test "$(cat "$tmp/rc")" = "$1"
}
put() { # PATH TEXT
	mkdir -p "$root/$(dirname "$1")"
	printf '%s\n' "$2" >"$root/$1"
}
found() { # CHECK FITNESS PATTERN
	"$KDELTA" doctor --root "$root" --json "$1" >"$tmp/out" 2>"$tmp/err"
	jq -es --arg f "$2" --arg p "$3" '.[0].checks | length == 1 and
		(.[0] | .fitness == $f and (.found | test($p)) and
		(($f | IN("note", "warn", "bad")) == (.cost != null)) and
		((.fix == null) == (.cost == null)))' <"$tmp/out"
}
# CHECK FITNESS PATTERN PATH TEXT...: with these files in the tree
is() {
	what="$1: $2, $3"
	args="$1|$2|$3"
	shift 3
	while [ $# -gt 1 ]; do
		put "$1" "$2"
		shift 2
	done
	IFS='|' read -r a b c <<-EOF
	$args
	EOF
	check "$what" found "$a" "$b" "$c"
}
cpu=sys/devices/system/cpu

mkdir -p "$root"
doctor
check 'of an empty tree nothing is said' exits 0
doctor --verbose
check 'but what was looked for' grep -q 'absent governor' "$tmp/out"

is governor warn 'performance on 1, powersave on 1|powersave on 1, performance on 1' \
	$cpu/cpu0/cpufreq/scaling_governor performance \
	$cpu/cpu1/cpufreq/scaling_governor powersave
is governor ok 'performance on 2' $cpu/cpu1/cpufreq/scaling_governor performance
is preference warn 'balance_power on 1' \
	$cpu/cpu0/cpufreq/energy_performance_preference balance_power
is preference ok 'performance on 1' \
	$cpu/cpu0/cpufreq/energy_performance_preference performance
is turbo warn on $cpu/cpufreq/boost 1
is turbo ok off $cpu/cpufreq/boost 0
is turbo warn on $cpu/intel_pstate/no_turbo 0
check 'and the fix is that of the driver' grep -q no_turbo "$tmp/out"
is turbo ok off $cpu/intel_pstate/no_turbo 1
is limit note '1 cores may run at 800 MHz of 2400' \
	$cpu/cpu0/cpufreq/scaling_max_freq 800000 \
	$cpu/cpu0/cpufreq/cpuinfo_max_freq 2400000
is limit ok none $cpu/cpu0/cpufreq/scaling_max_freq 2400000
is idle note 'C6, takes 890 us' $cpu/cpu0/cpuidle/state0/latency 0 \
	$cpu/cpu0/cpuidle/state0/name POLL \
	$cpu/cpu0/cpuidle/state1/latency 2 $cpu/cpu0/cpuidle/state1/name C1 \
	$cpu/cpu0/cpuidle/state2/latency 890 $cpu/cpu0/cpuidle/state2/name C6
is idle ok 'C1, takes 2 us' $cpu/cpu0/cpuidle/state2/disable 1
is siblings note 'share a core' $cpu/smt/active 1
is siblings ok 'one thread' $cpu/smt/active 0
is offline note '0 of 0-3' $cpu/online 0 $cpu/present 0-3
is offline ok '0-3 of 0-3' $cpu/online 0-3

zone=sys/class/thermal/thermal_zone0
is temperature warn 'zone0 has 79 degrees, 6 below .* 85' $zone/temp 79000 \
	$zone/trip_point_0_temp 85000 $zone/trip_point_0_type passive \
	$zone/trip_point_1_temp 80000 $zone/trip_point_1_type active
is temperature bad 'has 86 degrees, 1 over' $zone/temp 86000
is temperature ok 'has 40 degrees' $zone/temp 40000
is throttling bad '1 cooling' sys/class/thermal/cooling_device0/type Processor \
	sys/class/thermal/cooling_device0/cur_state 2 \
	sys/class/thermal/cooling_device1/type Fan \
	sys/class/thermal/cooling_device1/cur_state 3
is throttling ok 'not now' sys/class/thermal/cooling_device0/cur_state 0
is throttled warn '12 times' $cpu/cpu0/thermal_throttle/core_throttle_count 12
is throttled ok never $cpu/cpu0/thermal_throttle/core_throttle_count 0
is battery warn 'on battery' sys/class/power_supply/BAT0/status Discharging \
	sys/class/power_supply/AC/online 0
is battery ok 'on mains' sys/class/power_supply/BAT0/status Charging \
	sys/class/power_supply/AC/online 1

is load bad '3.50 .* on 4 cores' proc/loadavg '3.50 3.00 2.00 5/200 999'
is load warn '1.00' proc/loadavg '1.00 3.00 2.00 5/200 999'
is load ok '0.02' proc/loadavg '0.02 0.10 0.20 1/200 999'
is pressure warn 'for io 3.0 %' \
	proc/pressure/cpu 'some avg10=0.00 avg60=0.10 avg300=0.0 total=1' \
	proc/pressure/io 'some avg10=0.00 avg60=3.00 avg300=0.0 total=1'
is pressure bad 'for io 45.0 %' \
	proc/pressure/io 'some avg10=0.00 avg60=45.00 avg300=0.0 total=1'
is pressure ok '0.1 %' \
	proc/pressure/io 'some avg10=0.00 avg60=0.00 avg300=0.0 total=1'
is programs warn 'irqbalance \(moves interrupts' proc/12/comm irqbalance \
	proc/13/comm sh
is programs ok none proc/12/comm bash
printf 'processor\t: 0\nflags\t\t: fpu sse hypervisor\n' >"$root/proc/cpuinfo"
is machine warn 'virtual, QEMU' sys/class/dmi/id/sys_vendor QEMU
printf 'processor\t: 0\nflags\t\t: fpu sse\n' >"$root/proc/cpuinfo"
is machine ok 'no sign'
is steal bad '10.00 %' proc/stat 'cpu  500 0 200 200 0 0 0 100 0 0'
is steal warn '0.50 %' proc/stat 'cpu  500 0 200 295 0 0 0 5 0 0'
is steal ok '0.00 %' proc/stat 'cpu  500 0 200 300 0 0 0 0 0 0'
is quota bad '1.50 cores' proc/self/cgroup 0::/box/inner \
	sys/fs/cgroup/box/cpu.max '150000 100000' \
	sys/fs/cgroup/box/inner/cpu.max 'max 100000'
is quota ok none sys/fs/cgroup/box/cpu.max 'max 100000'
is uptime note '20 s' proc/uptime '20.50 30.00'
is uptime ok '90000 s' proc/uptime '90000.50 30.00'

clock=sys/devices/system/clocksource/clocksource0
is clock bad hpet $clock/current_clocksource hpet \
	$clock/available_clocksource 'tsc hpet acpi_pm'
check 'and tsc is there' grep -q 'echo tsc' "$tmp/out"
is clock ok tsc $clock/current_clocksource tsc
is tracing bad 'the function tracer' sys/kernel/tracing/current_tracer function
is tracing warn 'events' sys/kernel/tracing/current_tracer nop \
	sys/kernel/tracing/events/enable X
is tracing ok off sys/kernel/tracing/events/enable 0
is debugging bad 'KASAN, lockdep' proc/sys/kernel/osrelease 6.1.0-x \
	boot/config-6.1.0-x 'CONFIG_KASAN=y
CONFIG_PROVE_LOCKING=y'
is debugging ok 'config-6.1.0-x' boot/config-6.1.0-x \
	'# CONFIG_KASAN is not set'
is watchdog note on proc/sys/kernel/nmi_watchdog 1
is watchdog ok off proc/sys/kernel/nmi_watchdog 0

is hugepages note always sys/kernel/mm/transparent_hugepage/enabled \
	'[always] madvise never'
is hugepages ok madvise sys/kernel/mm/transparent_hugepage/enabled \
	'always [madvise] never'
is numa warn 'nodes 0-1, and pages' sys/devices/system/node/online 0-1 \
	proc/sys/kernel/numa_balancing 1
is numa note 'nodes 0-1$' proc/sys/kernel/numa_balancing 0
is numa ok 'one node' sys/devices/system/node/online 0
meminfo() { # AVAILABLE SWAP-FREE
	echo "MemTotal: 8192000 kB
MemFree: 1 kB
MemAvailable: $1 kB
SwapTotal: 1024000 kB
SwapFree: $2 kB"
}
is memory warn '500 of 8000' proc/meminfo "$(meminfo 512000 1024000)"
is memory note '100 MiB in swap' proc/meminfo "$(meminfo 6000000 921600)"
is memory ok ' 0 MiB in swap' proc/meminfo "$(meminfo 6000000 1024000)"
is same-pages warn on sys/kernel/mm/ksm/run 1
is same-pages ok off sys/kernel/mm/ksm/run 0

net=sys/class/net/eth0
is host-bus warn powersupersave sys/module/pcie_aspm/parameters/policy \
	'default performance powersave [powersupersave]'
is host-bus ok performance sys/module/pcie_aspm/parameters/policy \
	'default [performance] powersave powersupersave'
is device note eth0 $net/device/power/control auto
is device ok awake $net/device/power/control on
is duplex bad 'half on eth0' $net/duplex half
is duplex ok full $net/duplex full
is errors warn 'eth0 7' $net/statistics/rx_errors 7
is errors ok none $net/statistics/rx_errors 0
doctor --strict
check 'the tree is that of a machine that is fit' exits 0
check 'in 60 columns' sh -c "! grep -E '.{61}' '$tmp/out'"
is wireless note wlan0 sys/class/net/wlan0/type 1 \
	sys/class/net/wlan0/phy80211/index 0
check 'and how to ask' grep -q 'iw dev wlan0' "$tmp/out"

put $cpu/cpufreq/boost 1
put $cpu/intel_pstate/no_turbo 0
doctor
check 'a warning is no failure' exits 0
check 'but noise' grep -q 'fit, but with noise' "$tmp/out"
doctor --strict
check 'unless it has to be strict' exits 1
put $clock/current_clocksource jiffies
doctor
check 'bad is a failure' exits 1
check 'with what to do' grep -q 'fix: *echo tsc' "$tmp/out"
doctor 'cl*' --json
check 'one check alone, as JSON' sh -c "jq -e '.fit == false and .bad == 1 and
	(.checks | length) == 1' <'$tmp/out'"
doctor nonesuch
check 'no such check' exits 2
root=$tmp/none
doctor
check 'no such tree' exits 2

# what no tree can show, on the machine itself
"$KDELTA" doctor --json >"$tmp/out" 2>"$tmp/err"
check 'every check has an answer here' sh -c "jq -e '.checks | length >= 27 and
	all(.fitness == \"absent\" or .found != \"\")' <'$tmp/out'"
echo "1..$n"
