#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two drivers for one SDIO chip, two rounds: the published figures. CPU shares
# are published of four cores, 81.6 % of which were idle.
. "$(dirname "$0")/experiment.sh"

# MiB/s of a variant, as curl's meter counts
mib() { awk -v m="$(figure get http.rx-throughput "$1")" \
	'BEGIN { if (m != "") print m * 1e6 / 8 / 1048576 }'; }
# of one core, in per cent
share() { awk -v name="$1" '$2 ~ "^tasks.cpu" && index($2, name) &&
	$3 == "bcmdhd" { print $4; exit }' "$dir/figures"; }
# the device's tasks, of four cores; "exe" is the peer's agent
busy() { awk '$2 ~ "^tasks.cpu" && $2 !~ /\[exe\]/ && $3 == "bcmdhd" &&
	$4 != "None" { sum += $4 } END { print sum / 4 }' "$dir/figures"; }

ok "the experiment runs" experiment \
	"$top/experiments/bcm4359-driver-swap.yaml" -n 2 --plan seed=5
ok "brcmfmac: 9.52 MiB/s" within "$(mib brcmfmac)" 9.52 10
ok "bcmdhd: 17.3 MiB/s" within "$(mib bcmdhd)" 17.3 10
ok "bcmdhd: from 12 to 25 % of four cores busy" within "$(busy)" 18.5 35.1
ok "the interrupt's thread takes the most" \
	less "$(share kdelta-agent)" "$(share -ffe03000)" 1
for t in dhd_rxf dhd_dpc ksdioirqd; do
	ok "then who reads the data, before $t" \
		less "$(share $t)" "$(share kdelta-agent)" 1
done
done_testing
