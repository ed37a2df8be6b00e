#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two drivers for one SDIO chip: bound in turn, each with its threads; one reads
# frames in aggregates, one frame by frame; and a chip whose firmware one of them
# does not know.
. "$(dirname "$0")/lib.sh"

cat >>"$dir/lib" <<'END'
mkfifo /tmp/never
exec 9<>/tmp/never
card=mmc2:0001:1
drivers=/sys/bus/sdio/drivers
bind() {
	for drv in $drivers/*; do
		[ -e $drv/$card ] && echo $card >$drv/unbind
	done
	echo $card >$drivers/$1/bind
}
# up to two seconds, until the link is up
linked() {
	for i in $(seq 200); do
		[ "$(cat /sys/class/net/dut0/carrier 2>/dev/null)" = 1 ] &&
			ping -c 1 -W 1 10.77.0.2 >/dev/null && return
		usleep 10000
	done
	false
}
# 1 MiB from the peer; blocks over the bus for 100 frames
get() {
	head -c 1048576 /dev/zero | $on_peer nc -l -p 5000 &
	usleep 100000
	blocks=$(sed -n 's/^bus_transfers //p' /sys/kernel/debug/kdchip/stats)
	frames=$(cat /sys/class/net/dut0/statistics/rx_packets)
	nc 10.77.0.2 5000 <&9 | wc -c
	blocks=$(($(sed -n 's/^bus_transfers //p' /sys/kernel/debug/kdchip/stats) - blocks))
	frames=$(($(cat /sys/class/net/dut0/statistics/rx_packets) - frames))
	echo blocks $((100 * blocks / frames))
}
threads() { cat /proc/[0-9]*/comm | grep -E '^(irq/|ksdioirqd|dhd_)' |
	sed 's/^irq.[0-9]*-/irq-/' | sort | tr '\n' ' '; }
END

swap() {
	boot bcm4359 "$1" <<'END'
for d in brcmfmac bcmdhd brcmfmac; do
	bind $d
	linked && echo "$d linked" || echo "$d not linked"
	echo "$d threads $(threads)"
	echo "$d got $(get | tr '\n' ' ')"
done
cat /sys/kernel/debug/kdchip/stats
END
}

second() {
	boot bcm4359 1 --param bcm4359.chip_id=0x43ff <<'END'
for d in bcmdhd brcmfmac; do
	bind $d
	linked && echo "$d linked" || echo "$d not linked"
done
dmesg | grep -E 'escan|CFG80211|Escan|error \(-|dhd_ioctl' |
	sed 's/^[^]]*\] //'
END
}

unload() {
	boot bcm4359 1 <<'END'
bind bcmdhd
linked
get >/dev/null
rmmod bcmdhd && rmmod brcmfmac && rmmod bcm4359 && rmmod kdchip && echo gone
dmesg | grep -cE 'BUG|WARNING|refcount|unregister_netdevice'
true
END
}

blocks() { awk -v d="$1" '$1 == d && $2 == "got" { print $5; exit }' "$dir/a"; }

swap 7 >"$dir/a"
swap 7 >"$dir/b"
second >"$dir/second"
unload >"$dir/unload"
ok "the board answers" test -s "$dir/a"
ok "the same seed gives the same bytes" cmp "$dir/a" "$dir/b"
ok "each driver links, the first one again after the other" test \
	"$(grep -c ' linked$' "$dir/a")" = 3
ok "each receives every byte" test \
	"$(grep -c 'got 1048576 ' "$dir/a")" = 3
ok "threads of brcmfmac" grep -qx \
	'brcmfmac threads irq-ffe03000.sd ksdioirqd/mmc2 ' "$dir/a"
ok "threads of bcmdhd" grep -qx \
	'bcmdhd threads dhd_dpc dhd_rxf irq-ffe03000.sd ksdioirqd/mmc2 ' "$dir/a"
ok "brcmfmac reads a header and a frame, each a block" \
	less 200 "$(blocks brcmfmac)" 1
ok "bcmdhd reads several frames in a block" less "$(blocks bcmdhd)" 100 1
ok "the second chip links under brcmfmac only" test \
	"$(grep 'linked$' "$dir/second" | tr '\n' ' ')" = \
	"bcmdhd not linked brcmfmac linked "
ok "and bcmdhd's log is as published" test \
	"$(grep -A 7 -m 1 LEGACY_SCAN "$dir/second")" = \
	"wl_run_escan: LEGACY_SCAN sync ID: 0, bssidx: 0
CFG80211-ERROR) wl_run_escan : 
 Escan set error (-37)
dhd_ioctl_entry_local invalid parameter
CFG80211-ERROR) wl_run_escan : 
error (-37), cnt=1
CFG80211-ERROR) wl_cfg80211_scan : 
scan error (-11)"
ok "it tries again, and again" test \
	"$(grep -c LEGACY_SCAN "$dir/second")" -gt 1
ok "everything unloads after traffic, without a complaint" test \
	"$(tr '\n' ' ' <"$dir/unload")" = "gone 0 "
done_testing
